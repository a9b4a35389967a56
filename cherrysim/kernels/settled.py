"""The last turns as they will come out: the shares after an end of a turn that leaves at most two flowers.

Luck may be counted with all that lies on the table, hidden or not (`luck`): the better the value of an end,
the less of a game is left to chance once its luck is off. With the bag empty the shares are those of the
true scores after the display that the model picks; with one or two flowers left they are worked out
(`coming`) as if all players knew what is hidden. The model's own figures stand where a card draws on.
"""

from cherrysim.kernels.acting import carry_out
from cherrysim.kernels.bonus import draws_flowers
from cherrysim.kernels.coming import TRIED, come, end, worked_out
from cherrysim.kernels.display import display, total
from cherrysim.kernels.failing import best_pair
from cherrysim.kernels.layout import BAG, COLOURS, FRONT, HAND, PLAYERS, ROWS
from cherrysim.kernels.once import kernel
from cherrysim.kernels.showing import HIDDEN, PATTERN, best_display, fill_for_display
from cherrysim.kernels.worth import FEW, SETS, SHARE, look


@kernel
def settle(table, seat, chances, first, rules, roller, worth):
    """Work out the ends of the coming turn that leave few flowers; `chances` = (of stops, of failures),
    `first` the tables by which a failure keeps, `worth` other ones, which are filled anew."""
    hands, failures = roller.settled_hands, roller.settled_failures
    stops, failing = chances
    ends, bag = roller.judge.ends, total(table, BAG)
    for i in range(len(stops)):
        hands[i, 0] = -1.0
        if stops[i] > 0.0 and bag - ends.sizes[i] <= FEW:
            settle_hand(table, seat, ends.counts[i], rules, roller, worth, hands[i])
    for colours in range(SETS):
        failures[colours, 0] = -1.0
        if failing[colours] > 0.0 and bag <= FEW + 2:
            settle_failure(table, seat, best_pair(colours, first), rules, roller, worth, failures[colours])


@kernel
def settle_hand(table, seat, counts, rules, roller, worth, out):
    """The shares after the model's display of a collection; `out` stays where a card draws."""
    before, log, choice = roller.before, roller.log, worth.choice
    save(table, before)
    for c in range(COLOURS):
        table[HAND, c] += counts[c]
        table[BAG, c] -= counts[c]
    look(table, seat, rules, worth)
    fill_for_display(table, seat, rules, roller.judging, roller.judge.weights, worth)
    best_display(table, seat, rules, (SHARE, 0.0), worth, choice)
    pattern = choice[PATTERN]
    if pattern < 0 or not draws_flowers(pattern, rules):
        if pattern >= 0:
            carry_out(table, seat, pattern, choice, log)
        display(table, seat, choice[HIDDEN], log)
        write_settled(table, seat, rules, worth, out)
    save(before, table)


@kernel
def settle_failure(table, seat, kept, rules, roller, worth, out):
    """The shares after a failure that keeps these."""
    before = roller.before
    save(table, before)
    _, a, b = kept
    for colour in (a, b):
        if colour >= 0:
            table[BAG, colour] -= 1
            table[FRONT + seat, colour] += 1
    look(table, seat, rules, worth)
    write_settled(table, seat, rules, worth, out)
    save(before, table)


@kernel
def write_settled(table, seat, rules, worth, out):
    """The shares with the table as it is after a turn of this seat, if so few flowers are left."""
    left = total(table, BAG)
    worth.few = FEW
    if left and not worked_out(left, True, worth, rules):
        return
    for c in range(COLOURS):
        worth.pool[c] = table[BAG, c]
    if left:
        come(table, seat, left, rules, worth)
        for s in range(rules[PLAYERS]):
            out[s] = worth.share[s]
    else:
        end(table, rules, worth)
        for s in range(rules[PLAYERS]):
            out[s] = worth.coming[TRIED, s]


@kernel
def save(table, copy):
    """Copy a table."""
    for row in range(ROWS):
        for c in range(COLOURS):
            copy[row, c] = table[row, c]
