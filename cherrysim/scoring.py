"""The end of a game: every line of every player's score.

Rulebook: "End of the Game and Final Scoring", "2-Player Variant"; rulings R24 to R31. With n_c flowers of
colour c in front once every black has a colour, and w and c flowers in the two groups behind,

    score = sum over colours of front_table[n_c] + points for the place of w + points for the place of c.

Where the split of the wilds is not given, points are exact expectations over the model of ruling R26.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm, prod
from textwrap import wrap
from typing import Any

from cherrysim.behind import Groups, Mixture, Split, impossible_split, mixtures, place_and_points
from cherrysim.flowers import BLACK, COLOURS, Flowers, Refused, listed, number_of
from cherrysim.front import colour_points, front_counts, front_points
from cherrysim.names import fitted
from cherrysim.rules import SWITCHES, Rules

__all__ = ["Line", "PlayerScore", "Score", "front_points", "score"]

Placed = tuple[int, int, int]
"""A seat's count, place and points in a group."""


@dataclass(frozen=True, slots=True)
class Line:
    """Flowers that count together, and their points; for a group behind, the place (None: it varies)."""

    count: Fraction
    points: Fraction
    place: int | None = None


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """One player's lines: the five colours in front, the two groups behind, and the share of the victory."""

    seat: int
    name: str
    front: tuple[Line, ...]
    warm: Line
    cool: Line
    splits: Mixture
    share: Fraction

    @property
    def front_points(self) -> Fraction:
        return sum((line.points for line in self.front), Fraction(0))

    @property
    def total(self) -> Fraction:
        return self.front_points + self.warm.points + self.cool.points


@dataclass(frozen=True, slots=True)
class Score:
    """A table scored; `str()` is the score sheet. `not_displayed` flowers are in the bag or in the middle.

    `split_model` is `given`, or `equilibrium`: then counts, points and totals are exact expectations.
    """

    players: tuple[PlayerScore, ...]
    split_model: str
    rules: Rules
    not_displayed: int = 0

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the largest share of the victory."""
        most = max(player.share for player in self.players)
        return tuple(player.seat for player in self.players if player.share == most)

    def to_json(self) -> dict[str, Any]:
        return {
            "players": [_player_json(player, self.split_model == "equilibrium") for player in self.players],
            "winners": list(self.winners),
            "split_model": self.split_model,
            "not_displayed": self.not_displayed,
        }

    def __str__(self) -> str:
        said = _wrapped([_verdict(self)]), _sheet(self), _wrapped(_remarks(self))
        return "\n\n".join("\n".join(lines) for lines in said if lines)


def score(
    fronts: Sequence[Flowers],
    behinds: Sequence[Flowers],
    rules: Rules,
    splits: Sequence[Split | None] | None = None,
    names: Sequence[str] | None = None,
    not_displayed: int = 0,
) -> Score:
    """The score of a game that ends with these flowers in front of and behind the screens, seat by seat.

    `splits[seat]` says how many wilds behind go to the warm and to the cool group; who gives none follows the
    model of ruling R26. Raises `Refused` for an impossible split or a wrong number of seats.

    >>> fronts, behinds = [Flowers.parse("P4 Y2"), Flowers()], [Flowers.parse("L2 W1"), Flowers.parse("Y1")]
    >>> ended = score(fronts, behinds, Rules.official(2))
    >>> [str(player.total) for player in ended.players], ended.winners
    (['14', '10'], (0,))
    """
    if not len(fronts) == len(behinds) == rules.players:
        raise Refused(
            f"{len(fronts)} fronts and {len(behinds)} behinds for {rules.players} players; give one each"
        )
    names = names or [f"Seat {seat}" for seat in range(rules.players)]
    groups = tuple(map(Groups.of, behinds))
    given = _given(splits, groups, names, rules)
    played = mixtures(groups, given, rules)
    in_front = [
        tuple(Line(Fraction(n), Fraction(colour_points(n, rules))) for n in front_counts(front, rules))
        for front in fronts
    ]
    points = [sum(int(line.points) for line in lines) for lines in in_front]
    warm, cool, shares = _expected(groups, played, points, rules)
    players = tuple(map(PlayerScore, range(rules.players), names, in_front, warm, cool, played, shares))
    model = "equilibrium" if splits is None or None in given else "given"
    return Score(players, model, rules, not_displayed)


def _given(
    splits: Sequence[Split | None] | None, groups: Sequence[Groups], names: Sequence[str], rules: Rules
) -> tuple[Split | None, ...]:
    """Every seat's split as far as it is given or there is but one; refused where it is not possible."""
    if splits is not None and len(splits) != len(groups):
        raise Refused(f"{len(splits)} splits for {len(groups)} players; each player has one; give one each")
    found = []
    for seat, group in enumerate(groups):
        ways = group.splits(rules)
        split = splits[seat] if splits is not None else None
        if split is not None:
            reason = impossible_split(names[seat], group, split, rules)
            if reason:
                raise Refused(reason)
        found.append(ways[0] if len(ways) == 1 else split)
    return tuple(found)


def _expected(
    groups: tuple[Groups, ...], played: tuple[Mixture, ...], front: Sequence[int], rules: Rules
) -> tuple[tuple[Line, ...], tuple[Line, ...], list[Fraction]]:
    """Every seat's lines of the warm and the cool group and its share, averaged over all splits together."""
    warm, cool = _lines(groups, played, rules)
    shares = [Fraction(0)] * len(groups)
    for points, p in group_points(groups, played, rules):
        totals = [own + more for own, more in zip(front, points, strict=True)]
        best = max(totals)
        for seat, total in enumerate(totals):
            if total == best:
                shares[seat] += p / totals.count(best)
    return warm, cool, shares


@lru_cache(maxsize=1 << 12)
def group_points(
    groups: tuple[Groups, ...], played: tuple[Mixture, ...], rules: Rules
) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """What all seats' points behind the screens come to when wilds are split so, with the chances.

    >>> both, rules = (Groups(2, 0, 0), Groups(1, 1, 0)), Rules.official(2)
    >>> [(points, str(p)) for points, p in group_points(both, ((((0, 0), Fraction(1)),),) * 2, rules)]
    [((10, 12), '1')]
    """
    wholes = [lcm(*[p.denominator for _, p in mixture]) for mixture in played]
    ways = [
        [(split, p.numerator * (whole // p.denominator)) for split, p in mixture]
        for mixture, whole in zip(played, wholes, strict=True)
    ]
    outcomes: dict[tuple[int, ...], int] = {}
    for joint in product(*ways):
        warm, cool = _placed_behind(groups, [split for split, _ in joint], rules)
        points = tuple([one[2] + other[2] for one, other in zip(warm, cool, strict=True)])
        outcomes[points] = outcomes.get(points, 0) + prod([n for _, n in joint])
    return tuple((points, Fraction(n, prod(wholes))) for points, n in outcomes.items())


@lru_cache(maxsize=1 << 12)
def _lines(
    groups: tuple[Groups, ...], played: tuple[Mixture, ...], rules: Rules
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The lines of both groups."""
    found: list[list[tuple[Fraction, list[Placed]]]] = [[], []]
    for joint in product(*played):
        p = prod((p for _, p in joint), start=Fraction(1))
        for group, placed in enumerate(_placed_behind(groups, [split for split, _ in joint], rules)):
            found[group].append((p, placed))
    warm, cool = (
        tuple(_mean([(p, placed[seat]) for p, placed in group]) for seat in range(len(groups)))
        for group in found
    )
    return warm, cool


def _placed_behind(
    groups: Sequence[Groups], splits: Sequence[Split], rules: Rules
) -> tuple[list[Placed], list[Placed]]:
    """Count, place and points of every seat in the warm and in the cool group."""
    warm = [group.warm + split[0] for group, split in zip(groups, splits, strict=True)]
    cool = [group.cool + split[1] for group, split in zip(groups, splits, strict=True)]
    return _placed(warm, rules.warm, rules), _placed(cool, rules.cool, rules)


def _placed(counts: Sequence[int], points: Sequence[int], rules: Rules) -> list[Placed]:
    """Count, place and points of every seat in one group."""
    others = [(*counts[:seat], *counts[seat + 1 :]) for seat in range(len(counts))]
    return [
        (own, *place_and_points(own, rest, points, rules)) for own, rest in zip(counts, others, strict=True)
    ]


def _mean(outcomes: Sequence[tuple[Fraction, Placed]]) -> Line:
    places = {place for _, (_, place, _) in outcomes}
    count = sum((p * n for p, (n, _, _) in outcomes), Fraction(0))
    points = sum((p * n for p, (_, _, n) in outcomes), Fraction(0))
    return Line(count, points, places.pop() if len(places) == 1 else None)


def _player_json(player: PlayerScore, expected: bool) -> dict[str, Any]:
    def line(of: Line) -> dict[str, Any]:
        return {"count": _number(of.count), "points": _number(of.points)}

    document: dict[str, Any] = {"seat": player.seat}
    document["front"] = dict(zip(COLOURS, map(line, player.front), strict=False))
    document["front_points"] = _number(player.front_points)
    document["warm"] = line(player.warm) | {"place": player.warm.place}
    document["cool"] = line(player.cool) | {"place": player.cool.place}
    document["total"] = _number(player.total)
    if expected:
        document["splits"] = [
            {"warm": warm, "cool": cool, "probability": _number(p)} for (warm, cool), p in player.splits
        ]
        document["share"] = _number(player.share)
    return document


def _number(exact: Fraction) -> int | float:
    return int(exact) if exact.denominator == 1 else float(exact)


_LABEL, _COUNT, _POINTS = 11, 9, 7
_ORDINALS = ("1st", "2nd", "3rd", "4th")


def _sheet(score: Score) -> list[str]:
    """The score sheet: a column of counts and points for every player, a row for every line."""
    players = score.players

    def row(label: str, cells: Sequence[tuple[str, str]]) -> str:
        text = "".join(f"{count:>{_COUNT}}{points:>{_POINTS}} " for count, points in cells)
        return f"{label:<{_LABEL}}{text}".rstrip()

    def group(line: Line) -> tuple[str, str]:
        place = f" {_ORDINALS[line.place - 1]}" if line.place else ""
        return _text(line.count) + place, _text(line.points)

    width = _COUNT + _POINTS + 1
    rows = [" " * _LABEL + "".join("  " + fitted(player.name, width - 2) for player in players).rstrip()]
    rows.append(row("", [("flowers", "points")] * len(players)))
    for c, colour in enumerate(COLOURS[:BLACK]):
        lines = [player.front[c] for player in players]
        rows.append(
            row(colour.replace("_", " "), [(_text(line.count), _text(line.points)) for line in lines])
        )
    rows.append(row("warm", [group(player.warm) for player in players]))
    rows.append(row("cool", [group(player.cool) for player in players]))
    rows.append(row("total", [("", _text(player.total)) for player in players]))
    return rows


def _remarks(score: Score) -> list[str]:
    """How wilds were split, what the score leaves out, which rules are not the official ones."""
    players, text = score.players, []
    choosing = [player for player in players if sum(player.splits[0][0])]
    if choosing:
        model = "as given" if score.split_model == "given" else "as the model splits them"
        splits = "; ".join(f"{player.name} {_split_text(player.splits)}" for player in choosing)
        text.append(f"Wilds behind, {model}: {splits}.")
    if not _settled(score):
        text.append("Points are exact expectations over the splits of the wilds.")
    if score.not_displayed:
        flowers = number_of(score.not_displayed, "flower")
        text.append(f"{flowers} not displayed, in the bag or in hand.")
    switches = [
        f"{name}={getattr(score.rules, name)}" for name in SWITCHES if name in score.rules.not_official
    ]
    if switches:
        text.append(f"Rules: {', '.join(switches)}.")
    return text


def _wrapped(text: Sequence[str]) -> list[str]:
    return [line for paragraph in text for line in wrap(paragraph, 79)]


def _settled(score: Score) -> bool:
    """Whether nobody's wilds are split by a mixture."""
    return all(len(player.splits) == 1 for player in score.players)


def _verdict(score: Score) -> str:
    """Who wins, now or if the game ended now, and what everybody has, the best first."""
    ranked = sorted(score.players, key=lambda player: (-player.share, -player.total))
    points = ", ".join(f"{player.name} {_text(player.total)}" for player in ranked)
    if not _settled(score):
        shares = ", ".join(f"{player.name} {_percent(player.share)}" for player in ranked)
        return f"Share of the victory{' now' * bool(score.not_displayed)}: {shares}; points: {points}"
    winners = listed([player.name for player in ranked if player.share], "and")
    many = sum(1 for player in ranked if player.share) > 1
    if score.not_displayed:
        said = f"If the game ended now {winners} would {'share the victory' if many else 'win'}"
    else:
        said = f"{winners} {'share the victory' if many else 'wins'}"
    return f"{said}: {points}"


def _split_text(splits: Mixture) -> str:
    texts = [
        f"{warm} warm {cool} cool" + ("" if p == 1 else f" ({_percent(p)})") for (warm, cool), p in splits
    ]
    return ", ".join(texts)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.3g} %"


def _text(exact: Fraction) -> str:
    return str(exact) if exact.denominator == 1 else f"{float(exact):.2f}"
