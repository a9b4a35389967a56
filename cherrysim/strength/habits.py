"""What `learned` has learned, in a player's words: what flowers are worth, how far it pushes, what it hides,
which cards it uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cherrysim import weights
from cherrysim.hands import PATTERNS, matches
from cherrysim.policy import parse
from cherrysim.rules import CARDS, Rules
from cherrysim.simulate.logs import logged

STAGE = 16
"""Flowers of a stage of the game."""
EQUAL = 0.1875
"""By how much a quarter of a share grows for each unit of z, 1/4 x 3/4."""
COLOURS = (("pink or yellow", 0), ("either blue", 2), ("white", 4))
LEFT = (80, 64, 48, 32, 16, 4)
"""Flowers left for which the worth of a flower is told."""


@dataclass
class Stage:
    """What was done in turns that began with so many flowers left; `cards` are [used, could be used]."""

    turns: int = 0
    flowers: int = 0
    first: int = 0
    failed: int = 0
    hidden: Counter[str] = field(default_factory=Counter)
    cards: dict[str, list[int]] = field(default_factory=dict)

    @property
    def successes(self) -> int:
        """Turns that did not fail."""
        return self.turns - self.failed


def worth(rules: Rules, colour: int, n: int, left: int) -> float:
    """Points of share that the n-th flower of a colour in front adds to a quarter of the victory, all
    colours being left alike."""
    from cherrysim.kernels import learned

    row = _row(rules)
    z = [
        row[learned.weight_at(learned.colour_at_level(colour, k), left)]
        + row[learned.weight_at(learned.supply_at_level(k, 4), left)]
        for k in (n - 1, n)
    ]
    return float(100 * EQUAL * (z[1] - z[0]))


def _row(rules: Rules) -> tuple[float, ...]:
    return weights.shipped(rules).row()


def stages(rules: Rules, games: int, seed: int) -> list[Stage]:
    """What was done in games of `learned` among itself, by flowers left in sixteens."""
    found = [Stage() for _ in range(-(-rules.counts.total // STAGE))]
    policies = [parse("learned")] * rules.players
    for game in range(games):
        events, _ = logged(rules, policies, seed, game)
        for turn in _turns(events):
            _count(turn, found[min(turn[0][4] // STAGE, len(found) - 1)], rules)
    return found


def _turns(events: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """The events of each turn."""
    from cherrysim.kernels.layout import SPLIT, TURN

    turn: list[Sequence[int]] = []
    for event in events:
        if event[3] in (TURN, SPLIT) and turn:
            yield turn
            turn = []
        if event[3] != SPLIT:
            turn.append(event)


def _count(turn: Sequence[Sequence[int]], stage: Stage, rules: Rules) -> None:
    from cherrysim.kernels import layout as of

    kinds = {event[3]: event for event in turn}
    hand = [0] * 6
    for event in turn:
        if event[3] == of.DRAWN_FLOWER:
            hand[event[4]] += 1
    stage.turns += 1
    stage.flowers += sum(hand)
    stage.first += next(event[4] for event in turn if event[3] == of.DRAW)
    if of.FAIL in kinds:
        stage.failed += 1
        return
    colour = kinds[of.HIDE][4]
    stage.hidden["nothing" if colour < 0 else ("warm", "cool", "wild")[colour // 2]] += 1
    used = kinds[of.CARD][4] if of.CARD in kinds else -1
    for name in rules.cards:
        pattern = PATTERNS.index(CARDS[name].pattern)
        if matches(tuple(hand), PATTERNS[pattern]):
            tally = stage.cards.setdefault(name, [0, 0])
            tally[0] += used == pattern
            tally[1] += 1


def worth_lines(rules: Rules) -> Iterator[str]:
    """A row for each colour and flowers left."""
    counts = range(1, 8)
    yield "| flowers left | colour | " + " | ".join(f"{n}." for n in counts) + " |"
    yield "|---|---|" + "---|" * len(counts)
    for left in LEFT:
        for name, colour in COLOURS:
            gains = " | ".join(f"{worth(rules, colour, n, left):+.1f}" for n in counts)
            yield f"| {left} | {name} | {gains} |"


def stage_lines(found: Sequence[Stage], rules: Rules) -> Iterator[str]:
    """A row a stage: how far it pushes, what it hides, which cards it uses."""
    cards = [name.replace("_", " ").title() for name in rules.cards]
    yield (
        "| flowers left | turns | first draw | flowers a turn | failed | hides nothing | warm | cool | wild "
        + "".join(f"| {card} " for card in cards)
        + "|"
    )
    yield "|---|---|---|---|---|---|---|---|---|" + "---|" * len(cards)
    for i, stage in reversed(list(enumerate(found))):
        if not stage.turns:
            continue
        hidden = [
            f"{stage.hidden[kind] / max(stage.successes, 1):.0%}"
            for kind in ("nothing", "warm", "cool", "wild")
        ]
        used = []
        for name in rules.cards:
            count, able = stage.cards.get(name, [0, 0])
            used.append(f"{count / able:.0%} of {able}" if able else "-")
        yield (
            f"| {STAGE * i}-{STAGE * i + STAGE - 1} | {stage.turns} | {stage.first / stage.turns:.2f} | "
            f"{stage.flowers / stage.turns:.2f} | {stage.failed / stage.turns:.0%} | "
            f"{' | '.join(hidden + used)} |"
        )


def sentences(found: Sequence[Stage], rules: Rules) -> Iterator[str]:
    """What the numbers say."""
    early, late = 64, 16
    for name, colour in COLOURS[:1]:
        first = [worth(rules, colour, n, early) for n in (1, 2, 3)]
        last = [worth(rules, colour, n, late) for n in (1, 2, 3)]
        yield (
            f"Of {name}, with {early} flowers left, the first flower in front changes a quarter of "
            f"the victory by {first[0]:+.1f} points, the second by {first[1]:+.1f}, the third by "
            f"{first[2]:+.1f}; "
            f"with {late} left by {last[0]:+.1f}, {last[1]:+.1f} and {last[2]:+.1f}."
        )
    begun = [stage for stage in found if stage.turns]
    opening, middle = begun[-1], begun[len(begun) // 2]
    closing = begun[0]
    for name, stage in (("In the opening", opening), ("Half-way", middle), ("In the last turns", closing)):
        yield (
            f"{name} it draws {stage.first / stage.turns:.1f} flowers first and "
            f"{stage.flowers / stage.turns:.1f} in all a turn, fails "
            f"{stage.failed / stage.turns:.0%} of its turns and hides something in "
            f"{1 - stage.hidden['nothing'] / max(stage.successes, 1):.0%} of its successes."
        )
    for name in rules.cards:
        used = sum(stage.cards.get(name, [0, 0])[0] for stage in found)
        able = sum(stage.cards.get(name, [0, 0])[1] for stage in found)
        if able:
            card = name.replace("_", " ").title()
            yield f"{card} is used in {used / able:.0%} of the successes that allow it."
