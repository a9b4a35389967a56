"""The strategy card: a second, readable player by the same rule; words that follow the numbers; the search;
what is stored."""

import random
from dataclasses import fields, replace
from itertools import combinations

import pytest
from click.testing import CliRunner

from cherrysim import Refused, Rules, simple
from cherrysim.card import BEST, PLAIN, START, STRONG, Bags, Effort, neighbours, search
from cherrysim.card.__main__ import main as search_command
from cherrysim.engine import after, legal_moves
from cherrysim.flowers import BLACK, LETTERS, Flowers
from cherrysim.hands import conditions
from cherrysim.moves import Draw, Hide, Keep, Pick, Place, Stop, UseCard
from cherrysim.policy import Simple, parse
from cherrysim.report.cardwords import LANGUAGES, lines
from cherrysim.rules import OFFICIAL
from cherrysim.simple import Rule
from cherrysim.simulate.logs import logged, steps_of
from cherrysim.table import COLLECT, DISPLAY, HIDE, KEEP, Table

WHITE = BLACK - 1


def in_front(rule, n, colour, late):
    """What one flower more counts in front."""
    if colour >= WHITE:
        return rule.white if colour == WHITE else rule.dark
    return rule.more if n else rule.new_late if late else rule.new


def behind(rule, own, colour, late):
    """What one flower counts behind."""
    points = rule.behind_late if late else 0
    if colour >= WHITE:
        return points + rule.wild
    hidden = own.all_behind.counts
    groups = [sum(hidden[:2]), sum(hidden[2:4])]
    mine = colour // 2
    return points + rule.coloured + rule.fewer * (groups[mine] < groups[1 - mine])


def hides(rule, own, hand, late):
    """The colour to hide, None for none."""
    gains = {}
    for c, n in enumerate(hand):
        laid = sum(in_front(rule, own.front.counts[c] + k, c, late) for k in range(n))
        if n:
            gains[c] = n * behind(rule, own, c, late) - laid
    best = max(gains, key=gains.get, default=None)
    return best if best is not None and gains[best] > 0 else None


def moved_behind(rule, own, hand, late):
    """Somei Yoshino's flower, None if none gains."""
    hidden = hides(rule, own, hand, late)
    gains = {}
    for source, row in (("hand", hand), ("front", own.front.counts)):
        for c, n in enumerate(row):
            if n and (source == "front" or c != hidden):
                lying = own.front.counts[c] + (hand[c] if c != hidden else 0)
                gains[source, c] = behind(rule, own, c, late) - in_front(rule, lying - 1, c, late)
    best = max(gains, key=gains.get, default=None)
    return best if best is not None and gains[best] > 0 else None


def chosen(rule: Rule, table: Table):
    """What the rule does at a table."""
    own, hand, left = table.mover, table.hand.counts, table.bag_size + table.hand.total
    late = left <= rule.late
    if table.phase == COLLECT:
        if not table.hand.total:
            return Draw(min(rule.first_late if late else rule.first, table.rules.flowers, table.bag_size))
        more = [tuple(n + (i == c) for i, n in enumerate(hand)) for c in range(BLACK)]
        risk = sum(bool(conditions(larger, table.rules)) for larger in more)
        if risk > 3 or (late and risk > rule.dared) or table.hand.total >= rule.enough:
            return Stop()
        size = getattr(rule, f"{'second' if table.draws_used == 1 else 'third'}_{risk}")
        size = min(size, table.rules.flowers - table.hand.total, table.bag_size)
        return Draw(size) if size else Stop()
    if table.phase == KEEP:
        colours = [c for c in range(BLACK) if hand[c]]
        front = own.front.counts
        ranked = sorted(colours, key=lambda c: (-in_front(rule, front[c], c, late), -front[c], c))[:2]
        return Keep(Flowers(*(int(c in ranked) for c in range(BLACK + 1))))
    if table.phase == DISPLAY and rule.cards:
        usable = {move.card for move in legal_moves(table) if isinstance(move, UseCard)}
        two, four = "shin_sumizome", "somei_yoshino"
        for card in ("kenrokuen_kumagai", *((two, four) if rule.cards == 1 else (four, two))):
            pick = moved_behind(rule, own, hand, late) if card == four else None
            if card in usable and (card != four or pick):
                return UseCard(card, pick and Pick(LETTERS[pick[1]], pick[0]))
    if table.phase in (DISPLAY, HIDE):
        colour = hides(rule, own, hand, late)
        return Hide(None if colour is None else LETTERS[colour])
    return None  # where drawn flowers go is looked at below


def any_rule(rng: random.Random) -> Rule:
    drawing = {name: rng.randint(0, 3) for name in simple.DRAWING}
    tally = {name: rng.randint(-4, 9) for name in simple.TALLY}
    late, first, cards = rng.choice([0, 20, 50]), rng.randint(1, 5), rng.randint(0, 2)
    return replace(START, late=late, first=first, cards=cards, **drawing, **tally)


def differing(rules, players, seed, play=chosen):
    """Moves of compiled games, and how many the readable rule would not have made."""
    events, _ = logged(OFFICIAL, [Simple(rule) for rule in rules], seed, 0)
    table, made, wrong = Table.start(OFFICIAL), 0, 0
    for move, drawn in steps_of(OFFICIAL, events):
        rule = players[table.to_move]
        expected = play(rule, table)
        if isinstance(move, Place):
            own, late = table.mover, table.bag_size + table.hand.total + table.bonus.drawn.total <= rule.late
            for colour, to in move.places:
                c = LETTERS.index(colour)
                lying = own.front.counts[c] + table.hand.counts[c]
                # two of one colour: the first in front lies there when the second is placed
                lone = len({one for one, _ in move.places}) == len(move.places)
                if lone and all(one[1] == move.places[0][1] for one in move.places):
                    gain = behind(rule, own, c, late) - in_front(rule, lying, c, late)
                    wrong += (gain > 0) != (to == "behind")
        elif len(legal_moves(table)) > 1:
            made += 1
            wrong += move != expected
        table = after(table, move, drawn)
    return made, wrong


def test_the_compiled_rule_is_the_readable_one() -> None:
    rng = random.Random(5)
    rules = [any_rule(rng) for _ in range(4)]
    made, wrong = differing(rules, rules, seed=1)
    assert made > 40
    assert not wrong


def test_a_rule_read_otherwise_is_found_out() -> None:
    rules = [START] * 4
    others = [replace(START, coloured=START.coloured - 3, second_1=1)] * 4
    assert differing(rules, others, seed=2)[1] > 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_follow_the_numbers(language: str) -> None:
    told = lines(START, language)
    assert len(told) <= 8
    won = Bags("plan:3+2", 3).won(START, 40)
    for other in neighbours(START):
        if lines(other, language) == told:
            assert (Bags("plan:3+2", 3).won(other, 40) == won).all(), str(other)


def test_words_of_any_rule_are_at_most_eight_lines() -> None:
    rng = random.Random(1)
    for one, other in combinations([any_rule(rng) for _ in range(30)], 2):
        for language in LANGUAGES:
            assert len(lines(one, language)) <= 8
            assert lines(one, language) != lines(other, language)


def test_the_search_does_not_depend_on_threads(monkeypatch) -> None:
    monkeypatch.setattr("cherrysim.card.neighbours", lambda rule: neighbours(rule)[:3])
    effort = Effort(1, ((2, 3), (3, 2)), 3, 2)
    found = [search(7, effort, threads=threads) for threads in (1, 2)]
    assert found[0] == found[1]
    assert all(one.rule.sound for one in found[0])


def test_what_is_stored_meets_the_bars() -> None:
    stored = simple.stored()
    rows = stored["rules"]
    assert 1 <= len(rows) <= BEST
    assert f"--start {stored['start']} --seed {stored['seed']}" in stored["command"]
    assert stored["command"].startswith("python -m cherrysim.card ")
    assert len({row["rule"] for row in rows}) == len(rows)
    best = rows[0]
    assert best["share"]["mean"] == max(row["share"]["mean"] for row in rows)
    assert best["share"]["interval"][0] > 0.15
    assert all(best["over"][plain]["interval"][0] > 0 for plain in PLAIN)
    assert parse("simple").numbers[8:] == simple.best().numbers


@pytest.mark.slow
def test_what_is_stored_is_found_again() -> None:
    best, share = simple.best(), simple.stored()["rules"][0]["share"]
    again = Bags(STRONG, 5_000_000).mean(best, 600)
    error = (again.standard_error**2 + share["standard_error"] ** 2) ** 0.5
    assert abs(again.value - share["mean"]) < 4 * error
    assert again.interval()[0] > 0.15
    for plain in PLAIN:
        assert Bags(plain, 5_000_000).over(best, 400).interval()[0] > 0


@pytest.mark.parametrize("name", ["simple:", "simple:1/2", "simple:" + "/".join(["99"] * 23), "simple:a"])
def test_what_is_no_rule_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="policy 'simple"):
        parse(name)


def test_every_number_of_a_rule_has_its_place() -> None:
    from cherrysim.kernels import layout
    from cherrysim.kernels import simple as kernel

    places = [layout.LATE, kernel.FIRST, kernel.FIRST_LATE, *(kernel.SECOND + n for n in range(4))]
    places += [
        *(kernel.THIRD + n for n in range(4)),
        kernel.DARED,
        kernel.ENOUGH,
        kernel.NEW,
        kernel.NEW_LATE,
    ]
    places += [
        kernel.MORE,
        kernel.WHITE,
        kernel.DARK,
        kernel.COLOURED,
        kernel.WILD,
        kernel.BEHIND_LATE,
    ]
    places += [kernel.FEWER, kernel.CARDS]
    assert places == list(range(layout.LATE, layout.LATE + len(fields(Rule))))
    assert places[-1] + 1 == layout.POLICY_NUMBERS
    assert Rules() == OFFICIAL


def test_the_search_is_refused_before_it_begins_where_it_could_not_be_written(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("cherrysim.card.__main__.search", lambda *_: pytest.fail("searched"))
    (tmp_path / "card.json").touch()
    for name, said in (("card.json", "nothing is overwritten"), ("none/card.json", "there is no folder")):
        found = CliRunner().invoke(search_command, ["--out", str(tmp_path / name)])
        assert (found.exit_code, found.output.count("\n")) == (1, 1)
        assert said in found.output


def test_bags_beyond_the_largest_seed_are_those_from_the_first() -> None:
    beyond, first = Bags("plan:3+2", 2**64 + 5), Bags("plan:3+2", 5)
    assert (beyond.won("plan:4", 8) == first.won("plan:4", 8)).all()
