"""Players: the registry of policies, and the frozen reference policies that everything else is measured by.

Rulebook: "Gameplay"; rulings R10, R22. The definitions of the reference policies never change:

- `random`: at each decision every legal choice is equally likely: stopping, where allowed, and each size of
  a draw; no card and each card that may be used; each way to carry it out; hiding nothing and each colour
  of the collection; each pair to keep. It never draws more than a turn allows.
- `plan:3+2` and the like: draws of these sizes, each cut to what is legal, then a stop.
- `cautious:P`: one flower, and one more while draws and flowers are left and the chance that it makes the
  collection fail is at most P.
- `kept`: each turn solved exactly for the flowers kept; of equally good choices stopping, then the smaller
  draw.

`plan`, `cautious` and `kept` use no card. On their own 1st, 3rd, 5th, ... turn, failed ones counted, they
hide the colour they collected most of (of equals the first of P Y L D W B), on the others nothing. After a
failure they keep the two colours that add most points in front now (of equals the first of P Y L D W).
Chances are read off the pool: every flower the player has not seen elsewhere, hidden tokens included. A
turn that starts with nothing but blacks in the bag is, for every policy, one draw of one flower and a stop.

- `simple`: the best rule for people that was found (`cherrysim.card`), or another one of that family; see
  `simple.Rule`.

Other policies value the table after a display for every seat, see `valuing`:

- `points`: the display, the draws and the flowers kept that give most expected final points under the model
  of `points`, cards and all; `risk=R` makes it shun (R above 0) or seek risk; with `slip=S` each
  decision (a draw, a display, flowers to keep) is with chance S the one of `random`.
- `learned`: the same for the share of the victory, with the weights of the package; `learned:fast` hastily,
  `learned:FILE.npz` with weights that `train` wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Protocol

from cherrysim import learned, points, simple
from cherrysim.files import read_text
from cherrysim.flowers import Refused
from cherrysim.prospects import Valued
from cherrysim.rules import Rules, read_toml
from cherrysim.weights import load, numbers

_DEFAULT = points.Weights()
_KINDS = ("random", "plan", "cautious", "simple", "kept", "points", "learned", "learned:fast")
_MOST_DRAWS, _MOST_FLOWERS = 5, 12
_MOST_DECIMALS = 9


class Policy(Protocol):
    """What a game needs of a policy; `str()` is its name with parameters, from which `parse` makes one and
    refuses what is unknown.

    >>> str(parse("cautious:0.25")), parse("plan:3+2").weights(Rules())
    ('cautious:0.25', ())
    """

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its kind's number, then whole numbers that the compiled game reads."""

    def weights(self, rules: Rules) -> tuple[float, ...]:
        """Numbers with which it values the table; none if it does not."""


@dataclass(frozen=True, slots=True)
class Points:
    """Policy `points` with its weights; `name` says where they are from, `slip` how many of a million
    decisions are those of `random`."""

    model: points.Weights = _DEFAULT
    name: str = "points"
    slip: int = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """The kind's number, the utility (0 for points, 1 with a taste for risk); the slip comes last."""
        return (_KINDS.index("points"), int(self.model.risk != 0), 0, 0, 0, 0, 0, self.slip)

    def weights(self, rules: Rules) -> tuple[float, ...]:
        return points.numbers(self.model, rules)

    def valued(self) -> Valued:
        """The policy on the readable engine.

        >>> from cherrysim.table import Table
        >>> Points().valued().choose(Table.start(Rules()))
        Draw(n=4)
        """
        risk = self.model.risk
        if not risk:
            return Valued(points.PointsModel(self.model), lambda z, seat: z[seat], "points")
        return Valued(
            points.PointsModel(self.model), lambda z, seat: (1 - exp(-risk * z[seat])) / risk, "utility"
        )

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Learned:
    """Policy `learned` with the weights of the package, of the nearest set-up (`weights.difference`).

    With `fast` its games take a small part of the time and it is a little weaker (`kernels.margins`); asked
    about one table it says what `learned` does.
    """

    fast: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """The kind's number and the utility, the share of the victory."""
        return (_KINDS.index("learned:fast" if self.fast else "learned"), 2)

    def weights(self, rules: Rules) -> tuple[float, ...]:
        return () if self.fast else numbers(rules)

    def valued(self) -> Valued:
        """The policy on the readable engine.

        >>> Learned().valued().unit
        'of victory'
        """
        return Valued(learned.LearnedModel(), learned.share, "of victory", shares=True)

    def __str__(self) -> str:
        return "learned:fast" if self.fast else "learned"


@dataclass(frozen=True, slots=True)
class Taught:
    """Policy `learned` with weights that `train` wrote for so many players; it plays compiled games."""

    row: tuple[float, ...]
    players: int
    name: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """Those of `learned`."""
        return Learned().numbers

    def weights(self, rules: Rules) -> tuple[float, ...]:
        if rules.players != self.players:
            raise Refused(
                f"{self.name} was trained for {self.players} players; this game has {rules.players}; train "
                f"it with --players {rules.players}"
            )
        return self.row

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference policy with its parameters; `numbers` are what the compiled game reads.

    >>> policy = parse("plan:3+2")
    >>> str(policy), policy.numbers
    ('plan:3+2', (1, 2, 3, 2))
    """

    kind: str
    parameters: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The kind's number; for a plan how many draws and their sizes, for a limit its two terms."""
        count = (len(self.parameters),) if self.kind == "plan" else ()
        return (_KINDS.index(self.kind), *count, *self.parameters)

    def weights(self, rules: Rules) -> tuple[float, ...]:
        return ()

    def __str__(self) -> str:
        if self.kind == "plan":
            return f"plan:{'+'.join(map(str, self.parameters))}"
        if self.kind == "cautious":
            return f"cautious:{_decimal(Fraction(*self.parameters))}"
        return self.kind


@dataclass(frozen=True, slots=True)
class Simple:
    """Policy `simple`: a rule for people; the best one known where none is given."""

    rule: simple.Rule
    name: str = "simple"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The kind's number, then the rule from the ninth on."""
        return (_KINDS.index("simple"), *(0,) * 7, *self.rule.numbers)

    def weights(self, rules: Rules) -> tuple[float, ...]:
        return ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Family:
    """A policy's name, its parameters by example, what they may be, what it does, and how they are read.

    `read` gives the policy for the text after the colon, None if it is wrong; parameters may be `optional`.
    """

    name: str
    example: str
    bounds: str
    about: str
    read: Callable[[str], Policy | None]
    optional: bool = False


def parse(text: str) -> Policy:
    """The policy of this name, parameters after a colon; raises `Refused` for anything else.

    >>> parse("cautious:0.250"), parse("kept")
    (Reference(kind='cautious', parameters=(1, 4)), Reference(kind='kept', parameters=()))
    """
    name, colon, parameters = text.strip().partition(":")
    family = FAMILIES.get(name)
    if family is None:
        raise Refused(f"unknown policy {name[:40]!a}; the policies are {', '.join(FAMILIES)}; choose one")
    fits = bool(parameters) == bool(colon) == bool(family.bounds) or (family.optional and not colon)
    found = family.read(parameters) if fits else None
    if found is None:
        limit = family.bounds or "no parameters"
        raise Refused(f"policy {text.strip()[:60]!a}; {name} takes {limit}; write {family.example}")
    return found


def _sizes(text: str) -> Reference | None:
    """A plan with the sizes of its draws."""
    if not re.fullmatch(rf"[0-9]{{1,2}}(\+[0-9]{{1,2}}){{0,{_MOST_DRAWS - 1}}}", text):
        return None
    sizes = tuple(map(int, text.split("+")))
    return Reference("plan", sizes) if all(1 <= size <= _MOST_FLOWERS for size in sizes) else None


def _limit(text: str) -> Reference | None:
    """A limit as a fraction in lowest terms."""
    if not re.fullmatch(rf"[01](\.[0-9]{{0,{_MOST_DECIMALS}}})?|\.[0-9]{{1,{_MOST_DECIMALS}}}", text):
        return None
    limit = Fraction(text.rstrip(".") if text != "." else "0")
    return Reference("cautious", limit.as_integer_ratio()) if limit <= 1 else None


def _points(text: str) -> Points | None:
    """The model's own weights, slips now and then, another taste for risk, or a file of weights."""
    if not text:
        return Points()
    slip = re.fullmatch(r"slip=([01](\.[0-9]{0,6})?|\.[0-9]{1,6})", text)
    if slip and float(slip[1]) <= 1:
        return Points(name=f"points:{text}", slip=round(float(slip[1]) * 10**6))
    if text.endswith(".toml"):
        return Points(points.Weights.of(read_toml(read_text(text))), f"points:{text}")
    risk = re.fullmatch(rf"risk=(-?[0-9]{{0,3}}(\.[0-9]{{0,{_MOST_DECIMALS}}})?)", text)
    if risk is None or not re.search("[0-9]", risk[1]):
        return None
    return Points(points.Weights(risk=float(risk[1])), f"points:{text}")


def _simple(text: str) -> Simple | None:
    """The best simple rule, or the one of these numbers."""
    if not text:
        return Simple(simple.best())
    rule = simple.Rule.parse(text)
    return None if rule is None else Simple(rule, f"simple:{text}")


def _learned(text: str) -> Learned | Taught | None:
    """With the weights of the package, or with those of a file."""
    if text.endswith(".npz"):
        own = load(text)
        return Taught(own.row(), own.players, f"learned:{text}")
    return Learned(bool(text)) if text in ("", "fast") else None


def _decimal(limit: Fraction) -> str:
    return f"{float(limit):.{_MOST_DECIMALS}f}".rstrip("0").rstrip(".")


FAMILIES = {
    family.name: family
    for family in (
        Family("random", "random", "", "every legal choice equally likely", lambda _: Reference("random")),
        Family(
            "plan",
            "plan:3+2",
            f"1 to {_MOST_DRAWS} draws of 1 to {_MOST_FLOWERS} flowers",
            "always draws these numbers of flowers, then stops",
            _sizes,
        ),
        Family(
            "cautious",
            "cautious:0.25",
            f"a chance from 0 to 1 with up to {_MOST_DECIMALS} decimals",
            "draws one more while it fails with at most this chance",
            _limit,
        ),
        Family(
            "simple",
            "simple",
            "nothing, or the numbers of another rule with / between them",
            "plays by the strategy card, a rule of a few lines that a person can carry out",
            _simple,
            optional=True,
        ),
        Family(
            "kept", "kept", "", "solves each turn exactly for the flowers kept", lambda _: Reference("kept")
        ),
        Family(
            "points",
            "points:risk=0.02",
            "risk=R from {:g} to {:g}, slip=S from 0 to 1, or FILE.toml of weights".format(
                *points.BOUNDS["risk"]
            ),
            "plays for expected final points, cards and all; with slip=0.01 one decision in 100 is random",
            _points,
            optional=True,
        ),
        Family(
            "learned",
            "learned:fast",
            "fast, or FILE.npz of train",
            "plays for the share of the victory, as self-play has taught; fast: a little weaker, many more "
            "games a second",
            _learned,
            optional=True,
        ),
    )
}
"""Every policy by name."""
