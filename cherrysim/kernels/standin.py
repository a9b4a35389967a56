import numba
kernel = numba.njit(nogil=True, cache=True)
