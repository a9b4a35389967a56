"""Lanes: many small unsigned integers worked on side by side, as one value inside a kernel.

Compiled, a value is one LLVM vector, which LLVM cuts to whatever the processor offers (two registers of 64 bytes, eight
of 16, ...), so that the results are the same everywhere. With the JIT off the very same expressions run on numpy
arrays: `a + b`, `a < b`, `a - (a > b)` mean the same on both. numba's own loops over small arrays would widen every
element to 64 bits.

A `Lanes` type is `count` lanes of `bits` bits; a comparison gives lanes of one bit. Operators take lanes of one type,
or lanes and a scalar, which is cut to the lane's width and spread; arithmetic wraps.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable


class Lanes(types.Type):
    """The numba type of `count` unsigned lanes of `bits` bits each."""

    def __init__(self, bits, count):
        super().__init__(name=f"Lanes({bits}, {count})")
        self.bits = bits
        self.count = count

    @property
    def vector(self):
        return ir.VectorType(ir.IntType(self.bits), self.count)


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, lanes.vector)


def _spread(builder, value, kind, lanes):
    """The operand as a vector of `lanes`: masks count as 0 and 1, scalars are cut to the lane's width and copied."""
    if isinstance(kind, Lanes):
        return value if kind == lanes else builder.zext(value, lanes.vector)
    element = lanes.vector.element
    if kind.bitwidth > lanes.bits:
        value = builder.trunc(value, element)
    elif kind.bitwidth < lanes.bits:
        value = builder.zext(value, element)
    single = builder.insert_element(ir.Constant(lanes.vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes.count), [0] * lanes.count)
    return builder.shuffle_vector(single, ir.Constant(lanes.vector, ir.Undefined), zeros)


def _define(symbol, build, compares=False):
    """Teach numba `symbol` for lanes with lanes and lanes with a scalar, by the LLVM instruction `build`."""

    @type_callable(symbol)
    def type_of(context):
        def typer(left, right):
            if isinstance(left, Lanes) and isinstance(right, (Lanes, types.Integer)):
                return Lanes(1, left.count) if compares else left

        return typer

    def lower(context, builder, signature, values):
        left, right = signature.args
        return build(builder, values[0], _spread(builder, values[1], right, left))

    lower_builtin(symbol, Lanes, Lanes)(lower)
    lower_builtin(symbol, Lanes, types.Integer)(lower)


_define(operator.add, ir.IRBuilder.add)
_define(operator.sub, ir.IRBuilder.sub)
_define(operator.mul, ir.IRBuilder.mul)
_define(operator.and_, ir.IRBuilder.and_)
_define(operator.or_, ir.IRBuilder.or_)
_define(operator.xor, ir.IRBuilder.xor)
_define(operator.lshift, ir.IRBuilder.shl)
_define(operator.rshift, ir.IRBuilder.lshr)
_define(operator.lt, lambda builder, a, b: builder.icmp_unsigned("<", a, b), compares=True)
_define(operator.ge, lambda builder, a, b: builder.icmp_unsigned(">=", a, b), compares=True)
_define(operator.ne, lambda builder, a, b: builder.icmp_unsigned("!=", a, b), compares=True)


def _twin(plain):
    """Pair an intrinsic with the plain function that means the same on numpy arrays and stands in with the JIT off."""

    def choose(typed):
        return plain if config.DISABLE_JIT else intrinsic(typed)

    return choose


def _load_words(words):
    return words.copy()


@_twin(_load_words)
def load_words(context, words):
    """16 lanes of 64 bits from a contiguous uint64 array of 16."""
    lanes = Lanes(64, 16)

    def build(context, builder, signature, values):
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        load = builder.load(builder.bitcast(data, lanes.vector.as_pointer()))
        load.align = 8
        return load

    return lanes(words), build


def _shorts(words):
    return words.view(np.uint16)


@_twin(_shorts)
def shorts(context, words):
    """The 64 lanes of 16 bits inside 16 words; lane 4 w + k is bits 16 k .. 16 k + 15 of word w."""
    lanes = Lanes(16, 64)
    return lanes(words), lambda context, builder, signature, values: builder.bitcast(values[0], lanes.vector)


def _multiply_high(lanes, factor):
    return (lanes.astype(np.uint32) * np.uint32(factor) >> 16).astype(np.uint16)


@_twin(_multiply_high)
def multiply_high(context, lanes, factor):
    """The upper 16 of the 32 bits of lane x factor, for lanes of 16 bits."""

    def build(context, builder, signature, values):
        wide = Lanes(32, lanes.count)
        left = builder.zext(values[0], wide.vector)
        right = builder.zext(_spread(builder, values[1], factor, lanes), wide.vector)
        high = builder.lshr(builder.mul(left, right), ir.Constant(wide.vector, [16] * lanes.count))
        return builder.trunc(high, lanes.vector)

    return lanes(lanes, factor), build


def _low_bytes(lanes):
    return lanes.astype(np.uint8)


@_twin(_low_bytes)
def low_bytes(context, lanes):
    """The lower byte of every lane."""
    low = Lanes(8, lanes.count)
    return low(lanes), lambda context, builder, signature, values: builder.trunc(values[0], low.vector)


def _bytes_of(value):
    return np.full(64, value, np.uint8)


@_twin(_bytes_of)
def bytes_of(context, value):
    """64 lanes of 8 bits, all `value`."""
    lanes = Lanes(8, 64)
    return lanes(value), lambda context, builder, signature, values: _spread(builder, values[0], value, lanes)


def _larger(a, b):
    return np.maximum(a, b)


@_twin(_larger)
def larger(context, a, b):
    """The larger of the two in every lane."""

    def build(context, builder, signature, values):
        return builder.select(builder.icmp_unsigned(">=", *values), *values)

    return a(a, b), build


def _bits(mask):
    return np.packbits(mask, bitorder="little").view(np.uint64)[0]


@_twin(_bits)
def bits(context, mask):
    """64 lanes of one bit as a number; lane i is bit i."""
    return types.uint64(mask), lambda context, builder, signature, values: builder.bitcast(values[0], ir.IntType(64))


def _ones(word):
    return int(word).bit_count()


@_twin(_ones)
def ones(context, word):
    """How many bits of a 64-bit number are 1."""
    return types.int64(types.uint64), lambda context, builder, signature, values: builder.ctpop(values[0])
