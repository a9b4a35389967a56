"""What is measured: every kernel with its rivals, and the same kernel at other sizes.

A case's first contestant is ours; `numbers` random numbers an item are what no simulation can do without, and
the contestant named FLOOR makes such numbers and nothing else, as fast as the kernels' generator can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cherrysim import arrays
from cherrysim.belief import Belief
from cherrysim.bench import peers
from cherrysim.bench.numpyturn import NumpyTurn
from cherrysim.bench.timing import Contestant
from cherrysim.chances import position
from cherrysim.flowers import Flowers
from cherrysim.hands import SETS, universe
from cherrysim.rules import OFFICIAL
from cherrysim.turn import Valuation, solve

OURS = "cherrysim"
FLOOR = "random numbers alone"
FULL = OFFICIAL.counts.counts
PLANS = ((3, 2), (3, 3, 2))


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel and its rivals; `absent` are those that are not installed here."""

    name: str
    item: str
    contestants: tuple[Contestant, ...]
    numbers: float = 0.0
    absent: tuple[str, ...] = ()


def counts(*numbers: int) -> Any:
    """Whole numbers as the kernels read them."""
    return np.array(numbers, np.int64)


def draws(bag: Sequence[int], plan: Sequence[int], samples: int) -> Callable[[], object]:
    """Our simulation of a plan."""
    from cherrysim.kernels.bag import failures

    out = counts(*(0 for _ in plan))
    limits = counts(OFFICIAL.alike, OFFICIAL.different)
    arguments = (counts(*bag), counts(*(0,) * 6), counts(*plan), limits, np.uint64(1))
    return lambda: failures(*arguments, 0, samples, out)


def draw_cases() -> Iterator[Case]:
    """Plans simulated from the full bag, and what else simulates their flowers in all."""
    from cherrysim.kernels.repeat import random_words

    for plan in PLANS:
        n = sum(plan)
        contestants = [
            Contestant(OURS, draws(FULL, plan, 2**18), 2**18),
            Contestant("numpy, count", peers.numpy_draws(FULL, n, 20_000, "count"), 20_000),
            Contestant(
                "numpy, marginals (its default)", peers.numpy_draws(FULL, n, 20_000, "marginals"), 20_000
            ),
            Contestant("naive numba shuffle", peers.numba_draws(FULL, n, 20_000), 20_000),
            Contestant("plain Python, random.sample", peers.sampled_draws(FULL, n, 500), 500),
        ]
        if scipy := peers.installed("scipy"):
            contestants.append(Contestant("scipy, rvs", peers.scipy_draws(FULL, n, 20_000), 20_000))
        contestants.append(Contestant(FLOOR, lambda: random_words(np.uint64(1), 4096), 4096 * 64))
        name = f"draws {','.join(map(str, plan))}"
        yield Case(name, "plan", tuple(contestants), n, () if scipy else ("scipy",))


def odds_cases() -> Iterator[Case]:
    """The chances to fail with 1 to 8 flowers."""
    from cherrysim.kernels.repeat import odds_of_all

    hands = np.array([hand for hand in universe(OFFICIAL).hands if sum(hand) < OFFICIAL.flowers])
    rows, out = arrays.odds_arrays()
    arguments = (counts(*FULL), hands, arrays.limits(OFFICIAL), rows, out, 10)
    contestants = [
        Contestant(OURS, lambda: odds_of_all(*arguments), 10 * len(hands)),
        Contestant("plain Python, fractions", peers.plain_odds(FULL), 1),
    ]
    absent = [name for name in ("scipy", "icepool") if not peers.installed(name)]
    if "scipy" not in absent:
        contestants.append(Contestant("scipy, pmf of all compositions", peers.scipy_odds(FULL), 1))
    if "icepool" not in absent:
        contestants.append(Contestant("icepool", peers.icepool_odds(FULL), 1))
    yield Case("odds", "bag and hand", tuple(contestants), absent=tuple(absent))


class Turns:
    """Two bags to solve in turn, from a hand with some draws left, and room to do it."""

    def __init__(self, hand: str = "", left: int = OFFICIAL.draws) -> None:
        held = Flowers.parse(hand).counts
        valuation = Valuation.kept(OFFICIAL)
        bags = counts(*FULL, *(n - (colour < 2) for colour, n in enumerate(FULL))).reshape(2, 1, 6)
        worth = (np.array(valuation.keep, float), np.array(valuation.bust, float))
        start = (universe(OFFICIAL).index[held], left)
        plan = arrays.plan_arrays(OFFICIAL)
        self.arguments = (
            arrays.hands(OFFICIAL), bags, np.ones(1), arrays.space(OFFICIAL), worth, plan, start, 10,
        )  # fmt: skip
        self.items = 2 * 10

    def __call__(self) -> object:
        from cherrysim.kernels.repeat import turns

        return turns(*self.arguments)

    def outcomes(self) -> Contestant:
        """The forward pass under the plan just found."""
        from cherrysim.kernels.repeat import all_outcomes

        self()
        hands, _, _, space, worth, plan, start, _ = self.arguments
        stops, failures = np.zeros(len(worth[0])), np.zeros(SETS)
        arguments = (hands, space, plan[1], start[1], OFFICIAL.flowers, stops, failures)
        return Contestant(OURS, lambda: all_outcomes(*arguments), OFFICIAL.flowers)


def turn_cases() -> Iterator[Case]:
    """A turn solved for a new bag: from no flowers, every safe collection there is, or from two."""
    whole, rest = Turns(), Turns("PY", 2)
    by_numpy = NumpyTurn(OFFICIAL, Valuation.kept(OFFICIAL))
    pool = counts(*FULL)
    at = position(OFFICIAL, Flowers())
    found = solve(at, Valuation.kept(OFFICIAL))
    yield Case(
        "turn",
        "turn of 238 collections",
        (
            Contestant(OURS, whole, whole.items),
            Contestant("numpy, all pairs at once", lambda: by_numpy.solve(pool), 1),
            Contestant("plain Python, fractions", lambda: _plain_turn(Valuation.kept(OFFICIAL)), 1),
        ),
    )
    yield Case("turn from PY", "turn with 2 draws left", (Contestant(OURS, rest, rest.items),))
    plain = Contestant("plain Python, fractions", lambda: found.outcomes(), 1)
    yield Case("outcomes", "plan followed", (whole.outcomes(), plain))


def _plain_turn(valuation: Valuation) -> object:
    return solve(position(OFFICIAL, Flowers()), valuation).best()


def game_cases() -> Iterator[Case]:
    """Whole games of four equal players."""
    from cherrysim.kernels.repeat import random_keys
    from cherrysim.policy import parse
    from cherrysim.simulate.blocks import Work, play_block

    floor = Contestant(FLOOR, lambda: random_keys(np.uint64(1), 10_000), 10_000)
    for policy, games in (("plan:3+2", 1024), ("kept", 64)):
        work = Work(OFFICIAL, (parse(policy),) * OFFICIAL.players, 1)
        rows = play_block(Work(OFFICIAL, work.policies, 1, rows=True), 0, games).rows
        assert rows is not None
        yield Case(
            f"games {policy}",
            "game",
            (Contestant(OURS, lambda work=work, games=games: play_block(work, 0, games), games), floor),  # type: ignore[misc]
            _flowers(rows) / games,
        )


def _flowers(rows: Any) -> float:
    """Flowers drawn in some games."""
    from cherrysim.simulate.arrays import COLUMNS

    names = [name.startswith("flowers_") or name == "bonus_flowers" for name in COLUMNS]
    return float(rows[:, names].sum())


KINDS: dict[str, Callable[[], Iterator[Case]]] = {
    "draws": draw_cases,
    "odds": odds_cases,
    "turn": turn_cases,
    "games": game_cases,
}


def bag_sizes() -> list[tuple[float, Contestant]]:
    """Our simulation of (3,2) by flowers in the bag; beyond 255 a plan is drawn by itself."""
    found = []
    for each in (2, 6, 18, 48, 10**3, 10**6, 10**9, 10**12):
        bag = (each,) * 5 + (each // 3,)
        n = 2**18 if sum(bag) < 256 else 2**13
        found.append((float(sum(bag)), Contestant(str(sum(bag)), draws(bag, (3, 2), n), n)))
    return found


def hand_sizes() -> list[tuple[float, Contestant]]:
    """The rest of a turn by flowers in hand."""
    hands = ("", "P", "PY", "PYY", "PPYY", "PPYYL")
    return [
        (float(len(hand)), Contestant(hand or "none", one := Turns(hand, 2), one.items)) for hand in hands
    ]


def belief_sizes() -> list[tuple[float, Contestant]]:
    """Our simulation of (3,2) by possible bags, from Python."""
    from cherrysim.sampled import sample_odds

    found = []
    for n in (1, 4, 16, 64):
        pools = tuple(((18 + i % 8, 18 - i % 8, 18 + i // 8, 18 - i // 8, 18, 6), 1 + i) for i in range(n))
        at = position(OFFICIAL, Flowers(), history=Belief(pools))
        run = lambda at=at: sample_odds(at, [3, 2], 2**20, threads=1)  # noqa: E731
        found.append((float(n), Contestant(str(n), run, 2**20)))
    return found


def sample_sizes(most: int) -> list[tuple[float, Contestant]]:
    """`odds(..., method="mc")` from Python by number of samples."""
    from cherrysim.sampled import sample_odds

    at = position(OFFICIAL, Flowers())
    found, n = [], 10**3
    while n <= most:
        run = lambda n=n: sample_odds(at, [3, 2], n, threads=1)  # noqa: E731
        found.append((float(n), Contestant(str(n), run, n)))
        n *= 10
    return found
