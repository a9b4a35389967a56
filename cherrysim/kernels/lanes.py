"""Lanes: many small unsigned integers worked on side by side, as one value inside a kernel.

Compiled, a value is one LLVM vector, which LLVM cuts to whatever the processor offers (two registers of 64
bytes, eight of 16, ...), so that the results are the same everywhere. With the JIT off the very same
expressions run on numpy arrays: `a + b`, `a < b`, `a - (a > b)` mean the same on both. numba's own loops over
small arrays would widen every element to 64 bits.

A `Lanes` type is `count` lanes of `bits` bits; a comparison gives lanes of one bit. Operators take lanes of
one type, or lanes and a scalar, which is cut to the lane's width and spread; arithmetic wraps.
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
    """Lanes are one LLVM vector, in registers and in memory."""

    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, lanes.vector)


def _spread(builder, value, kind, lanes):
    """The operand as a vector of `lanes`: masks count as 0 and 1, scalars are cut to the lane's width and
    copied."""
    if isinstance(kind, Lanes):
        return value if kind == lanes else builder.zext(value, lanes.vector)
    element = lanes.vector.element
    if kind.bitwidth > lanes.bits:
        value = builder.trunc(value, element)
    elif kind.bitwidth < lanes.bits:
        value = builder.zext(value, element)
    single = builder.insert_element(
        ir.Constant(lanes.vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
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
    """Pair an intrinsic with the plain function that means the same on numpy arrays and stands in with the
    JIT off."""

    def choose(typed):
        return plain if config.DISABLE_JIT else intrinsic(typed)

    return choose


def _filled(value, lanes, step):
    """The intrinsic for `lanes` filled with value, value + step, value + 2 step, ..."""
    steps = ir.Constant(lanes.vector, [step * i for i in range(lanes.count)])

    def build(context, builder, signature, values):
        return builder.add(_spread(builder, values[0], value, lanes), steps)

    return lanes(value), build


def _words_of(value):
    return np.full(16, value, np.uint64)


@_twin(_words_of)
def words_of(context, value):
    """16 lanes of 64 bits, all `value`."""
    return _filled(value, Lanes(64, 16), 0)


def _words_from(value):
    return np.uint64(value) + np.arange(16, dtype=np.uint64)


@_twin(_words_from)
def words_from(context, value):
    """16 lanes of 64 bits: value, value + 1, ... value + 15."""
    return _filled(value, Lanes(64, 16), 1)


def _bytes_of(value):
    return np.full(64, value, np.uint8)


@_twin(_bytes_of)
def bytes_of(context, value):
    """64 lanes of 8 bits, all `value`."""
    return _filled(value, Lanes(8, 64), 0)


def _shorts(words):
    return words.view(np.uint16)


@_twin(_shorts)
def shorts(context, words):
    """The 64 lanes of 16 bits inside 16 words; lane 4 w + k is bits 16 k .. 16 k + 15 of word w."""
    lanes = Lanes(16, 64)
    return lanes(words), lambda context, builder, signature, values: builder.bitcast(values[0], lanes.vector)


def _multiply_high(value, factor):
    if isinstance(value, np.ndarray):
        return (value.astype(np.uint32) * np.uint32(factor) >> 16).astype(np.uint16)
    return np.uint64(int(value) * int(factor) >> 64)


@_twin(_multiply_high)
def multiply_high(context, value, factor):
    """The upper half of value x factor: of 32 bits for lanes of 16 and a scalar, of 128 for two uint64."""

    def build(context, builder, signature, values):
        width = value.bits if isinstance(value, Lanes) else value.bitwidth
        left, right = values[0], values[1]
        if isinstance(value, Lanes):
            right = _spread(builder, right, factor, value)
            wide = Lanes(2 * width, value.count).vector
            shift = ir.Constant(wide, [width] * value.count)
        else:
            wide = ir.IntType(2 * width)
            shift = ir.Constant(wide, width)
        product = builder.mul(builder.zext(left, wide), builder.zext(right, wide))
        return builder.trunc(builder.lshr(product, shift), left.type)

    return value(value, factor), build


def _low_bytes(lanes):
    return lanes.astype(np.uint8)


@_twin(_low_bytes)
def low_bytes(context, lanes):
    """The lower byte of every lane."""
    low = Lanes(8, lanes.count)
    return low(lanes), lambda context, builder, signature, values: builder.trunc(values[0], low.vector)


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
    return types.uint64(mask), lambda context, builder, signature, values: builder.bitcast(
        values[0], ir.IntType(64)
    )


def _ones(word):
    return int(word).bit_count()


@_twin(_ones)
def ones(context, word):
    """How many bits of a 64-bit number are 1."""
    return types.int64(types.uint64), lambda context, builder, signature, values: builder.ctpop(values[0])
