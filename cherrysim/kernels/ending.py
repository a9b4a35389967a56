"""The end of a game in expectation: points and share of every seat once the bag is empty.

Rulebook: "Final Scoring"; rulings R25, R26, R31. Wilds are split by the model of R26, its mixtures in
expectation; what comes of the groups is remembered by what every seat has behind. Flowers that the seat to
move has not seen (others' secrets, tokens set aside) are dealt out in turn: with m of them in a row, colour
after colour, each place gets each of them once in m deals, and points and shares are averaged; splits that
come to no rest count there as the last sweep of replies leaves them.
"""

import numpy as np

from cherrysim.kernels.layout import BEHIND, COLOURS, EVEN, FRONT, PLAYERS, SECRET, SPLITS
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.scoring import (
    GROUP_NUMBERS,
    TO_WARM,
    front_points,
    joint_splits,
    mix_splits,
    open_groups,
    points_against,
    settles,
    split_jointly,
)
from cherrysim.kernels.worth import MOST_KNOWN, MOST_OUTCOMES

MOST_UNSEEN = 64


@kernel
def add_outcome(slot, chance, groups, rules, worth):
    """Count the group points with the splits as they stand; those beyond the room count as the last."""
    players = worth.players
    n = worth.outcomes[slot]
    new = worth.scores[slot, min(n, MOST_OUTCOMES - 1)]
    for s in range(players):
        to_warm = groups[s, TO_WARM]
        points = points_against(groups, s, 0, to_warm, rules) + points_against(groups, s, 1, to_warm, rules)
        worth.mean[slot, s] += chance * points
        if n < MOST_OUTCOMES:
            new[s] = points
    for i in range(min(n, MOST_OUTCOMES - 1)):
        same = True
        for s in range(players):
            same = same and worth.scores[slot, i, s] == new[s]
        if same:
            worth.chance[slot, i] += chance
            return
    at = min(n, MOST_OUTCOMES - 1)
    worth.chance[slot, at] = chance if n < MOST_OUTCOMES else worth.chance[slot, at] + chance
    worth.outcomes[slot] = at + 1


@allocating_kernel
def work_out(table, slot, mixing, rules, worth):
    """Write what comes of the groups as they lie on the table."""
    players = worth.players
    groups = np.zeros((players, GROUP_NUMBERS), np.int64)
    worth.outcomes[slot] = 0
    for s in range(players):
        worth.mean[slot, s] = 0.0
    open_groups(table, rules, groups)
    if rules[SPLITS] == EVEN or settles(groups, rules) or not mixing:
        add_outcome(slot, 1.0, groups, rules, worth)
        return
    open_groups(table, rules, groups)
    played = mix_splits(groups, rules)
    for joint in range(joint_splits(groups, players)):
        chance = split_jointly(joint, groups, played)
        if chance > 0.0:
            add_outcome(slot, chance, groups, rules, worth)


@kernel
def remembered(table, mixing, rules, worth):
    """The place in memory of what comes of the groups as they lie on the table, worked out if it is not
    there."""
    mixed = 0
    for s in range(worth.players):
        row = BEHIND + s
        mixed = mixed * 31 + table[row, 0] + table[row, 1]
        mixed = mixed * 31 + table[row, 2] + table[row, 3]
        mixed = mixed * 31 + table[row, 4] + table[row, 5]
    slot = (mixed * 40503 >> 4) % MOST_KNOWN
    known = worth.known[slot]
    how = 1 + mixing
    same = known[12] == how
    for s in range(worth.players):
        row = BEHIND + s
        for kind in range(3):
            n = table[row, 2 * kind] + table[row, 2 * kind + 1]
            same = same and known[3 * s + kind] == n
            known[3 * s + kind] = n
    if not same:
        known[12] = how
        work_out(table, slot, mixing, rules, worth)
    return slot


@kernel
def add_shares(slot, weight, worth):
    """Add all seats' shares over what may come of the groups in a slot of memory, times a weight;
    `worth.chances` are the points in front."""
    fronts = worth.chances
    for i in range(worth.outcomes[slot]):
        scores = worth.scores[slot, i]
        best = -np.inf
        winners = 0.0
        for s in range(worth.players):
            total = fronts[s] + scores[s]
            winners = 1.0 if total > best else winners + (total == best)
            best = max(best, total)
        for s in range(worth.players):
            if fronts[s] + scores[s] == best:
                worth.share[s] += weight * worth.chance[slot, i] / winners


@kernel
def add_ending(weight, table, seat, rules, want, worth):
    """Add the own points, `worth.chances` being those in front, or all seats' shares, times a weight.

    `want` = (whether shares, whether unsettled splits are mixed).
    """
    shares, mixing = want
    slot = remembered(table, mixing, rules, worth)
    if shares:
        add_shares(slot, weight, worth)
    else:
        worth.z[seat] += weight * (worth.chances[seat] + worth.mean[slot, seat])


@kernel
def deal(table, seat, unseen, tokens, start, rules):
    """Put the unseen tokens, from number `start` on, behind the screens of the others, one for each secret
    flower."""
    at = start
    for other in range(rules[PLAYERS]):
        if other != seat:
            for c in range(COLOURS):
                for _ in range(table[SECRET + other, c]):
                    table[BEHIND + other, unseen[at % tokens]] += 1
                    at += 1


@kernel
def ending(table, seat, rules, shares, worth):
    """Write the own expected points (`worth.z`), or all seats' shares, if the game ends as the table is.

    It is seen from this seat, which has not seen the tokens in `worth.pool`. Own points are those in front
    and those of the groups, which are remembered by what the display has brought behind the own screen.
    """
    if shares:
        expect_ending(table, seat, rules, True, worth)
        return
    key = worth.looks
    w, c, x = 0, 0, 0
    for colour in range(COLOURS):
        key = key * 31 + worth.pool[colour]
        n = table[BEHIND + seat, colour] - worth.lying[BEHIND + seat, colour]
        kind = colour // 2
        w += n * (kind == 0)
        c += n * (kind == 1)
        x += n * (kind == 2)
    front = front_points(table, FRONT + seat, rules)
    if worth.own_known[w, c, x] != key:
        expect_ending(table, seat, rules, False, worth)
        worth.own[w, c, x] = worth.z[seat] - front
        worth.own_known[w, c, x] = key
    worth.z[seat] = front + worth.own[w, c, x]


@allocating_kernel
def expect_ending(table, seat, rules, shares, worth):
    """Write the own expected points (`worth.z`), or all seats' shares, over all deals of secret flowers."""
    secrets = 0
    for s in range(worth.players):
        if shares or s == seat:
            worth.chances[s] = front_points(table, FRONT + s, rules)
        worth.z[s] = 0.0
        worth.share[s] = 0.0
        for c in range(COLOURS):
            secrets += table[SECRET + s, c] if s != seat else 0
    if secrets == 0:
        add_ending(1.0, table, seat, rules, (shares, True), worth)
        return
    behinds = table[BEHIND : BEHIND + 4].copy()
    unseen = np.empty(MOST_UNSEEN, np.int64)
    tokens = 0
    for n in range(1, MOST_UNSEEN):
        for c in range(COLOURS):
            if worth.pool[c] >= n and tokens < MOST_UNSEEN:
                unseen[tokens] = c
                tokens += 1
    for start in range(tokens):
        for other in range(worth.players):
            if other != seat:
                for c in range(COLOURS):
                    table[BEHIND + other, c] = behinds[other, c] - table[SECRET + other, c]
        deal(table, seat, unseen, tokens, start, rules)
        add_ending(1.0 / tokens, table, seat, rules, (shares, False), worth)
    for other in range(worth.players):
        for c in range(COLOURS):
            table[BEHIND + other, c] = behinds[other, c]
