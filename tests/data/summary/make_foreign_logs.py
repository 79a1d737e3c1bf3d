#!/usr/bin/env python3
"""Writes the event files of other writers that the tests of summary/ read, and what TensorBoard reads in them.

    make_foreign_logs.py    (needs tensorflow, torch, tensorboard and tensorboardX)

Makes one file per writer and expected.txt beside this script. A line of expected.txt is
FILE <tab> STEP <tab> TAG <tab> KIND <tab> CONTENT, as TensorBoard's own reader sees the value; the first lines hold
the elements that went into the histograms and the PR curve.
"""
import pathlib
import shutil
import tempfile

import numpy
import tensorboard.data_compat
import tensorboard.util.tensor_util
import tensorflow
from tensorboard.backend.event_processing import event_file_loader
from tensorboard.plugins.pr_curve import summary as pr_curve

HERE = pathlib.Path(__file__).parent
PIXELS = numpy.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [9, 8, 7]]], dtype=numpy.uint8)
SOUND = numpy.array([[0.0], [0.5], [-0.5], [1.0]], dtype=numpy.float32)
WEIGHTS = numpy.linspace(-1, 2, 50).astype(numpy.float32) ** 3
PREDICTIONS = numpy.arange(201).astype(numpy.float32) / 200  # at the thresholds, where rounding counts
LABELS = numpy.arange(201) % 3 == 0


def tensorflow_2(directory):
    writer = tensorflow.summary.create_file_writer(directory)
    with writer.as_default():
        for step in (0, 1, 300):
            tensorflow.summary.scalar("loss", 1 / (step + 1), step=step, description="the *loss*")
        tensorflow.summary.histogram("weights", WEIGHTS, step=1)
        tensorflow.summary.image("picture", PIXELS[numpy.newaxis], step=2)
        tensorflow.summary.audio("sound", SOUND[numpy.newaxis], sample_rate=8000, step=3)
        tensorflow.summary.text("note", "some **text**", step=4)
        tensorflow.summary.text("table", [["a", "b"], ["c", "d"]], step=5)
        curve = pr_curve.pb("curve", LABELS, PREDICTIONS)
        tensorflow.summary.experimental.write_raw_pb(curve.SerializeToString(), step=6)
    writer.close()


def tensorflow_1(directory):
    with tensorflow.Graph().as_default(), tensorflow.compat.v1.Session() as session:
        merged = tensorflow.compat.v1.summary.merge([
            tensorflow.compat.v1.summary.scalar("loss", tensorflow.constant(0.25)),
            tensorflow.compat.v1.summary.histogram("weights", tensorflow.constant(WEIGHTS)),
            tensorflow.compat.v1.summary.image("picture", tensorflow.constant(PIXELS[numpy.newaxis])),
            tensorflow.compat.v1.summary.audio("sound", tensorflow.constant(SOUND[numpy.newaxis]), 8000),
        ])
        with tensorflow.compat.v1.summary.FileWriter(directory, session.graph) as writer:
            writer.add_summary(session.run(merged), global_step=7)


def add_all(writer):
    for step in (0, 1, 300):
        writer.add_scalar("loss", 1 / (step + 1), step)
    writer.add_histogram("weights", WEIGHTS, 1)
    writer.add_image("picture", PIXELS, 2, dataformats="HWC")
    writer.add_text("note", "some **text**", 4)
    writer.close()


def torch_writer(directory):
    from torch.utils.tensorboard import SummaryWriter

    add_all(SummaryWriter(directory))


def tensorboardx(directory):
    from tensorboardX import SummaryWriter

    add_all(SummaryWriter(directory))


def content(kind, tensor):
    array = tensorboard.util.tensor_util.make_ndarray(tensor)
    if kind == "scalars":
        return array.item().hex()
    if kind in ("histograms", "pr_curves"):
        return " ".join(number.hex() for number in array.astype(float).flatten().tolist())
    if kind == "images":
        return " ".join(blob.hex() for blob in array[2:])
    if kind == "audio":
        clips = array[:, 0] if array.ndim == 2 else array
        return " ".join(blob.hex() for blob in clips)
    return " ".join(text.hex() for text in array.flatten())


def expectations(name, path):
    """One line per value, read by TensorBoard with its conversion of older forms."""
    initial = {}
    for event in event_file_loader.EventFileLoader(str(path)).Load():
        for value in event.summary.value:
            if value.tag not in initial:
                initial[value.tag] = value.metadata.plugin_data.plugin_name
            kind = initial[value.tag]
            yield f"{name}\t{event.step}\t{value.tag}\t{kind}\t{content(kind, value.tensor)}"


def main():
    lines = [f"data\t0\t{name}\tdata\t" + " ".join(number.hex() for number in array.astype(float).tolist())
             for name, array in (("weights", WEIGHTS), ("labels", LABELS), ("predictions", PREDICTIONS))]
    for name, write in (("tensorflow_2", tensorflow_2), ("tensorflow_1", tensorflow_1), ("torch", torch_writer),
                        ("tensorboardx", tensorboardx)):
        with tempfile.TemporaryDirectory() as directory:
            write(directory)
            made = max(pathlib.Path(directory).glob("*tfevents*"))
            target = HERE / f"{name}.tfevents"
            shutil.copyfile(made, target)
            lines.extend(expectations(target.name, target))
    (HERE / "expected.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
