#!/usr/bin/env python3
"""Trains the named models with PyTorch and with Keras, from weights and images that the tests compute as well.

  make_references.py DIRECTORY    writes training.ref.gz, the file of tests/data/graph (needs torch, keras and numpy)

Dropout is left out: its masks are those of the device.
"""
import os
import sys
from pathlib import Path

import numpy

os.environ["KERAS_BACKEND"] = "torch"
import keras  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from reference_file import ReferenceFile  # noqa: E402

STEPS = 20
BATCH = 4
SEED = 1
SAMPLES = 24
IMAGE = (28, 28, 1)

# Layers: ("conv", name, filters, activation), ("pool",), ("global_pool",), ("flatten",),
# ("dense", name, units, activation). The last layer's softmax is part of the loss.
MODELS = {
    "mlp": (IMAGE, [("flatten",), ("dense", "Dense_256", 256, "relu"), ("dense", "Dense_128", 128, "relu"),
                    ("dense", "Dense_10", 10, None)], ("sgd", 0.01)),
    "cnn": (IMAGE, [("conv", "conv_0", 32, "relu"), ("pool",), ("conv", "conv_1", 64, "relu"), ("pool",),
                    ("conv", "conv_2", 32, "relu"), ("pool",), ("flatten",), ("dense", "dense", 10, None)],
            ("rmsprop", 0.001)),
    "gmp-cnn": (IMAGE, [("conv", "conv_0", 16, "relu"), ("conv", "conv_1", 32, "relu"), ("global_pool",),
                        ("dense", "dense", 10, None)], ("adam", 0.001)),
    "fashion": (IMAGE, [("flatten",), ("dense", "dense_0", 32, "relu"), ("dense", "dense_1", 10, None)],
                ("adam", 0.001)),
    "digits": ((64,), [("dense", "dense_0", 100, "selu"), ("dense", "dense_1", 100, "selu"),
                       ("dense", "dense_2", 10, None)], ("sgd", 0.05)),
}


def mix(z):
    """The output function of SplitMix64."""
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return z ^ (z >> numpy.uint64(31))


def split_mix(seed, count):
    """Its first numbers from a seed."""
    index = numpy.arange(1, count + 1, dtype=numpy.uint64)
    return mix(numpy.uint64(seed) + index * numpy.uint64(0x9E3779B97F4A7C15))


def fraction(bits):
    return (bits >> numpy.uint64(40)).astype(numpy.float64) * 2.0 ** -24


def batches(input_shape):
    """As tests/graph/test_trainer.hpp makes them."""
    images = fraction(split_mix(0, STEPS * BATCH * int(numpy.prod(input_shape))))
    images = images.astype(numpy.float32).reshape(STEPS, BATCH, *input_shape)
    index = numpy.arange(STEPS * BATCH, dtype=numpy.uint64) + numpy.uint64((1 << 40) + 1)
    labels = mix(index * numpy.uint64(0x9E3779B97F4A7C15)) % numpy.uint64(10)
    return images, labels.astype(numpy.int64).reshape(STEPS, BATCH)


def initial_value(name, shape):
    """As graph/layers/initializers.cpp makes it."""
    if len(shape) == 1:
        return numpy.zeros(shape, numpy.float32)
    name_hash = 0xCBF29CE484222325
    for character in name.encode():
        name_hash = (name_hash ^ character) * 0x100000001B3 % 2 ** 64
    stream = int(split_mix(SEED ^ name_hash, 1)[0])
    limit = numpy.sqrt(6.0 / (numpy.prod(shape[:-2], dtype=float) * (shape[-2] + shape[-1])))
    values = (2.0 * fraction(split_mix(stream, int(numpy.prod(shape)))) - 1.0) * limit
    return values.astype(numpy.float32).reshape(shape)


def initial_weights(input_shape, layers):
    """Name to value in Keras' order, [height, width, in, out] and [in, out]."""
    weights = {}
    shape = input_shape
    for kind, *rest in layers:
        if kind in ("conv", "dense"):
            name, size, _ = rest
            kernel = (3, 3, shape[-1], size) if kind == "conv" else (shape[0], size)
            for part, part_shape in (("kernel:0", kernel), ("bias:0", (size,))):
                weights[f"{name}/{part}"] = initial_value(f"{name}/{part}", part_shape)
            shape = (shape[0] - 2, shape[1] - 2, size) if kind == "conv" else (size,)
        elif kind == "pool":
            shape = (shape[0] // 2, shape[1] // 2, shape[2])
        elif kind == "global_pool":
            shape = (shape[2],)
        elif kind == "flatten":
            shape = (int(numpy.prod(shape)),)
    return weights


class TorchTrainer:
    """The network written out, with Keras' formulas for the optimisers: PyTorch's add epsilon elsewhere."""

    def __init__(self, input_shape, layers, optimizer):
        self.layers = layers
        self.kind, self.rate = optimizer
        self.weights = {name: torch.tensor(value, requires_grad=True)
                        for name, value in initial_weights(input_shape, layers).items()}
        self.first = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.second = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.updates = 0

    def logits(self, x):
        if x.ndim == 4:
            x = x.permute(0, 3, 1, 2)
        for kind, *rest in self.layers:
            if kind == "conv":
                x = F.conv2d(x, self.weights[f"{rest[0]}/kernel:0"].permute(3, 2, 0, 1),
                             self.weights[f"{rest[0]}/bias:0"])
            elif kind == "dense":
                x = x @ self.weights[f"{rest[0]}/kernel:0"] + self.weights[f"{rest[0]}/bias:0"]
            elif kind == "pool":
                x = F.max_pool2d(x, 2)
            elif kind == "global_pool":
                x = x.amax((2, 3))
            elif kind == "flatten":
                x = x.permute(0, 2, 3, 1).flatten(1)
            if kind in ("conv", "dense") and rest[2]:
                x = getattr(F, rest[2])(x)
        return x

    def step(self, images, labels):
        loss = F.cross_entropy(self.logits(torch.tensor(images)), torch.tensor(labels))
        names = list(self.weights)
        gradients = dict(zip(names, torch.autograd.grad(loss, [self.weights[n] for n in names])))
        self.updates += 1
        with torch.no_grad():
            for name, gradient in gradients.items():
                self.weights[name] -= self.change(name, gradient)
        return loss.item(), {name: g.numpy() for name, g in gradients.items()}

    def change(self, name, g):
        if self.kind == "sgd":
            return self.rate * g
        if self.kind == "rmsprop":
            v = self.second[name] = 0.9 * self.second[name] + 0.1 * g ** 2
            return self.rate * g / torch.sqrt(v + 1e-7)
        m = self.first[name] = 0.9 * self.first[name] + 0.1 * g
        v = self.second[name] = 0.999 * self.second[name] + 0.001 * g ** 2
        rate = self.rate * numpy.sqrt(1 - 0.999 ** self.updates) / (1 - 0.9 ** self.updates)
        return rate * m / (torch.sqrt(v) + 1e-7)

    def values(self):
        return {name: w.detach().numpy() for name, w in self.weights.items()}


class KerasTrainer:
    def __init__(self, input_shape, layers, optimizer):
        self.names = list(initial_weights(input_shape, layers))
        built = [keras.Input(input_shape)]
        for kind, *rest in layers:
            if kind == "conv":
                built.append(keras.layers.Conv2D(rest[1], 3, activation=rest[2]))
            elif kind == "dense":
                built.append(keras.layers.Dense(rest[1], activation=rest[2] or "softmax"))
            elif kind == "pool":
                built.append(keras.layers.MaxPooling2D(2))
            elif kind == "global_pool":
                built.append(keras.layers.GlobalMaxPooling2D())
            elif kind == "flatten":
                built.append(keras.layers.Flatten())
        self.model = keras.Sequential(built)
        self.model.set_weights(list(initial_weights(input_shape, layers).values()))
        kinds = {"sgd": keras.optimizers.SGD, "rmsprop": keras.optimizers.RMSprop, "adam": keras.optimizers.Adam}
        self.optimizer = kinds[optimizer[0]](learning_rate=optimizer[1])
        self.loss = keras.losses.SparseCategoricalCrossentropy()

    def step(self, images, labels):
        self.model.zero_grad()
        loss = self.loss(torch.tensor(labels), self.model(torch.tensor(images), training=True))
        loss.backward()
        variables = self.model.trainable_weights
        gradients = [v.value.grad.clone() for v in variables]
        with torch.no_grad():
            self.optimizer.apply(gradients, variables)
        return loss.item(), dict(zip(self.names, (g.numpy() for g in gradients)))

    def values(self):
        return dict(zip(self.names, self.model.get_weights()))


def summary(array):
    """The norm, and elements spread evenly over the array."""
    flat = array.flatten()
    samples = flat[numpy.arange(SAMPLES) * flat.size // SAMPLES]
    return numpy.concatenate([[numpy.linalg.norm(flat.astype(numpy.float64))], samples]).astype(numpy.float32)


def main(directory):
    file = ReferenceFile()
    for name, (input_shape, layers, optimizer) in MODELS.items():
        images, labels = batches(input_shape)
        for library, trainer_type in (("PyTorch", TorchTrainer), ("Keras", KerasTrainer)):
            trainer = trainer_type(input_shape, layers, optimizer)
            losses = []
            entries = {}
            for step in range(STEPS):
                loss, gradients = trainer.step(images[step], labels[step])
                losses.append(loss)
                if step in (0, STEPS - 1):
                    for variable, gradient in gradients.items():
                        entries[f"gradient {step} {variable}"] = summary(gradient)
            for variable, value in trainer.values().items():
                entries[f"weight {variable}"] = summary(value)
            file.add(model=name, library=library, batch=BATCH, losses=numpy.array(losses, numpy.float32), **entries)
            print(name, library, losses[0], losses[-1])
    file.write(directory / "training.ref.gz")


main(Path(sys.argv[1]))
