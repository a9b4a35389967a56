"""Self-play that teaches the weights of `learned`: games, targets and gradients in one kernel.

After the display of turn t the model predicts the shares p[t] of all seats; the target is

    y[t] = e[t] + trust x (y[t + 1] - p[t + 1]),    p and y of the last turn being the true shares,

e[t] the exact expectation of p[t + 1] over the whole next turn under the plan found (its place is taken by
p[t + 1] where the next seat plays by something else), and y[t] = e[t] where the next turn is an experiment.
Cross-entropy has the gradient p - y in every z, which goes to the weights by Adagrad. Expected scores are
learned beside it, from the final ones, by least squares over the same features.
"""

from typing import NamedTuple

import numpy as np

from cherrysim.kernels.acting import keep_valued, show_valued, solve_valued
from cherrysim.kernels.display import pool_of, total
from cherrysim.kernels.game import (
    BOX_KEY,
    FIRST_TURN_KEY,
    SPLIT_KEY,
    TO_KEEP,
    TO_SHOW,
    collect,
    end_turn,
    set_up,
)
from cherrysim.kernels.keyed import below, derive
from cherrysim.kernels.layout import (
    BAG,
    COLOURS,
    DRAWS,
    FLOWERS,
    KEPT,
    LEARNED,
    MOST_TURNS,
    PLAYERS,
    POINTS,
    ROWS,
    SCORE,
    SHARING,
    TURNS,
)
from cherrysim.kernels.learned import (
    FEATURES,
    FIRST,
    LEFTS,
    MOST_LEFT,
    MOST_SIZES,
    NOTHING,
    STAGE,
    calibrate,
    open_screens,
    see,
    weight_at,
)
from cherrysim.kernels.luck import add_expected
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.reference import solve_turn
from cherrysim.kernels.scoring import GROUP_NUMBERS, score, split_wilds
from cherrysim.kernels.turn import outcomes

EXPERIMENT_KEY = 500
"""Keyed numbers of a game from here on decide about experiments."""
PARTS = 10_000
PLAIN, EXACT, CUT, LOST = 0, 1, 2, 3
"""Of the next turn: nothing is known, its expectation is; that alone counts; it teaches nothing."""
TRUST, RATE, SCORE_RATE, WILD, STRAY, OPENING, SCALE = range(7)
"""Entries of `how`: trust in later turns; step sizes; of 10,000 turns those with a random display, with
random draws too, and of games those that open with random displays; points that count as 1 in the scores'
squares."""


class Lesson(NamedTuple):
    """What is learned, and what is noted of a game, display by display."""

    weights: np.ndarray  # [knot, feature] of shares
    pace: np.ndarray  # sums of squared gradients, of that shape
    scores: np.ndarray  # [knot, feature] of scores
    score_pace: np.ndarray
    knot: np.ndarray  # [flowers left] the knot below
    part: np.ndarray  # [flowers left] how far it is to the next
    how: np.ndarray  # see TRUST
    seen: np.ndarray  # [turn, seat, SEEN]
    left: np.ndarray  # [turn] flowers in the bag
    shares: np.ndarray  # [turn, seat] predicted
    exact: np.ndarray  # [turn, seat] expected after the next turn
    settled: tuple  # of nothing: ends are worth what the model says
    kind: np.ndarray  # [turn] how it is followed, see PLAIN
    target: np.ndarray  # [turn, seat]
    pupil: np.ndarray  # [seat] whether it plays by what is being learned
    stops: np.ndarray  # [hand]
    failures: np.ndarray  # [set]
    told: np.ndarray  # [stage, decile, (n, predicted, realised, squared misses)] of the seats' shares
    fit: np.ndarray  # [stage, point of the grid] what predicted shares come to
    slope: np.ndarray  # [knot, (gradient, curvature)] of the cross-entropy by the scale of z


@kernel
def expand(weights, lesson, out):
    """Write the weights for every number of flowers left, as `learned` reads them."""
    for f in range(FEATURES):
        for entry in range(LEFTS):
            left = min(max(entry - MOST_SIZES, 0), MOST_LEFT)
            low, part = lesson.knot[left], lesson.part[left]
            out[FIRST + f * LEFTS + entry] = weights[low, f] + part * (weights[low + 1, f] - weights[low, f])


@kernel
def to_shares(z, out):
    """The shares of these z."""
    most = z[0]
    for s in range(1, len(out)):
        most = max(most, z[s])
    total_weight = 0.0
    for s in range(len(out)):
        out[s] = np.exp(z[s] - most)
        total_weight += out[s]
    for s in range(len(out)):
        out[s] /= total_weight


@kernel
def take_turn(table, seat, rules, both, solver, keys, rows, log):
    """A turn; `both` are the policies that draw and those that display."""
    drawing, showing = both
    rows[seat, TURNS] += 1
    failed = collect(table, seat, rules, drawing, solver.sizes, solver.fast, keys, rows, log)
    left = end_turn(table, seat, failed, rules, showing, keys, rows, log)
    if left == TO_KEEP:
        keep_valued(table, seat, rules, showing, solver, log)
    elif left == TO_SHOW:
        show_valued(table, seat, rules, showing, solver, keys, rows, log)


@kernel
def observe(table, seat, turn, rules, weights, groups, lesson, solver):
    """Note the features of all seats after a display, and the shares predicted."""
    players = rules[PLAYERS]
    pool = solver.worth.pool
    for c in range(COLOURS):
        pool[c] = pool_of(table, seat, c, rules)
    open_screens(table, seat, players, groups)
    lesson.left[turn] = total(table, BAG)
    z = solver.worth.z
    for s in range(players):
        see(table, seat, s, pool, players, groups, lesson.seen[turn, s])
        z[s] = 0.0
        for f in lesson.seen[turn, s]:
            z[s] += weights[weight_at(f, lesson.left[turn])]
    to_shares(z, lesson.shares[turn])
    calibrate(lesson.shares[turn], players, lesson.left[turn], lesson.fit)


@kernel
def experiment(key, turn, lesson):
    """0 no experiment, 1 a random display, 2 random draws too."""
    how = lesson.how
    if below(key, EXPERIMENT_KEY, PARTS) < how[OPENING] and turn < 1 + below(key, EXPERIMENT_KEY + 1, 12):
        return 1
    at = below(key, EXPERIMENT_KEY + 2 + turn, PARTS)
    return (at < how[WILD]) + (at < how[STRAY])


@kernel
def learn_game(table, key, rules, both, solver, lesson, room):
    """One game, every turn of it noted; gives how many; `both` are the policies and random ones, `room` is
    (weights, keys, groups, rows, log)."""
    policies, randoms = both
    weights, keys, groups, rows, log = room
    players = rules[0, PLAYERS]
    set_up(table, rules[0], derive(key, BOX_KEY))
    turn = 0
    while turn < rules[0, MOST_TURNS] and total(table, BAG):
        seat = turn % players
        keys[0] = derive(key, FIRST_TURN_KEY + turn)
        keys[1] = derive(keys[0], 63)
        log[0, 3] = seat
        way = experiment(key, turn, lesson)
        bag = total(table, BAG)
        if way < 2:
            if policies[seat, 0] == KEPT:
                solve_turn(table, seat, rules[0], solver)
            elif policies[seat, 0] >= POINTS:
                solve_valued(table, seat, rules[0], policies, solver)
        if turn:
            lesson.kind[turn - 1] = LOST if way else PLAIN
            if (
                way < 2
                and lesson.pupil[seat]
                and policies[seat, 0] == LEARNED
                and bag > rules[0, FLOWERS] + 2
            ):
                chances = lesson.stops, lesson.failures
                outcomes(solver.hands, solver.space, solver.choice, 0, rules[0, DRAWS], -1, *chances)
                one, out = solver.worth.share, lesson.exact[turn - 1]
                add_expected(chances, lesson.settled, True, seat, solver.worth, solver.ends, one, out)
                lesson.kind[turn - 1] = CUT if way else EXACT
        drawing = randoms if way == 2 else policies
        showing = randoms if way else policies
        take_turn(table, seat, rules[0], (drawing, showing), solver, keys, rows, log)
        observe(table, seat, turn, rules[0], weights, groups, lesson, solver)
        turn += 1
    split_wilds(table, rules[1], derive(key, SPLIT_KEY), groups)
    score(table, rules[1], groups, rows)
    return turn


@kernel
def set_targets(turns, rows, lesson):
    """Write what each prediction should have been, from the end of the game backwards."""
    trust = lesson.how[TRUST]
    shares, target = lesson.shares, lesson.target
    last = turns - 1
    for s in range(shares.shape[1]):
        shares[last, s] = 1.0 / rows[s, SHARING] if rows[s, SHARING] else 0.0
        target[last, s] = shares[last, s]
    for t in range(last - 1, -1, -1):
        for s in range(shares.shape[1]):
            later = trust * (target[t + 1, s] - shares[t + 1, s])
            if trust == 1.0 or lesson.kind[t] == PLAIN:
                target[t, s] = shares[t + 1, s] + later
            elif lesson.kind[t] == EXACT:
                target[t, s] = lesson.exact[t, s] + later
            else:
                target[t, s] = lesson.exact[t, s] if lesson.kind[t] == CUT else shares[t, s]


@kernel
def nudge(weights, pace, low, part, f, step):
    """A step of Adagrad for the weight of a feature at its two knots; `step` = (gradient, rate)."""
    gradient, rate = step
    for k in range(2):
        own = gradient * (part if k else 1.0 - part)
        if own != 0.0:
            pace[low + k, f] += own * own
            weights[low + k, f] -= rate * own / np.sqrt(pace[low + k, f])


@kernel
def correct(turns, rows, lesson):
    """Move all weights towards the targets of a game."""
    how = lesson.how
    for t in range(turns - 1):
        low, part = lesson.knot[lesson.left[t]], lesson.part[lesson.left[t]]
        for s in range(lesson.shares.shape[1]):
            miss = lesson.shares[t, s] - lesson.target[t, s]
            points = 0.0
            for f in lesson.seen[t, s]:
                points += lesson.scores[low, f] + part * (lesson.scores[low + 1, f] - lesson.scores[low, f])
            points -= rows[s, SCORE] / how[SCALE]
            for f in lesson.seen[t, s]:
                if f != NOTHING:
                    nudge(lesson.weights, lesson.pace, low, part, f, (miss, how[RATE]))
                    nudge(lesson.scores, lesson.score_pace, low, part, f, (points, how[SCORE_RATE]))


@kernel
def tell(turns, rows, lesson):
    """Count predicted against realised shares, by flowers left and predicted share; and how to scale z to
    fit."""
    for t in range(turns - 1):
        left = lesson.left[t]
        gradient, mean, square = 0.0, 0.0, 0.0
        stage = min(left // STAGE, len(lesson.told) - 1)
        for s in range(lesson.shares.shape[1]):
            decile = min(int(lesson.shares[t, s] * 10.0), 9)
            told = lesson.told[stage, decile]
            real = 1.0 / rows[s, SHARING] if rows[s, SHARING] else 0.0
            told[0] += 1.0
            told[1] += lesson.shares[t, s]
            told[2] += real
            told[3] += (real - lesson.shares[t, s]) ** 2
            z = np.log(max(lesson.shares[t, s], 1e-12))
            gradient += (lesson.shares[t, s] - real) * z
            mean += lesson.shares[t, s] * z
            square += lesson.shares[t, s] * z * z
        for k in range(2):
            part = lesson.part[left] if k else 1.0 - lesson.part[left]
            lesson.slope[lesson.knot[left] + k, 0] += part * gradient
            lesson.slope[lesson.knot[left] + k, 1] += part * (square - mean * mean)


@allocating_kernel
def learn_games(games, seed, rules, policies, solver, lesson, log, rows):
    """Games first .. end - 1 (`games`), learned from one after the other; without a rate only watched.

    rules: [as played, as scored at the end]. Gives the turns played.
    """
    first, end, learning = games
    table = np.zeros((ROWS, COLOURS), np.int64)
    players = rules[0, PLAYERS]
    groups = np.zeros((players, GROUP_NUMBERS), np.int64)
    keys = np.empty(2, np.uint64)
    randoms = np.zeros_like(policies)
    weights = np.zeros(FIRST + FEATURES * LEFTS)
    turns = 0
    for game in range(first, end):
        if learning or game == first:
            expand(lesson.weights, lesson, weights)
            for s in range(players):
                if lesson.pupil[s]:
                    for i in range(1, len(weights)):
                        solver.weights[s, i] = weights[i]
        rows[:] = 0
        key = derive(derive(seed, 1), game)
        played = learn_game(
            table, key, rules, (policies, randoms), solver, lesson, (weights, keys, groups, rows, log)
        )
        turns += played
        set_targets(played, rows, lesson)
        tell(played, rows, lesson)
        if learning:
            correct(played, rows, lesson)
    return turns
