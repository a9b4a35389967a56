"""The end of a game in whole numbers: points in front, groups behind with their ties, and how wilds are
split.

Rulebook: "Final Scoring", "If there is a tie for a Group of Flowers", "2-Player Variant"; rulings R24 to
R31. A seat's group points depend only on its own count and on how many others have more and how many as
many, so every tie rule is one small table inside `rules`; under the rulings' `dense` ties the different
counts above are counted.

An ending's groups are one array, `groups`: a row a seat, columns as named below.
"""

import numpy as np

from cherrysim.kernels.keyed import below
from cherrysim.kernels.layout import (
    BEHIND,
    BLACK,
    COOL,
    COOL_POINTS,
    DISTINCT_PLACES,
    EVEN,
    FREE_WILDS,
    FRONT,
    FRONT_LENGTH,
    FRONT_POINTS,
    FRONT_TABLE,
    MOST_PLAYERS,
    NOTHING_FOR_NONE,
    PLACE_IN_GAME,
    PLACES,
    PLAYERS,
    SCORE,
    SHARING,
    SPLITS,
    WARM,
    WARM_POINTS,
)
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.quads import WIDTH, load, spread, store

# Columns of `groups`: flowers of the groups' own colours, wilds that count, fewest and most of them to warm,
# and the split.
WARM_OWN, COOL_OWN, WILDS, FEWEST, MOST, TO_WARM = range(6)
GROUP_NUMBERS = 6

SWEEPS = 8
ROUNDS = 64


@kernel
def points_in_front(rules, n):
    """Points of n flowers of one colour in front; the table ends with the most there can be."""
    return rules[FRONT_TABLE + min(n, rules[FRONT_LENGTH] - 1)]


@kernel
def front_points(table, row, rules):
    """Points of the flowers in this row with every black given the colour that is best for all (ruling
    R25)."""
    if table[row, BLACK]:
        return best_with_blacks(table, row, rules)
    points = 0
    for c in range(BLACK):
        points += points_in_front(rules, table[row, c])
    return points


@allocating_kernel
def best_with_blacks(table, row, rules):
    """Most points of a row over all ways to give its blacks colours."""
    blacks = table[row, BLACK]
    best = np.empty(blacks + 1, np.int64)  # with i blacks used in the colours so far
    for i in range(blacks + 1):
        best[i] = points_in_front(rules, table[row, 0] + i)
    for c in range(1, BLACK):
        for i in range(blacks, -1, -1):
            most = best[i] + points_in_front(rules, table[row, c])
            for k in range(1, i + 1):
                most = max(most, best[i - k] + points_in_front(rules, table[row, c] + k))
            best[i] = most
    return best[blacks]


@kernel
def place_points(rules, group, mine, above, equal):
    """Points of a group (0 warm, 1 cool) for a seat with `mine` flowers there."""
    if mine == 0 and rules[NOTHING_FOR_NONE]:
        return 0
    return rules[PLACES + group * 16 + above * 4 + equal]


@kernel
def count_of(groups, seat, group, to_warm):
    """How many flowers this seat has in a group when so many of its wilds go to warm."""
    if group == 0:
        return groups[seat, WARM_OWN] + to_warm
    return groups[seat, COOL_OWN] + groups[seat, WILDS] - to_warm


@kernel
def counts_of_others(groups, seat, group, players):
    """How many flowers the others have in a group as their splits stand, -1 for those who are not there."""
    one, two, three = -1, -1, -1
    for other in range(players):
        if other != seat:
            one, two, three = count_of(groups, other, group, groups[other, TO_WARM]), one, two
    return one, two, three


@kernel
def points_among(rules, group, mine, others):
    """Points of a group for a seat with `mine` flowers there among others with so many."""
    one, two, three = others
    above = int(one > mine) + int(two > mine) + int(three > mine)
    equal = int(one == mine) + int(two == mine) + int(three == mine)
    if rules[DISTINCT_PLACES]:
        above -= int(two > mine and two == one) + int(three > mine and (three == one or three == two))
    return place_points(rules, group, mine, above, equal)


@kernel
def points_against(groups, seat, group, to_warm, rules):
    """Points of a group for this seat with its own split as given and the others' as they stand."""
    others = counts_of_others(groups, seat, group, rules[PLAYERS])
    return points_among(rules, group, count_of(groups, seat, group, to_warm), others)


@kernel
def open_groups(table, rules, groups):
    """Fill `groups` from what is behind the screens, wilds split evenly with the odd one to warm."""
    for seat in range(rules[PLAYERS]):
        behind = table[BEHIND + seat]
        open_group(
            groups[seat], behind[0] + behind[1], behind[2] + behind[3], behind[4] + behind[BLACK], rules
        )


@kernel
def open_group(group, warm, cool, wilds, rules):
    """Fill a seat's row of `groups`."""
    fewest, most = 0, wilds
    if warm == 0 and cool == 0 and not rules[FREE_WILDS]:
        wilds, most = 0, 0
    elif warm == 0 and cool > 0:
        most = 0
    elif cool == 0 and warm > 0:
        fewest = wilds
    group[WARM_OWN] = warm
    group[COOL_OWN] = cool
    group[WILDS] = wilds
    group[FEWEST] = fewest
    group[MOST] = most
    group[TO_WARM] = min(max((wilds + 1) // 2, fewest), most)


@kernel
def best_reply(groups, seat, rules):
    """The split with most own group points against the others' current ones; ties: the current one, then to
    warm."""
    now = groups[seat, TO_WARM]
    warm_of_others = counts_of_others(groups, seat, 0, rules[PLAYERS])
    cool_of_others = counts_of_others(groups, seat, 1, rules[PLAYERS])
    chosen, best, so_far = -1, 0, 0
    for to_warm in range(groups[seat, MOST], groups[seat, FEWEST] - 1, -1):
        points = points_among(rules, 0, count_of(groups, seat, 0, to_warm), warm_of_others)
        points += points_among(rules, 1, count_of(groups, seat, 1, to_warm), cool_of_others)
        if chosen < 0 or points > best:
            chosen, best = to_warm, points
        if to_warm == now:
            so_far = points
    return now if so_far == best else chosen


@kernel
def settles(groups, rules):
    """Whether seats replying in turn come to rest within eight sweeps; then the splits are that pure
    equilibrium.

    A seat that comes round again with nobody having changed since has its best reply already; sweeps that
    repeat the last but one go to and fro until the end.
    """
    last, before, earlier = -1, -1, -1
    left = SWEEPS
    while left:
        left -= 1
        changed, state = False, 0
        for seat in range(rules[PLAYERS]):
            if seat == last:
                return True
            if groups[seat, FEWEST] < groups[seat, MOST]:
                reply = best_reply(groups, seat, rules)
                if reply != groups[seat, TO_WARM]:
                    groups[seat, TO_WARM] = reply
                    last, changed = seat, True
            state = (state << 15) + groups[seat, TO_WARM]
        if not changed:
            return True
        if state == earlier:
            left %= 2
        before, earlier = state, before
    return False


@kernel
def same_count(groups, seat, other, group, width):
    """The place in `rounds` of the split with which another seat has as many as this one with none to warm,
    or one from where only splits that are not there are seen."""
    at = groups[seat, WARM_OWN] - groups[other, WARM_OWN]
    if group == 1:
        at = groups[other, COOL_OWN] + groups[other, WILDS] - groups[seat, COOL_OWN] - groups[seat, WILDS]
    return min(max(width + 1 + at, 1), 2 * width + 1)


@kernel
def find_others(groups, players, width, others):
    """Write into others[2 x seat + group] the three others' rows in `rounds` and where to read them; a seat
    that is not there always has fewer flowers."""
    for seat in range(players):
        for group in range(2):
            found = others[2 * seat + group]
            for k in range(3):
                other, at = players, 1 if group else 2 * width + 1
                if k + 1 < players:
                    other = (seat + 1 + k) % players
                    at = same_count(groups, seat, other, group, width)
                found[k], found[3 + k] = other, at


@kernel
def expect(fewest, most, all_rounds, rounds, others, place, points, group):
    """Write the points of a group by flowers to warm, summed over all ways to pair the rounds the three
    others have played, each by itself: two of them by how many put fewer, as many or more to warm than would
    make them equal, then the third."""
    one, two, three, at_one, at_two, at_three = (
        others[0],
        others[1],
        others[2],
        others[3],
        others[4],
        others[5],
    )
    v00, v10, v20, v30 = place[0], place[1], place[2], place[3]
    v01, v11, v21, v02, v12, v03 = place[4], place[5], place[6], place[8], place[9], place[12]
    for i in range(fewest, most + 1, WIDTH):
        f, m = load(rounds, one, at_one + i - 1), all_rounds - load(rounds, one, at_one + i)
        e = all_rounds - f - m
        g, k = load(rounds, two, at_two + i - 1), all_rounds - load(rounds, two, at_two + i)
        h = all_rounds - g - k
        p00, p10, p01 = f * g, f * h + e * g, f * k + m * g
        p20, p11, p02 = e * h, e * k + m * h, m * k
        f, m = load(rounds, three, at_three + i - 1), all_rounds - load(rounds, three, at_three + i)
        e = all_rounds - f - m
        sums = (
            f * (p00 * v00 + p10 * v10 + p01 * v01 + p20 * v20 + p11 * v11 + p02 * v02)
            + e * (p00 * v10 + p10 * v20 + p01 * v11 + p20 * v30 + p11 * v21 + p02 * v12)
            + m * (p00 * v01 + p10 * v11 + p01 * v02 + p20 * v21 + p11 * v12 + p02 * v03)
        )
        store(points, group, i, sums)


@kernel
def rounds_up_to(groups, seat, played, to_warm):
    """In how many rounds this seat put so many wilds to warm or fewer."""
    if to_warm < groups[seat, FEWEST]:
        return 0
    return played[seat, min(to_warm, groups[seat, MOST])]


@kernel
def rounds_below(groups, seat, group, n, played):
    """In how many rounds this seat has fewer than n flowers in a group."""
    if group == 0:
        return rounds_up_to(groups, seat, played, n - 1 - groups[seat, WARM_OWN])
    others = rounds_up_to(groups, seat, played, groups[seat, COOL_OWN] + groups[seat, WILDS] - n)
    return played[seat, groups[seat, MOST]] - others


@kernel
def rounds_with(groups, seat, group, n, played):
    """In how many rounds this seat has n flowers in a group."""
    return rounds_below(groups, seat, group, n + 1, played) - rounds_below(groups, seat, group, n, played)


@kernel
def equals_above(groups, seat, group, mine, played, rules):
    """What `expect` lacks where others above have equal counts, which dense ties count once.

    With V(above) the points of a place, two equal others give V(1) for V(2), and V(2) for V(3) where the
    third is above too; three equal ones then lack V(1) - 3 V(2) + 2 V(3).
    """
    players = played.shape[0]
    first = PLACES + group * 16
    all_rounds = played[seat, groups[seat, MOST]]
    most = 0
    for other in range(players):
        most = max(most, groups[other, WARM_OWN + group] + groups[other, WILDS])
    points = 0
    for n in range(mine + 1, most + 1):
        all_equal = 1 if players == MOST_PLAYERS else 0
        for one in range(players):
            if one == seat:
                continue
            all_equal *= rounds_with(groups, one, group, n, played)
            for two in range(one + 1, players):
                if two == seat:
                    continue
                both = rounds_with(groups, one, group, n, played) * rounds_with(groups, two, group, n, played)
                third = 6 - seat - one - two if players == MOST_PLAYERS else -1
                fewer = rounds_below(groups, third, group, mine, played) if third >= 0 else all_rounds
                equal = rounds_with(groups, third, group, mine, played) if third >= 0 else 0
                for above in range(2):
                    gain = rules[first + 4 * (1 + above)] - rules[first + 4 * (2 + above)]
                    gain_equal = rules[first + 5] - rules[first + 9]
                    weight = all_rounds - fewer - equal if above else fewer
                    points += both * (weight * gain + (0 if above else equal * gain_equal))
        points += all_equal * (rules[first + 4] - 3 * rules[first + 8] + 2 * rules[first + 12])
    return points


@kernel
def count_play(groups, played, rounds):
    """Add every seat's current split to the rounds played, twice: in `rounds` splits that are not there come
    before and after, so that it can be read far off, and last a seat that is not there."""
    players, width = played.shape
    for seat in range(players):
        for i in range(groups[seat, TO_WARM], width):
            played[seat, i] += 1
        for i in range(width + 1 + groups[seat, TO_WARM], 3 * width + 1):
            rounds[seat, i] += 1.0
    for i in range(2 * width, 3 * width + 1):
        rounds[players, i] += 1.0


@kernel
def average_reply(groups, seat, played, rounds, others, places, points, rules):
    """The split with most own group points on average over the rounds played; of equals the one with most
    to warm."""
    fewest, most = groups[seat, FEWEST], groups[seat, MOST]
    all_rounds = spread(np.float64(played[seat, most]))
    for group in range(2):
        expect(fewest, most, all_rounds, rounds, others[2 * seat + group], places[group], points, group)
        if rules[DISTINCT_PLACES] or rules[NOTHING_FOR_NONE]:
            correct(groups, seat, group, played, points[group], rules)
    chosen, best = most, points[0, most] + points[1, most]
    for i in range(most - 1, fewest - 1, -1):
        value = points[0, i] + points[1, i]
        if value > best:
            chosen, best = i, value
    return chosen


@kernel
def correct(groups, seat, group, played, points, rules):
    """What variants change of `expect`: equal counts that are one place, nothing for no flowers."""
    for i in range(groups[seat, FEWEST], groups[seat, MOST] + 1):
        mine = count_of(groups, seat, group, i)
        if mine == 0 and rules[NOTHING_FOR_NONE]:
            points[i] = 0.0
        elif rules[DISTINCT_PLACES]:
            points[i] += equals_above(groups, seat, group, mine, played, rules)


@allocating_kernel
def mix_splits(groups, rules):
    """Sixty-four rounds of simultaneous fictitious play; gives `played[seat, i]`, the rounds with up to i
    to warm.

    The even split that everybody starts with counts as played. Sums are whole numbers below 2^53.
    """
    players = rules[PLAYERS]
    most = 0
    for seat in range(players):
        most = max(most, groups[seat, MOST])
    played = np.zeros((players, most + 1), np.int64)
    rounds = np.zeros((players + 1, 3 * most + 3 + WIDTH))
    points = np.zeros((2, most + WIDTH))
    others = np.zeros((2 * players, 6), np.int64)
    find_others(groups, players, most + 1, others)
    places = np.zeros((2, 16))  # [group, 4 x others with more to warm + as many]
    for more in range(MOST_PLAYERS):
        for equal in range(MOST_PLAYERS - more):
            places[0, 4 * more + equal] = rules[PLACES + 4 * more + equal]
            places[1, 4 * more + equal] = rules[PLACES + 16 + 4 * (MOST_PLAYERS - 1 - more - equal) + equal]
    count_play(groups, played, rounds)
    for _ in range(ROUNDS):
        for seat in range(players):
            if groups[seat, FEWEST] < groups[seat, MOST]:
                groups[seat, TO_WARM] = average_reply(
                    groups, seat, played, rounds, others, places, points, rules
                )
        count_play(groups, played, rounds)
    return played


@kernel
def joint_splits(groups, players):
    """In how many ways all seats together may split their wilds."""
    joints = 1
    for seat in range(players):
        joints *= groups[seat, MOST] - groups[seat, FEWEST] + 1
    return joints


@kernel
def split_jointly(joint, groups, played):
    """Split the wilds in the way of this number; the chance that they are split so, every seat for itself."""
    chance = 1.0
    for seat in range(played.shape[0]):
        ways = groups[seat, MOST] - groups[seat, FEWEST] + 1
        split = groups[seat, FEWEST] + joint % ways
        joint //= ways
        groups[seat, TO_WARM] = split
        rounds = rounds_up_to(groups, seat, played, split) - rounds_up_to(groups, seat, played, split - 1)
        chance = chance * rounds / played[seat, groups[seat, MOST]]
    return chance


@allocating_kernel
def split_wilds(table, rules, key, groups):
    """Fill `groups` with the splits that are played; 1 where no pure ones were found and a mixture was
    drawn from."""
    open_groups(table, rules, groups)
    if rules[SPLITS] == EVEN or settles(groups, rules):
        return 0
    open_groups(table, rules, groups)
    played = mix_splits(groups, rules)
    for seat in range(rules[PLAYERS]):
        most = groups[seat, MOST]
        rounds = below(key, seat, played[seat, most])
        to_warm = groups[seat, FEWEST]
        while played[seat, to_warm] <= rounds:
            to_warm += 1
        groups[seat, TO_WARM] = to_warm
    return 1


@kernel
def score(table, rules, groups, rows):
    """Write every seat's points, counts, place and number of sharers into its row, the wilds split as in
    `groups`."""
    players = rules[PLAYERS]
    for seat in range(players):
        to_warm = groups[seat, TO_WARM]
        front = front_points(table, FRONT + seat, rules)
        warm = points_against(groups, seat, 0, to_warm, rules)
        cool = points_against(groups, seat, 1, to_warm, rules)
        rows[seat, FRONT_POINTS] = front
        rows[seat, WARM_POINTS] = warm
        rows[seat, COOL_POINTS] = cool
        rows[seat, SCORE] = front + warm + cool
        rows[seat, WARM] = count_of(groups, seat, 0, to_warm)
        rows[seat, COOL] = count_of(groups, seat, 1, to_warm)
    for seat in range(players):
        above = 0
        equal = 0
        for other in range(players):
            above += rows[other, SCORE] > rows[seat, SCORE]
            equal += rows[other, SCORE] == rows[seat, SCORE]
        rows[seat, PLACE_IN_GAME] = above + 1
        rows[seat, SHARING] = 0 if above else equal


@allocating_kernel
def score_on_average(table, rules, groups, rows, shares, scores):
    """Write every seat's share of the victory and points on average over the splits that may be played;
    `groups` and `rows` are room."""
    players = rules[PLAYERS]
    for seat in range(players):
        shares[seat], scores[seat] = 0.0, 0.0
    open_groups(table, rules, groups)
    if rules[SPLITS] == EVEN or settles(groups, rules):
        add_score(1.0, table, rules, groups, rows, shares, scores)
        return
    open_groups(table, rules, groups)
    played = mix_splits(groups, rules)
    for joint in range(joint_splits(groups, players)):
        chance = split_jointly(joint, groups, played)
        if chance > 0.0:
            add_score(chance, table, rules, groups, rows, shares, scores)


@kernel
def add_score(chance, table, rules, groups, rows, shares, scores):
    """Add shares and points with the wilds split as in `groups`, which has this chance."""
    score(table, rules, groups, rows)
    for seat in range(rules[PLAYERS]):
        shares[seat] += chance / rows[seat, SHARING] if rows[seat, SHARING] else 0.0
        scores[seat] += chance * rows[seat, SCORE]
