"""`kernel` for functions that are mostly called by other kernels, with many different constants.

numba compiles a function anew for every constant it is called with inside another one (an event's kind, a
row of the table), counts references to arrays that are only passed on, and gives every function a wrapper
for Python. Here constants count as the numbers they are, arrays belong to the outermost caller, and what
other kernels call has no wrapper: the game compiles in half the time and a turn takes a quarter less.
"""

from numba import types

from cherrysim.kernels import cache


def kernel(function):
    """The function compiled as by `cache.kernel`; it may make no arrays."""
    return _compiled(function, allocates=False)


def allocating_kernel(function):
    """The same for a function that makes arrays, or calls kernels not of this module that slice them."""
    return _compiled(function, allocates=True)


def _compiled(function, allocates):
    outer = cache.kernel(function)
    if not hasattr(outer, "get_call_template"):
        return outer  # the JIT is off
    inner = cache.kernel(function)
    inner.targetoptions.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    if isinstance(inner._cache, cache.KernelCache):
        inner._cache._name += "-inner"
    outer.targetoptions["_nrt"] = inner.targetoptions["_nrt"] = allocates
    find = inner.get_call_template

    def find_once(arguments, named):
        widened = {name: types.unliteral(kind) for name, kind in named.items()}
        return find(tuple(map(types.unliteral, arguments)), widened)

    outer.get_call_template = find_once
    outer.get_overload = inner.get_overload
    return outer
