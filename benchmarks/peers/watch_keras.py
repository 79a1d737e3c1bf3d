#!/usr/bin/env python3
"""A training step of preset cnn in Keras, with the histograms of its TensorBoard callback.

    watch_keras.py histograms|none

Keras writes histograms when an epoch ends, of the weights alone: here an epoch is one step, and histogram_freq is 1.
`none` is the same step without the callback. KERAS_BACKEND chooses the backend, by default PyTorch's.
"""
import os
import sys
import tempfile

from turns import fastest, keep_memory, take_turns, thread_counts

keep_memory()
os.environ.setdefault("KERAS_BACKEND", "torch")
# TensorFlow only writes the summaries; silence its log messages.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy
import torch
from train_keras import cnn


def make(watched, threads):
    def build():
        keras.utils.set_random_seed(1)
        model, optimizer = cnn(accumulation=None)
        model.compile(optimizer, loss="sparse_categorical_crossentropy")
        images = numpy.random.rand(32, 28, 28, 1).astype("float32")
        labels = numpy.random.randint(0, 10, 32)
        folder = tempfile.TemporaryDirectory(prefix="popscope_keras_")
        board = keras.callbacks.TensorBoard(folder.name, histogram_freq=1, write_graph=False)
        state = {"epoch": 0, "folder": folder}  # which lasts as long as the step
        if watched:
            board.set_model(model)
            board.on_train_begin()

        def step():
            torch.set_num_threads(threads)
            logs = model.train_on_batch(images, labels, return_dict=True)
            if watched:
                board.on_epoch_end(state["epoch"], logs)
            state["epoch"] += 1

        step()
        return step

    return build


def main():
    watched = sys.argv[1] == "histograms"
    if watched:
        try:
            import tensorflow  # noqa: F401  Keras imports it in the middle of the first step
        except ImportError:
            sys.exit("watch_keras.py: Keras' TensorBoard callback writes with TensorFlow, which is not installed in "
                     f"{sys.executable}; benchmarks/peers/requirements.txt has it")
    what = "TensorBoard(histogram_freq=1), weights alone" if watched else "unwatched"
    take_turns(*fastest([(f"Keras {keras.__version__}, {what}, {threads} threads", make(watched, threads))
                         for threads in thread_counts()]))


if __name__ == "__main__":
    main()
