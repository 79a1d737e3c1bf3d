#!/usr/bin/env python3
"""Computes PyTorch's results of element-wise operators on random and on special numbers.

  make_reference_element_wise.py DIRECTORY    writes element_wise.ref.gz (needs torch and numpy)
"""
import sys
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from reference_file import ReferenceFile  # noqa: E402

INF = float("inf")
SPECIAL = [0.0, -0.0, INF, -INF, float("nan"), 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 1e-39, -1e-39, 1e-30, 1e30, -1e30,
           3e38, 88.7, 88.8, -87.3, -103.9, -104.1, 1e5, -1e5, 39001.0, 8388609.0]

# Operator, function, scale and offset of the random numbers.
UNARY = [
    ("ABSOLUTE", torch.abs, 9, 0), ("ASIN", torch.asin, 0.5, 0), ("CEIL", torch.ceil, 9, 0), ("COS", torch.cos, 9, 0),
    ("ERF", torch.erf, 2, 0), ("EXPONENT", torch.exp, 20, 0), ("EXPONENT_MINUS_ONE", torch.expm1, 1, 0),
    ("EXPONENT2", torch.exp2, 20, 0), ("FLOOR", torch.floor, 9, 0), ("GELU_ERF", torch.nn.functional.gelu, 2, 0),
    ("INVERSE", torch.reciprocal, 9, 0), ("LOGARITHM", torch.log, 1, 3), ("LOGARITHM_ONE_PLUS", torch.log1p, 0.2, 0),
    ("NEGATE", torch.neg, 9, 0), ("NEARBY_INT", torch.round, 9, 0), ("SIN", torch.sin, 9, 0),
    ("TAN", torch.tan, 1, 0), ("TANH", torch.tanh, 1, 0), ("SQRT", torch.sqrt, 1, 4), ("SQUARE", torch.square, 9, 0),
    ("SIGMOID", torch.sigmoid, 9, 0), ("RSQRT", torch.rsqrt, 1, 4), ("TRUNC", torch.trunc, 9, 0),
    ("IS_FINITE", torch.isfinite, 9, 0), ("IS_INF", torch.isinf, 9, 0), ("IS_NAN", torch.isnan, 9, 0),
]

BINARY = [
    ("ADD", torch.add), ("ATAN2", torch.atan2), ("DIVIDE", torch.div), ("EQUAL", torch.eq),
    ("GREATER_THAN_EQUAL", torch.ge), ("GREATER_THAN", torch.gt), ("LESS_THAN_EQUAL", torch.le),
    ("LESS_THAN", torch.lt), ("MAXIMUM", torch.fmax), ("MINIMUM", torch.fmin), ("MULTIPLY", torch.mul),
    ("NOT_EQUAL", torch.ne), ("POWER", torch.pow), ("REMAINDER", torch.fmod), ("SUBTRACT", torch.sub),
]

INTEGER = [
    ("ADD", torch.add), ("SUBTRACT", torch.sub), ("MULTIPLY", torch.mul),
    ("DIVIDE", lambda a, b: torch.div(a, b, rounding_mode="trunc")), ("REMAINDER", torch.fmod),
    ("BITWISE_AND", torch.bitwise_and), ("BITWISE_OR", torch.bitwise_or), ("BITWISE_XOR", torch.bitwise_xor),
    ("MAXIMUM", torch.maximum), ("MINIMUM", torch.minimum), ("LESS_THAN", torch.lt), ("EQUAL", torch.eq),
]

SHAPES = [((37,), (37,)), ((5, 7), (7,)), ((3, 1, 9), (4, 1)), ((1,), (2, 140)), ((), (11,)), ((6, 60), (6, 1))]


def array(t):
    return t.numpy().astype("int32") if t.dtype == torch.bool else t.numpy()


def main(path):
    torch.manual_seed(20)
    file = ReferenceFile()
    for name, function, scale, offset in UNARY:
        for dtype in (torch.float32, torch.float16):
            x = torch.cat([torch.tensor(SPECIAL), torch.randn(150) * scale + offset]).to(dtype)
            if name == "GELU_ERF":  # which overflows in PyTorch
                x = x[x.abs() < 1e38]
            file.add(kind="unary", op=name, x=array(x), y=array(function(x)))
    for index, (name, function) in enumerate(BINARY):
        for dtype in (torch.float32, torch.float16):
            for repeat in range(3):
                left, right = SHAPES[(index + 2 * repeat) % len(SHAPES)]
                a, b = torch.randn(left) * 3, torch.randn(right) * 3
                if name == "POWER":
                    a = a.abs()
                a, b = a.to(dtype), b.to(dtype)
                file.add(kind="binary", op=name, a=array(a), b=array(b), y=array(function(a, b)))
    for index, (name, function) in enumerate(INTEGER):
        for repeat in range(2):
            left, right = SHAPES[(index + 3 * repeat) % len(SHAPES)]
            a = torch.randint(-2**31, 2**31, left, dtype=torch.int32)
            b = torch.randint(1, 2**(31 if repeat else 5), right, dtype=torch.int32)
            file.add(kind="integer", op=name, a=array(a), b=array(b), y=array(function(a, b)))
    for repeat, (left, right) in enumerate(SHAPES):
        a, b, c = torch.randn(left), torch.randn(right), torch.randn(right).abs()
        file.add(kind="clamp", op="CLAMP", a=array(a), b=array(b), c=array(b + c), y=array(torch.clamp(a, b, b + c)))
        file.add(kind="fused", op="RMSPROP", a=array(a), b=array(b), c=array(c),
                 y=array(a - 0.01 * b / (c.sqrt() + 1e-3)))
    file.write(Path(path) / "element_wise.ref.gz")


if __name__ == "__main__":
    main(sys.argv[1])
