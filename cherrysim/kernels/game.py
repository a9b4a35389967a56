"""Whole games in whole numbers: turns until a turn empties the bag, then the score.

Rulebook: "Gameplay", "End of the Game"; rulings R3, R6, R8, R22, R23. All randomness is keyed: a drawn
flower by (seed, game, turn, number of the flower in the turn), a choice of policy `random` by (seed, game,
turn, choice), the outcome of mixed splits by (seed, game, seat). So a game depends on nothing but its seed
and its number.
"""

import numpy as np

from cherrysim.kernels.bonus import random_bonus
from cherrysim.kernels.display import display, draw_flower, failed, keep_two, note, total
from cherrysim.kernels.fastturn import next_draw
from cherrysim.kernels.keyed import derive
from cherrysim.kernels.layout import (
    BAG,
    BLACK,
    BOX,
    CAPPED,
    COLOURS,
    COUNTS,
    DRAW,
    DRAW_1,
    DRAWN_FLOWER,
    DRAWS,
    FAIL,
    FAILURES,
    FAST,
    FLOWERS,
    GAME,
    HAND,
    HOLDING,
    KEPT,
    MIXED,
    MOST_TURNS,
    PLAYERS,
    POINTS,
    RANDOM,
    ROWS,
    SEAT,
    SECRET,
    SET_ASIDE,
    SIMPLE,
    SPLIT,
    STOP,
    TURN,
    TURNS,
)
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.playing import keep, show, solve_ahead
from cherrysim.kernels.reference import (
    HIDE_CHOICE,
    KEEP_CHOICE,
    choose_hidden,
    choose_kept,
    choose_size,
    deciding,
    solve_turn,
)
from cherrysim.kernels.scoring import GROUP_NUMBERS, TO_WARM, WILDS, score, split_wilds
from cherrysim.kernels.simple import simple_bonus

BOX_KEY, SPLIT_KEY, FIRST_TURN_KEY = 0, 1, 2
TO_KEEP, TO_SHOW = 1, 2


@kernel
def draw(table, size, drawn, key, log):
    """Flowers into the hand, `drawn` being there already; whether that was all there was is not checked."""
    note(log, DRAW, size, 0)
    left = total(table, BAG)
    for i in range(size):
        note(log, DRAWN_FLOWER, draw_flower(table, HAND, left - i, key, drawn + i), 0)


@kernel
def collect(table, seat, rules, policies, sizes, fast, keys, rows, log):
    """Draws until the policy stops, nothing more is allowed or the collection fails; whether it failed."""
    return collect_on(table, seat, 0, rules, policies, sizes, fast, keys, rows, log)


@kernel
def collect_on(table, seat, used, rules, policies, sizes, fast, keys, rows, log):
    """The same once so many draws are used, whose flowers are in hand."""
    bag, drawn = total(table, BAG), total(table, HAND)
    # ruling R22: one draw of one flower and a stop
    only_blacks = table[BAG, BLACK] + table[HAND, BLACK] == bag + drawn
    for draws in range(used, rules[DRAWS]):
        most = min(rules[FLOWERS] - drawn, bag)
        if most == 0 or (only_blacks and draws == 1):
            break
        size = 1
        if not only_blacks:
            if draws and policies[seat, 0] == FAST:
                next_draw(table, seat, draws, rules, fast, sizes)
            size = choose_size(table, seat, draws, most, rules, policies, keys[1], sizes)
        if size == 0:
            break
        draw(table, size, drawn, keys[0], log)
        drawn += size
        bag -= size
        rows[seat, DRAW_1 + draws] += size
        if failed(table, rules):
            note(log, FAIL, 0, 0)
            return True
    note(log, STOP, 0, 0)
    return False


@kernel
def fingerprint(table, log):
    """A number that all flowers displayed go into, for a log only: by it two engines compare their states."""
    value = 0
    if log.shape[0] > 1:
        for row in range(ROWS):
            if row < BAG or row >= SECRET:
                for c in range(COLOURS):
                    value = (value * 31 + table[row, c]) % 2147483647
    return value


@kernel
def end_turn(table, seat, failed, rules, policies, keys, rows, log):
    """Lay out a success or keep two of a failure; `TO_SHOW` or `TO_KEEP` if that is left for a policy that
    values tables."""
    if failed:
        if deciding(seat, KEEP_CHOICE, policies, keys[1]) >= POINTS:
            return TO_KEEP
        first, second = choose_kept(table, seat, rules, policies, keys[1])
        keep_two(table, seat, first, second, log)
        return 0
    kind = deciding(seat, HIDE_CHOICE, policies, keys[1])
    if kind >= POINTS:
        return TO_SHOW
    if kind == RANDOM:
        random_bonus(table, seat, rules, keys, rows, log)
    elif kind == SIMPLE:
        simple_bonus(table, seat, rules, policies, keys, rows, log)
    display(table, seat, choose_hidden(table, seat, rows[seat, TURNS], policies, keys[1]), log)
    return 0


@kernel
def play_turn(table, seat, rules, policies, sizes, fast, keys, rows, log):
    """One turn of this seat; gives what `end_turn` gives."""
    rows[seat, TURNS] += 1
    note(log, TURN, total(table, BAG), fingerprint(table, log))
    failed = collect(table, seat, rules, policies, sizes, fast, keys, rows, log)
    rows[seat, FAILURES] += failed
    return end_turn(table, seat, failed, rules, policies, keys, rows, log)


@kernel
def set_up(table, rules, key):
    """Empty table, full bag; with two players the tokens set aside go into the box by the game's own
    randomness."""
    for row in range(ROWS):
        for c in range(COLOURS):
            table[row, c] = 0
    left = 0
    for c in range(COLOURS):
        table[BAG, c] = rules[COUNTS + c]
        left += rules[COUNTS + c]
    for i in range(rules[SET_ASIDE]):
        draw_flower(table, BOX, left - i, key, i)


@kernel
def conserved(table, rules):
    """Whether the flowers of every colour, wherever they are, add up to the start bag."""
    for c in range(COLOURS):
        n = 0
        for row in range(HOLDING):
            n += table[row, c]
            if table[row, c] < 0:
                return False
        if n != rules[COUNTS + c]:
            return False
    return True


@allocating_kernel
def end_game(table, key, rules, groups, rows, log):
    """Split the wilds and score; whether the flowers add up to the start bag."""
    players = rules[PLAYERS]
    mixed = split_wilds(table, rules, derive(key, SPLIT_KEY), groups)
    score(table, rules, groups, rows)
    log[0, 2] = -1
    for seat in range(players):
        rows[seat, CAPPED] = total(table, BAG) > 0
        rows[seat, MIXED] = mixed
        log[0, 3] = seat
        note(log, SPLIT, groups[seat, TO_WARM], groups[seat, WILDS] - groups[seat, TO_WARM])
    return conserved(table, rules)


@kernel
def open_rows(game, rows):
    """The rows of a game about to begin."""
    for seat in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            rows[seat, column] = 0
        rows[seat, GAME] = game
        rows[seat, SEAT] = seat


@allocating_kernel
def play_game(table, key, rules, policies, solver, groups, rows, log):
    """One game from the full bag to its rows; whether its flowers add up to the start bag."""
    keys = np.empty(2, np.uint64)
    players = rules[PLAYERS]
    set_up(table, rules, derive(key, BOX_KEY))
    turn = 0
    while turn < rules[MOST_TURNS] and total(table, BAG):
        seat = turn % players
        log[0, 2] = turn
        log[0, 3] = seat
        keys[0] = derive(key, FIRST_TURN_KEY + turn)
        keys[1] = derive(keys[0], 63)
        if policies[seat, 0] == KEPT:
            solve_turn(table, seat, rules, solver)
        elif policies[seat, 0] >= POINTS:
            solve_ahead(table, seat, rules, policies, solver)
        left = play_turn(table, seat, rules, policies, solver.sizes, solver.fast, keys, rows, log)
        if left == TO_KEEP:
            keep(table, seat, rules, policies, solver, log)
        elif left == TO_SHOW:
            show(table, seat, rules, policies, solver, keys, rows, log)
        turn += 1
    return end_game(table, key, rules, groups, rows, log)


@allocating_kernel
def play_games(first, games, seed, rules, policies, solver, log, rows):
    """Games first .. first + games - 1 into rows (games x players, columns); the games whose flowers add
    up."""
    table = np.zeros((ROWS, COLOURS), np.int64)
    players = rules[PLAYERS]
    groups = np.zeros((players, GROUP_NUMBERS), np.int64)
    sound = 0
    for i in range(games):
        game = first + i
        game_rows = rows[i * players : (i + 1) * players]
        open_rows(game, game_rows)
        log[0, 1] = game
        sound += play_game(
            table, derive(derive(seed, 0), game), rules, policies, solver, groups, game_rows, log
        )
    return sound
