"""A recorded game reviewed: what every decision gave up, and luck and skill that add up.

Rulebook: all of it. For every seat, in shares of the victory, with `decisions` saying value and change,

    start + luck + own choices + choices of the others = result,

start being the value of the first decision, the choices the sums of all changes, and luck what is left: the
draws, of anybody, cards' draws and splits of wilds drawn by lot included. All four are vectors whose entries
sum to 0 over the seats, start and result to 1. Luck has the mean 0 just if the value is right.

Every decision is rated by the learned value first (`instant`). Those that seem to give up `DOUBT` or more,
the largest first and at most `MOST`, are played on (`playing`), unless the review is `quick`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cherrysim.engine import draw_size
from cherrysim.flowers import Refused, listed, number_of
from cherrysim.knowledge import assumptions
from cherrysim.moves import Unwatched
from cherrysim.records import Record
from cherrysim.records import replay as replayed
from cherrysim.review.decisions import (
    KINDS,
    Decision,
    Shares,
    Splitting,
    decided,
    ending,
    known,
    moments,
    worth,
)
from cherrysim.simulate.blocks import interruptible
from cherrysim.stats import Estimate, mean

MARKS = ((0.08, "??"), (0.04, "?"), (0.02, "?!"))
"""From which share given up a decision gets which mark: 2, 4 and 8 points of share. They are the limits that
GNU Backgammon marks doubtful, bad and very bad plays by, 0.04, 0.08 and 0.16 of equity, which runs from -1 to
1 and so is two shares."""
NEAR = 0.005
"""Choices no further apart than half a point of share are a near tie and never marked."""
DOUBT = 0.01
"""What seems to give up half of the lowest mark or more is played on."""
MOST = 20
"""So many decisions of a game are played on at most."""

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Account:
    """A seat's game in shares of the victory; `lost` is what it gave up a decision, of so many decisions."""

    seat: int
    start: float
    luck: float
    own: float
    others: float
    result: float
    lost: Estimate

    def to_json(self) -> dict[str, Any]:
        known = self.lost.n > 1
        return {
            "seat": self.seat,
            "start": self.start,
            "luck": self.luck,
            "own": self.own,
            "others": self.others,
            "result": self.result,
            "lost_per_decision": {
                "mean": self.lost.value,
                "standard_error": self.lost.standard_error if known else None,
            },
            "decisions": self.lost.n,
        }


@dataclass(frozen=True)
class Review:
    """A reviewed game; `str()` is the text, `to_json()` the document of `cherrysim review`.

    `finished` says whether the result is that of an ended game, else it is what the game was worth where it
    stands or stays unknown; `stopped` is None or `interrupt`.
    """

    record: Record
    decisions: tuple[Decision, ...]
    result: Shares
    finished: bool
    quick: bool
    seed: int
    stopped: str | None = None

    @property
    def start(self) -> Shares:
        """Every seat's share before the first decision."""
        return self.decisions[0].value if self.decisions else self.result

    @property
    def unwatched(self) -> tuple[int, ...]:
        """The turns that nobody watched, from 1."""
        turns = enumerate(self.record.turns, 1)
        return tuple(n for n, turn in turns if any(isinstance(step.move, Unwatched) for step in turn.steps))

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Luck and skill of every seat."""
        return tuple(self._account(seat) for seat in range(self.record.rules.players))

    @property
    def mistakes(self) -> tuple[Decision, ...]:
        """The decisions with a mark, the worst first."""
        marked = [decision for decision in self.decisions if mark(decision)]
        return tuple(sorted(marked, key=lambda decision: -decision.lost))

    @property
    def draws(self) -> tuple[tuple[Decision, Shares], ...]:
        """What chance did to all shares between each decision and the next, or the end."""
        values = [decision.value for decision in self.decisions[1:]] + [self.result]
        return tuple(
            (
                decision,
                tuple(b - a - c for a, b, c in zip(decision.value, after, decision.change, strict=True)),
            )
            for decision, after in zip(self.decisions, values, strict=True)
        )

    def lost(self, kind: str, seat: int | None = None) -> Estimate:
        """What the decisions of a kind gave up on average, of one seat or of all."""
        found = [d.lost for d in self.decisions if d.kind == kind and (seat is None or d.seat == seat)]
        return mean(found)

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim review --json`."""
        from cherrysim.review.bands import plays_like

        players = self.record.rules.players
        return {
            "names": list(self.record.names),
            "seats": [
                account.to_json() | {"plays_like": plays_like(account.lost, players)}
                for account in self.accounts
            ],
            "decisions": [_decision_json(decision) for decision in self.decisions],
            "kinds": {
                kind: {"decisions": lost.n, "lost": {"mean": lost.value}}
                for kind in KINDS
                if (lost := self.lost(kind)).n
            },
            "marks": {sign: limit for limit, sign in MARKS},
            "finished": self.finished,
            "method": "instant" if self.quick else "truncated",
            "seed": None if self.quick else self.seed,
            "assumptions": list(remarks(self)),
            "stopped": self.stopped,
        }

    def __str__(self) -> str:
        from cherrysim.sheets.text import text

        return text(self)

    def _account(self, seat: int) -> Account:
        own = sum(d.change[seat] for d in self.decisions if d.seat == seat)
        others = sum(d.change[seat] for d in self.decisions if d.seat != seat)
        start, result = self.start[seat], self.result[seat]
        lost = mean([d.lost for d in self.decisions if d.seat == seat])
        return Account(seat, start, result - start - own - others, own, others, result, lost)


def review(
    record: Record,
    quick: bool = False,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Review:
    """Every decision of a recorded game rated, as far as the record goes; same record and seed, same review.

    Ctrl-C ends it with what is known by then. Raises `Refused` for a game of which nothing is recorded.

    >>> from cherrysim.recordfile import read_record
    >>> text = "cherrysim record 1\\nplayers Ann, Ben\\ncards none\\n1. Ann: PYY -> hide Y\\n2. Ben: P"
    >>> found = review(read_record(text), quick=True)
    >>> [decision.kind for decision in found.decisions], found.finished
    (['draw', 'stop', 'hide', 'draw'], False)
    """
    record = known(record)
    positions = list(moments(record))
    if not positions:
        raise Refused("no decision is recorded; a review needs one or more; write down a turn with a choice")
    with interruptible() as stop:
        told = progress or (lambda done, part: None)
        work = len(positions) * (1 if quick else 2)
        decisions: list[Decision] = []
        for number, position in enumerate(positions, 1):
            if stop.is_set():
                break
            if decision := decided(position):
                decisions.append(decision)
            told(number, number / work)
        if stop.is_set():
            return _so_far(record, decisions, quick, seed)
        result, finished, splits = _end(record, decisions)
        found = Review(record, (*decisions, *splits), result, finished, quick, seed)
        return found if quick else _played_on(found, threads, told, stop.is_set)


def mark(decision: Decision) -> str:
    """The mark of a decision: `?!`, `?`, `??`, or none; a near tie has none."""
    if decision.lost <= NEAR or not decision.certain:
        return ""
    return next((sign for limit, sign in MARKS if decision.lost >= limit), "")


def remarks(found: Review) -> tuple[str, ...]:
    """How the game was rated, what nobody could know, and what is missing, in plain sentences."""
    played = sum(decision.games > 0 for decision in found.decisions)
    said = [
        "Shares are what policy learned makes of a table, learned from games, not proved; the error of a "
        "loss is not known unless it stands beside it."
    ]
    if played:
        said.append(
            f"{number_of(played, 'decision')} that seemed to give up {100 * DOUBT:g} % or more "
            f"{'was' if played == 1 else 'were'} played on: the best choice picked by some games, its lead "
            "measured by others."
        )
    said.append(
        "What the value changes its mind about where nobody draws counts as luck, too: here at most "
        f"{100 * second_thoughts(found):.1f} % between two decisions."
    )
    said.append("Everybody is judged by what could be known at the table by somebody with a perfect memory.")
    table = replayed(found.record)
    hidden = [text for text in assumptions(table, -1) if "No history" not in text]
    if hidden:
        said += [*hidden, "What only one player or nobody could see counts as unknown to the others."]
    unknown = [seat.name for seat in table.seats if seat.secret]
    if unknown:
        said.append(
            f"The record does not tell the secret flowers of {listed(unknown, 'and')}: their decisions are "
            "judged as if they did not know them either."
        )
    if turns := found.unwatched:
        which = f"Turn {turns[0]} was" if len(turns) == 1 else f"Turns {listed(map(str, turns), 'and')} were"
        said.append(
            f"{which} not watched: its decisions are not rated, and all that came of it counts as luck."
        )
    return (*said, *_gaps(found))


def second_thoughts(found: Review) -> float:
    """The largest change of a share from one decision to the next where nobody drew a flower."""
    unwatched = {turn - 1 for turn in found.unwatched}
    return max(
        (
            max(map(abs, change))
            for decision, change in found.draws[:-1]
            if not isinstance(decision.played, Splitting)
            and not draw_size(decision.table, decision.played)
            and decision.turn not in unwatched
        ),
        default=0.0,
    )


def _gaps(found: Review) -> tuple[str, ...]:
    """What the record leaves open."""
    record, said = found.record, []
    if found.stopped:
        said.append("The review was interrupted: what comes later is not rated.")
    elif not record.ended:
        said.append("The game is in progress: the result is what it is worth to everybody where it stands.")
    elif not found.finished:
        said.append("Flowers never shown decide the score: the result is what the last choice was worth.")
    elif record.splits is None or None in record.splits:
        said.append("Wilds whose split is not told count as the model of the rules splits them.")
    return tuple(said)


def _end(record: Record, decisions: Sequence[Decision]) -> tuple[Shares, bool, tuple[Decision, ...]]:
    """The result, whether it is that of an ended game, and the splits somebody chose."""
    table = replayed(record)
    if not record.ended and not table.over:
        return worth(table), False, ()
    if any(seat.unknown for seat in table.seats):
        last = decisions[-1]
        return tuple(a + b for a, b in zip(last.value, last.change, strict=True)), False, ()
    end = ending(record)
    return end.result, True, end.splits


def _so_far(record: Record, decisions: list[Decision], quick: bool, seed: int) -> Review:
    """The review of an interrupted game: the value of its last decision is where it stands."""
    if len(decisions) < 2:
        raise KeyboardInterrupt
    *rated, last = decisions
    return Review(record, tuple(rated), last.value, False, quick, seed, "interrupt")


def _played_on(found: Review, threads: int | None, told: Progress, stopped: Callable[[], bool]) -> Review:
    """The review with the doubtful decisions played on, the largest loss first."""
    from cherrysim.review.playing import played_on, seed_of

    decisions = list(found.decisions)
    doubtful = [i for i, d in enumerate(decisions) if d.lost >= DOUBT and d.kind != "split"]
    doubtful = sorted(sorted(doubtful, key=lambda i: -decisions[i].lost)[:MOST])
    for done, number in enumerate(doubtful, 1):
        again = played_on(decisions[number], seed_of(found.seed, number), threads, stopped)
        if again is None:
            return replace(found, decisions=tuple(decisions), stopped="interrupt")
        decisions[number] = again
        told(len(decisions) + done, 0.5 + 0.5 * done / len(doubtful))
    return replace(found, decisions=tuple(decisions))


def _decision_json(decision: Decision) -> dict[str, Any]:
    return {
        "line": decision.line,
        "turn": decision.turn,
        "seat": decision.seat,
        "kind": decision.kind,
        "played": decision.played.to_json(),
        "best": decision.best.to_json(),
        "lost": {"mean": decision.lost, "standard_error": decision.error},
        "mark": mark(decision),
        "shares": list(decision.value),
        "games": decision.games,
    }
