#!/usr/bin/env python3
"""Writes tests/data/host/split.ref.gz: orders of NumPy, and how scikit-learn splits sets into training and test images.

    tests/host/data/make_split_references.py

Needs scikit-learn.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True

import numpy
from reference_file import ReferenceFile
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def main():
    file = ReferenceFile()
    for size, seed in ((1797, 0), (4, 0), (10, 0), (64, 3), (65, 3), (1000, 42)):
        train, test = train_test_split(numpy.arange(size), random_state=seed)
        file.add(kind="order", size=size, seed=seed, train=train, test=test,
                 permutation=numpy.random.RandomState(seed).permutation(size))
    digits = load_digits()
    images_train, images_test, labels_train, labels_test = train_test_split(digits.data, digits.target, random_state=0)
    file.add(kind="digits", train_labels=labels_train, test_labels=labels_test, first_test=images_test[0].astype(int),
             last_train=images_train[-1].astype(int))
    file.write(ROOT / "tests" / "data" / "host" / "split.ref.gz")


if __name__ == "__main__":
    main()
