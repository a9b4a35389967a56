"""Claims heard at the table, checked: to each a number, its error, and a sentence that follows from the
number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, sqrt

from cherrysim import simple
from cherrysim.blocks import in_order
from cherrysim.card import STRONG, Bags, estimate
from cherrysim.chances import Position, plan_odds, position
from cherrysim.flowers import NOTHING, Flowers
from cherrysim.hands import universe
from cherrysim.instant import VALUED, instant
from cherrysim.plots.series import points
from cherrysim.policy import parse
from cherrysim.report.frame import (
    APART,
    CHANCES_APART,
    Budget,
    Figure,
    Number,
    Question,
    Report,
    Section,
    Table,
)
from cherrysim.report.games import played
from cherrysim.report.paired import measures
from cherrysim.rules import Rules
from cherrysim.simple import Rule
from cherrysim.simulate.moments import moments
from cherrysim.stats import Estimate, Stated
from cherrysim.table import Table as Moment
from cherrysim.turn import Turn, Valuation, solve
from cherrysim.verdicts import cards
from cherrysim.words import LITTLE

_FRESH = 2_000_000
"""Added to the seed of bags: a search for rules has used the small ones."""
_BAGS, _GAMES, _CARD_GAMES, _REMEMBERED = 800, 6144, 4096, 40
"""Bags for changed rules, games for seats, games with and without cards, games for the memory."""
_DECISIONS = 8
"""Decisions of a game that are looked at without memory."""
_PLAIN = "kept"
_HALF = 48
"""Flowers left half-way."""
_FIRST = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, what was measured, the number, and the sentence that follows."""

    claim: str
    measured: str
    number: Number
    sentence: str


def side(number: Number) -> int:
    """1 if a number is surely above 0, -1 if surely below, else 0; of one whose error is not known the
    sign.

    >>> side(Number.of(Estimate(0.1, 0.01, 9))), side(Number.of(Estimate(0.1, 0.1, 9)))
    (1, 0)
    """
    low, high = number.said.interval or (number.value, number.value)
    return 1 if low > 0 else -1 if high < 0 else 0


def verdict(number: Number, above: str, below: str, between: str) -> str:
    """The sentence for a number above, below or not surely either side of 0, with its size put in."""
    said = {1: above, -1: below, 0: between}[side(number)]
    return said.format(n=str(number).lstrip("+-~"))


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `claims` about a game."""
    rules = question.rules
    found = [
        *_splitting(rules),
        *_blacks(rules),
        *_rules(rules, seed, budget.during(0, 0.5)),
        *_seats(rules, seed, budget.during(0.5, 0.6)),
        *_cards(rules, seed, budget.during(0.6, 0.75)),
        *_luck(rules, seed, budget.during(0.75, 0.8)),
        *_memory(rules, seed, budget.during(0.8, 1)),
    ]
    held, against = (sum(side(one.number) == way for one in found) for way in (1, -1))
    rest = len(found) - held - against
    wrong = f"{against} {'is' if against == 1 else 'are'} wrong"
    told = tuple((one.claim, one.measured, one.number) for one in found)
    apart = {
        one.claim: Stated(
            100 * one.number.value,
            100 * (one.number.said.standard_error or 0),
            tuple(100 * end for end in one.number.said.interval),  # type: ignore[arg-type]
            "fixed",
        )
        for one in found
        if one.number.unit == APART and one.number.said.interval
    }
    sections = (
        Section("What they come to", tuple(f"{one.claim}. {one.sentence}" for one in found)),
        Section(
            "The numbers",
            (
                Table("claims", "What was measured", ("claim", "measured", "number"), told),
                Figure(
                    "claims",
                    "Points with 95 % intervals: the claims that are measured in points of share, 0 being no "
                    "difference.",
                    "Above 0 the claim holds, below it the contrary.",
                    lambda dark: points(
                        apart,
                        ("Claims in points of share", "95 % intervals; above 0 the claim holds"),
                        "points of share",
                        dark=dark,
                    ),
                ),
            ),
        ),
    )
    remarks = (
        f"{rules.players} players, {cards(rules)}. Points of share are hundredths of the victory. Changes "
        f"of a player's rule are changes of the strategy card's, alone among {STRONG}, over the same bags. "
        "~: what was learned from games, its error is not known.",
    )
    return Report(
        "Claims, checked",
        f"Of {len(found)} claims {held} hold, {wrong}, and for {rest} no difference was found",
        sections,
        remarks=remarks,
    )


def _splitting(rules: Rules) -> Iterator[Claim]:
    """Five flowers at once, in two draws, and with a choice in between; what to draw first; as far as the
    game allows it."""
    start = position(rules, Flowers())
    if rules.draws > 1 and start.most >= 5:
        yield _at_once(start)
    kept = Valuation.kept(rules)
    turn = solve(start, kept)
    if rules.draws > 1:
        yield _in_between(turn)
    if start.most >= _FIRST:
        yield _two_first(turn)


def _at_once(start: Position) -> Claim:
    once, twice = (float(plan_odds(start, plan).fail) for plan in ((5,), (3, 2)))
    same = Number.exact(once - twice, CHANCES_APART, "+")
    return Claim(
        "Splitting draws is safer",
        "chance to fail of five flowers at once, less that of three and then two",
        same,
        verdict(
            same,
            "Yes: five flowers in two draws fail {n} points less often.",
            "No: five flowers in two draws fail {n} points more often.",
            "Not by itself: five flowers fail as often in two draws as in one.",
        ),
    )


def _in_between(turn: Turn) -> Claim:
    single = solve(position(replace(turn.at.rules, draws=1), Flowers()), turn.valuation)
    stop = Number.exact(turn.best().value - single.best().value, "flowers", "+")
    return Claim(
        "It is the choice in between that counts",
        f"flowers kept a turn with {turn.at.rules.draws} draws, less those with one",
        stop,
        verdict(
            stop,
            "Yes: to look and then stop or go on is worth {n} flowers a turn.",
            "No: it loses {n} flowers a turn.",
            "No: it makes no difference.",
        ),
    )


def _two_first(turn: Turn) -> Claim:
    values = {option.draw: option.value for option in turn.options()}
    others = max(value for draw, value in values.items() if draw != _FIRST)
    two = Number.exact(values[_FIRST] - others, "flowers", "+")
    hair, equal = (", by a hair", ", which is about equal") if abs(two.value) <= LITTLE else ("", "")
    return Claim(
        "Two first is right, for flowers",
        "flowers kept a turn after drawing two first, less those after the best other first draw",
        two,
        verdict(
            two,
            f"Yes{hair}: it keeps {{n}} flowers a turn more than the next best first draw{equal}.",
            f"No{hair}: another first draw keeps {{n}} flowers a turn more{equal}.",
            "It is as good as another one.",
        ),
    )


def _blacks(rules: Rules) -> Iterator[Claim]:
    """A black against a coloured flower in hand: for the draw, and as a flower kept; where the game has
    both."""
    if Flowers(1, black=1) not in rules.counts:
        return
    held = [position(rules, Flowers.parse(one)) for one in "BP"]
    if rules.draws > 1 and min(at.most for at in held) >= 3:
        yield _while_drawing(*(float(plan_odds(at, (3,)).fail) for at in held))
    yield _kept_black(rules)


def _while_drawing(black: float, pink: float) -> Claim:
    safer = Number.exact(pink - black, CHANCES_APART, "+")
    return Claim(
        "Black helps while you draw",
        "chance to fail of three flowers more with a pink one on the table, less that with a black one",
        safer,
        verdict(
            safer,
            "Yes: three flowers more fail {n} points less often beside a black one than beside a pink one.",
            "No: three flowers more fail {n} points more often beside a black one than beside a pink one.",
            "It makes no difference.",
        ),
    )


def _kept_black(rules: Rules) -> Claim:
    keep, index = VALUED.valuation(Moment.start(rules)).keep, universe(rules).index
    more = float(keep[index[0, 0, 0, 0, 0, 1]] - keep[index[1, 0, 0, 0, 0, 0]])
    worth = Number(Stated(more), APART, "+")
    return Claim(
        "Black helps once you have it",
        "what a first turn that ends with a black flower is worth, less one that ends with a pink one",
        worth,
        verdict(
            worth,
            "Yes: kept, a black one is worth about {n} points of share more than a pink one.",
            "No: kept, a black one is worth about {n} points of share less than a pink one.",
            "It is worth as much as a pink one.",
        ),
    )


def _rules(rules: Rules, seed: int, budget: Budget) -> Iterator[Claim]:
    """The card's rule with one thing done otherwise."""
    rule = simple.best()
    plain = replace(rule, late=_HALF, first_late=rule.first, new_late=rule.new, dared=5)
    early = replace(plain, behind_late=-20)
    late = replace(plain, coloured=rule.coloured - 20, wild=rule.wild - 20, behind_late=20)
    six = replace(
        rule, **{f"second_{n}": 3 for n in range(4)}, first=3, first_late=3, enough=6, third_0=1, dared=5
    )
    two = replace(rule, first=_FIRST, first_late=_FIRST)
    strong = Bags(STRONG, _FRESH + seed, rules, budget.threads)
    bags = budget.games(_BAGS)
    strong.play([rule, early, late, six, two], bags, budget.done)

    def ahead(one: Rule, other: Rule) -> Number:
        return Number.of(strong.ahead(one, other, bags), APART, "+")

    reach = ahead(six, rule)
    yield Claim(
        "Go for six flowers or more",
        "share with three and three whatever lies there, less that with the card's draws",
        reach,
        verdict(
            reach,
            "Yes: to go for six whatever lies there brings {n} points of share.",
            "No: to go for six whatever lies there costs {n} points of share.",
            "It cannot be told apart from the card's draws.",
        ),
    )
    sooner = ahead(early, late)
    yield Claim(
        "Hide early",
        f"share when hiding only while more than {_HALF} flowers are left, less when hiding only after that",
        sooner,
        verdict(
            sooner,
            "Yes: if you hide in one half of the game only, the first brings {n} points of share more.",
            "No: if you hide in one half of the game only, the second brings {n} points of share more.",
            "Neither half of the game can be told to be better for it.",
        ),
    )
    first = ahead(two, rule)
    yield Claim(
        "Two first is right, for the victory",
        "share with first draws of two, less that with the card's",
        first,
        verdict(
            first,
            "Yes: first draws of two bring {n} points of share.",
            "No: first draws of two cost {n} points of share.",
            "First draws of two cannot be told apart from the card's.",
        ),
    )


def _seats(rules: Rules, seed: int, budget: Budget) -> Iterator[Claim]:
    """Who begins, all being equally strong."""
    games = played([STRONG] * rules.players, budget.games(_GAMES), seed, rules, budget)
    share = games.seats[0].share
    more = Number.of(Estimate(share.value - 1 / rules.players, share.standard_error, share.n), APART, "+")
    yield Claim(
        "Who begins has it easier",
        f"share of the first seat among equals ({STRONG}), less an even one",
        more,
        verdict(
            more,
            "Yes: the first seat wins {n} points of share more than an even one.",
            "No: the first seat wins {n} points of share less than an even one.",
            "The first seat cannot be told apart from an even one.",
        ),
    )


def _cards(rules: Rules, seed: int, budget: Budget) -> Iterator[Claim]:
    """How often turns fail with the cards and without."""
    if not rules.cards:
        return
    games, name = budget.games(_CARD_GAMES), "turns that fail"
    own = measures(rules, STRONG, games, seed, budget.during(0, 0.5))[name]
    without = measures(replace(rules, cards=()), STRONG, games, seed, budget.during(0.5, 1))[name]
    more = own.less(without)
    yield Claim(
        "Cards push you to risk more",
        f"turns of {STRONG} that fail with the cards, less those without",
        more,
        verdict(
            more,
            "Yes: with the cards {n} more of 100 turns fail.",
            "No: with the cards {n} fewer of 100 turns fail.",
            "No difference can be told.",
        ),
    )


def _luck(rules: Rules, seed: int, budget: Budget) -> Iterator[Claim]:
    """How many games it takes until choices count for more than luck."""
    bags = budget.games(_BAGS)
    share = Bags(_PLAIN, _FRESH + seed, rules, budget.threads).mean(STRONG, bags)
    gain = share.value - 1 / rules.players
    spread = sqrt(share.value * (1 - share.value))
    error = share.standard_error * (1 + (abs(1 - 2 * share.value) / (2 * spread) if spread else 0))
    left = Number.of(Estimate(gain - spread, error, bags), APART, "+")
    ahead = f"from {ceil((spread / gain) ** 2)} games on" if gain > 0 else "after no number of games"
    brings = f"playing like {STRONG} instead of {_PLAIN} brings {100 * gain:.0f} points of share"
    yield Claim(
        "Choice counts more than luck in a game",
        f"what {STRONG} wins more than an even share among {_PLAIN}, less what luck moves one game by",
        left,
        verdict(
            left,
            f"Yes: {brings}, and luck moves a single game by less, by {{n}}.",
            f"No: {brings}, luck moves a single game by {100 * spread:.0f}; choice is ahead {ahead}.",
            f"Undecided: {brings}, luck moves a single game by {100 * spread:.0f}.",
        ),
    )
    budget.done()


def _memory(rules: Rules, seed: int, budget: Budget) -> Iterator[Claim]:
    """What it costs to play as if nobody had watched what went behind the others' screens."""
    import numpy as np

    games = budget.games(_REMEMBERED, 2)
    lost = []
    work = partial(_forgotten, rules, seed)
    for loss in in_order(work, games, threads=budget.threads):
        lost.append(loss)
        budget.done(len(lost) / games)
    cost = Number.of(estimate(np.array(lost)), APART, "+")
    yield Claim(
        "Remember what is hidden",
        "share a game that a player loses by deciding as if what went behind the others' screens were unseen",
        cost,
        verdict(
            cost,
            "Yes: to forget it costs about {n} points of share a game.",
            "No: to forget it brings {n} points of share a game.",
            "Undecided: no cost of forgetting it was found.",
        ),
    )


def _forgotten(rules: Rules, seed: int, game: int) -> float:
    """What forgetting loses a player over a game, from some decisions of it drawn at random."""
    found = list(moments(rules, [parse(STRONG)] * rules.players, seed, game))
    some = random.Random(f"{seed} {game}").sample(found, min(_DECISIONS, len(found)))
    return sum(map(_loss, some)) / len(some) * len(found) / rules.players


def _loss(table: Moment) -> float:
    """By how much the move that looks best without memory is worse."""
    seat = table.to_move
    seats = tuple(
        one if i == seat else replace(one, behind=NOTHING, unseen_behind=one.unseen_behind + one.behind.total)
        for i, one in enumerate(table.seen_by(seat).seats)
    )
    shares = {option.move: option.shares[seat] for option in instant(table)}
    blind = replace(table.seen_by(seat), seats=seats, history=None)
    chosen = max(instant(blind), key=lambda option: option.shares[seat]).move
    return max(shares.values()) - shares.get(chosen, max(shares.values()))
