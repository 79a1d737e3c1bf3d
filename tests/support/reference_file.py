"""Writes reference files: cases of named numbers, texts and arrays, read by tests/support/reference_file.hpp.

Layout, little-endian: "REF1", number of cases; per case its number of entries; per entry the name (length, bytes), a
type letter (i: int64, s: text, f: float32 array, h: half array, n: int32 array) and the value; arrays have a rank and
that many sizes before their elements. All lengths and counts are uint32.
"""
import gzip
import struct

import numpy


class ReferenceFile:
    def __init__(self):
        self.cases = []

    def add(self, **entries):
        self.cases.append(entries)

    def write(self, path):
        out = bytearray(b"REF1" + struct.pack("<I", len(self.cases)))
        for case in self.cases:
            out += struct.pack("<I", len(case))
            for name, value in case.items():
                out += struct.pack("<I", len(name)) + name.encode()
                out += self.encode(value)
        with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as file:
            file.write(out)

    @staticmethod
    def encode(value):
        if isinstance(value, (bool, int)):
            return b"i" + struct.pack("<q", int(value))
        if isinstance(value, str):
            return b"s" + struct.pack("<I", len(value)) + value.encode()
        array = numpy.asarray(value)
        letter = {"f": b"f", "i": b"n", "u": b"n"}[array.dtype.kind]
        if array.dtype == numpy.float16:
            letter = b"h"
        array = array.astype({b"f": "<f4", b"h": "<f2", b"n": "<i4"}[letter])
        return letter + struct.pack("<I", array.ndim) + struct.pack(f"<{array.ndim}I", *array.shape) + array.tobytes()
