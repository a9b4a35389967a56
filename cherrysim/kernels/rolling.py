"""Games played on from a moment of a game: what comes of a decision, with the luck taken off again.

A *start* is a table just after a decision, with what the player to move cannot know left out: the unseen
flowers are dealt anew in every game from that player's belief. The rest of the turn, and all later turns, are
played by policies, to the end of the game or for so many turns, after which the learned model says what the
table is worth. Every later turn's luck as the same model sees it (`luck`) is added up beside the outcome:

    shares = what came of it,    luck = sum over later turns of (W(end) - expected W);

shares - luck has the mean of shares. The expectation is under the action chosen and the bag as dealt. Of a
game that ends the shares and scores are the means over the splits of wilds that may be played.
"""

from typing import NamedTuple

import numpy as np

from cherrysim.kernels.display import display, draw_flower, failed, move_all, pool_of, total
from cherrysim.kernels.game import (
    FIRST_TURN_KEY,
    TO_KEEP,
    TO_SHOW,
    collect,
    collect_on,
    draw,
    end_turn,
)
from cherrysim.kernels.keyed import below, derive
from cherrysim.kernels.layout import (
    BAG,
    BEHIND,
    BLACK,
    BOX,
    COLOURS,
    DRAWS,
    HAND,
    KEPT,
    LEARNED,
    MOST_TURNS,
    PLAYERS,
    POINTS,
    ROWS,
    SECRET,
    SLIP,
    TURNS,
)
from cherrysim.kernels.learned import calibrate, open_screens, see, weight_at
from cherrysim.kernels.luck import (
    add_expected,
    colours_in_hand,
    follow,
    hand_number,
    look_ahead,
    shares_of_loss,
    shares_of_stop,
)
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.playing import carry_on, hide, keep, show
from cherrysim.kernels.playing import solve_ahead as solve_valued
from cherrysim.kernels.reference import Solver, choose_hidden, solve_turn
from cherrysim.kernels.scoring import GROUP_NUMBERS, score_on_average
from cherrysim.kernels.settled import settle
from cherrysim.kernels.turn import Space, outcomes, tables

NEXT, HIDING, SHOWING, CARDS, KEEPING, DRAWING, FAILING = range(7)
"""Where a game is taken up: the next seat's turn; what to hide; a success; a card that draws; a failure; a
draw; a draw of a turn that fails."""
MOST_TRIES = 1_000_000
"""Turns are dealt and drawn anew until one fails, at most so often."""
WORLD_KEY, TRY_KEY = 400, 1000
"""Keyed numbers of a game from here on deal the unseen flowers; those of a turn drawn anew."""


class Starts(NamedTuple):
    """Where games are taken up; what is unseen is in no row of a table."""

    tables: np.ndarray  # [start, ROWS, colour]
    kinds: np.ndarray  # [start]
    movers: np.ndarray  # [start] the seat whose turn it is, or was
    used: np.ndarray  # [start, (draws used, flowers to draw now)], or (the card's pattern, 0)
    hidden: np.ndarray  # [start, seat or 4] how many unseen flowers are behind each screen, and in the box
    unseen: np.ndarray  # [start, colour] of them and of the bag together
    pools: np.ndarray  # [pool, colour] what the bag, and some hidden places, may hold
    up_to: np.ndarray  # [pool] the chance of this and all earlier pools of the start
    first_pool: np.ndarray  # [start + 1]
    missing: np.ndarray  # [start] flowers of a pool that are not in the bag


class Roller(NamedTuple):
    """Room and constants for one thread."""

    solver: Solver
    judge: Solver  # with the weights of the model in every row
    judging: np.ndarray  # [seat, ...] as policies, of the model
    points: np.ndarray  # the model's weights of expected scores
    fit: np.ndarray  # what its predicted shares come to
    true_pool: np.ndarray  # [1, colour]
    true_space: Space
    plan: np.ndarray  # [hand, draws left]
    stops: np.ndarray  # [hand]
    failures: np.ndarray  # [set]
    expected: np.ndarray  # [seat]
    realised: np.ndarray  # [seat]
    seen: np.ndarray  # [feature of a seat]
    settled_hands: np.ndarray  # [hand, seat] shares, the first below 0 where they are not worked out
    settled_failures: np.ndarray  # [set, seat]
    before: np.ndarray  # room for a table
    log: np.ndarray  # that keeps nothing


@kernel
def deal(starts, start, key, table):
    """Write the start's table with the unseen flowers dealt into the bag, behind screens and into the box."""
    for row in range(ROWS):
        for c in range(COLOURS):
            table[row, c] = starts.tables[start, row, c]
    first, end = starts.first_pool[start], starts.first_pool[start + 1]
    pool = first
    if end - first > 1:
        at = below(key, WORLD_KEY, 4294967295) / 4294967295.0
        while pool < end - 1 and starts.up_to[pool] <= at:
            pool += 1
    left = 0
    for c in range(COLOURS):
        table[BAG, c] = starts.pools[pool, c]
        left += table[BAG, c]
    for i in range(starts.missing[start]):
        draw_flower(table, BOX, left - i, key, WORLD_KEY + 1 + i)
    hidden = 0
    for c in range(COLOURS):
        table[BOX, c] += starts.unseen[start, c] - starts.pools[pool, c]
        hidden += table[BOX, c]
    for s in range(4):
        for _ in range(starts.hidden[start, s]):
            at = below(key, WORLD_KEY + 64 + hidden, hidden)
            colour = 0
            while at >= table[BOX, colour]:
                at -= table[BOX, colour]
                colour += 1
            table[BOX, colour] -= 1
            table[BEHIND + s, colour] += 1
            table[SECRET + s, colour] += 1
            hidden -= 1


@kernel
def solve_ahead(table, seat, rules, policies, solver):
    """Solve the coming turn for a policy that solves turns; whether it does."""
    kind = policies[seat, 0]
    if kind == KEPT:
        solve_turn(table, seat, rules, solver)
    elif kind >= POINTS:
        solve_valued(table, seat, rules, policies, solver)
    return kind == KEPT or kind == POINTS or kind == LEARNED


@kernel
def finish(table, seat, failing, rules, policies, solver, keys, rows, log):
    """The end of a turn whose flowers are collected."""
    left = end_turn(table, seat, failing, rules, policies, keys, rows, log)
    if left == TO_KEEP:
        keep(table, seat, rules, policies, solver, log)
    elif left == TO_SHOW:
        show(table, seat, rules, policies, solver, keys, rows, log)


@kernel
def draw_on(table, starts, start, key, rules, policies, solver, keys, rows, log):
    """A draw and the rest of the collecting; whether the turn fails."""
    seat = starts.movers[start]
    used, size = starts.used[start]
    hand = starts.tables[start, HAND]
    held = total(table, HAND)
    move_all(table, HAND, BAG)
    solve_ahead(table, seat, rules, policies, solver)
    for attempt in range(MOST_TRIES):
        if attempt:
            again = derive(key, TRY_KEY + attempt)
            deal(starts, start, again, table)
            keys[0] = derive(again, FIRST_TURN_KEY)
            keys[1] = derive(keys[0], 63)
        else:
            for c in range(COLOURS):
                table[HAND, c] = hand[c]
                table[BAG, c] -= hand[c]
        draw(table, size, held, keys[0], log)
        failing = failed(table, rules)
        if not failing:
            failing = collect_on(
                table, seat, used + 1, rules, policies, solver.sizes, solver.fast, keys, rows, log
            )
        if failing or starts.kinds[start] == DRAWING:
            return failing
    return False


@kernel
def play_on(table, starts, start, key, rules, policies, roller, keys, rows, log):
    """The rest of the turn in which a game is taken up."""
    kind, seat, solver = starts.kinds[start], starts.movers[start], roller.solver
    if kind == NEXT:
        return
    rows[seat, TURNS] += 1
    if kind == DRAWING or kind == FAILING:
        failing = draw_on(table, starts, start, key, rules, policies, solver, keys, rows, log)
        finish(table, seat, failing, rules, policies, solver, keys, rows, log)
    elif kind == SHOWING or kind == KEEPING:
        finish(table, seat, kind == KEEPING, rules, policies, solver, keys, rows, log)
    elif kind == CARDS:
        valued = policies[seat, 0] >= POINTS  # others never use a card: the model does it for them
        playing, by = (policies, solver) if valued else (roller.judging, roller.judge)
        carry_on(table, seat, starts.used[start, 0], rules, playing, by, keys, rows, log)
    elif policies[seat, 0] >= POINTS:
        hide(table, seat, rules, policies, solver, log)
    else:
        display(table, seat, choose_hidden(table, seat, rows[seat, TURNS], policies, keys[1]), log)


@kernel
def expect(table, seat, solved, key, rules, policies, roller):
    """Write the expected shares after the turn to come, `solved` or not; whether cards count in them."""
    solver, judge = roller.solver, roller.judge
    own = policies[seat, 0] == LEARNED
    worth, ends = (solver.worth, solver.ends) if own else (judge.worth, judge.ends)
    if not own:
        want = roller.judging[seat, 1], 0.0
        look_ahead(table, seat, rules, roller.judging, judge.weights, want, worth, ends)
    known = solved
    for c in range(COLOURS):
        roller.true_pool[0, c] = table[BAG, c]
        known = known and pool_of(table, seat, c, rules) == table[BAG, c]
    space = solver.space if known else roller.true_space
    if not known:
        tables(solver.hands, roller.true_pool, solver.weight, 0, space)
    as_solved = solved and policies[seat, SLIP] == 0 and table[BAG, BLACK] < total(table, BAG)
    plan = solver.choice if as_solved else roller.plan
    if not as_solved:
        follow(table, seat, rules, policies, solver.sizes, ends, key, plan)
    chances = roller.stops, roller.failures
    outcomes(solver.hands, space, plan, 0, rules[DRAWS], -1, *chances)
    settle(table, seat, chances, worth, rules, roller, judge.worth if own else solver.worth)
    settled = roller.settled_hands, roller.settled_failures
    add_expected(chances, settled, own, seat, worth, ends, roller.realised, roller.expected)
    return own


@kernel
def realise(table, seat, failing, cards, rules, roller, luck):
    """Write what the end of the turn is worth as `expect` counted it; add what that is more to the luck."""
    worth = roller.solver.worth if cards else roller.judge.worth
    ends = roller.solver.ends if cards else roller.judge.ends
    settled = roller.settled_hands, roller.settled_failures
    if failing:
        shares_of_loss(colours_in_hand(table[HAND]), settled, seat, worth, roller.realised)
    else:
        i = hand_number(table[HAND], rules, ends)
        shares_of_stop(i, settled, cards, seat, worth, ends, roller.realised)
    for s in range(rules[PLAYERS]):
        luck[s] += roller.realised[s] - roller.expected[s]


@kernel
def predict(table, seat, rules, roller, groups, shares, scores):
    """Write what the model says of all seats after a display of `seat`."""
    worth, judge = roller.judge.worth, roller.judge
    players = rules[PLAYERS]
    for c in range(COLOURS):
        worth.pool[c] = pool_of(table, seat, c, rules)
    open_screens(table, seat, players, groups)
    left = total(table, BAG)
    most = -np.inf
    for s in range(players):
        see(table, seat, s, worth.pool, players, groups, roller.seen)
        shares[s], scores[s] = 0.0, 0.0
        for f in roller.seen:
            shares[s] += judge.weights[s, weight_at(f, left)]
            scores[s] += roller.points[weight_at(f, left)]
        most = max(most, shares[s])
    odds = 0.0
    for s in range(players):
        shares[s] = np.exp(shares[s] - most)
        odds += shares[s]
    for s in range(players):
        shares[s] /= odds
    calibrate(shares, players, left, roller.fit)


@allocating_kernel
def roll(starts, start, key, limits, rules, policies, roller, room, out):
    """One game from a start; `limits` = (turns, least flowers left for the model to answer), `room` = (table,
    groups, keys, rows, log), `out` = rows of shares, scores and luck [seat]."""
    table, groups, keys, rows, log = room
    shares, scores, luck = out
    solver, players = roller.solver, rules[PLAYERS]
    rows[:] = 0
    luck[:] = 0.0
    deal(starts, start, key, table)
    seat, turn = starts.movers[start], 0
    keys[0] = derive(key, FIRST_TURN_KEY)
    keys[1] = derive(keys[0], 63)
    play_on(table, starts, start, key, rules, policies, roller, keys, rows, log)
    while total(table, BAG) and turn < rules[MOST_TURNS]:
        if turn >= limits[0] and total(table, BAG) >= limits[1]:
            predict(table, seat, rules, roller, groups, shares, scores)
            return
        turn += 1
        seat = (seat + 1) % players
        keys[0] = derive(key, FIRST_TURN_KEY + turn)
        keys[1] = derive(keys[0], 63)
        solved = solve_ahead(table, seat, rules, policies, solver)
        cards = False
        if solved:
            cards = expect(table, seat, solved, keys[1], rules, policies, roller)
        rows[seat, TURNS] += 1
        failing = collect(table, seat, rules, policies, solver.sizes, solver.fast, keys, rows, log)
        if solved:
            realise(table, seat, failing, cards, rules, roller, luck)
        finish(table, seat, failing, rules, policies, solver, keys, rows, log)
    score_on_average(table, rules, groups, rows, shares, scores)


@allocating_kernel
def roll_games(starts, which, first, seed, limits, rules, policies, roller, log, rows, out):
    """Games first, first + 1, ..., each from the start `which` names; out: float64[game, shares | scores |
    luck, seat]."""
    table = np.zeros((ROWS, COLOURS), np.int64)
    groups = np.zeros((rules[PLAYERS], GROUP_NUMBERS), np.int64)
    keys = np.empty(2, np.uint64)
    base = derive(seed, 2)
    for i in range(len(which)):
        key = derive(base, first + i)
        parts = out[i, 0], out[i, 1], out[i, 2]
        room = (table, groups, keys, rows, log)
        roll(starts, which[i], key, limits, rules, policies, roller, room, parts)
