"""What a contest found: results by policy, by line-up and by seat, and the differences between policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from cherrysim.rules import Rules
from cherrysim.stats import Estimate, always_valid, student

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Result:
    """What a seat held by a policy came to, on average: share of victory, outright and shared victories a
    game, points, points more than the best rival, failures a turn."""

    share: Estimate
    outright: Estimate
    shared: Estimate
    score: Estimate
    margin: Estimate
    failures: Estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """Policy `a` less policy `b`, bag by bag: share of victory, points, points more than the best rival;
    `luck_adjusted` is the share with the luck taken off, where that was asked for."""

    a: str
    b: str
    share: Estimate
    score: Estimate
    margin: Estimate
    luck_adjusted: Estimate | None = None


@dataclass(frozen=True, slots=True)
class LineUp:
    """The results of one line-up: of each policy, and of each policy at each seat."""

    policies: tuple[str, ...]
    games: int
    results: Mapping[str, Result]
    by_seat: tuple[Mapping[str, Result], ...]


@dataclass(frozen=True, slots=True)
class Look:
    """What was known after so many games: the differences of share, in the order of the pairs."""

    games: int
    shares: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies against each other: `games` in all, `bags` observations, each bag played in every seating.

    `stopped` is "games", "precision" or "interrupt". With a precision every interval is always valid, `tuned`
    being the number of bags at which it is narrowest; otherwise `tuned` is None and intervals are those of a
    fixed number of bags. `scores` says for each policy how often it reached each final score, `looks` what
    was known on the way."""

    rules: Rules
    games: int
    bags: int
    seed: int
    stopped: str
    policies: Mapping[str, Result]
    differences: tuple[Difference, ...]
    line_ups: tuple[LineUp, ...]
    scores: Mapping[str, Mapping[int, int]]
    looks: tuple[Look, ...]
    sha256: str
    precision: float | None = None
    tuned: float | None = None

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        """The 95 % interval of one of the numbers, of bags that told their spread themselves."""
        return student(estimate) if self.tuned is None else always_valid(estimate, self.tuned)

    @property
    def first(self) -> Difference:
        """The difference between the two policies that won most."""
        best = sorted(self.policies, key=lambda name: -self.policies[name].share.value)[:2]
        return next(pair for pair in self.differences if {pair.a, pair.b} == set(best))

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim compare --json`."""
        document: dict[str, Any] = {
            "players": self.rules.players,
            "cards": list(self.rules.cards),
            "games": self.games,
            "bags": self.bags,
            "seed": self.seed,
            "stopped": self.stopped,
            "policies": [{"name": name} | self._result(result) for name, result in self.policies.items()],
            "differences": [self._difference(difference) for difference in self.differences],
            "lineups": [self._line_up(line_up) for line_up in self.line_ups],
            "sha256": self.sha256,
        }
        if self.precision is not None:
            document |= {"precision": self.precision, "tuned": self.tuned}
        changed = {key: value for key, value in self.rules.not_official.items() if key != "cards"}
        return document | ({"rules": changed} if changed else {})

    def _number(self, estimate: Estimate) -> dict[str, Any]:
        kind = "fixed" if self.tuned is None else "always_valid"
        return estimate.to_json() | {"interval": list(self.interval(estimate)), "interval_kind": kind}

    def _result(self, result: Result) -> dict[str, Any]:
        """The result's numbers; victories are plain shares of games, their errors stand by themselves."""
        plain = ("outright", "shared")
        found = {}
        for field in fields(Result):
            estimate: Estimate = getattr(result, field.name)
            found[field.name] = estimate.value if field.name in plain else self._number(estimate)
        errors = {name: getattr(result, name).standard_error for name in plain}
        return found | {"standard_errors": errors}

    def _difference(self, difference: Difference) -> dict[str, Any]:
        numbers = {name: self._number(getattr(difference, name)) for name in ("share", "score", "margin")}
        if difference.luck_adjusted is not None:
            numbers["luck_adjusted"] = self._number(difference.luck_adjusted)
        return {"a": difference.a, "b": difference.b} | numbers

    def _line_up(self, line_up: LineUp) -> dict[str, Any]:
        return {
            "policies": list(line_up.policies),
            "games": line_up.games,
            "share": {name: self._number(result.share) for name, result in line_up.results.items()},
            "by_seat": [
                {"seat": seat, "policy": name} | self._result(result)
                for seat, results in enumerate(line_up.by_seat)
                for name, result in results.items()
            ],
        }

    def __str__(self) -> str:
        from cherrysim.verdicts import comparison

        return comparison(self)

    def frame(self) -> pandas.DataFrame:
        """A row for every policy, line-up, seat and quantity; line-up and seat are empty where all are
        meant."""
        import pandas

        rows = []
        for line_up, seat, name, result in self._all():
            for field in fields(Result):
                estimate: Estimate = getattr(result, field.name)
                ends = self.interval(estimate)
                row = (name, line_up, seat, field.name, estimate.value, estimate.standard_error, *ends)
                rows.append((*row, estimate.unit))
        columns = ["policy", "line_up", "seat", "quantity", "mean", "standard_error", "low", "high", "unit"]
        return pandas.DataFrame(rows, columns=columns).astype({"line_up": "Int64", "seat": "Int64"})

    def _all(self) -> list[tuple[int | None, int | None, str, Result]]:
        found: list[tuple[int | None, int | None, str, Result]] = []
        found += [(None, None, name, result) for name, result in self.policies.items()]
        for number, line_up in enumerate(self.line_ups):
            found += [(number, None, name, result) for name, result in line_up.results.items()]
            for seat, results in enumerate(line_up.by_seat):
                found += [(number, seat, name, result) for name, result in results.items()]
        return found

    def plot(self, axes: Sequence[Axes] | None = None) -> tuple[Axes, ...]:
        """The share of victory by policy and seat, a panel a line-up."""
        from cherrysim.plots import share_by_seat

        return share_by_seat(self, axes)
