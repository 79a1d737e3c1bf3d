"""Data for the peers that train, as NumPy arrays: the IDX files of a directory, or scikit-learn's digits."""
import gzip
import pathlib
import struct

import numpy


def read_idx(path):
    data = gzip.open(path).read()
    rank = data[3]
    dims = struct.unpack_from(f">{rank}I", data, 4)
    return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * rank).reshape(dims)


def training_set(directory):
    """Images in 0..1 with a channel at the end, and labels."""
    folder = pathlib.Path(directory)
    images = read_idx(folder / "train-images-idx3-ubyte.gz")
    labels = read_idx(folder / "train-labels-idx1-ubyte.gz")
    return (images[..., None] / numpy.float32(255)).astype("float32"), labels.astype("int64")


def digits(directory):
    """75 in 100 of the images, 64 pixels from 0 to 16 each, and labels."""
    rows = numpy.loadtxt(pathlib.Path(directory) / "digits.csv.gz", delimiter=",", dtype="float32")
    rows = rows[numpy.random.default_rng(0).permutation(len(rows))[:1347]]
    return rows[:, :-1], rows[:, -1].astype("int64")
