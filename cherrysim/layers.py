"""The layers of advice for a whole table, each answer labelled with its own.

Rulebook: all of it. Near the end `exact`: the endgame solver plays for all. At any time `instant`: the
learned value, with this turn's draws exactly; `truncated`: games played on for some turns; `rollout`: games
played to the end. The move advised has

    the largest own share, then the largest margin (`win`), or the largest own score (`score`),

then stands first in `engine.legal_moves`. Only `exact` answers are without error.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from cherrysim.blocks import aside
from cherrysim.doubts import OPPONENTS, Against, Doubts, asked_against, miscounted
from cherrysim.endgame import EndOption, solve_end
from cherrysim.flowers import NOTHING, Refused, listed, number_of, shown
from cherrysim.knowledge import assumptions, belief, failing
from cherrysim.moves import Draw
from cherrysim.policy import Policy, parse
from cherrysim.stats import Stated
from cherrysim.table import COLLECT, KEEP, Table
from cherrysim.tableadvice import Choice, TableAdvice
from cherrysim.turn import TIED

if TYPE_CHECKING:
    from cherrysim.instant import Ends, MoveValue
    from cherrysim.rollout import Rollout

METHODS = ("exact", "instant", "truncated", "rollout")
MOST_FLOWERS = 12
"""So many flowers in the bag and in the middle are solved; with more no answer comes in reasonable time."""
MOST_TABLES = 20_000
"""So many tables between two turns are visited for an answer: seconds of computing."""
SOON_FLOWERS, SOON_BAG, SOON_TABLES = 6, 4, 15_000
"""Where nobody asked for the exact answer it is tried with so many flowers to come, one more if the bag holds
no more than so many, and given up after so many tables: within about a second."""
PRECISION = {"truncated": 0.005, "rollout": 0.01}
"""How well differences of share are to be known unless told otherwise."""
POINTS_PER_SHARE = 40
"""And differences of score, so many times less."""

Told = Callable[[int, float], None]
Watch = Callable[[], AbstractContextManager[Told | None]]


@dataclass(frozen=True, slots=True)
class Playing:
    """How games are played on for an answer: by which policies (`policy` the own; `opponents` one for all
    others or one for each in the order of the seats; by default all `learned`), until differences are known
    within `precision` (share, or points) or `budget` seconds are over, with which seed, on how many
    threads."""

    policy: str | None = None
    opponents: Sequence[str] | None = None
    precision: float | None = None
    budget: float | None = None
    seed: int = 0
    threads: int | None = None

    def policies(self, table: Table) -> tuple[Policy, ...]:
        """The policies of all seats.

        >>> from cherrysim.rules import Rules
        >>> list(map(str, Playing(opponents=["kept"]).policies(Table.start(Rules.official(3)))))
        ['learned', 'kept', 'kept']
        """
        others = [parse(name) for name in self.opponents or ("learned",)]
        seats = len(table.seats) - 1
        if len(others) not in (1, seats):
            raise Refused(
                f"{number_of(len(others), 'opponent')} named; this table has {seats}; "
                f"name one for all{f', or {seats}' if seats > 1 else ''}"
            )
        own = parse(self.policy or "learned")
        others = others if len(others) == seats else others * seats
        return (*others[: table.to_move], own, *others[table.to_move :])

    @property
    def wanted(self) -> tuple[str, ...]:
        """What was asked for that games alone can give."""
        names = ("policy", "opponents", "precision", "budget")
        return tuple(name for name in names if getattr(self, name) is not None)


def answered(
    table: Table,
    value: str = "win",
    method: str | None = None,
    playing: Playing | None = None,
    check: bool = False,
    watch: Watch = nullcontext,
) -> TableAdvice:
    """Every move at a table in any phase by a method: by default exact where that is reached and nobody plays
    by a policy, else truncated.

    An answer by games comes with what could turn it, if that is to be checked. `watch` is a context to be in
    while anything is compiled or played; what it gives is told the games, and which part that is of the most.

    >>> from cherrysim.rules import Rules
    >>> advice = answered(Table.start(Rules()), method="instant")
    >>> advice.method, len(advice.options), advice.unit
    ('instant', 8, 'of victory')
    """
    playing, begun = playing or Playing(), time.monotonic()
    _check(table, value, method, playing)
    if method == "exact" or (method is None and soon(table, playing)):
        try:
            return solved(table, value, MOST_TABLES if method else SOON_TABLES)
        except Refused:
            if method:
                raise
    with watch() as told:
        if method == "instant":
            return estimated(table, value)
        advice = played(table, value, method or "truncated", playing, told)
        if not check or advice.stopped == "interrupt":
            return advice
        return checked(advice, playing, begun, told)


def _check(table: Table, value: str, method: str | None, playing: Playing) -> None:
    """Refuse what cannot be asked for."""
    playing.policies(table)
    if method not in (None, *METHODS):
        known = f"{', '.join(METHODS[:-1])} or {METHODS[-1]}"
        raise Refused(f"unknown method {shown(method)}; it is {known}; choose one")
    if method in ("exact", "instant") and playing.wanted:
        raise Refused(
            f"method {method} plays no games; {playing.wanted[0]} is about games; leave it out, or choose "
            "truncated or rollout"
        )
    if playing.precision is not None or playing.budget is not None:  # wrong even where no game is needed
        from cherrysim.rollout import check

        check(method or "truncated", value, playing.precision, playing.budget)


def soon(table: Table, playing: Playing) -> bool:
    """Whether an exact answer is tried where none was asked for: with few flowers to come, players who play
    best."""
    most = SOON_FLOWERS + (table.bag_size <= SOON_BAG)
    return _to_come(table) <= most and not (playing.policy or playing.opponents)


def _to_come(table: Table) -> int:
    """The most flowers that the bag may hold when the next turn begins."""
    if table.phase == KEEP or (table.phase == COLLECT and table.draws_used < table.rules.draws):
        return _inside(table) - (2 if table.phase == KEEP else 0)
    return table.bag_size + (table.bonus.drawn if table.bonus else NOTHING).total


def _inside(table: Table) -> int:
    return table.bag_size + table.hand.total + (table.bonus.drawn if table.bonus else NOTHING).total


def solved(table: Table, value: str = "win", most: int = MOST_TABLES) -> TableAdvice:
    """The exact answer for a late table in any phase, visiting at most so many tables; `Refused` where it is
    not late enough.

    Source: `endgame.solve_end`.

    >>> from cherrysim.tablefile import read_table
    >>> rules = '"rules": {"counts": "P5 Y5 L1 W1", "set_aside": 0, "cards": []}'
    >>> advice = solved(read_table('{' + rules + ', "seats": [{"front": "P5"}, {"front": "Y5"}]}'))
    >>> advice.best.move, advice.worth(advice.best).mean, advice.unit
    (Draw(n=1), 1.0, 'of victory')
    """
    remedy = "ask later in the game, or by --method instant"
    if _inside(table) > MOST_FLOWERS:
        raise Refused(
            f"{_inside(table)} flowers are in the bag and in the middle; share and score are exact up to "
            f"{MOST_FLOWERS}; {remedy}"
        )
    try:
        end = solve_end(table, most)
    except Refused as refused:
        raise Refused(f"{str(refused).rpartition(';')[0]}; {remedy}") from None
    now = "this move for the own score, every later one" if value == "score" else "every move"
    visited = f"{end.visited:,} {'table' if end.visited == 1 else 'tables'} that can follow were solved"
    options = _choices(table, end.options, value, Stated.exact)
    return TableAdvice(
        table,
        value,
        options,
        *_first_and_equal(options, value),
        "exact",
        f"Exact, not simulated: {visited}.",
        (
            f"All players play best, {now} for the victory, then for the lead over the best rival.",
            *assumptions(table),
            *_changes(table),
        ),
    )


def estimated(table: Table, value: str = "win", ends: Ends | None = None) -> TableAdvice:
    """The instant answer for a table in any phase; `Refused` once the game is over.

    `ends` are those of the turn, where they are known already. Source: `instant.instant`.
    """
    from cherrysim.instant import instant

    options = _choices(table, instant(table, ends), value, Stated)
    said = [
        "Shares and scores are learned from games, not proved; their error is not known.",
        "The chances of this turn are exact. After this move all players play for the victory as policy "
        "learned does.",
        *_taught(table),
    ]
    bag = belief(table)
    if bag.hidden or len(bag.pools) > 1:
        said.append(
            "Draws use all that is known of hidden flowers; the value of a table takes any unseen flower as "
            "possibly in the bag."
        )
    return TableAdvice(
        table,
        value,
        options,
        *_first_and_equal(options, value),
        "instant",
        "Instant: estimated at once, not simulated.",
        (*said, *assumptions(table), *_changes(table)),
    )


def _choices(
    table: Table,
    options: Sequence[EndOption | MoveValue],
    value: str,
    number: Callable[[float], Stated],
) -> tuple[Choice, ...]:
    """Options as choices, their numbers with an error of one kind."""
    seat, fails = table.to_move, failing(table)
    worth = [float(option.scores[seat] if value == "score" else option.shares[seat]) for option in options]
    return tuple(
        Choice(
            option.move,
            number(float(option.shares[seat])),
            number(float(option.scores[seat])),
            number(float(option.margins[seat])),
            number(own - max(worth)),
            fails[option.move.n if isinstance(option.move, Draw) else 0],
        )
        for option, own in zip(options, worth, strict=True)
    )


def _first_and_equal(options: Sequence[Choice], value: str) -> tuple[Choice, tuple[Choice, ...]]:
    """The best of choices without error, of equals the first; and the equals, if there are any."""
    left = tuple(options)
    for name in ("score",) if value == "score" else ("share", "margin"):
        top = max(getattr(choice, name).mean for choice in left)
        left = tuple(choice for choice in left if _equal(getattr(choice, name).mean, top))
    return left[0], left if len(left) > 1 else ()


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= float(TIED) * max(1.0, abs(a), abs(b))


def played(
    table: Table,
    value: str = "win",
    method: str = "truncated",
    playing: Playing | None = None,
    progress: Told | None = None,
) -> TableAdvice:
    """The answer by games played on from every move, `truncated` or to the end (`rollout`).

    Ctrl-C ends it with what is known: the instant answer, if no game has been played. Source: `rollout`.
    """
    from cherrysim.rollout import rollout

    playing = playing or Playing()
    policies = playing.policies(table)
    wanted = PRECISION.get(method, 0.0) * (POINTS_PER_SHARE if value == "score" else 1)
    at_once = aside(partial(estimated, table, value))
    try:
        found = rollout(
            table,
            method,
            value=value,
            policies=policies,
            precision=wanted if playing.precision is None else playing.precision,
            budget=playing.budget,
            seed=playing.seed,
            threads=playing.threads,
            progress=progress,
        )
    except KeyboardInterrupt:
        return dataclasses.replace(at_once, stopped="interrupt")
    return _of_games(table, value, found)


def _of_games(table: Table, value: str, found: Rollout) -> TableAdvice:
    from cherrysim.rollout import bias

    off, fails = bias.bias_of(found), failing(table)
    options = tuple(
        Choice(
            option.move,
            bias.share(found, option),
            bias.stated(found, option.score, off.score),
            bias.stated(found, option.margin, off.margin),
            bias.difference(found, option, value),
            fails[option.move.n if isinstance(option.move, Draw) else 0],
            option.games,
        )
        for option in found.options
    )
    best = options[found.options.index(found.best)]
    near = tuple(choice for choice in options if not choice.difference.below_zero)
    return TableAdvice(
        table,
        value,
        options,
        best,
        near if len(near) > 1 else (),
        found.method,
        _how(found),
        (*_players(table, found.policies), *_dealt(table), *assumptions(table), *_changes(table)),
        found.policies,
        found.seed,
        found.games,
        found.stopped,
    )


def _how(found: Rollout) -> str:
    """How the games were played, the layer first."""
    from cherrysim.rollout import TURNS, bias

    games = f"{found.games:,} games with seed {found.seed}"
    if found.method == "rollout":
        return f"Rollout: {games}, played to the end."
    if bias.bias_of(found) == bias.Bias():
        return f"Truncated: {games}, so late that all were played to the end."
    ended = (
        f"Truncated: {games}, ended {TURNS} turns after this one at what policy learned expects; how far off "
    )
    if found.table.rules.changes:
        return (
            f"{ended}that is was measured for the official rules alone: by these it may be far more than the "
            "errors say, which --method rollout does not suffer from."
        )
    return f"{ended}that is, as measured, is part of the errors."


def _players(table: Table, policies: Sequence[str]) -> list[str]:
    """Who plays on how."""
    own = policies[table.to_move]
    others = {seat.name: policies[i] for i, seat in enumerate(table.seats) if i != table.to_move}
    if {own} == set(others.values()):
        said = f"After this move all players play on as policy {own} does"
    else:
        said = f"After this move {table.mover.name} plays on as policy {own} does, "
        if len(set(others.values())) == 1:
            said += f"all others as {next(iter(others.values()))}"
        else:
            said += listed([f"{name} as {policy}" for name, policy in others.items()], "and")
    return [f"{said}.", *(_taught(table) if "learned" in policies else ())]


def _dealt(table: Table) -> list[str]:
    if table.unseen.total == table.bag_size:
        return []
    return [
        f"Hidden flowers are dealt anew in every game, from all that {table.mover.name} can know of them."
    ]


def _taught(table: Table) -> list[str]:
    from cherrysim.weights import difference

    taught = difference(table.rules)
    return [f"{taught[0].upper()}{taught[1:]}."] if taught else []


def _changes(table: Table) -> list[str]:
    return [f"Rules changed: {table.rules.changes}."] if table.rules.changes else []


def checked(
    advice: TableAdvice,
    playing: Playing | None = None,
    begun: float | None = None,
    progress: Told | None = None,
) -> TableAdvice:
    """The same with what could turn it: other opponents and miscounts of the bag, as far as the budget's
    seconds since it was `begun` go. Ctrl-C ends it with what was looked at by then."""
    playing, begun = playing or Playing(), time.monotonic() if begun is None else begun
    against, miscounts = [], None
    try:
        for found in _against(advice, playing, begun, progress):
            against.append(found)
        moves = [choice.move for choice in advice.tied or (advice.best,)]
        miscounts = miscounted(advice.table, moves, advice.value, _left(playing, begun))
    except KeyboardInterrupt:
        advice = dataclasses.replace(advice, stopped="interrupt")
    return dataclasses.replace(advice, doubts=Doubts(tuple(against), miscounts))


def _left(playing: Playing, begun: float) -> float | None:
    """The seconds left of a budget, None where there is none."""
    return None if playing.budget is None else playing.budget - (time.monotonic() - begun)


def _against(advice: TableAdvice, playing: Playing, begun: float, progress: Told | None) -> Iterator[Against]:
    """The answer against each kind of opponents, while there is time."""
    table = advice.table
    others = {policy for i, policy in enumerate(advice.policies) if i != table.to_move}
    for opponents in OPPONENTS:
        if others == {opponents}:
            yield Against(opponents, advice.best.move, True, False, advice.best.difference)
            continue
        left = _left(playing, begun)
        if left is not None and left <= 0:
            return
        yield asked_against(
            table,
            advice.best.move,
            parse(playing.policy or "learned"),
            opponents,
            advice.value,
            seed=playing.seed,
            threads=playing.threads,
            budget=left,
            progress=progress,
        )
