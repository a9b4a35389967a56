"""Quads: four numbers worked on side by side, as one value inside a kernel.

Compiled, a quad is one LLVM vector of four doubles, which LLVM cuts to whatever the processor offers; with
the JIT off the very same expressions run on numpy arrays of four. Every lane is rounded as a number alone
would be, so results are the same everywhere. Operators take two quads, or a quad and a number, which stands
for four equal ones.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

WIDTH = 4
VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_LANE = ir.IntType(32)


class Quad(types.Type):
    """The numba type of a quad."""

    def __init__(self):
        super().__init__(name="Quad")


quad = Quad()


@register_model(Quad)
class QuadModel(models.PrimitiveModel):
    """A quad in memory and in registers: one vector."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


def _spread(builder, number):
    """A double in all four lanes."""
    single = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(_LANE, 0))
    zeros = ir.Constant(ir.VectorType(_LANE, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(single, ir.Constant(VECTOR, ir.Undefined), zeros)


def _define(symbol, build):
    """Teach numba `symbol` for quads with quads and with numbers, by the LLVM instruction `build`."""

    @type_callable(symbol)
    def type_of(context):
        def typer(left, right):
            if isinstance(left, Quad) and isinstance(right, (Quad, types.Float)):
                return quad

        return typer

    def lower(context, builder, signature, values):
        return build(builder, *values)

    def lower_number(context, builder, signature, values):
        return build(builder, values[0], _spread(builder, values[1]))

    lower_builtin(symbol, Quad, Quad)(lower)
    lower_builtin(symbol, Quad, types.Float)(lower_number)


_define(operator.add, ir.IRBuilder.fadd)
_define(operator.sub, ir.IRBuilder.fsub)
_define(operator.mul, ir.IRBuilder.fmul)


def _twin(plain):
    """Pair an intrinsic with the plain function that means the same on numpy arrays and stands in with the
    JIT off."""

    def choose(typed):
        return plain if config.DISABLE_JIT else intrinsic(typed)

    return choose


def _place(context, builder, rows, i, j, signature):
    """Address of rows[i, j] of a C-contiguous array, without the sign check of an index."""
    array = context.make_array(signature.args[0])(context, builder, rows)
    row = builder.mul(i, builder.extract_value(array.shape, 1))
    return builder.gep(array.data, [builder.add(row, j)])


def _integer(context, builder, value, kind):
    return context.cast(builder, value, kind, types.intp)


@_twin(lambda number: np.full(WIDTH, number))
def spread(context, number):
    """A number in all four lanes."""
    return quad(types.float64), lambda context, builder, signature, values: _spread(builder, values[0])


@_twin(lambda rows, i, j: rows[i, j : j + WIDTH].copy())
def load(context, rows, i, j):
    """The quad rows[i, j : j + 4] of a C-contiguous array of doubles."""

    def build(context, builder, signature, values):
        index = [_integer(context, builder, v, kind) for v, kind in zip(values[1:], signature.args[1:])]
        place = builder.bitcast(_place(context, builder, values[0], *index, signature), VECTOR.as_pointer())
        found = builder.load(place)
        found.align = 8
        return found

    return quad(rows, i, j), build


def _store(rows, i, j, value):
    rows[i, j : j + WIDTH] = value


@_twin(_store)
def store(context, rows, i, j, value):
    """Write a quad to rows[i, j : j + 4]; into whole numbers, a quad of whole numbers."""

    def build(context, builder, signature, values):
        index = [_integer(context, builder, v, kind) for v, kind in zip(values[1:3], signature.args[1:3])]
        place = _place(context, builder, values[0], *index, signature)
        vector, value = VECTOR, values[3]
        if isinstance(rows.dtype, types.Integer):
            vector = ir.VectorType(ir.IntType(rows.dtype.bitwidth), WIDTH)
            value = builder.fptosi(value, vector)
        builder.store(value, builder.bitcast(place, vector.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(rows, i, j, value), build


def _weighted_sum(rows, places, weights, begin, end):
    total = np.zeros((2, WIDTH))
    for p in range(begin, end):
        total[(p - begin) % 2] += rows[places[p]] * weights[p]
    return total[0] + total[1]


@_twin(_weighted_sum)
def weighted_sum(context, rows, places, weights, begin, end):
    """The sum of rows[places[p]] x weights[p], p from `begin` up to `end`; rows of four doubles.

    Written out because numba tests the sign of every index, which costs as much as the sum. Every other
    term is summed apart, so that an addition need not wait for the one before.
    """

    def build(context, builder, signature, values):
        data = [
            context.make_array(k)(context, builder, v).data for k, v in zip(signature.args[:3], values[:3])
        ]
        first, last = values[3], values[4]
        intp = first.type
        sums = [cgutils.alloca_once(builder, VECTOR) for _ in range(2)]

        def add(which, p):
            place = builder.zext(builder.load(builder.gep(data[1], [p])), intp)
            row = builder.gep(builder.bitcast(data[0], VECTOR.as_pointer()), [place])
            found = builder.load(row)
            found.align = 8
            term = builder.fmul(found, _spread(builder, builder.load(builder.gep(data[2], [p]))))
            builder.store(builder.fadd(builder.load(sums[which]), term), sums[which])

        for total in sums:
            builder.store(ir.Constant(VECTOR, [0.0] * WIDTH), total)
        one = ir.Constant(intp, 1)
        with cgutils.for_range_slice(builder, first, builder.sub(last, one), ir.Constant(intp, 2)) as (p, _):
            add(0, p)
            add(1, builder.add(p, one))
        with builder.if_then(builder.trunc(builder.sub(last, first), ir.IntType(1))):
            add(0, builder.sub(last, one))
        return builder.fadd(builder.load(sums[0]), builder.load(sums[1]))

    return quad(rows, places, weights, types.intp, types.intp), build


@_twin(np.maximum)
def larger(context, a, b):
    """The larger of the two in every lane."""

    def build(context, builder, signature, values):
        return builder.select(builder.fcmp_ordered(">", *values), *values)

    return a(a, b), build


@_twin(lambda a, b, then, other: np.where(a >= b, then, other))
def where_reaches(context, a, b, then, other):
    """In every lane `then` where a >= b, else `other`."""

    def build(context, builder, signature, values):
        return builder.select(builder.fcmp_ordered(">=", values[0], values[1]), values[2], values[3])

    return a(a, b, then, other), build


@_twin(lambda number, a: np.concatenate(([number], a[:-1])))
def shifted(context, number, a):
    """A number, then the first three lanes."""

    def build(context, builder, signature, values):
        lanes = ir.Constant(ir.VectorType(_LANE, WIDTH), [WIDTH, 0, 1, 2])
        return builder.shuffle_vector(values[1], _spread(builder, values[0]), lanes)

    return a(types.float64, a), build
