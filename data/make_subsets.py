#!/usr/bin/env python3
"""Makes the data sets of this directory from the full ones.

    data/make_subsets.py SOURCE

SOURCE holds mnist/, fashion-mnist/ (the four IDX files each) and
digits/digits.csv.gz. The first images and labels are kept, in order. The
gzip headers carry no name and no time, so the same input gives the same bytes
with the same zlib.
"""

import argparse
import gzip
import io
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Enough MNIST for the cnn preset to learn more than 95 % of it; Fashion-MNIST compresses worse.
COUNTS = {"mnist": {"train": 10000, "t10k": 2000}, "fashion-mnist": {"train": 5000, "t10k": 1000}}
IMAGES_MAGIC = 0x803
LABELS_MAGIC = 0x801


def compress(data):
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(data)
    return buffer.getvalue()


def idx_head(data, magic, count, name):
    """The first `count` items of an IDX file of unsigned bytes, as IDX."""
    (found,) = struct.unpack_from(">I", data)
    if found != magic:
        sys.exit(f"{name}: magic number is {found:#x}, not {magic:#x}")
    dims = struct.unpack_from(f">{magic & 0xFF}I", data, 4)
    if dims[0] < count:
        sys.exit(f"{name}: holds {dims[0]} items, {count} wanted")
    item = 1
    for dim in dims[1:]:
        item *= dim
    start = 4 + 4 * len(dims)
    header = struct.pack(f">I{len(dims)}I", magic, count, *dims[1:])
    return header + data[start : start + count * item]


def make_idx(source, target, counts):
    target.mkdir(exist_ok=True)
    for split, count in counts.items():
        for kind, magic in (("images-idx3", IMAGES_MAGIC), ("labels-idx1", LABELS_MAGIC)):
            name = f"{split}-{kind}-ubyte.gz"
            data = gzip.decompress((source / name).read_bytes())
            (target / name).write_bytes(compress(idx_head(data, magic, count, source / name)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path, help="directory with the full data sets")
    options = parser.parse_args()

    for name, counts in COUNTS.items():
        make_idx(options.source / name, HERE / name, counts)

    (HERE / "digits").mkdir(exist_ok=True)
    digits = gzip.decompress((options.source / "digits" / "digits.csv.gz").read_bytes())
    (HERE / "digits" / "digits.csv.gz").write_bytes(compress(digits))


if __name__ == "__main__":
    main()
