"""`kernel` for functions that are mostly called by other kernels, with many different constants.

numba compiles a function anew for every constant it is called with inside another one (an event's kind, a
row of the table), counts references to arrays that are only passed on, gives every function a wrapper for
Python, and optimises it and makes machine code of it on its own, then again inside every function that calls
it, however deep. Here constants count as the numbers they are, arrays belong to the outermost caller, and
what other kernels call is optimised with its caller alone, and belongs to it: the game compiles in less than
half the time and takes a third less.
"""

import numba
from llvmlite.binding import Linkage
from numba import types
from numba.core import codegen, compiler

from cherrysim.kernels import cache


class _PartLibrary(codegen.JITCodeLibrary):
    """Code that is only linked into others: never optimised nor made executable on its own."""

    @property
    def codegen(self):
        return self

    def set_env(self, name, environment):
        """Nothing: there is no executable to tell."""

    def _optimize_final_module(self):
        """Nothing: the caller's module is optimised."""

    def _finalize_final_module(self):
        """Not added to the engine, where it would stand in for the optimised code of its name in callers."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        return 0


class _WholeLibrary(codegen.JITCodeLibrary):
    """Code that is called from outside: what it links in is its own, so that whatever has one caller is
    inlined, and of arrays only what is read is handed on.

    It must leave no name behind: the engine looks even local ones up for other code, which calls otherwise.
    """

    def _optimize_final_module(self):
        for part in self._final_module.functions:
            if not part.is_declaration and part.linkage == Linkage.linkonce_odr:
                part.linkage = Linkage.private
        super()._optimize_final_module()


class _Whole(compiler.Compiler):
    """Compiles a function with its parts."""

    def define_pipelines(self):
        self.state.library = _WholeLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


class _Part(compiler.Compiler):
    """Compiles a function as a part of others."""

    def define_pipelines(self):
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), "part")
        return super().define_pipelines()


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
    outer._compiler.pipeline_class = _Whole
    inner = numba.njit(nogil=True, pipeline_class=_Part, no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        function
    )
    outer.targetoptions["_nrt"] = inner.targetoptions["_nrt"] = allocates
    find = inner.get_call_template

    def find_once(arguments, named):
        widened = {name: types.unliteral(kind) for name, kind in named.items()}
        return find(tuple(map(types.unliteral, arguments)), widened)

    outer.get_call_template = find_once
    outer.get_overload = inner.get_overload
    return outer
