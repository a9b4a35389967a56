"""What the table is worth to the player to move: from a model's numbers to the value of every collection.

A policy values the table after a display for every seat. Its *model* gives each seat a number z (`points`: expected
final points; a logit of the share of victory, ...), its *utility* turns the z of all seats into what the player wants.
The one formula: z is a sum of parts, so that after a display by which `size` flowers left the bag

    z[s] = base[size, s] + sum over colours c of front[size, s, c, change of c in front of s] + behind[size, w, c, x, s],

where w warm, c cool and x wild flowers went behind the screen of the player to move. A model only fills these tables
(`Worth`), for the table as it stands; everything else is done here and in `display_choice`, once for all models:

- at the start of a turn for size 0, 1, ..., to write what every safe collection and every failure is worth
  (`keep`, `bust`), which `turn.solve` reads; there cards count by the best way that does not look at the collection;
- at the collection really reached, with its flowers gone from the bag, to value every legal display by its own z;
- where a display empties the bag the true score counts, never a model.

How a model joins: (1) a kind in `layout` beside POINTS; (2) a module with

    fill(table, seat, sizes, mixed, rules, weights, worth)

which writes `base`, `front` and `behind` of `worth` for size 0 .. sizes - 1, where size flowers have left the bag *as
it is in `table`* (what is in the hand row has left it already), reading the bag only through `worth.pool`; with
`mixed` also the entries of `behind` in which more than one kind of flower goes behind, which it otherwise leaves
(they are then filled by adding up); (3) a branch in `fill_worth`. `weights` is the seat's own row of floats: entry 0
is the taste for risk, the rest is the model's. With utility OWN or RISK only the z of the seat to move is read.
"""

from typing import NamedTuple

import numpy as np

OWN, RISK, SHARE = 0, 1, 2
"""What the player wants: own z; (1 - exp(-r z)) / r; the share exp(z[seat]) / sum over seats of exp(z)."""


class Worth(NamedTuple):
    """The tables of a turn, room for its values and what is read of the universe of collections.

    Steps: `front[.., 1 + k]` is the change for k flowers more of a colour, k = -1 for one taken away; of the seat to
    move k goes up to `alike` + 1, of the others to 2. `behind[size, w, c, x]` is needed for w + c + x up to `alike` + 1.
    """

    base: np.ndarray  # [size, seat]
    front: np.ndarray  # [size, seat, colour, 1 + k]
    behind: np.ndarray  # [size, warm, cool, wild, seat]
    pool: np.ndarray  # [colour] what may be in the bag, as the seat to move sees it
    lying: np.ndarray  # [front rows, then behind rows; colour] the table when the tables were filled
    counts: np.ndarray  # [hand, colour] the safe collections
    keep: np.ndarray  # [hand] what stopping is worth
    bust: np.ndarray  # [set of colours] what failing is worth
    z: np.ndarray  # [seat] scratch
