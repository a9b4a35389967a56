"""Where things stand in the arrays that the game kernels share.

A game in progress is one array of whole numbers, `table`: a row for every place where flowers can be, a
column for every colour (P Y L D W B). All rows but the secret ones hold different tokens, so their sum is
the start bag in every state. A set-up is one flat array, `rules`; a policy is one row of numbers per seat;
an event is one row of a log.
"""

COLOURS = 6
BLACK = 5
MOST_PLAYERS = 4

# Rows of `table`. A secret row repeats the flowers of that seat's behind row which nobody else has seen.
FRONT = 0
BEHIND = 4
BAG = 8
BOX = 9
HAND = 10
DRAWN = 11
HOLDING = 12
SECRET = 12
ROWS = 16

# Entries of `rules`; the cards' entries are 0 for none, 1 for the blue side, 2 for the pink one.
PLAYERS = 0
ALIKE = 1
DIFFERENT = 2
DRAWS = 3
FLOWERS = 4
SET_ASIDE = 5
TWO_PAIRS = 6
FOUR_COLOURS = 7
SIX_FLOWERS = 8
FREE_WILDS = 9
DISTINCT_PLACES = 10
NOTHING_FOR_NONE = 11
SPLITS = 12
MOST_TURNS = 13
COUNTS = 14
PLACES = COUNTS + COLOURS
"""Points of a group at [group x 16 + players above x 4 + others equal]; with dense ties `above` counts
distinct counts."""
FRONT_LENGTH = PLACES + 32
FRONT_TABLE = FRONT_LENGTH + 1

BLUE, PINK = 1, 2
EQUILIBRIUM, EVEN = 0, 1
"""How wilds are split: ruling R26's model, or its even start taken as it is (to measure what the model
matters)."""

CLEAR = 1e-9
"""Of choices no further apart than this the first is taken, so that rounding decides nothing."""

# Policies: kind, then its numbers.
RANDOM, PLAN, CAUTIOUS, SIMPLE, KEPT, POINTS, LEARNED, FAST = range(8)
POLICY_NUMBERS = 31
SLIP = 7
"""Of a million decisions of this policy so many are those of `random`."""
LATE = 8
"""Where the numbers of a simple rule begin."""

# Kinds of events; a log row is (game, turn, seat, kind, a, b, c, d), row 0 holds the number of rows used.
TURN = 0  # a turn starts; a = flowers in the bag, b = fingerprint of the display
DRAW = 1  # a = how many are asked for
DRAWN_FLOWER = 2  # a = colour
STOP = 3
FAIL = 4
CARD = 5  # a card is used; a = pattern 0..2, b = side
FROM = 6  # a = 0 from the hand, 1 from the own front, b = colour (Somei Yoshino, Sakuya Hime)
RIVAL = 7  # a = seat, b = colour taken from its front (Sakuya Hime, Kokonoe)
BONUS = 8  # a = colour drawn by a card
PLACE = 9  # a = colour, b = seat whose front, or -1 for behind (Kenrokuen Kumagai)
CHOSEN = 10  # a = colour kept, or -1 (Komatsu Otome)
HIDE = 11  # a = colour or -1
KEEP = 12  # a, b = colours or -1
SPLIT = 13  # a = wilds to warm, b = wilds to cool; turn = -1
EVENT_NUMBERS = 6

# Columns of the result rows, one row a seat; see `cherrysim.simulate.COLUMNS`.
(
    GAME,
    SEAT,
    SCORE,
    FRONT_POINTS,
    WARM_POINTS,
    COOL_POINTS,
    WARM,
    COOL,
    PLACE_IN_GAME,
    SHARING,
    TURNS,
    FAILURES,
    CARDS_USED,
    BONUS_FLOWERS,
    DRAW_1,
) = range(15)
MOST_DRAWS = 5
CAPPED = DRAW_1 + MOST_DRAWS
MIXED = CAPPED + 1
COLUMNS = MIXED + 1
