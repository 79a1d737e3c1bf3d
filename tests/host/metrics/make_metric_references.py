#!/usr/bin/env python3
"""Writes tests/data/host/metrics.ref.gz: what Keras and scikit-learn say of some predictions.

    tests/host/metrics/make_metric_references.py

Needs Keras 3 with any backend, and scikit-learn.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True

import keras
import numpy
import sklearn.metrics
from reference_file import ReferenceFile

TOP_K = 3


def predictions(random, images, classes, skill):
    """Softmax of noise that leans towards the label."""
    labels = random.integers(0, classes, images)
    logits = random.normal(size=(images, classes)) + skill * numpy.eye(classes)[labels]
    values = numpy.exp(logits)
    return (values / values.sum(axis=1, keepdims=True)).astype("float32"), labels


def add_case(file, name, probabilities, labels):
    classes = probabilities.shape[1]
    one_hot = numpy.eye(classes, dtype="float32")[labels]

    def keras_value(metric):
        # In two parts, as training does it.
        middle = len(labels) // 2
        metric.update_state(one_hot[:middle], probabilities[:middle])
        metric.update_state(one_hot[middle:], probabilities[middle:])
        return float(metric.result())

    file.add(
        name=name, classes=classes, top_k=TOP_K, probabilities=probabilities, labels=labels.astype("int32"),
        values=numpy.array([
            keras_value(keras.metrics.CategoricalCrossentropy()), keras_value(keras.metrics.CategoricalAccuracy()),
            keras_value(keras.metrics.AUC()), keras_value(keras.metrics.TopKCategoricalAccuracy(k=TOP_K))],
            dtype="float32"),
        confusion=sklearn.metrics.confusion_matrix(
            labels, probabilities.argmax(axis=1), labels=range(classes)).astype("int32"),
        exact_auc=numpy.array([sklearn.metrics.roc_auc_score(one_hot.ravel(), probabilities.ravel())], dtype="float32"))


def main():
    random = numpy.random.default_rng(1)
    file = ReferenceFile()
    add_case(file, "a guess", *predictions(random, 500, 10, 0.0))
    add_case(file, "a fair model", *predictions(random, 500, 10, 2.0))
    add_case(file, "a good model", *predictions(random, 300, 4, 6.0))
    add_case(file, "all alike", numpy.full((40, 4), 0.25, dtype="float32"), random.integers(0, 4, 40))
    certain, labels = predictions(random, 200, 10, 3.0)
    add_case(file, "only zeros and ones", numpy.eye(10, dtype="float32")[certain.argmax(axis=1)], labels)
    # On the thresholds themselves, where a prediction must fall on the right side.
    steps = numpy.arange(200, dtype="float32") / numpy.float32(199)
    add_case(file, "on the thresholds", numpy.stack([steps, 1 - steps, 0 * steps], axis=1),
             random.integers(0, 3, 200))
    file.write(ROOT / "tests" / "data" / "host" / "metrics.ref.gz")


if __name__ == "__main__":
    main()
