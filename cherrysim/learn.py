"""Self-play: how the weights of policy `learned` come about, from nothing, by one command.

First the endings of simple games are learned from, one display in five at random; then of its own games,
where a prediction is held against the exact expectation over the next turn (`kernels.training`). The one
formula: with the shares p = softmax(z) predicted after a display and their target y, every weight of a
seat's features moves against p - y.

Against cycles and wobbling: now and then a random display or draw, games that open with some, one opponent
in some games from outside (reference policies, `points`, earlier weights), and what is kept is an average of
late weights. Everything in a batch of games is drawn from (seed, number of the batch), one batch follows the
other on one thread: a run depends on its seed and games alone, and a run that was interrupted and resumed is
the run that was not.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cherrysim import __version__
from cherrysim import weights as files
from cherrysim.files import check_free
from cherrysim.flowers import Refused, shown
from cherrysim.policy import parse
from cherrysim.rules import Rules, card_names, rules_of
from cherrysim.runs import opened
from cherrysim.simulate import MOST_GAMES, MOST_SEED, arrays, check_whole
from cherrysim.simulate.blocks import interruptible
from cherrysim.weights import KNOTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 50
"""Games between two looks at the clock and at Ctrl-C."""
FIRST = (("kept", 60), ("plan:2+1", 20), ("points", 20))
"""Batches of simple games to begin with; `points` sits among `kept`."""
OPPONENTS = ("kept", "points", "points", "points:risk=0.05", "past", "past")
PAST, PAST_EVERY, TOLD_EVERY = 8, 400, 80
"""Earlier weights to play against; batches between two of them, and between two points of the curve."""
OUTSIDE = 0.45
"""Games with an opponent from outside."""
LATE = 4
"""The average looks back over a part 1 / LATE of all self-play."""
TRUST, RATE, SCORE_RATE, START_PACE, SECOND_PACE = 0.5, 0.1, 0.05, 1.0, 20.0
RANDOM_DISPLAYS, RANDOM_DRAWS, OPENINGS, FIRST_RANDOM = 300, 100, 1500, 2000
"""In 10,000 turns, turns, games; and turns of the simple games to begin with."""
SCALE = 50.0
"""Points that count as 1 where scores are learned."""
A_POINT = (0.15, 0.15, 0.15, 0.14, 0.12, 0.09, 0.07, 0.05, 0.03)
"""What a point on the table is taken to weigh, by knot, until games say more: so that what they seldom show
has a sign."""
MOST_TAKEN = 100.0
"""Where there are more points to be had at once, all are taken to weigh so much less: shares stay numbers."""
CHECKED, FITTED, DOUBT = 2000, 12_000, 1000
"""Games of the finished weights among themselves by which they are scaled, and fitted, a tenth of those
learned from at most; shares seen in a decile that count as much as no change."""
LARGEST = 1e12
"""Numbers of a checkpoint are no larger: what is learned from points is far below."""
MOST_MINUTES = 10_000.0
SAVED_EVERY = 20.0
"""Seconds between two checkpoints."""


@dataclass(frozen=True, slots=True)
class Pupil:
    """A seat that plays by weights in the making, or by given ones."""

    given: NDArray[Any] | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Kind and utility."""
        from cherrysim.kernels.layout import LEARNED
        from cherrysim.kernels.worth import SHARE

        return (LEARNED, SHARE)

    def weights(self, rules: Rules) -> tuple[float, ...]:
        """A row for the kernel."""
        import numpy as np

        return files.expanded(np.zeros(files.shape())) if self.given is None else files.expanded(self.given)


class School:
    """Games, and what has been learned from them so far."""

    def __init__(self, rules: Rules, seed: int) -> None:
        import numpy as np

        self.rules, self.seed = rules, seed
        self.batches = 0
        self.late: NDArray[Any] = np.zeros(files.shape())
        self.past: list[NDArray[Any]] = []
        self.curve: list[list[float]] = []
        self.lesson = _lesson(rules)
        self._solver = arrays.solver(rules, [parse("points"), *[Pupil()] * (rules.players - 1)])
        self._as_played = np.stack([arrays.rules_array(rules, True), arrays.rules_array(rules)])

    @property
    def games(self) -> int:
        """Games learned from."""
        return self.batches * BATCH

    def batch(self) -> None:
        """Play and learn from the next batch of games."""
        first = _first_batches()
        chance = random.Random(f"{self.seed} {self.batches}")
        if self.batches < first:
            self._play(self._simple(chance), self.batches, 1.0, (FIRST_RANDOM, RANDOM_DRAWS, 0))
        else:
            done = self.batches - first
            if done == 0:
                self._begin()
            elif done % PAST_EVERY == 0:
                self.past = [*self.past[-PAST + 1 :], self.late.copy()]
            self._play(self._line_up(chance), self.batches, TRUST, (RANDOM_DISPLAYS, RANDOM_DRAWS, OPENINGS))
            self.late += min(1.0, LATE / (done + 1)) * (self.lesson.weights - self.late)
        self.batches += 1
        if self.batches % TOLD_EVERY == 0:
            n, _, _, misses = self.lesson.told.sum(axis=(0, 1))
            if n:  # of games of one turn nothing is predicted
                self.curve.append([self.games, round(float(misses / n), 6)])
            self.lesson.told[:] = 0.0

    @property
    def best(self) -> NDArray[Any]:
        """The late weights; those of now while there is no self-play yet."""
        return self.late if self.batches > _first_batches() else self.lesson.weights

    def _begin(self) -> None:
        """From simple games to its own."""
        import numpy as np

        for pace in (self.lesson.pace, self.lesson.score_pace):
            np.minimum(pace, SECOND_PACE, out=pace)
        self.late = self.lesson.weights.copy()
        self.past = [self.late.copy()]

    def _simple(self, chance: random.Random) -> list[Any]:
        name = [name for name, count in FIRST for _ in range(count)][self.batches]
        seats: list[Any] = [parse("kept" if name == "points" else name)] * self.rules.players
        if name == "points":
            seats[chance.randrange(self.rules.players)] = parse(name)
        return seats

    def _line_up(self, chance: random.Random) -> list[Any]:
        seats: list[Any] = [None] * self.rules.players
        if chance.random() < OUTSIDE:
            name = chance.choice(OPPONENTS)
            opponent = Pupil(chance.choice(self.past)) if name == "past" else parse(name)
            seats[chance.randrange(self.rules.players)] = opponent
        return seats

    def _play(self, seats: Sequence[Any], batch: int, trust: float, wild: tuple[int, int, int]) -> None:
        """A batch of games of these policies, None being the pupil."""
        self.lesson.how[:] = (trust, RATE, SCORE_RATE, *wild, SCALE)
        self._games(seats, (batch * BATCH, (batch + 1) * BATCH, 1), self.seed)

    def _games(self, seats: Sequence[Any], games: tuple[int, int, int], seed: int) -> None:
        import numpy as np

        from cherrysim.kernels.training import learn_games

        players = [Pupil() if seat is None else seat for seat in seats]
        self._solver.weights[:] = 0.0
        for s, player in enumerate(players):
            self.lesson.pupil[s] = seats[s] is None
            if seats[s] is not None:
                row = player.weights(self.rules)
                self._solver.weights[s, : len(row)] = row
        learn_games(
            games,
            np.uint64(seed % (MOST_SEED + 1)),
            self._as_played,
            arrays.policies_array(players),
            self._solver,
            self.lesson,
            arrays.no_log(),
            arrays.room(self.rules, 1),
        )

    def watch(self, table: NDArray[Any], games: int, seed: int) -> NDArray[Any]:
        """Games of these weights among themselves, without learning; `lesson.told` and `lesson.slope` are of
        them."""
        kept, before = self.lesson.weights.copy(), self.lesson.told.copy()
        self.lesson.weights[:] = table
        self.lesson.told[:], self.lesson.slope[:] = 0.0, 0.0
        self.lesson.how[:] = (TRUST, 0.0, 0.0, 0, 0, 0, SCALE)
        self._games([None] * self.rules.players, (0, games, 0), seed)
        told: NDArray[Any] = self.lesson.told.copy()
        self.lesson.weights[:], self.lesson.told[:] = kept, before
        return told

    def calibrate(self) -> None:
        """Scale the best weights at every knot to fit their own games, a step of Newton's method, twice; then
        fit what predicted shares come to."""
        import numpy as np

        own = self.batches > _first_batches()
        for step in range(2 if own else 0):
            self.watch(self.best, min(CHECKED, self.games // 10), self.seed + step + 1)
            gradient, curvature = self.lesson.slope.T
            self.best[:] *= np.clip(1.0 - gradient / np.maximum(curvature, 1e-9), 0.5, 2.0)[:, None]
        for step in range(3 if own else 0):
            told = self.watch(self.best, min(FITTED, self.games // 10), self.seed + step + 3)
            fit_to(told, self.lesson.fit)

    def state(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint holds besides the weights."""
        import numpy as np

        lesson = self.lesson
        return {
            "batches": np.array([self.batches, self.seed], np.uint64),
            "now": lesson.weights,
            "now_scores": lesson.scores,
            "pace": lesson.pace,
            "score_pace": lesson.score_pace,
            "late": self.late,
            "told": lesson.told,
            "past": np.array(self.past or np.zeros((0, *files.shape()))),
        }

    def weights(self) -> Weights:
        """What a file holds, with the state of the run."""
        import numpy as np

        record = {
            "games": self.games,
            "seed": self.seed,
            "version": __version__,
            "command": _command(self.rules, self.seed, self.games),
            "rules": self.rules.to_json(),
            "curve": self.curve,
        }
        scores = (self.lesson.scores * SCALE).astype(np.float32)
        shares, fit = self.best.astype(np.float32), self.lesson.fit.astype(np.float32)
        return Weights(self.rules.players, shares, scores, fit, record, self.state())

    def resume(self, found: Weights) -> None:
        """Go on where a checkpoint was written; raises `Refused` where it is none of this run."""
        if found.players != self.rules.players:
            raise Refused(
                f"the checkpoint is for {found.players} players; this game has {self.rules.players}; "
                "name the right one"
            )
        self._restore(found.state)
        if found.record.get("rules") != self.rules.to_json():
            raise Refused(
                "the checkpoint is of a game with other cards or rules; a run keeps to its game; "
                "name the one it had"
            )
        self.curve = _curve(found.record.get("curve"))

    def _restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        for key, array in self.state().items():
            if key not in state or not _arises(key, state[key], array):
                raise Refused(
                    f"the file holds no {key} of a run; only checkpoints can be resumed; begin anew"
                )
        if int(state["batches"][0]) > _first_batches() and not len(state["past"]):
            raise Refused("the file holds no earlier weights to play against; a run keeps some; begin anew")
        if int(state["batches"][1]) != self.seed:
            raise Refused(
                f"the checkpoint has seed {state['batches'][1]}; this run has {self.seed}; "
                "give --seed that number"
            )
        self.batches = int(state["batches"][0])
        for key, array in (("now", self.lesson.weights), ("now_scores", self.lesson.scores)):
            array[:] = state[key]
        self.lesson.told[:] = state["told"]
        self.lesson.pace[:], self.lesson.score_pace[:] = state["pace"], state["score_pace"]
        self.late, self.past = state["late"].copy(), list(state["past"])


def watched(rules: Rules, fit: NDArray[Any], games: int, seed: int) -> NDArray[Any]:
    """Games of the shipped weights among themselves, their shares predicted with this fit: [stage, decile,
    (seats, predicted, realised, misses)]."""
    school = School(rules, 0)
    school.lesson.fit[:] = fit
    return school.watch(files.shipped(rules).shares.astype(float), games, seed)


def fit_to(told: NDArray[Any], fit: NDArray[Any]) -> None:
    """Move what predicted shares come to towards what they did come to in games watched with this `fit`."""
    import numpy as np

    seen, predicted, realised, _ = np.moveaxis(told, 2, 0)
    fit[:, 1:-1] += (realised - predicted) / (seen + DOUBT)
    np.maximum.accumulate(np.clip(fit, 0.0, 1.0, out=fit), axis=1, out=fit)


def _arises(key: str, given: NDArray[Any], own: NDArray[Any]) -> bool:
    """Whether an array of a checkpoint is one that a run like this with an `own` one comes to."""
    if (given.ndim, given.dtype) != (own.ndim, own.dtype):
        return False
    if given.shape != ((min(len(given), PAST), *own.shape[1:]) if key == "past" else own.shape):
        return False
    if key == "batches":
        return int(given[0]) <= MOST_GAMES // BATCH
    most = files.MOST_WEIGHT if key in ("now", "late", "past") else LARGEST
    least = 0.0 if key in ("pace", "score_pace", "told") else -most
    return bool(((given >= least) & (given <= most)).all())


def _curve(given: Any) -> list[list[float]]:
    """The points of a checkpoint's curve, games and misses."""
    points = given if isinstance(given, list) else [None]
    for point in points:
        if not isinstance(point, list) or [type(n) for n in point] not in ([int, float], [int, int]):
            raise Refused("the checkpoint has no curve; it is a list of games and misses; begin anew")
    return list(points)


def _first_batches() -> int:
    return sum(count for _, count in FIRST)


def _command(rules: Rules, seed: int, games: int) -> str:
    """The command that comes to the same weights."""
    side = files.side(rules)
    cards = side if rules.cards == card_names(side) else ",".join(rules.cards) or "none"
    game = "--rules FILE" if rules.changes else f"--players {rules.players} --cards {cards}"
    return f"cherrysim train {game} --seed {seed} --games {games}"


def _points_now(rules: Rules) -> NDArray[Any]:
    """Points of each feature if the game ended with it."""
    import numpy as np

    from cherrysim.kernels import layout, learned

    numbers = arrays.rules_array(rules)
    table = np.zeros(learned.FEATURES)
    for n in range(learned.LEVELS):
        at = layout.FRONT_TABLE + min(n, numbers[layout.FRONT_LENGTH] - 1)
        table[learned.FRONT_AT + n : learned.SUPPLY_AT : learned.LEVELS] = numbers[at]
    table[learned.PLACE_AT : learned.ORDER_AT] = numbers[layout.PLACES : layout.FRONT_LENGTH]
    return table


def _lesson(rules: Rules) -> Any:
    """Room to learn in; all that is known are points."""
    import numpy as np

    from cherrysim.hands import universe
    from cherrysim.kernels.learned import SEEN, STAGES
    from cherrysim.kernels.training import SCALE as LAST_SETTING
    from cherrysim.kernels.training import Lesson

    table, turns, players = files.shape(), arrays.MOST_TURNS, rules.players
    knot, part = files.places()
    points = _points_now(rules)
    return Lesson(
        weights=np.outer(A_POINT, points / max(1.0, np.abs(points).max() / MOST_TAKEN)),
        pace=np.full(table, START_PACE),
        scores=np.outer(np.array(A_POINT) / A_POINT[0], points) / SCALE,
        score_pace=np.full(table, START_PACE),
        knot=knot,
        part=part,
        how=np.zeros(LAST_SETTING + 1),
        seen=np.zeros((turns, players, SEEN), np.int64),
        left=np.zeros(turns, np.int64),
        shares=np.zeros((turns, players)),
        exact=np.zeros((turns, players)),
        settled=(np.zeros((0, players)), np.zeros((0, players))),
        kind=np.zeros(turns, np.int64),
        target=np.zeros((turns, players)),
        pupil=np.zeros(players, np.int64),
        stops=np.zeros(len(universe(rules).hands)),
        failures=np.zeros(32),
        told=np.zeros((STAGES, 10, 4)),
        fit=files.unfitted(),
        slope=np.zeros((len(KNOTS), 2)),
    )


@dataclass(frozen=True, slots=True)
class Trained:
    """What a run came to: weights, the file they are in, how long it took, whether Ctrl-C ended it, and the
    file of the run."""

    weights: Weights
    out: str | None
    seconds: float
    stopped: bool
    run: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim train --json`."""
        document: dict[str, Any] = {
            "out": self.out,
            "seconds": self.seconds,
            "record": dict(self.weights.record),
        }
        return document | ({"stopped": "interrupt"} if self.stopped else {})

    def __str__(self) -> str:
        if self.out:
            where = f"; weights in {self.out}"
        elif self.run:
            where = f"; kept in {self.run}" + ("; the same command goes on with it" if self.stopped else "")
        else:
            where = "; no --out was given, so nothing is kept"
        end = "Stopped after" if self.stopped else "Learned from"
        return f"{end} {self.weights.record['games']} games in {self.seconds:.0f} s{where}"


def train(
    rules: Rules | None = None,
    seed: int | None = None,
    *,
    games: int | None = None,
    minutes: float | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Callable[[int, float], None] | None = None,
    run: str | os.PathLike[str] | None = None,
) -> Trained:
    """Learn until so many games are learned from (rounded up to whole batches), or for so many minutes.

    The seed is that of the run resumed, else 0. `out` is written at once and every few seconds, each time
    whole, and can be resumed. With `run` and a number of games the newest checkpoint is kept in a file of
    `runs` instead, from which the same call goes on, and `out` is written at the end. Raises `Refused` for a
    file that is no checkpoint of this game and this seed, and for numbers out of bounds.

    >>> train(games=100).weights.record["games"]
    100
    """
    rules = rules_of(rules)
    arrays.check(rules)
    _check_end(games, minutes)
    found = None if resume is None else files.load(resume)
    if seed is None:
        seed = found.record.get("seed", 0) if found else 0
    check_whole("seed", seed, 0, MOST_SEED)
    if run is not None and (games is None or resume is not None):
        raise Refused(
            "a run in a file goes on by itself to a number of games; minutes and resume are for others; give "
            "games"
        )
    school = School(rules, seed)
    if found is not None:
        school.resume(found)
    if out is not None and run is None:
        files.save(out, school.weights(), force)
    elif out is not None:
        check_free(out, force)
    begun = time.monotonic()
    question = {"command": "train", "rules": rules.to_json(), "seed": seed, "games": games}
    with opened(run, question) as kept:
        part = kept.part("checkpoint", 1) if kept else None
        for data in part.blocks() if part else ():
            school.resume(files.unpack(data, "the run's checkpoint"))

        def save(weights: Weights) -> None:
            if part:
                part.write(0, school.games, files.pack(weights))
            elif out is not None:
                files.save(out, weights, force=True)

        stopped = _learn(
            school, lambda seconds: _goes_on(school.games, games, seconds, minutes), save, progress
        )
        state = {key: array.copy() for key, array in school.state().items()}
        if not stopped:
            school.calibrate()
        weights = dataclasses.replace(school.weights(), state=state)
        save(weights)
        if part and not stopped:
            part.end(hashlib.sha256(files.pack(weights)).hexdigest())
            if out is not None:
                files.save(out, weights, force)
    written = None if out is None or (run is not None and stopped) else os.fsdecode(out)
    kept_in = None if run is None else os.fsdecode(run)
    return Trained(weights, written, time.monotonic() - begun, stopped, kept_in)


def _check_end(games: int | None, minutes: float | None) -> None:
    """Refuse a run that would end nowhere, or twice."""
    if (games is None) == (minutes is None):
        raise Refused("a run ends after games or after minutes; one of the two is given; choose one")
    if games is not None:
        check_whole("games", games, 1, MOST_GAMES)
    elif not (isinstance(minutes, int | float) and 0 < minutes <= MOST_MINUTES):
        raise Refused(f"minutes {shown(minutes)}; they are above 0, at most {MOST_MINUTES:g}; write 30")


def _learn(
    school: School,
    goes_on: Callable[[float], bool],
    save: Callable[[Weights], None],
    progress: Callable[[int, float], None] | None,
) -> bool:
    """Learn as long as it goes on after so many seconds, saving now and then; whether Ctrl-C ended it."""
    begun = saved = time.monotonic()
    with interruptible() as stop:
        while not stop.is_set() and goes_on(time.monotonic() - begun):
            school.batch()
            now = time.monotonic()
            if progress:
                progress(school.games, now - begun)
            if now - saved > SAVED_EVERY:
                save(school.weights())
                saved = now
        return stop.is_set()


def _goes_on(done: int, games: int | None, seconds: float, minutes: float | None) -> bool:
    return done < games if games is not None else seconds < 60.0 * (minutes or 0.0)
