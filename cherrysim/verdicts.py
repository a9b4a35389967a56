"""Verdicts: contests and games as text for a terminal of 80 columns, in plain ASCII, what was found first.

A difference of share is said in points of share (hundredths) and as a number of games: of 100 games 2.1 are 1
in 48."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cherrysim.rules import CARDS
from cherrysim.stats import of_shares
from cherrysim.words import capital, in_columns, page

if TYPE_CHECKING:
    from cherrysim.contest import Comparison, Difference, LineUp
    from cherrysim.policy import Family
    from cherrysim.rules import Rules
    from cherrysim.simulate import Games
    from cherrysim.stats import Estimate

Interval = Callable[["Estimate"], tuple[float, float]]


def verdict(difference: Difference, interval: Interval) -> str:
    """Who wins more, or that nobody can tell, in words.

    >>> from cherrysim.contest import Difference
    >>> from cherrysim.stats import Estimate
    >>> def apart(mean):
    ...     return Difference("points", "kept", *[Estimate(mean, 0.0015, 1000)] * 3)
    >>> verdict(apart(0.021), Estimate.interval)
    'points wins 2.1 +- 0.3 points of share more than kept: about 1 game in 48'
    >>> verdict(apart(0.001), Estimate.interval)
    'points and kept: too close to call, 0.1 +- 0.3 points of share apart'
    """
    share = difference.share
    low, high = interval(share)
    said = _pm(abs(share.value), (high - low) / 2)
    if low <= 0 <= high:
        return f"{difference.a} and {difference.b}: too close to call, {said} points of share apart"
    better, worse = (difference.a, difference.b) if low > 0 else (difference.b, difference.a)
    often = f"about 1 game in {round(1 / abs(share.value)):,}"
    return f"{better} wins {said} points of share more than {worse}: {often}"


def comparison(found: Comparison) -> str:
    """The text of `cherrysim compare`."""
    many = len(found.differences) > 1
    return page(
        verdict(found.first, found.interval),
        _played(found),
        in_columns(_wins(found), "<>>>>"),
        in_columns(_points(found), "<>>"),
        in_columns(_pairs(found), "<>>>") if many else "",
        in_columns(_adjusted(found), "<>>>") if found.first.luck_adjusted else "",
        *(in_columns(_seats(found, line_up), "<" + ">" * found.rules.players) for line_up in found.line_ups),
        _how_sure(found),
    )


def games(found: Games) -> str:
    """The text of `cherrysim play`."""
    seats = range(found.rules.players)
    draws = [f"draw {n + 1}" for n in range(found.rules.draws)]
    wins: list[tuple[str, ...]] = [("seat", "share %", "outright %", "shared %", "fails %", "")]
    points: list[tuple[str, ...]] = [("seat", "points", "front", "warm", "cool", "turns", "")]
    flowers: list[tuple[str, ...]] = [("flowers a turn", *draws, "")]
    for n, seat in enumerate(found.seats):
        chances = (_share(seat.share), _of(seat.outright, 100), _of(seat.shared, 100), _share(seat.failures))
        wins.append((f"{n} {seat.policy}", *chances, ""))
        points.append((str(n), *map(_of, (seat.score, seat.front, seat.warm, seat.cool, seat.turns)), ""))
        flowers.append((str(n), *map(_of, seat.flowers), ""))
    return page(
        _seats_apart(found, *sorted(seats, key=lambda n: -found.seats[n].share.value)),
        _set_up(found, f"{found.games:,}, of {_of(found.turns)} turns; seed {found.seed}"),
        *(in_columns(rows, "<" + ">" * (len(rows[0]) - 2)) for rows in (wins, points, flowers)),
        _of_games(found),
    )


def _seats_apart(found: Games, best: int, *rest: int) -> str:
    """Which seat won most and which least, or that this cannot be told."""
    named = [(f"seat {n} ({found.seats[n].policy})", found.seats[n].share) for n in (best, rest[-1])]
    (most, high), (least, low) = ((name, f"{_share(share)} %") for name, share in named)
    if of_shares(named[0][1])[0] <= of_shares(named[1][1])[1]:
        return f"Too close to call: {most} wins {high} of the victory, {least} {low}"
    return f"{capital(most)} wins {high} of the victory, {least} {low}"


def _of_games(found: Games) -> str:
    """What the numbers of games are."""
    said = [
        "+- is half the 95 % interval of so many games, fixed beforehand.",
        "Share: of the victory, shared ones divided. Fails: of the seat's own turns. Points: all, those in "
        "front and those of the groups behind the screens.",
    ]
    if found.mixed:
        said.append(f"Endings in which no split of the wilds was best for all: {found.mixed:,}.")
    if found.capped:
        said.append(f"Games ended for their length: {found.capped:,}.")
    return " ".join(said)


def _share(estimate: Estimate) -> str:
    low, high = of_shares(estimate)
    return _pm(estimate.value, (high - low) / 2)


def _of(estimate: Estimate, scale: float = 1) -> str:
    if estimate.n == 1 and not estimate.standard_error:
        return f"{estimate.value * scale:.1f} +- ?"
    return _within(estimate, estimate.interval(), scale)


def _played(found: Comparison) -> str:
    each = found.games // found.bags
    return _set_up(found, f"{found.games:,}: {found.bags:,} bags, each in {each} seatings; seed {found.seed}")


def _set_up(found: Comparison | Games, played: str) -> str:
    """Which game, how many games, other rules."""
    stopped = ", stopped by Ctrl-C" if found.stopped == "interrupt" else ""
    rows = [
        ("game", f"{found.rules.players} players; {cards(found.rules)}"),
        ("games", f"{played}{stopped}"),
    ]
    if found.rules.changes:
        rows.append(("rules", f"changed: {found.rules.changes}"))
    return in_columns(rows, "<<")


def cards(rules: Rules) -> str:
    """The cards of a game: `blue cards`, `no cards` or their titles."""
    sides = {CARDS[name].side for name in rules.cards}
    if not sides:
        return "no cards"
    if len(sides) == 1 and len(rules.cards) == 3:
        return f"{sides.pop()} cards"
    return ", ".join(CARDS[name].title for name in rules.cards)


def _wins(found: Comparison) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("policy", "share %", "outright %", "shared %", "fails %", "")]
    for name, result in found.policies.items():
        shares = (result.share, result.outright, result.shared, result.failures)
        rows.append((name, *(_both(found, share, 100) for share in shares), ""))
    return rows


def _points(found: Comparison) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("policy", "points", "margin", "")]
    for name, result in found.policies.items():
        rows.append((name, _both(found, result.score), _both(found, result.margin), ""))
    return rows


def _pairs(found: Comparison) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("difference", "share %", "points", "margin", "")]
    for pair in found.differences:
        numbers = (_both(found, pair.share, 100), _both(found, pair.score), _both(found, pair.margin))
        rows.append((f"{pair.a} - {pair.b}", *numbers, ""))
    return rows


def _adjusted(found: Comparison) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("difference of share %", "as played", "luck-adjusted", "")]
    for pair in found.differences:
        if pair.luck_adjusted:
            numbers = (_both(found, pair.share, 100), _both(found, pair.luck_adjusted, 100))
            rows.append((f"{pair.a} - {pair.b}", *numbers, ""))
    return rows


def _seats(found: Comparison, line_up: LineUp) -> list[tuple[str, ...]]:
    seats = range(found.rules.players)
    count = line_up.policies.count
    rows: list[tuple[str, ...]] = [("share % by seat", *map(str, seats), "")]
    for name in line_up.results:
        shares = [_both(found, line_up.by_seat[seat][name].share, 100) for seat in seats]
        rows.append((f"{count(name)} {name}", *shares, ""))
    return rows


def _how_sure(found: Comparison) -> str:
    adjusted = found.first.luck_adjusted is not None
    if found.precision is None:
        kind = "+- is half the 95 % interval of so many games, fixed beforehand."
    else:
        within = f"{100 * found.precision:g} points of share"
        kind = (
            "+- is half the 95 % interval that stays right however often one looks (asymptotic confidence "
            f"sequence, Waudby-Smith et al. 2024); wanted: {within}."
        )
    return (
        f"{kind} Shares are per seat held; a bag played in all its seatings, with the same randomness, is "
        "one observation. Margin: points more than the best rival. Fails: of a policy's turns."
        + (" Luck-adjusted: less the luck of draws and splits as learned sees it." if adjusted else "")
    )


def _both(found: Comparison, estimate: Estimate, scale: float = 1) -> str:
    return _within(estimate, found.interval(estimate), scale)


def _within(estimate: Estimate, interval: tuple[float, float], scale: float) -> str:
    """So many times a number, with half of its interval."""
    low, high = interval
    return _pm(estimate.value * scale / 100, (high - low) * scale / 200)


def _pm(value: float, reach: float) -> str:
    """Hundred times a number and its error, with as many digits as the error has meaning."""
    value, reach = 100 * value, 100 * reach
    digits = 1 if reach >= 0.1 else 2 if reach >= 0.01 else 3
    return f"{value:.{digits}f} +- {reach:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Policies:
    """The registry of policies, as `cherrysim policies` lists it."""

    families: tuple[Family, ...]

    def to_json(self) -> dict[str, Any]:
        """Each policy's name, an example, its parameters and what it does."""
        keys = ("name", "example", "bounds", "about")
        names = ("name", "example", "parameters", "about")
        return {
            "policies": [
                {name: getattr(family, key) for name, key in zip(names, keys, strict=True)}
                for family in self.families
            ]
        }

    def __str__(self) -> str:
        rows = [("policy", "plays")]
        for family in self.families:
            bounds = f" ({family.bounds})" if family.bounds else ""
            bare = family.optional and family.example != family.name
            names = f"{family.name} or {family.example}" if bare else family.example
            rows.append((names, f"{family.about}{bounds}"))
        return page("The policies, with their parameters by example", in_columns(rows, "<<"))
