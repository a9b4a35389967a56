"""What policies that value the table need in the game kernels: room for the tables of a turn, and their
weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cherrysim.hands import PATTERNS, matches, universe
from cherrysim.rules import Rules
from cherrysim.weights import fast_numbers, guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray


def worth(rules: Rules) -> Any:
    """Room for one turn's tables; for one thread."""
    import numpy as np

    from cherrysim.kernels.worth import Worth

    room = np.zeros(1, Worth)[0]
    room["players"] = rules.players
    return room


def ends(rules: Rules) -> Any:
    """The safe collections and room for what they are worth; for one thread."""
    import numpy as np

    from cherrysim.kernels.worth import SETS, Ends

    hands = universe(rules).hands
    return Ends(
        counts=np.array(hands, np.int64),
        sizes=np.array([sum(hand) for hand in hands]),
        matching=np.array([[matches(hand, pattern) for pattern in PATTERNS] for hand in hands]),
        keep=np.zeros(len(hands)),
        bust=np.zeros(SETS),
    )


def weights(rows: Sequence[Sequence[float]]) -> NDArray[Any]:
    """A row of weights a seat, the shorter ones filled up."""
    import numpy as np

    array = np.zeros((len(rows), max((1, *map(len, rows)))))
    for seat, row in enumerate(rows):
        array[seat, : len(row)] = row
    return array


def codes(rules: Rules) -> list[int]:
    """The number of every safe collection, its counts being the digits (`kernels.reference.code_of_hand`)."""
    return [sum(n * rules.alike**c for c, n in enumerate(hand)) for hand in universe(rules).hands]


def fast(rules: Rules, plays: bool) -> Any:
    """Room and constants of `learned:fast`, without weights where it does not play; for one thread."""
    import numpy as np

    from cherrysim import arrays
    from cherrysim.kernels.margins import STALE, Collection, Margins
    from cherrysim.kernels.reference import Fast
    from cherrysim.kernels.showing import CHOICE_NUMBERS

    hands, pairs = universe(rules).hands, arrays.hands(rules)
    rooms, collections = np.zeros(2, Margins), np.zeros(len(hands), Collection)
    rooms["left"] = STALE
    for i, (hand, code) in enumerate(zip(hands, codes(rules), strict=True)):
        cards = sum(matches(hand, pattern) << j for j, pattern in enumerate(PATTERNS))
        collections[i]["code"], collections[i]["cards"] = code, cards
        collections[i]["counts"], collections[i]["size"] = hand, sum(hand)
        collections[i]["first"][: pairs.first.shape[1]] = pairs.first[i]
        rooms[0]["index"][code] = i
    choice = np.zeros(CHOICE_NUMBERS, np.int64)
    first, then = map(np.array, guesses(rules))
    weights = np.array(fast_numbers(rules) if plays else (0.0,), np.float32)
    return Fast(rooms, collections, pairs.larger, pairs.weight, weights, first, then, choice)
