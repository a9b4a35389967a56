"""A turn of a policy that values the table: how much to draw, which display, what to keep of a failure.

Rulebook: "Turn Overview"; rulings R10 to R20. The tables of `worth` are filled anew whenever the bag or the
seat's knowledge of it has changed: at the start, at the collection reached, after a card's draw.
"""

from cherrysim.kernels.bonus import colour_at, draws_flowers
from cherrysim.kernels.display import display, draw_bonus, keep_two, move_all, move_flower, note
from cherrysim.kernels.failing import keep_best
from cherrysim.kernels.layout import (
    BAG,
    BEHIND,
    BLACK,
    CARD,
    CARDS_USED,
    CHOSEN,
    CLEAR,
    COLOURS,
    DRAWN,
    FROM,
    FRONT,
    HAND,
    PLACE,
    RIVAL,
    SECRET,
    TWO_PAIRS,
)
from cherrysim.kernels.once import kernel
from cherrysim.kernels.prospects import value_turn
from cherrysim.kernels.reference import solve_for
from cherrysim.kernels.showing import (
    DRAWN_SIZES,
    GIVEN,
    HIDDEN,
    PATTERN,
    RIVAL_1,
    RIVAL_2,
    SOURCE,
    TAKEN_1,
    TAKEN_2,
    best_display,
    fill_for_display,
    hide_value,
    keep_values,
    place_value,
)
from cherrysim.kernels.worth import fill_worth, look


@kernel
def wants(seat, policies, solver):
    """The seat's utility and its taste for risk."""
    return policies[seat, 1], solver.weights[seat, 0]


@kernel
def solve_valued(table, seat, rules, policies, solver):
    """Solve the coming turn for what its ends are worth to the seat."""
    worth = solver.worth
    value_turn(
        table, seat, rules, policies, solver.weights, wants(seat, policies, solver), worth, solver.ends
    )
    solve_for(table, seat, rules, solver, solver.ends.keep, solver.ends.bust)


@kernel
def keep_valued(table, seat, rules, policies, solver, log):
    """End a failed turn with the two flowers that are worth most."""
    worth = solver.worth
    look(table, seat, rules, worth)
    colours = 0
    for c in range(COLOURS):
        worth.pool[c] += table[HAND, c]
        worth.bag += table[HAND, c]
        if c < BLACK and table[HAND, c]:
            colours |= 1 << c
    fill_worth(table, seat, 3, False, rules, policies, solver.weights, worth)
    _, first, second = keep_best(table, colours, seat, rules, wants(seat, policies, solver), worth)
    if first < 0:
        first, second = second, first
    keep_two(table, seat, first, second, log)


@kernel
def show_valued(table, seat, rules, policies, solver, keys, rows, log):
    """The display of a success, cards and all, that is worth most."""
    worth = solver.worth
    want = wants(seat, policies, solver)
    choice = worth.choice
    look(table, seat, rules, worth)
    fill_for_display(table, seat, rules, policies, solver.weights, worth)
    best_display(table, seat, rules, want, worth, choice)
    pattern, hidden = choice[PATTERN], choice[HIDDEN]
    if pattern >= 0 and draws_flowers(pattern, rules):
        carry_on(table, seat, pattern, rules, policies, solver, keys, rows, log)
        return
    if pattern >= 0:
        use(seat, pattern, rules, rows, log)
        carry_out(table, seat, pattern, choice, log)
    display(table, seat, hidden, log)


@kernel
def use(seat, pattern, rules, rows, log):
    """Count and note that a card is used."""
    rows[seat, CARDS_USED] += 1
    note(log, CARD, pattern, rules[TWO_PAIRS + pattern])


@kernel
def carry_on(table, seat, pattern, rules, policies, solver, keys, rows, log):
    """A card that draws, then the rest of the display as is best with what it brings."""
    want, worth = wants(seat, policies, solver), solver.worth
    use(seat, pattern, rules, rows, log)
    if pattern == 0:
        draw_secret(table, seat, keys, rows, log)
    elif pattern == 1:
        look_again(table, seat, DRAWN_SIZES, rules, policies, solver)
        keep_values(table, seat, rules, want, worth)
        choose_drawn(table, seat, solver, keys, rows, log)
    else:
        draw_bonus(table, DRAWN, 2, keys[0], rows, log)
        look_again(table, seat, 1, rules, policies, solver)
        place_best(table, seat, rules, want, worth, log)
    hide_valued(table, seat, rules, policies, solver, log)


@kernel
def hide_valued(table, seat, rules, policies, solver, log):
    """The display when all that is left to choose is what to hide."""
    look_again(table, seat, 1, rules, policies, solver)
    _, hidden = hide_value(table, seat, 0, rules, wants(seat, policies, solver), solver.worth)
    display(table, seat, hidden, log)


@kernel
def look_again(table, seat, sizes, rules, policies, solver):
    """Fill the tables for what the seat sees now."""
    look(table, seat, rules, solver.worth)
    if solver.worth.bag:
        fill_worth(table, seat, sizes, True, rules, policies, solver.weights, solver.worth)


@kernel
def carry_out(table, seat, pattern, choice, log):
    """A card that draws nothing, as chosen."""
    if choice[GIVEN] >= 0:
        note(log, FROM, choice[SOURCE] != HAND, choice[GIVEN])
        move_flower(
            table, choice[SOURCE], BEHIND + seat if pattern == 1 else FRONT + choice[RIVAL_1], choice[GIVEN]
        )
    if choice[RIVAL_1] >= 0:
        note(log, RIVAL, choice[RIVAL_1], choice[TAKEN_1])
        move_flower(table, FRONT + choice[RIVAL_1], FRONT + seat, choice[TAKEN_1])
    if choice[RIVAL_2] >= 0:
        note(log, RIVAL, choice[RIVAL_2], choice[TAKEN_2])
        move_flower(table, FRONT + choice[RIVAL_2], FRONT + seat, choice[TAKEN_2])


@kernel
def draw_secret(table, seat, keys, rows, log):
    """Shin Sumizome's flower goes behind the screen unseen by others."""
    draw_bonus(table, DRAWN, 1, keys[0], rows, log)
    for c in range(COLOURS):
        table[SECRET + seat, c] += table[DRAWN, c]
    move_all(table, DRAWN, BEHIND + seat)


@kernel
def choose_drawn(table, seat, solver, keys, rows, log):
    """Komatsu Otome: the colour drawn that is worth most, as valued when the card was chosen."""
    draw_bonus(table, DRAWN, 3, keys[0], rows, log)
    gains = solver.worth.gains
    chosen = -1
    for c in range(BLACK):
        if table[DRAWN, c] and (chosen < 0 or gains[c] > gains[chosen] + CLEAR):
            chosen = c
    if chosen >= 0:
        move_flower(table, DRAWN, FRONT + seat, chosen)
    note(log, CHOSEN, chosen, 0)
    move_all(table, DRAWN, BAG)


@kernel
def place_best(table, seat, rules, want, worth, log):
    """Kenrokuen Kumagai: the flowers drawn go where they are worth most together."""
    choice = worth.choice
    one = colour_at(table, DRAWN, 0)
    if one < 0:
        return
    table[DRAWN, one] -= 1
    other = colour_at(table, DRAWN, 0)
    table[DRAWN, one] += 1
    choice[GIVEN] = 0
    place_value(table, seat, one, other, rules, want, worth, choice)
    put(table, one, choice[RIVAL_1], log)
    if other >= 0:
        put(table, other, choice[RIVAL_2], log)


@kernel
def put(table, colour, row, log):
    """A drawn flower to a front row or the own one behind."""
    note(log, PLACE, colour, row - FRONT if row < BEHIND else -1)
    move_flower(table, DRAWN, row, colour)
