"""The strategy card: the best simple rule in at most eight lines, what it costs and gains, which line
matters."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

from cherrysim import simple
from cherrysim.card import PLAIN, STRONG, Bags, Player
from cherrysim.flowers import Refused
from cherrysim.plots.cards import card_page
from cherrysim.plots.look import drawn
from cherrysim.plots.series import points
from cherrysim.report.cardwords import FOOT, LANGUAGES, TITLE, lines
from cherrysim.report.frame import APART, SHARE, Budget, Figure, Number, Question, Report, Section, Table
from cherrysim.rules import OFFICIAL
from cherrysim.sheets.paper import document
from cherrysim.simple import Rule
from cherrysim.stats import Estimate, Stated

_BAGS, _PLAIN_BAGS, _LINE_BAGS = 2400, 3000, 600
"""Bags of a full report, each with every seating: among the strong, among plain policies, without a line."""
_FRESH = 1_000_000
"""Added to the seed: the search has used the small ones."""
_STYLE = "ol { font-size: 1.15rem; padding-left: 1.4rem } li { margin: .6rem 0 } main { max-width: 40rem }\n"


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `card`, about the official game of four."""
    if question.rules != OFFICIAL:
        raise Refused(
            "report card for another game; its rule is for four players and blue cards; name no game"
        )
    rule, stored = simple.best(), simple.stored()
    strong = Bags(STRONG, _FRESH + seed, threads=budget.threads)
    bags = budget.games(_BAGS)
    among: tuple[Player, ...] = (rule, STRONG, *PLAIN)
    strong.play(among, bags, budget.during(0, 0.55).done)
    shares = {_called(one): strong.mean(one, bags) for one in among}
    given_up, points_given_up = (strong.ahead(STRONG, rule, bags, column) for column in (0, 1))
    over = {plain: _over(rule, plain, seed, budget) for plain in PLAIN}
    facts = {
        "share": Number.of(shares[_called(rule)], SHARE),
        "given up": Number.of(given_up, APART, "+"),
        "points given up": Number.of(points_given_up, "points", "+"),
        **{f"over {plain}": Number.of(gain, APART, "+") for plain, gain in over.items()},
    }
    verdict = (
        f"Alone among three players as strong as policy {STRONG} the card wins {facts['share']} of the "
        f"victory, {_points(facts['given up'])} of share less than a fourth {STRONG}"
    )
    sections = (
        Section("The card", tuple(f"{i}. {line}" for i, line in enumerate(lines(rule), 1))),
        Section("What it costs and what it brings", _worth(shares, facts)),
        Section("What each line is worth", _without(rule, strong, budget)),
        Section("The best rules", _best(stored)),
    )
    remarks = (
        "Four players, blue cards. A share is the part of victories, shared ones divided; points of share "
        "are hundredths. Every bag is played with the single player in every seat; a bag is one observation.",
        f"The rule was found by {stored['command']}; here it is measured again in bags that no search has "
        "seen.",
    )
    return Report("The strategy card", verdict, sections, facts, remarks, _pages(rule, facts))


def _called(one: Player) -> str:
    return "the card" if isinstance(one, Rule) else one


def _points(number: Number) -> str:
    return str(number).removeprefix("+") + " points"


def _over(rule: Rule, plain: str, seed: int, budget: Budget) -> Estimate:
    return Bags(plain, _FRESH + seed, threads=budget.threads).over(rule, budget.games(_PLAIN_BAGS))


def _worth(shares: dict[str, Estimate], facts: dict[str, Number]) -> tuple[str | Table | Figure, ...]:
    rows = tuple((name, Number.of(share, SHARE)) for name, share in shares.items())
    hundredths = {
        name: Stated(100 * one.value, 100 * one.standard_error, _hundred(one.interval()), "fixed")
        for name, one in shares.items()
    }
    beaten = ", ".join(f"over {plain} {facts[f'over {plain}']}" for plain in PLAIN)
    return (
        f"Against a fourth {STRONG} in its place it gives up {_points(facts['given up'])} of share and "
        f"{_points(facts['points given up'])} of the final score. Points of share it wins more than each of "
        f"the three others at its table: {beaten}.",
        Figure(
            "alone",
            "Points with 95 % intervals: the share of the victory of the card and of other players, each "
            f"alone among three {STRONG}; an equal player has 25 %.",
            "An equal player has 25 %.",
            lambda dark: points(
                hundredths,
                (f"Alone among three {STRONG}", "share of the victory, 95 % intervals"),
                "% of the victory",
                filled=("the card",),
                dark=dark,
            ),
        ),
        Table("alone", f"Share of the victory alone among three {STRONG}", ("player", "share"), rows),
    )


def _hundred(ends: tuple[float, float]) -> tuple[float, float]:
    return 100 * ends[0], 100 * ends[1]


def _without(rule: Rule, strong: Bags, budget: Budget) -> tuple[str | Table, ...]:
    """What is lost where a line is left out, dearest first."""
    nothing: dict[str, Any] = {"coloured": -20, "wild": -20, "behind_late": 0, "fewer": 0}
    once = dict.fromkeys(("second_0", "second_1", "second_2", "second_3"), 0)
    others = {
        "nothing is hidden": replace(rule, **nothing),
        "one draw only": replace(rule, **once),
        "no third draw": replace(rule, third_0=0, third_1=0, third_2=0, third_3=0),
        "late as early": replace(rule, late=0),
        "no card": replace(rule, cards=0),
        "first draw one flower more": replace(rule, first=rule.first + 1),
        "first draw one flower less": replace(rule, first=max(1, rule.first - 1)),
    }
    bags = budget.games(_LINE_BAGS)
    strong.play([rule, *others.values()], bags, budget.during(0.6, 1).done)
    losses = {name: strong.ahead(other, rule, bags) for name, other in others.items() if other != rule}
    ranked = sorted(losses.items(), key=lambda one: one[1].value)
    rows = tuple((name, Number.of(loss, APART, "+")) for name, loss in ranked)
    caption = "Points of share if one thing is done otherwise"
    return (Table("without", caption, ("otherwise", "change"), rows),)


def _best(stored: dict[str, Any]) -> tuple[str | Table, ...]:
    rows = []
    for place, one in enumerate(stored["rules"], 1):
        cells = [Number.of(_read(one["share"]), SHARE)]
        cells += [Number.of(_read(one["over"][plain]), APART, "+") for plain in PLAIN]
        rows.append((str(place), one["rule"], *cells))
    return (
        "As the search measured them, in bags that it made no choice by; the first of close ones looks a "
        "little better than it is.",
        Table(
            "rules",
            f"Share alone among three {STRONG}, and points of share over each of three others",
            ("place", "rule", f"among {STRONG}", *(f"over {plain}" for plain in PLAIN)),
            tuple(rows),
            labels=1,
        ),
    )


def _read(one: dict[str, Any]) -> Estimate:
    return Estimate(one["mean"], one["standard_error"], one["bags"])


def _pages(rule: Rule, facts: dict[str, Number]) -> dict[str, Any]:
    """The printed page in each language."""
    pages: dict[str, Any] = {}
    for language in LANGUAGES:
        said, title = lines(rule, language), TITLE[language]
        told = [_told(facts[name], language) for name in ("share", *(f"over {plain}" for plain in PLAIN))]
        foot = [line.format(*told) for line in FOOT[language]]
        pages[f"card-{language}.html"] = _page(title, said, foot, language)
        pages[f"card-{language}.png"] = _drawn(title, said, foot)
    return pages


def _told(number: Number, language: str) -> str:
    """A number with its error as it is printed."""
    text = str(number).removeprefix("+").replace("+-", "\N{PLUS-MINUS SIGN}")
    return text.replace(".", ",") if language == "fr" else text


def _page(title: str, said: list[str], foot: list[str], language: str) -> Any:
    def made() -> bytes:
        parts = [f"<h1>{escape(title)}</h1>", "<ol>", *(f"<li>{escape(line)}</li>" for line in said), "</ol>"]
        parts += [f'<p class="small">{escape(line)}</p>' for line in foot]
        return document(title, _STYLE, parts, language).encode()

    return made


def _drawn(title: str, said: list[str], foot: list[str]) -> Any:
    return lambda: drawn(card_page(title, said, foot), "png")
