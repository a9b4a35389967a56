"""Reviewed games: luck and skill that add up, mistakes found, marks, and what a review says and refuses."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from math import sqrt
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from late_games import LEFT, luck_of
from planted import good_game_with_a_blunder
from test_readme import untold

from cherrysim import Flowers, Refused, Rules
from cherrysim.cli import main
from cherrysim.instant import instant
from cherrysim.moves import Draw, Overdraw, Stop, UseCard
from cherrysim.policy import parse
from cherrysim.recordfile import read_record
from cherrysim.records import Record
from cherrysim.review import MARKS, NEAR, Review, mark, review, second_thoughts
from cherrysim.review.bands import LOST, POLICIES, lost_in, plays_like
from cherrysim.review.decisions import Splits, Splitting, decided, known, moments
from cherrysim.review.playing import MEASURING, played_on
from cherrysim.rollout.starts import Question
from cherrysim.sheets.page import html
from cherrysim.sheets.text import markdown
from cherrysim.simulate.logs import record
from cherrysim.stats import Estimate, mean
from cherrysim.table import Seat, Table

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "reports" / "review"
MIXED = ("points", "learned", "kept", "random")
SET_UPS = ("blue", "pink", "shin_sumizome,komatsu_otome,kokonoe")
SMALL = """cherrysim record 1
players "<b>Ann", Ben
cards shin_sumizome
rules counts=P5Y5L4D3W3B1 set_aside=0
1. "<b>Ann": PYY -> hide Y
2. Ben: PLLY | P -> card shin_sumizome W; hide L
3. "<b>Ann": PYLLD | DWW -> keep P Y
4. Ben: PY -> hide none
5. "<b>Ann": LWB
"""
ENDED = """cherrysim record 1
players Ann, Ben
cards shin_sumizome
rules counts=P2Y4L2D1W2 set_aside=0
1. Ann: PPLL -> card shin_sumizome ?; hide L
2. Ben: YWY -> hide Y
3. Ann: YYD -> hide Y
end
reveal Ann W
split Ann warm 1 cool 0
"""


@cache
def simulated(players: int, cards: str, game: int) -> Record:
    names = cards if "," not in cards else tuple(cards.split(","))
    return record([parse(name) for name in MIXED[:players]], 3, game, Rules.official(players, names))


@cache
def reviewed(players: int, cards: str, game: int) -> Review:
    return review(simulated(players, cards, game), quick=True)


@cache
def small() -> Review:
    return review(read_record(SMALL), quick=True)


def check_sums(found: Review) -> None:
    """Start + luck + choices = result, luck added up draw by draw; all vectors add up over the seats."""
    accounts, seats = found.accounts, range(found.record.rules.players)
    luck = [sum(drawn[seat] for _, drawn in found.draws) for seat in seats]
    own = [sum(d.change[s] for d in found.decisions if d.seat == s) for s in seats]
    others = [sum(d.change[s] for d in found.decisions if d.seat != s) for s in seats]
    for account, drawn, mine, theirs in zip(accounts, luck, own, others, strict=True):
        assert account.luck == pytest.approx(drawn, abs=1e-9)
        assert account.start + drawn + mine + theirs == pytest.approx(account.result, abs=1e-9)
        assert account.own <= 1e-9
    for name, total in (("start", 1), ("result", 1), ("luck", 0)):
        assert sum(getattr(account, name) for account in accounts) == pytest.approx(total, abs=1e-9)
    for decision in found.decisions:
        assert sum(decision.change) == pytest.approx(0, abs=1e-9)
        assert decision.change[decision.seat] <= 1e-9


@pytest.mark.parametrize(("players", "cards"), [(2, SET_UPS[1]), (3, SET_UPS[2])])
def test_luck_and_skill_add_up_to_the_result(players: int, cards: str) -> None:
    found = reviewed(players, cards, 0)
    check_sums(found)
    assert found.finished
    assert 0 < second_thoughts(found) < 0.15
    score = simulated(players, cards, 0).score()
    assert score is not None
    assert found.result == pytest.approx([float(player.share) for player in score.players])


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_luck_and_skill_add_up_in_hundreds_of_games(players: int) -> None:
    for game in range(168):
        found = review(simulated.__wrapped__(players, SET_UPS[game % 3], game), quick=True)
        check_sums(found)
        assert found.finished


def test_a_decision_is_worth_what_the_instant_answer_says() -> None:
    for position in list(moments(simulated(2, SET_UPS[1], 0)))[10:30:4]:
        decision = decided(position)
        assert decision is not None
        seat = position.table.to_move
        shares = {option.move: option.shares for option in instant(position.table)}
        most = max(found[seat] for found in shares.values())
        assert decision.value[seat] == pytest.approx(most, abs=1e-9)
        assert decision.lost == pytest.approx(most - shares[position.move][seat], abs=1e-9)


def mean_luck(lucks: list[tuple[float, ...]]) -> list[tuple[float, float]]:
    """Every seat's mean luck with its standard error."""
    found = [mean([luck[seat] for luck in lucks]) for seat in range(len(lucks[0]))]
    return [(one.value, one.standard_error) for one in found]


def biased(luck: tuple[float, ...], start: tuple[float, ...], by: float) -> tuple[float, ...]:
    """The luck if the last seat were always valued higher by a part of what the others have."""
    wrong = [share * (1 - by) for share in start]
    wrong[-1] += by
    return tuple(one + a - b for one, a, b in zip(luck, start, wrong, strict=True))


def test_luck_is_nothing_on_average_in_a_few_endings() -> None:
    found = [luck_of((2, game, ("learned", "learned"), 12)) for game in range(12)]
    assert all(abs(value) < 4 * error for value, error in mean_luck([luck for luck, _ in found]))
    wrong = mean_luck([biased(luck, start, 0.9) for luck, start in found])
    assert not all(abs(value) < 4 * error for value, error in wrong)


@pytest.mark.slow
def test_luck_is_nothing_on_average_in_two_thousand_endings() -> None:
    jobs = [(2, game, ("learned", "points"), LEFT) for game in range(2000)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = list(pool.map(luck_of, jobs, chunksize=20))
    assert all(abs(value) < 4 * error for value, error in mean_luck([luck for luck, _ in found]))
    wrong = mean_luck([biased(luck, start, 0.12) for luck, start in found])
    assert not all(abs(value) < 4 * error for value, error in wrong)


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 20))])
def test_a_planted_blunder_is_found_and_ranked_first(seed: int) -> None:
    played, turn, blunder = good_game_with_a_blunder(seed)
    found = review(played, quick=seed < 3)
    worst = found.mistakes[0]
    assert (worst.turn, worst.played) == (turn, blunder)
    assert mark(worst) == "??"
    assert worst.lost == max(decision.lost for decision in found.decisions)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_better_policies_give_up_less(players: int) -> None:
    """Each pair is told apart by 3 standard errors, and the figures of the bands are found again."""
    rules, lost = Rules.official(players), {}
    for name in POLICIES:
        lost[name] = mean(
            [lost_in(record([parse(name)] * players, 77, game, rules)) for game in range(48 // players)]
        )
        figure, error = LOST[players][name]
        apart = sqrt(lost[name].standard_error ** 2 + error**2)
        assert abs(lost[name].value - figure) < 4 * apart
    for better, worse in (("learned", "points"), ("points", "kept"), ("kept", "random")):
        gap = lost[worse].value - lost[better].value
        assert gap > 3 * sqrt(lost[worse].standard_error ** 2 + lost[better].standard_error ** 2)


def test_the_bands_name_the_policies_in_their_order() -> None:
    for players, lost in LOST.items():
        assert set(lost) == set(POLICIES)
        assert lost["learned"][0] < lost["points"][0] < lost["kept"][0] < lost["random"][0]
        for name, (figure, _) in lost.items():
            assert plays_like(Estimate(figure, 0.01, 30), players) == name
        middle = (lost["learned"][0] + lost["points"][0]) / 2
        assert plays_like(Estimate(middle, 0.01, 30), players) == "between learned and points"
        assert plays_like(Estimate(0.5, 0.01, 4), players) is None


@pytest.mark.parametrize(
    ("lost", "error", "sign"),
    [
        (0.0199, None, ""),
        (0.02, None, "?!"),
        (0.04, None, "?"),
        (0.08, None, "??"),
        (0.08, 0.05, ""),  # cannot be told from nothing
        (0.08, 0.04, "??"),
        (NEAR, None, ""),
    ],
)
def test_marks_follow_what_was_given_up(lost: float, error: float | None, sign: str) -> None:
    decision = small().decisions[0]
    changed = replace(decision, change=(-lost, lost), error=error)
    assert mark(changed) == sign
    assert MARKS[-1][0] > NEAR


def test_errors_are_half_of_the_95_percent_interval_and_a_loss_within_its_error_is_no_mistake() -> None:
    found = replace(small(), decisions=tuple(replace(d, change=(0, 0)) for d in small().decisions))
    assert str(found).startswith(
        "No mistake so far: nobody gave up 2 % of the victory or more in a decision\n"
    )
    first = replace(found.decisions[0], change=(-0.03, 0.03), error=0.02, best=Stop())
    doubtful = replace(found, decisions=(first, *found.decisions[1:]))
    assert str(doubtful).startswith("No mistake so far that games can tell from nothing\n")
    assert "| 3.0 +- 3.9 |" in markdown(doubtful)
    low, high = doubtful.accounts[0].lost.interval()
    assert f" {50 * (low + high):.2f} +- {50 * (high - low):.2f} " in str(doubtful)
    assert "+- is half of the 95 % interval" in " ".join(str(doubtful).split())


def test_a_near_tie_is_never_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cherrysim.review.MARKS", ((0.001, "?!"),))
    decision = small().decisions[0]
    assert mark(replace(decision, change=(-NEAR, NEAR), error=None)) == ""
    assert mark(replace(decision, change=(-NEAR - 1e-6, NEAR + 1e-6), error=None)) == "?!"


def test_a_game_in_progress_is_reviewed_as_far_as_it_goes() -> None:
    found = small()
    check_sums(found)
    assert not found.finished
    assert "in progress" in str(found)
    assert [d.line for d in found.decisions] == sorted(d.line for d in found.decisions)
    assert {d.kind for d in found.decisions} >= {"draw", "stop", "hide", "card", "keep"}
    assert found.decisions[-1].drawn == Flowers.parse("LWB")


def test_a_draw_beyond_eight_is_rated_as_a_mistake() -> None:
    start = "cherrysim record 1\nplayers Ann, Ben\ncards none\n1. Ann: PPYYLL | WWD -> over\n"
    found = review(read_record(start), quick=True)
    over = found.decisions[-1]
    assert isinstance(over.played, Overdraw)
    assert (over.kind, over.best) == ("draw", Stop())
    assert mark(over) == "??"
    assert over.table.seats[0].name in str(found)


def test_wilds_split_badly_are_a_mistake_and_split_as_modelled_none() -> None:
    """Ann wins just if her wild goes to the warm group, where Ben has as many as she has without it."""
    rules = Rules.from_mapping({"counts": "P8Y4L2W1", "set_aside": 0, "cards": []}, 2)
    ann = Seat("Ann", behind=Flowers.parse("Y2 L2 W1"))
    game = Splits(Table(rules, (ann, Seat("Ben", Flowers.parse("P8"), Flowers.parse("Y2")))))
    good, bad = game.decision(0, (1, 0), 9), game.decision(0, (0, 1), 9)
    assert (good.lost, good.best, mark(good)) == (0, Splitting(1, 0), "")
    assert (bad.lost, bad.best, mark(bad)) == (1, Splitting(1, 0), "??")
    assert bad.change == (-1, 1)


def test_splits_that_are_told_are_decisions() -> None:
    found = review(read_record(ENDED), quick=True)
    check_sums(found)
    split = found.decisions[-1]
    assert (split.kind, split.played, split.seat) == ("split", Splitting(1, 0), 0)
    assert "split 1 warm 0 cool" in markdown(found)


def test_a_secret_shown_at_the_end_was_known_to_its_owner() -> None:
    told = known(read_record(ENDED))
    assert told.reveals == ()
    (step,) = [step for turn in told.turns for step in turn.steps if isinstance(step.move, UseCard)]
    assert step.drawn == Flowers.parse("W")
    assert review(read_record(ENDED), quick=True).finished


def test_a_secret_never_shown_leaves_the_result_open() -> None:
    text = "\n".join(ENDED.splitlines()[:-2]) + "\n"
    found = review(read_record(text), quick=True)
    check_sums(found)
    assert not found.finished
    words = " ".join(str(found).split())
    assert "does not tell the secret flowers of Ann" in words
    assert "Flowers never shown decide the score" in words


def test_a_turn_nobody_watched_is_not_rated_and_counts_as_luck() -> None:
    text = "cherrysim record 1\nplayers Ann, Ben\ncards none\n1. Ann: PYY -> hide Y\n2. Ben: {}\n3. Ann: PPD"
    missed, seen = (
        review(read_record(text.format(turn)), quick=True) for turn in ("PYL?? -> hide ?", "PY -> hide Y")
    )
    check_sums(missed)
    assert [decision.turn for decision in missed.decisions] == [1, 1, 1, 3]
    assert missed.unwatched == (2,)
    assert seen.unwatched == ()
    assert second_thoughts(missed) < 1e-9  # though the missed turn changed much
    assert max(map(abs, missed.draws[2][1])) > 0.001
    assert "Turn 2 was not watched" in " ".join(str(missed).split())
    assert "not watched" not in str(seen)


def test_impossible_lines_are_refused_by_their_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.record"
    file.write_text(SMALL.replace("PLLY | P", "PLLY | PPPP"))
    assert main(["review", str(file), "--quick"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "line 6" in err
    assert err.count("\n") == 1


def test_a_record_without_a_turn_is_refused() -> None:
    with pytest.raises(Refused, match="no decision is recorded"):
        review(read_record("cherrysim record 1\nplayers Ann, Ben\n"))


def test_games_played_on_give_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cherrysim.review.playing.PICKING", 128)
    monkeypatch.setattr("cherrysim.review.playing.MEASURING", 256)
    monkeypatch.setattr("cherrysim.review.MOST", 2)
    game = read_record(SMALL)
    one, two = (review(game, seed=5, threads=threads) for threads in (1, 2))
    assert json.dumps(one.to_json()) == json.dumps(two.to_json())
    check_sums(one)
    played = [d for d in one.decisions if d.games]
    assert 1 <= len(played) <= 2
    assert all(d.error is not None for d in played)
    assert one.to_json() != review(game, seed=6, threads=1).to_json()


@pytest.mark.parametrize("lead", [0.03, -0.01])
def test_the_lead_is_that_of_fresh_games(lead: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """What picked the best choice says nothing of how much better it is."""
    seeds = []

    def batches(asked: Question, seed: int, games: int, *_: object) -> np.ndarray:
        seeds.append(seed)
        picking = len(seeds) == 1
        shares = np.zeros((games // 64, len(asked.moves), 2))
        if picking:
            shares[:, 1] = [0.9, 0.1]
            shares[:, 0] = 0.5
        else:
            noise = np.linspace(-0.01, 0.01, len(shares))
            shares[:, 1, 0], shares[:, 1, 1] = lead + noise, -lead - noise
        return shares

    monkeypatch.setattr("cherrysim.review.playing._batches", batches)
    decision = next(d for d in small().decisions if d.seat == 0 and d.kind == "draw")
    decision = replace(
        decision, choices=(decision.played, *(m for m in decision.choices if m != decision.played))
    )
    again = played_on(decision, 4, 1, lambda: False)
    assert again is not None
    assert len(set(seeds)) == 2
    assert again.lost == pytest.approx(max(lead, 0))
    noise = np.linspace(-0.01, 0.01, MEASURING // 64)
    assert again.error == pytest.approx(noise.std(ddof=1) / sqrt(len(noise)))
    assert (again.best == again.played) == (lead < 0)


def test_ctrl_c_leaves_what_was_rated_by_then() -> None:
    def interrupt(done: int, part: float) -> None:
        if done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    found = review(read_record(SMALL), quick=True, progress=interrupt)
    assert found.stopped == "interrupt"
    assert 0 < len(found.decisions) < len(small().decisions)
    check_sums(found)
    assert "interrupted" in str(found)


def test_the_command_writes_json_and_pages_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "game.record", tmp_path / "new" / "review"
    file.write_text(SMALL)
    command = ["review", str(file), "--quick", "--json", "--out", str(out)]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    assert untold({key: value for key, value in document.items() if key != "marks"}) == set()
    for seat in document["seats"]:
        total = seat["start"] + seat["luck"] + seat["own"] + seat["others"]
        assert total == pytest.approx(seat["result"], abs=1e-9)
        assert set(seat["lost_per_decision"]) == {"mean", "standard_error"}
    keys = {"line", "turn", "seat", "kind", "played", "best", "lost", "mark"}
    assert all(keys <= set(decision) for decision in document["decisions"])
    assert document["stopped"] is None
    before = (out / "review.html").read_bytes()
    assert main(command) == 2
    assert "nothing is overwritten" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert (out / "review.html").read_bytes() == before
    assert sorted(path.name for path in out.iterdir()) == ["review.html", "review.md"]


@pytest.mark.parametrize(
    "name", ["file", "file/inside", "locked/new", "x" * 300, "taken", "folder"], ids=lambda name: name[:12]
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("cherrysim.review.review", lambda *_, **__: pytest.fail("reviewed"))
    (tmp_path / "game.record").write_text(SMALL)
    (tmp_path / "file").touch()
    (tmp_path / "locked").symlink_to("/proc")  # where not even the superuser makes a folder
    (tmp_path / "taken" / "review.md").mkdir(parents=True)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "review.html")
    command = ["review", str(tmp_path / "game.record"), "--force", "--out", str(tmp_path / name)]
    assert main(command) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert "cannot be written: " in error


@pytest.mark.slow
def test_a_game_is_reviewed_within_a_minute_on_two_cores_and_quickly_within_5_s() -> None:
    """By processor time, so that a busy machine may run it; compiled before."""

    def seconds(*options: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "cherrysim", "review", str(EXAMPLE / "game.record"), *options]
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    seconds()
    assert seconds("--quick") < 5
    assert seconds() < 2 * 60


@pytest.mark.slow
def test_the_example_is_what_its_command_makes(tmp_path: Path) -> None:
    text, names = (EXAMPLE / "game.record").read_text(), ["learned", "points", "kept"]
    assert str(record([parse(name) for name in names], 1, 0, Rules.official(3), names)) == text
    assert main(["review", str(EXAMPLE / "game.record"), "--seed", "1", "--out", str(tmp_path)]) == 0
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (EXAMPLE / file.name).read_bytes()


def test_the_example_is_the_review_of_its_record() -> None:
    text = (EXAMPLE / "game.record").read_text()
    page, shown = ((EXAMPLE / name).read_text() for name in ("review.html", "review.md"))
    decisions = len(review(read_record(text), quick=True).decisions)
    assert shown.split("## Every decision")[1].split("## How")[0].count("\n| ") == decisions + 1
    verdict = shown.splitlines()[2].strip("*.")
    assert f"<h1>{verdict}</h1>" in page.replace("&nbsp;", " ")


def test_the_page_needs_nothing_else_and_keeps_names_as_text() -> None:
    page = html(small())
    assert "<b>Ann" not in page
    assert "&lt;b&gt;Ann" in page
    assert not re.search(r"https?:|<script|<link|@import|url\(|src=", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert re.search(r'<svg[^>]*role="img"[^>]*aria-labelledby="curve-title curve-text"', page)
    assert "starts at" in page
    assert page == html(small())


def test_the_text_fits_80_columns_and_the_markdown_has_every_decision() -> None:
    for found in (small(), reviewed(3, SET_UPS[2], 0)):
        assert max(map(len, str(found).splitlines())) < 80
        assert str(found).isascii()
        table = markdown(found).split("## Every decision")[1].split("## How")[0]
        assert table.count("\n| ") == len(found.decisions) + 1
    assert "mistake" in str(small()).splitlines()[0].lower()


def test_moves_that_are_equal_count_as_best() -> None:
    """Whoever plays one of several equal moves gave up nothing, whichever stands first."""
    for decision in reviewed(2, SET_UPS[1], 0).decisions:
        assert (decision.best == decision.played) == (decision.lost == 0)
        if isinstance(decision.played, Draw):
            assert decision.kind == "draw"
