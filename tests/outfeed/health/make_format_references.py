#!/usr/bin/env python3
"""Casts every positive half to other formats, as ml_dtypes and NumPy do it.

  make_format_references.py DIRECTORY    writes formats.ref.gz, a file of tests/data/outfeed (needs ml_dtypes and numpy)

For a format and a scale the kinds of results follow each other as the numbers grow: zero, subnormal, normal, those of
the largest exponent, saturated. A case has the bits of the first half of each kind, or 0x7c00 if there is none.
"""
import sys
from pathlib import Path

import ml_dtypes
import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from reference_file import ReferenceFile  # noqa: E402

FORMATS = {"half": numpy.float16, "bfloat16": ml_dtypes.bfloat16, "f143": ml_dtypes.float8_e4m3fnuz,
           "f152": ml_dtypes.float8_e5m2fnuz}
FINITE = 0x7c00


def first(condition):
    return int(numpy.argmax(condition)) if condition.any() else FINITE


def main(directory):
    file = ReferenceFile()
    halves = numpy.arange(FINITE, dtype=numpy.uint16).view(numpy.float16).astype(numpy.float32)
    for name, dtype in FORMATS.items():
        limits = ml_dtypes.finfo(dtype)
        largest = float(limits.max)
        top = 2.0 ** numpy.floor(numpy.log2(largest))
        for scale in range(-20, 21):
            with numpy.errstate(all="ignore"):
                result = (halves * numpy.float32(2.0 ** scale)).astype(dtype).astype(numpy.float32)
            beyond = ~numpy.isfinite(result)
            file.add(format=name, scale=scale,
                     non_zero=first((result != 0) | beyond),
                     normal=first((result >= float(limits.smallest_normal)) | beyond),
                     top=first((result >= top) | beyond),
                     saturated=first((result >= largest) | beyond))
    file.write(Path(directory) / "formats.ref.gz")


if __name__ == "__main__":
    main(*sys.argv[1:])
