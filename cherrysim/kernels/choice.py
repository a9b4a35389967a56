"""Which of several pools each sample is drawn from, when the bag is known only as a belief.

Rulings R8 and R9. With cumulative whole-number weights u_0 < u_1 < ..., a random number below the last one
picks pool j iff it is below u_j and no earlier one.
"""

import numpy as np

from cherrysim.kernels.cache import kernel
from cherrysim.kernels.random import below, open_stream


@kernel
def choose(upto, seed, stream, count, out):
    """Add to out[j] how many of the first `count` numbers of a stream pick pool j.

    upto: int64[pools], cumulative weights, the last below 2^63; seed, stream: uint64; out: int64[pools].
    """
    state = np.empty(4, np.uint64)
    open_stream(seed, stream, state)
    half = 1
    while 2 * half < len(upto):
        half *= 2
    for _ in range(count):
        number = below(state, upto[-1])
        pool, step = 0, half
        while step:
            if pool + step <= len(upto) and number >= upto[pool + step - 1]:
                pool += step
            step //= 2
        out[pool] += 1
