"""`kernel` for functions that are called with many different constants.

numba compiles a function anew for every constant it is called with inside another one: an event's kind, a
row of the table. Here constants count as the numbers they are, which halves the time it takes to compile
the game.
"""

from numba import types

from cherrysim.kernels import cache


def allocating_kernel(function):
    """The function compiled as by `cache.kernel`, once for all whole numbers."""
    compiled = cache.kernel(function)
    if hasattr(compiled, "get_call_template"):
        find = compiled.get_call_template

        def find_once(arguments, named):
            widened = {name: types.unliteral(kind) for name, kind in named.items()}
            return find(tuple(map(types.unliteral, arguments)), widened)

        compiled.get_call_template = find_once
        compiled.targetoptions["_nrt"] = True
    return compiled


def kernel(function):
    """The same for a function that makes no arrays: its callers own all of them, so none is counted."""
    compiled = allocating_kernel(function)
    if hasattr(compiled, "targetoptions"):
        compiled.targetoptions["_nrt"] = False
    return compiled
