"""Policy `simple`: a rule a person can carry out without a tool, as a row of numbers; see `cherrysim.card`.

Rulebook: "Turn Overview"; rulings R10 to R17. How far to push is read off the colours that would spoil the
collection, those of which one flower more makes it fail. What to hide, to keep and to move is read off a
tally: a colour is hidden for

    its flowers x points behind - the sum of their points in front,

the first flower of a colour in front counting otherwise than the next ones. Cards of a blue side are used,
those of a pink one are not.
"""

from cherrysim.kernels.bonus import colour_at, has_bonus
from cherrysim.kernels.display import draw_bonus, move_all, move_flower, note, total
from cherrysim.kernels.layout import (
    ALIKE,
    BAG,
    BEHIND,
    BLACK,
    BLUE,
    CARD,
    CARDS_USED,
    COLOURS,
    DIFFERENT,
    DRAWN,
    FROM,
    FRONT,
    HAND,
    LATE,
    PLACE,
    SECRET,
    TWO_PAIRS,
)
from cherrysim.kernels.once import kernel

# Numbers of the rule, from LATE on: flowers left at the start of a turn from which the game is late; first
# draws; the second and third draw with no, one, two, three spoiling colours; spoiling colours it dares late;
# flowers that are enough; then the tally, and the order of the cards.
FIRST, FIRST_LATE = LATE + 1, LATE + 2
SECOND, THIRD = LATE + 3, LATE + 7
DARED, ENOUGH = LATE + 11, LATE + 12
NEW, NEW_LATE, MORE = LATE + 13, LATE + 14, LATE + 15
WHITE, DARK = LATE + 16, LATE + 17
COLOURED, WILD, BEHIND_LATE, FEWER = LATE + 18, LATE + 19, LATE + 20, LATE + 21
CARDS = LATE + 22
NO_CARD, SHIN_FIRST, SOMEI_FIRST = 0, 1, 2


@kernel
def is_late(table, seat, policies):
    """Whether the game is late for this rule."""
    return total(table, BAG) + total(table, HAND) <= policies[seat, LATE]


@kernel
def spoiling(table, rules):
    """How many of the five colours would make the collection fail with one flower more."""
    most, different = 0, 0
    for c in range(BLACK):
        most = max(most, table[HAND, c])
        different += table[HAND, c] > 0
    blacks = table[HAND, BLACK]
    found = 0
    for c in range(BLACK):
        alike = max(most, table[HAND, c] + 1) + blacks
        colours = min(different + blacks + (table[HAND, c] == 0), BLACK)
        found += alike >= rules[ALIKE] or colours >= rules[DIFFERENT]
    return found


@kernel
def simple_size(table, seat, draws, most, rules, policies):
    """How many flowers to draw next, 0 to stop."""
    late = is_late(table, seat, policies)
    if draws == 0:
        return min(policies[seat, FIRST_LATE if late else FIRST], most)
    risk = spoiling(table, rules)
    if risk > 3 or (late and risk > policies[seat, DARED]) or total(table, HAND) >= policies[seat, ENOUGH]:
        return 0
    return min(policies[seat, (SECOND if draws == 1 else THIRD) + risk], most)


@kernel
def in_front(n, colour, late, seat, policies):
    """What one more flower of a colour counts in front beside n of it."""
    if colour == BLACK:
        return policies[seat, DARK]
    if colour == BLACK - 1:
        return policies[seat, WHITE]
    if n:
        return policies[seat, MORE]
    return policies[seat, NEW_LATE if late else NEW]


@kernel
def behind(table, colour, late, seat, policies):
    """What a flower of a colour counts behind the screen."""
    points = policies[seat, BEHIND_LATE] if late else 0
    if colour >= BLACK - 1:
        return points + policies[seat, WILD]
    group, other = colour // 2 * 2, 2 - colour // 2 * 2
    own = table[BEHIND + seat, group] + table[BEHIND + seat, group + 1]
    fewer = own < table[BEHIND + seat, other] + table[BEHIND + seat, other + 1]
    return points + policies[seat, COLOURED] + fewer * policies[seat, FEWER]


@kernel
def simple_hidden(table, seat, policies):
    """The colour of the collection that gains most behind the screen, the first of equals; -1 if none
    gains."""
    late = is_late(table, seat, policies)
    best, hidden = 0, -1
    for c in range(COLOURS):
        gain = table[HAND, c] * behind(table, c, late, seat, policies)
        for k in range(table[HAND, c]):
            gain -= in_front(table[FRONT + seat, c] + k, c, late, seat, policies)
        if table[HAND, c] and gain > best:
            best, hidden = gain, c
    return hidden


@kernel
def simple_kept(table, seat, policies):
    """The two colours of a failed collection that count most in front, of equals those it has most of."""
    late = is_late(table, seat, policies)
    first, second = -1, -1
    for chosen in range(2):
        best = -1000000
        for c in range(BLACK):
            if table[HAND, c] and (chosen == 0 or c != first):
                n = table[FRONT + seat, c]
                worth = 1000 * in_front(n, c, late, seat, policies) + n
                if worth > best:
                    best = worth
                    if chosen:
                        second = c
                    else:
                        first = c
    return min(first, second), max(first, second)


@kernel
def simple_bonus(table, seat, rules, policies, keys, rows, log):
    """At most one card: six flowers, then two pairs and four colours in the rule's order."""
    order = policies[seat, CARDS]
    if order == NO_CARD:
        return
    for i in range(3):
        pattern = 2 if i == 0 else i - 1 if order == SHIN_FIRST else 2 - i
        if rules[TWO_PAIRS + pattern] == BLUE and has_bonus(table, seat, pattern, rules):
            if use_card(table, seat, pattern, policies, keys, rows, log):
                return


@kernel
def use_card(table, seat, pattern, policies, keys, rows, log):
    """Use a card unless it gains nothing; whether it was used."""
    late = is_late(table, seat, policies)
    source, colour = HAND, -1
    if pattern == 1:
        source, colour = to_move(table, seat, late, policies)
        if colour < 0:
            return False
    rows[seat, CARDS_USED] += 1
    note(log, CARD, pattern, BLUE)
    if pattern == 0:
        draw_bonus(table, DRAWN, 1, keys[0], rows, log)
        for c in range(COLOURS):
            table[SECRET + seat, c] += table[DRAWN, c]
        move_all(table, DRAWN, BEHIND + seat)
    elif pattern == 1:
        note(log, FROM, source != HAND, colour)
        move_flower(table, source, BEHIND + seat, colour)
    else:
        draw_bonus(table, DRAWN, 2, keys[0], rows, log)
        for _ in range(total(table, DRAWN)):
            place(table, seat, late, policies, log)
    return True


@kernel
def place(table, seat, late, policies, log):
    """A drawn flower behind the screen if it counts more there, else in front."""
    c = colour_at(table, DRAWN, 0)
    front = in_front(table[FRONT + seat, c] + table[HAND, c], c, late, seat, policies)
    if behind(table, c, late, seat, policies) > front:
        note(log, PLACE, c, -1)
        move_flower(table, DRAWN, BEHIND + seat, c)
    else:
        note(log, PLACE, c, seat)
        move_flower(table, DRAWN, FRONT + seat, c)


@kernel
def to_move(table, seat, late, policies):
    """The flower, by row and colour, that gains most behind the screen; of the collection one that would lie
    in front. Colour -1 if none gains."""
    hidden = simple_hidden(table, seat, policies)
    best, source, colour = 0, HAND, -1
    for i in range(2):
        row = HAND if i == 0 else FRONT + seat
        for c in range(COLOURS):
            if table[row, c] and (i == 1 or c != hidden):
                n = table[FRONT + seat, c] + (table[HAND, c] if c != hidden else 0)
                gain = behind(table, c, late, seat, policies) - in_front(n - 1, c, late, seat, policies)
                if gain > best:
                    best, source, colour = gain, row, c
    return source, colour
