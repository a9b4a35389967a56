"""Whole games as `game` plays them, to the byte, with the luck of everybody's turns and of the splits beside.

Every turn's luck is what its end is worth to each seat, as the learned model has it, less the mean of that
over all ends under the plan that the policy really follows (`luck`), and nothing for `learned:fast`, which
makes its plan draw by draw; in the end comes the share of the victory less its mean over the splits of wilds
that may be played (ruling R26). With all of it added up,

    shares - luck

has the mean of the shares whatever the model is, and less spread the better it is.
"""

import numpy as np

from cherrysim.kernels.display import total
from cherrysim.kernels.game import BOX_KEY, FIRST_TURN_KEY, collect, end_game, open_rows, set_up
from cherrysim.kernels.keyed import derive
from cherrysim.kernels.layout import BAG, COLOURS, FAILURES, FAST, MOST_TURNS, PLAYERS, ROWS, SHARING, TURNS
from cherrysim.kernels.once import allocating_kernel
from cherrysim.kernels.rolling import expect, finish, realise, solve_ahead
from cherrysim.kernels.scoring import GROUP_NUMBERS, score_on_average
from cherrysim.kernels.totals import WHOLE


@allocating_kernel
def play_adjusted_game(table, key, rules, policies, roller, room, rows, log, luck):
    """One game from the full bag, its luck added up; whether its flowers add up to the start bag."""
    players, solver = rules[PLAYERS], roller.solver
    keys, groups, shares, scores = room
    luck[:] = 0.0
    set_up(table, rules, derive(key, BOX_KEY))
    turn = 0
    while turn < rules[MOST_TURNS] and total(table, BAG):
        seat = turn % players
        log[0, 3] = seat
        keys[0] = derive(key, FIRST_TURN_KEY + turn)
        keys[1] = derive(keys[0], 63)
        solved = solve_ahead(table, seat, rules, policies, solver)
        planned = policies[seat, 0] != FAST
        cards = planned and expect(table, seat, solved, keys[1], rules, policies, roller)
        rows[seat, TURNS] += 1
        failing = collect(table, seat, rules, policies, solver.sizes, solver.fast, keys, rows, log)
        rows[seat, FAILURES] += failing
        if planned:
            realise(table, seat, failing, cards, rules, roller, luck)
        finish(table, seat, failing, rules, policies, solver, keys, rows, log)
        turn += 1
    score_on_average(table, rules, groups, rows, shares, scores)
    sound = end_game(table, key, rules, groups, rows, log)
    for s in range(players):
        luck[s] += (1.0 / rows[s, SHARING] if rows[s, SHARING] else 0.0) - shares[s]
    return sound


@allocating_kernel
def play_adjusted(first, games, seed, rules, policies, roller, log, rows, luck):
    """Games first .. first + games - 1 into rows (games x players, columns) and int64 luck (games x players),
    in parts of a share of `WHOLE`; the games whose flowers add up."""
    table = np.zeros((ROWS, COLOURS), np.int64)
    players = rules[PLAYERS]
    groups = np.zeros((players, GROUP_NUMBERS), np.int64)
    found, shares, scores = np.zeros(players), np.zeros(players), np.zeros(players)
    room = np.empty(2, np.uint64), groups, shares, scores
    sound = 0
    for i in range(games):
        game_rows = rows[i * players : (i + 1) * players]
        open_rows(first + i, game_rows)
        key = derive(derive(seed, 0), first + i)
        sound += play_adjusted_game(table, key, rules, policies, roller, room, game_rows, log, found)
        for s in range(players):
            luck[i * players + s] = round(WHOLE * found[s])
    return sound
