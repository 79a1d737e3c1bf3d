#!/usr/bin/env python3
"""The training of a preset in Keras, as a whole program.

    train_keras.py cnn|mlp DATA STEPS

KERAS_BACKEND chooses the backend, by default PyTorch's.
"""
import argparse
import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import numpy
from keras import layers
from training_data import training_set

BATCH = 32


def cnn(accumulation=16):
    model = keras.Sequential([
        keras.Input((28, 28, 1)),
        layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(), layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dropout(0.5), layers.Dense(10, activation="softmax")])
    return model, keras.optimizers.RMSprop(0.001, gradient_accumulation_steps=accumulation)


def mlp():
    model = keras.Sequential([
        keras.Input((28, 28, 1)), layers.Flatten(), layers.Dense(256, activation="relu"),
        layers.Dense(128, activation="relu"), layers.Dense(10, activation="softmax")])
    return model, keras.optimizers.SGD(0.01, gradient_accumulation_steps=4)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", choices=("cnn", "mlp"))
    parser.add_argument("data")
    parser.add_argument("steps", type=int)
    options = parser.parse_args()

    keras.utils.set_random_seed(1)
    images, labels = training_set(options.data)
    model, optimizer = {"cnn": cnn, "mlp": mlp}[options.preset]()
    model.compile(optimizer, loss="sparse_categorical_crossentropy", metrics=["accuracy"])

    def batches():
        while True:
            order = numpy.random.permutation(len(labels))
            for start in range(0, len(labels) - BATCH + 1, BATCH):
                chosen = order[start:start + BATCH]
                yield images[chosen], labels[chosen]

    result = model.fit(batches(), steps_per_epoch=options.steps, epochs=1, verbose=0)
    print(f"loss {result.history['loss'][0]:.4f} accuracy {result.history['accuracy'][0]:.4f}")


if __name__ == "__main__":
    main()
