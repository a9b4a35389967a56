"""How lucky a turn was: what its end is worth to every seat, less what the turn was worth before.

Under the plan of a policy the turn ends with each collection, or with a failure of each set of colours, with
known chances (`turn.outcomes`). With W(end) the shares of all seats after the best display, as the learned
model has them, or worked out near the end of the game (`settled`),

    luck = W(end) - sum over all ends of chance x W(end),

whose mean is 0 whatever the model is. So it may be taken off what a game came to: the mean stays, the luck
that the model sees goes.
"""

from cherrysim.kernels.display import move_all, total
from cherrysim.kernels.failing import best_pair, value_failures
from cherrysim.kernels.layout import BAG, BLACK, COLOURS, DRAWS, FLOWERS, HAND
from cherrysim.kernels.once import kernel
from cherrysim.kernels.prospects import NONE
from cherrysim.kernels.reference import choose_size
from cherrysim.kernels.rivals import in_front
from cherrysim.kernels.worth import SETS, fill_worth, look


@kernel
def look_ahead(table, seat, rules, policies, weights, want, worth, ends):
    """Fill the tables for the coming turn by this model, no card counted: `ends.keep` is what it was."""
    look(table, seat, rules, worth)
    fill_worth(table, seat, min(rules[FLOWERS], worth.bag) + 1, False, rules, policies, weights, worth)
    value_failures(table, seat, rules, want, worth, ends.bust)


@kernel
def follow(table, seat, rules, policies, sizes, ends, key, plan):
    """Write into plan[collection, draws left] how many flowers a policy really draws next, slips and all, in
    a turn about to begin; `key` is that of its choices."""
    bag = total(table, BAG)
    plan[:] = 0
    if table[BAG, BLACK] == bag:
        plan[0, rules[DRAWS]] = 1  # ruling R22
        return
    for i in range(len(ends.sizes)):
        size = ends.sizes[i]
        most = min(rules[FLOWERS] - size, bag - size)
        for c in range(COLOURS):
            if ends.counts[i, c] > table[BAG, c]:
                most = 0
        if most <= 0:
            continue
        for c in range(COLOURS):
            table[HAND, c] += ends.counts[i, c]
            table[BAG, c] -= ends.counts[i, c]
        for draws in range(min(size, 1), min(size, rules[DRAWS] - 1) + 1):
            plan[i, rules[DRAWS] - draws] = choose_size(table, seat, draws, most, rules, policies, key, sizes)
        move_all(table, HAND, BAG)


@kernel
def share_out(own, seat, players, out):
    """Turn the rivals' odds against a seat into shares; `own`, if it is not below 0, is better known."""
    odds = 0.0
    for s in range(players):
        if s != seat:
            odds += out[s]
    share = 1.0 / (1.0 + odds) if own < 0.0 else own
    scale = (1.0 - share) / odds if odds > 0.0 else 0.0
    for s in range(players):
        out[s] = share if s == seat else scale * out[s]


@kernel
def shares_of_hand(i, own, seat, worth, ends, out):
    """Write the shares after the best display of collection i without a card, which left the bag."""
    counts, size = ends.counts[i], ends.sizes[i]
    gain, against, screened = worth.gain, worth.against, worth.screened
    least, hidden = against[0, 0, 0, size], -1
    for colour in range(COLOURS):
        n = counts[colour]
        if n:
            kind = colour // 2
            w, c, x = n * (kind == 0), n * (kind == 1), n * (kind == 2)
            rest = gain[colour, 1 + n, size] * against[w, c, x, size]
            if rest < least:
                least, hidden = rest, colour
    factor = 1.0 / in_front(counts, size, worth)
    w, c, x = NONE
    if hidden >= 0:
        n = counts[hidden]
        kind = hidden // 2
        w, c, x = n * (kind == 0), n * (kind == 1), n * (kind == 2)
        factor *= gain[hidden, 1 + n, size]
    for s in range(worth.players):
        out[s] = worth.rivals[s, size] * screened[w, c, x, s, size] * factor
    share_out(own, seat, worth.players, out)


@kernel
def shares_of_failure(colours, seat, worth, out):
    """Write the shares after a failure with this set of colours."""
    _, a, b = best_pair(colours, worth)
    kept = (a >= 0) + (b >= 0)
    factor = 1.0
    for colour in (a, b):
        if colour >= 0:
            factor /= worth.gain[colour, 2, kept]
    for s in range(worth.players):
        out[s] = worth.rivals[s, kept] * factor
    share_out(-1.0, seat, worth.players, out)


@kernel
def shares_of_stop(i, settled, cards, seat, worth, ends, out):
    """Write the shares after stopping with collection i: those `settled`, where the first is not below 0,
    else the model's; `cards` says whether `ends.keep` counts them."""
    hands = settled[0]
    if i < len(hands) and hands[i, 0] >= 0.0:
        for s in range(worth.players):
            out[s] = hands[i, s]
    else:
        shares_of_hand(i, ends.keep[i] if cards else -1.0, seat, worth, ends, out)


@kernel
def shares_of_loss(colours, settled, seat, worth, out):
    """Write the shares after a failure with this set of colours, `settled` or the model's."""
    failures = settled[1]
    if colours < len(failures) and failures[colours, 0] >= 0.0:
        for s in range(worth.players):
            out[s] = failures[colours, s]
    else:
        shares_of_failure(colours, seat, worth, out)


@kernel
def add_expected(chances, settled, cards, seat, worth, ends, one, out):
    """Write the expected shares over the ends of a turn; `chances` = (of stops, of failures), `settled` the
    shares of both that are better known, or nothing; `one` is room for those of one end."""
    stops, failures = chances
    for s in range(worth.players):
        out[s] = 0.0
    for i in range(len(stops)):
        if stops[i] > 0.0:
            shares_of_stop(i, settled, cards, seat, worth, ends, one)
            for s in range(worth.players):
                out[s] += stops[i] * one[s]
    for colours in range(SETS):
        if failures[colours] > 0.0:
            shares_of_loss(colours, settled, seat, worth, one)
            for s in range(worth.players):
                out[s] += failures[colours] * one[s]


@kernel
def colours_in_hand(hand):
    """The set of the colours of a failed collection."""
    colours = 0
    for c in range(BLACK):
        if hand[c]:
            colours |= 1 << c
    return colours


@kernel
def hand_number(hand, rules, ends):
    """Which of the safe collections this is."""
    for i in range(len(ends.sizes)):
        same = True
        for c in range(COLOURS):
            same = same and ends.counts[i, c] == hand[c]
        if same:
            return i
    return -1
