"""Every move at a table valued at once: against the readable turn, the readable policy and true scores."""

import json
import random
import time
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from test_cli_tables import PHASES, late, written
from test_learned_twin import CLOSE, exchanged, moments

from cherrysim import Flowers, Refused, Rules, Table, ask
from cherrysim.chances import Position
from cherrysim.cli import main
from cherrysim.endgame import solve_end
from cherrysim.engine import after, legal_moves
from cherrysim.hands import universe
from cherrysim.instant import VALUED, MoveValue, fitted, instant
from cherrysim.knowledge import belief, failing
from cherrysim.layers import answered
from cherrysim.learned import calibrated
from cherrysim.moves import Draw, Hide, Stop
from cherrysim.policy import Learned
from cherrysim.scoring import score
from cherrysim.table import COLLECT, DISPLAY, KEEP, Seat, moved
from cherrysim.tablefile import table_of
from cherrysim.turn import Valuation, solve

SET_UPS = [Rules.official(4), Rules.official(2), Rules.official(3, "pink")]


def readable(table: Table) -> list[MoveValue]:
    """Stopping and every draw by the readable turn, in fractions."""
    rules, seats = table.rules, range(len(table.seats))
    kept, failed = VALUED.outlooks(table)
    hands = universe(rules).hands

    def valuation(row: int) -> Valuation:
        keep = tuple(kept[hand][row] if hand in kept else 0.0 for hand in hands)
        return Valuation(keep, tuple(rows[row] for rows in failed), "")

    at = Position(belief(table), table.unseen, table.hand, table.draws_used, rules)
    turn = solve(at, valuation(table.to_move))
    found = []
    for option in turn.options():
        ends = turn.outcomes(first=option.draw)
        means = [float(ends.expect(valuation(row))) for row in range(3 * len(seats) + 1)]
        move = Draw(option.draw) if option.draw else Stop()
        assert means[table.to_move] == pytest.approx(float(option.value), abs=CLOSE)
        shares = fitted(means, table)
        scores = tuple(means[len(seats) : 2 * len(seats)])
        found.append(MoveValue(move, shares, scores, float(option.fail)))
    return found


def questions(rules: Rules, seed: int, every: int) -> list[Table]:
    """Tables at which a game of `learned` asks whether to draw, at the start of a turn and later."""
    asked = [table for table, _, _ in moments(rules, seed) if table.phase == COLLECT and table.bag_size > 8]
    return asked[3::every]


@pytest.mark.parametrize("i", range(3))
def test_draws_are_worth_what_the_readable_turn_says(i: int) -> None:
    compared = set()
    for table in questions(SET_UPS[i], seed=i, every=17):
        options, expected = instant(table), readable(table.seen_by(table.to_move))
        assert [option.move for option in options] == [option.move for option in expected]
        for option, other in zip(options, expected, strict=True):
            assert option.shares == pytest.approx(other.shares, abs=CLOSE)
            assert option.scores == pytest.approx(other.scores, abs=1e-9)
            assert option.fail == pytest.approx(other.fail, abs=CLOSE)
            assert sum(option.shares) == pytest.approx(1, abs=CLOSE)
        if len(options) > 1:  # the negative control: another option's numbers
            assert options[0].shares != pytest.approx(expected[-1].shares, abs=1e-6)
        compared.add(table.draws_used)
    assert len(compared) > 1


def test_what_hidden_flowers_may_be_follows_from_the_history() -> None:
    table = next(table for table in questions(Rules.official(2), 1, 1) if len(belief(table).pools) > 1)
    known, unknown = instant(table), instant(moved(table, history=None))
    apart = [abs(a.shares[0] - b.shares[0]) for a, b in zip(known, unknown, strict=True)]
    assert 0 < max(apart) < 0.02


@pytest.mark.parametrize("i", range(3))
def test_the_move_worth_most_is_the_one_learned_makes(i: int) -> None:
    """In every phase; but for a choice between equals, and what a history tells of hidden flowers."""
    seen, rules = set(), SET_UPS[i]
    for table, _, _ in moments(rules, seed=30 + i):
        if table.phase == COLLECT and (len(seen) > 2 or table.bag_size < 9):
            continue
        table = moved(table, history=None)
        own = table.to_move
        worth = {option.move: option.shares[own] for option in instant(table)}
        assert list(worth) == list(legal_moves(table))
        assert worth[Learned().valued().choose(table)] == pytest.approx(max(worth.values()), abs=1e-8)
        seen.add(table.phase)
    assert {COLLECT, DISPLAY, KEEP} <= seen


def test_a_display_that_ends_the_game_is_worth_the_true_score() -> None:
    rules = Rules.official(3, "none")
    *_, (table, _, _) = moments(rules, seed=4)
    assert table.bag_size == 0
    seat = table.to_move
    for option in instant(table):
        assert isinstance(option.move, Hide)
        ended = after(table, option.move)
        players = score([s.front for s in ended.seats], [s.all_behind for s in ended.seats], rules).players
        assert option.shares == pytest.approx([float(player.share) for player in players], abs=CLOSE)
        assert option.scores == pytest.approx([float(player.total) for player in players], abs=CLOSE)
    assert option.margins[seat] == option.scores[seat] - max(option.scores[s] for s in range(3) if s != seat)


def nearly_over(players: int, left: int, seed: int) -> Table:
    """All flowers but so many dealt out in front of the seats and behind."""
    rules, rng = Rules.official(players, "none"), random.Random(seed)
    flowers = [colour for colour, n in enumerate(rules.counts.counts) for _ in range(n)]
    rng.shuffle(flowers)
    places = [[[0] * 6, [0] * 6] for _ in range(players)]
    for i, colour in enumerate(flowers[left + rules.set_aside :]):
        places[i % players][rng.random() < 0.4][colour] += 1
    seats = [{"front": front, "behind": behind} for front, behind in places]
    return table_of({"seats": seats, "rules": {"cards": []}})


@pytest.mark.parametrize("players", [2, 3, 4])
def test_shares_that_are_worked_out_are_the_solvers(players: int) -> None:
    """With one flower left or two nothing is learned, and nothing is fitted to what was: the own share, as
    others' depend on what is chosen of equals."""
    undecided = 0
    for left, seed in product((1, 2), range(8)):
        table = nearly_over(players, left, seed)
        for option, exact in zip(instant(table), solve_end(table).options, strict=True):
            own = float(exact.shares[0])
            assert option.shares[0] == pytest.approx(own, abs=CLOSE)
            undecided += 0.05 < own < 0.95
    assert undecided


def test_what_is_learned_is_fitted_and_what_is_worked_out_is_not() -> None:
    table = Table.start(Rules.official(3))
    learned = [0.5, 0.3, 0.2]
    whole = fitted([*learned, 0, 0, 0, 0, 0, 0, 0], table)
    assert whole == pytest.approx(calibrated(learned, table.bag_size, table.rules))
    assert whole != pytest.approx(learned, abs=1e-3)
    assert fitted([*learned, 0, 0, 0, *learned, 1.0], table) == pytest.approx(learned)
    half = fitted([0.5, 0.4, 0.1, 0, 0, 0, 0.25, 0.25, 0.0, 0.5], table)
    rest = calibrated([0.5, 0.3, 0.2], table.bag_size, table.rules)
    assert half == pytest.approx([0.25 + rest[0] / 2, 0.25 + rest[1] / 2, rest[2] / 2])


def test_like_colours_may_be_exchanged_in_every_phase() -> None:
    phases = set()
    for table, _, _ in moments(Rules.official(4), seed=31):
        if table.phase in phases or (table.phase == COLLECT and not 8 < table.bag_size < 60):
            continue
        phases.add(table.phase)
        table = moved(table.seen_by(table.to_move), history=None)
        ours, theirs = (
            sorted(
                (option.shares for option in instant(asked)), key=lambda shares: [round(s, 9) for s in shares]
            )
            for asked in (table, exchanged(table, (1, 0, 3, 2, 4, 5)))
        )
        for one, other in zip(ours, theirs, strict=True):
            assert one == pytest.approx(other, abs=CLOSE)
    assert len(phases) == 5


def test_no_answer_depends_on_what_another_seat_alone_has_seen() -> None:
    seats = [Seat("Ann", Flowers.parse("P2"), own_secret=Flowers.parse("B")), Seat("Ben"), Seat("Cy")]
    table = Table(Rules.official(3), tuple(seats), to_move=1, hand=Flowers.parse("PY"), draws_used=1)
    seats[0] = Seat("Ann", Flowers.parse("P2"), own_secret=Flowers.parse("L"))
    other = Table(Rules.official(3), tuple(seats), to_move=1, hand=Flowers.parse("PY"), draws_used=1)
    assert instant(table) == instant(other)
    assert instant(moved(table, to_move=0)) != instant(moved(other, to_move=0))


def test_draws_that_are_certain_to_change_nothing_are_left_out() -> None:
    rules = Rules.official(3)
    rest = rules.counts - Flowers(black=4)
    table = Table(rules, (Seat("Ann", rest), Seat("Ben"), Seat("Cy")))
    assert [option.move for option in instant(table)] == [Draw(1), Draw(2)]
    held = Table(rules, table.seats, hand=Flowers(black=2), draws_used=1)
    assert [option.move for option in instant(held)] == [Stop()]


def test_an_answer_takes_a_fifth_of_a_second() -> None:
    for table in questions(Rules.official(4), 5, 12):
        instant(table)
        times = []
        for _ in range(3):
            began = time.process_time()
            instant(table)
            times.append(time.process_time() - began)
        assert min(times) < 0.2


def test_a_finished_game_is_refused() -> None:
    rules = Rules.official(3, "none")
    over = Table(rules, (Seat("Ann", rules.counts), Seat("Ben"), Seat("Cy")))
    with pytest.raises(Refused, match="the game is over; nothing is left to decide; score the table"):
        instant(over)


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_is_estimated_at_the_command_line(
    phase: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, late(**PHASES[phase]))
    assert main(["ask", "--table", file, "--method", "instant", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    table = table_of(late(**PHASES[phase]))
    options = instant(table)
    assert found["method"] == "instant"
    assert [row["share"]["mean"] for row in found["options"]] == [o.shares[0] for o in options]
    assert [row["score"]["mean"] for row in found["options"]] == [o.scores[0] for o in options]
    assert [row["margin"]["mean"] for row in found["options"]] == [o.margins[0] for o in options]
    best = max(row["share"]["mean"] for row in found["options"])
    for row in found["options"]:
        assert row["value"] == row["share"]["mean"]
        assert row["standard_error"] is None
        assert row["games"] == 0
        assert row["difference"]["mean"] == pytest.approx(row["value"] - best, abs=CLOSE)
        for name in ("share", "score", "margin", "difference"):
            assert row[name]["standard_error"] is row[name]["interval"] is None
            assert row[name]["interval_kind"] == "unknown"
    assert any("learned from games, not proved" in said for said in found["assumptions"])
    assert any("these rules differ" in said for said in found["assumptions"])
    assert main(["ask", "--table", file, "--method", "instant"]) == 0
    text = capsys.readouterr().out
    assert text == f"{ask(table=table, method='instant')}\n"
    assert max(map(len, text.splitlines())) < 80
    assert "Instant: estimated at once, not simulated." in text


def test_early_tables_are_estimated_and_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of({"seats": [{"front": "P3 Y2"}, {"behind": "L2", "secret": 1}, {}], "hand": "PYY"})
    advice = answered(table, method="instant")
    best = max(advice.options, key=lambda choice: choice.share.mean)
    assert (advice.method, advice.best.move) == ("instant", best.move)
    assert not any("these rules differ" in said for said in advice.assumptions)
    assert any("flower was drawn in secret" in said for said in advice.assumptions)
    assert [choice.fail for choice in advice.options] == [Fraction(0), *failing(table)[1:]]
    assert list(advice.frame()["share"]) == [choice.share.mean for choice in advice.options]
    points = answered(table, "score", "instant")
    assert points.best.score.mean == max(choice.score.mean for choice in points.options)
    assert points.to_json()["unit"] == "points"
    for asked, said in (
        (["--method", "fun"], "unknown method 'fun'; it is exact, instant, truncated or rollout; choose one"),
        (["--method", "instant", "--value", "kept"], "value kept is answered exactly"),
    ):
        assert main(["ask", "--table", written(tmp_path, table.to_json()), *asked]) == 2
        assert said in capsys.readouterr().err
    assert main(["ask", "--hand", "PYY", "--method", "instant"]) == 2
    assert "a bag alone is answered exactly" in capsys.readouterr().err


def test_of_many_displays_the_best_are_shown() -> None:
    fronts = [{"front": "P3 Y2 B1"}, {"front": "L3 D2 W1"}, {"front": "Y3 W3"}, {"front": "P1 Y2 D4"}]
    table = table_of({"rules": {"cards": "pink"}, "seats": fronts, "hand": "PPYYLL", "phase": "display"})
    advice = answered(table, method="instant")
    assert len(advice.options) > 60
    text = str(advice)
    assert f"and {len(advice.options) - 12} choices more" in text
    assert text.startswith("Use Kokonoe, take ")
