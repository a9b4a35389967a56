"""What the page is told about one turn: the advice of `cherrysim ask` as numbers its sentences are made of.

Rulebook: "Collect Flowers". The page sends everything it was told since the bag was full, so that with two
players the belief about the three hidden tokens is exact (ruling R8); it computes no odds and no values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

from cherrysim.advice import Advice, advise
from cherrysim.belief import Belief
from cherrysim.chances import Position, position
from cherrysim.explain import explain
from cherrysim.flowers import LETTERS, NOTHING, Flowers, Refused, shown
from cherrysim.hands import conditions
from cherrysim.knowledge import told
from cherrysim.moves import Event, followed_out
from cherrysim.rules import CARDS, Rules
from cherrysim.tablefile import history_of
from cherrysim.turn import Option
from cherrysim.words import LITTLE, one_in, percent

MOST_EVENTS = 2000
"""Longest past that is followed: far more draws and returns than a game has turns."""

_KEYS = ("players", "past", "hand", "draws_used", "front", "value")


@dataclass(frozen=True, slots=True)
class Question:
    """One turn as the page knows it: what happened since the bag was full, and the collection so far."""

    players: int
    past: tuple[Event, ...]
    hand: Flowers
    draws_used: int
    front: Flowers
    value: str


def question(document: Any) -> Question:
    """A question from its JSON document; raises `Refused` where it is none.

    >>> asked = question({"players": 3, "past": [{"draw": "P3"}], "hand": "PYY", "draws_used": 1})
    >>> asked.hand.total, asked.value
    (3, 'kept')
    """
    if not isinstance(document, dict) or not set(document) <= set(_KEYS):
        raise Refused(f"{shown(document)} is no question; its keys are {', '.join(_KEYS)}; send these")
    players = document.get("players", 4)
    past = document.get("past", [])
    if isinstance(past, list) and len(past) > MOST_EVENTS:
        raise Refused(f"{len(past)} draws and returns; at most {MOST_EVENTS} are followed; join some")
    Rules.official(players)
    asked = Question(
        players,
        history_of(past, players),
        Flowers.of(document.get("hand", "")),
        document.get("draws_used", 0),
        Flowers.of(document.get("front", "")),
        document.get("value", "kept"),
    )
    if not isinstance(asked.value, str) or type(asked.draws_used) is not int:
        raise Refused("a value is text and draws used a whole number; one of them is not; correct it")
    return asked


@lru_cache(maxsize=256)
def answer(asked: Question) -> dict[str, Any]:
    """The document for a question; its `kind` is `turn`, `failed`, `over` (too many flowers) or `empty`.

    Raises `Refused` for what cannot happen in the game. Equal questions share one document: do not change it.

    >>> found = answer(question({"hand": "PYY", "draws_used": 1}))
    >>> found["kind"], found["best"], found["options"][1]["fail"]["in"]
    ('turn', 1, [1, 4])
    >>> answer(question({"hand": "PPB Y", "draws_used": 1}))["keep"]
    ['PY']
    """
    rules = Rules.official(asked.players)
    belief = _belief(asked, rules)
    if asked.hand.total > rules.flowers:
        belief.draw(asked.hand)
        return {"kind": "over"}
    met = conditions(asked.hand.counts, rules)
    if met:
        belief.draw(asked.hand)
        keep = [kept.letters for kept in explain(asked.hand, rules).keep if kept.total]
        return {"kind": "failed", "conditions": list(met), "keep": keep}
    if not belief.size and not asked.hand.total:
        return {"kind": "empty"}
    at = position(rules, asked.hand, asked.draws_used, history=belief, front=asked.front)
    return _turn(advise(at, asked.value))


def _belief(asked: Question, rules: Rules) -> Belief:
    """What the bag may hold before this turn's hand was drawn; the front is part of what is out of it."""
    belief = told(Belief.of(rules.counts, rules.set_aside), asked.past)
    out = next((out for _, out in reversed(list(followed_out(asked.past)))), NOTHING)
    if asked.front not in out:
        raise Refused(f"front {asked.front} with {out} out of the bag; no more can lie there; correct one")
    return belief


def _turn(advice: Advice) -> dict[str, Any]:
    at, advantage = advice.at, advice.advantage
    return {
        "kind": "turn",
        "value": advice.value,
        "best": advice.best.draw,
        "advantage": None if advantage is None else float(advantage),
        "bag_size": at.belief.size,
        "hidden": at.belief.hidden,
        "bags": len(at.belief.pools),
        "no_draw": None if at.most else _no_draw(at),
        "options": _options(advice),
        "why": _why(advice),
    }


def _no_draw(at: Position) -> str:
    return "draws" if not at.draws_left else "bag" if not at.belief.size else "flowers"


def _options(advice: Advice) -> list[dict[str, Any]]:
    """Every choice beside the best one, and how likely it fails at once."""
    best, tied = advice.best, advice.tied

    def standing(option: Option) -> str:
        if option in (best, *tied):
            return "best" if option == best else "equal"
        return "near" if best.value - option.value <= LITTLE else ""

    return [
        {
            "draw": option.draw,
            "worth": float(option.value),
            "gives_up": float(best.value - option.value),
            "standing": standing(option),
            "fail": chance(option.fail),
        }
        for option in advice.options
    ]


def chance(fraction: Fraction) -> dict[str, Any]:
    """A chance as `float`, as the few whole numbers `1 in 4` (none for never and always), in percent.

    >>> chance(Fraction(22, 93))
    {'chance': 0.2365591397849462, 'in': [1, 4], 'percent': '23.7'}
    >>> chance(Fraction(1)), chance(Fraction(1, 10**7))["percent"]
    ({'chance': 1.0, 'in': None, 'percent': '100'}, '<0.0001')
    """
    few = one_in(fraction).replace(",", "").split(" in ")
    said = percent(fraction).removesuffix(" %").replace("under ", "<").replace("over ", ">")
    return {
        "chance": float(fraction),
        "in": [int(n) for n in few] if len(few) == 2 else None,
        "percent": said,
    }


def _why(advice: Advice) -> dict[str, Any] | None:
    """How the best draw (advised or not) comes by its worth: safe or failed, how often and with how much."""
    draws = [option for option in advice.options if option.draw]
    if not draws:
        return None
    best = advice.best
    option = best if best.draw else max(draws, key=lambda option: option.value)
    bust = advice.turn.after_draw(advice.at.hand.counts, option.draw)[1]
    valuation = advice.turn.valuation
    lost = sum((p * Fraction(valuation.bust[s]) for s, p in enumerate(bust)), Fraction(0))
    even = advice.break_even(option)
    stop = advice.options[0]
    return {
        "draw": option.draw,
        "fail": chance(option.fail),
        "safe": chance(1 - option.fail),
        "ways": _ways(advice.at, option),
        "failing": _failing(advice.at) if option.draw == 1 else {},
        "worth_safe": float((option.value - lost) / (1 - option.fail)) if option.fail < 1 else None,
        "worth_failed": float(lost / option.fail) if option.fail else None,
        "worth": float(option.value),
        "stop": None if stop.draw else float(stop.value),
        "even": None if even is None else chance(even),
        "then": [{"draw": n, "chance": chance(p)} for n, p in advice.then(option).items()],
    }


def _ways(at: Position, option: Option) -> dict[str, int] | None:
    """The draws that stay safe among all equally likely ones; none where several bags are possible."""
    if len(at.belief.pools) > 1:
        return None
    pool = at.belief.size + at.belief.hidden
    every = comb(pool, option.draw)
    return {"pool": pool, "every": every, "safe": int(every * (1 - option.fail))}


def _failing(at: Position) -> dict[str, int]:
    """How many flowers of each colour the bag may hold that would make the collection fail, by letter."""
    letters = explain(at.hand, at.rules).next_fails
    counts = dict(zip(LETTERS, at.bag.counts, strict=True))
    return {letter: counts[letter] for letter in letters if counts[letter]}


def setup() -> dict[str, Any]:
    """What the page has to know of the rules: start bags, the limits of a turn.

    >>> setup()["games"]["2"]["hidden"], setup()["draws"]
    (3, 3)
    """
    games = {n: Rules.official(n) for n in (2, 3, 4)}
    return {
        "games": {str(n): {"bag": list(r.counts.counts), "hidden": r.set_aside} for n, r in games.items()},
        "draws": games[4].draws,
        "flowers": games[4].flowers,
        "cards": _sides(),
    }


def _sides() -> list[list[dict[str, str]]]:
    """Both sides of every mastery card."""
    patterns = dict.fromkeys(card.pattern for card in CARDS.values())
    return [
        [
            {"name": name, "title": card.title, "side": card.side}
            for name, card in CARDS.items()
            if card.pattern == pattern
        ]
        for pattern in patterns
    ]
