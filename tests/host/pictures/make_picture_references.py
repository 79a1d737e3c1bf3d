#!/usr/bin/env python3
"""Writes tests/data/host/pictures.ref.gz: what matplotlib and NumPy draw of the same numbers.

    tests/host/pictures/make_picture_references.py

Needs matplotlib.
"""
import gzip
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy
from reference_file import ReferenceFile


def read_digits():
    with gzip.open(ROOT / "data" / "digits" / "digits.csv.gz") as file:
        return numpy.loadtxt(file, delimiter=",", dtype=int)[:, :64].reshape(-1, 8, 8)


def drawn(pixels, side):
    """The grey pixels of an axes of this size."""
    figure = plt.figure(figsize=(side / 100, side / 100), dpi=100)
    axes = figure.add_axes([0, 0, 1, 1])
    axes.set_axis_off()
    axes.imshow(pixels, cmap="binary", interpolation="gaussian")
    figure.canvas.draw()
    colors = numpy.asarray(figure.canvas.buffer_rgba()).astype(int)
    plt.close(figure)
    assert (colors[:, :, 0] == colors[:, :, 1]).all() and colors.shape[:2] == (side, side)
    return colors[:, :, 0]


def tiled(kernel):
    """The filters as bytes, collapsed by a reshape and put into a square, row by row."""
    scaled = (kernel - kernel.min()) / (kernel.max() - kernel.min())
    height, width = kernel.shape[:2]
    filters = scaled.reshape(height, width, -1)
    side = int(numpy.ceil(numpy.sqrt(filters.shape[2])))
    grid = numpy.zeros((side * (height + 1), side * (width + 1)), dtype="float32")
    for i in range(filters.shape[2]):
        top, left = i // side * (height + 1), i % side * (width + 1)
        grid[top:top + height, left:left + width] = filters[:, :, i]
    return numpy.clip(grid[:-1, :-1] * numpy.float32(255.5), 0, 255).astype("uint8").astype(int)


def main():
    file = ReferenceFile()
    for name in ("Blues", "RdBu"):
        file.add(kind="map", name=name, colors=matplotlib.colormaps[name](range(256), bytes=True)[:, :3].astype(int))
    images = read_digits()
    for pixels, side in ((images[0], 48), (images[9], 48), (images[3], 50), (images[1] // 2 + 5, 48)):
        file.add(kind="image", pixels=pixels, side=side, grey=drawn(pixels, side))
    random = numpy.random.default_rng(1)
    for shape in ((3, 3, 1, 32), (3, 2, 4, 5)):
        kernel = random.normal(size=shape).astype("float32")
        file.add(kind="filters", kernel=kernel, grid=tiled(kernel))
    counts = random.integers(0, 20, (10, 10)) + numpy.diag(random.integers(50, 800, 10))
    shades = matplotlib.colormaps["Blues"](matplotlib.colors.Normalize()(counts), bytes=True)[:, :, :3].astype(int)
    file.add(kind="confusion", counts=counts, colors=shades)
    file.write(ROOT / "tests" / "data" / "host" / "pictures.ref.gz")


if __name__ == "__main__":
    main()
