#!/usr/bin/env python3
"""One training step of a network in PyTorch: those of the presets, and two others.

    train_step.py cnn|mlp|gmp-cnn|digits|fashion|residual|wide-mlp

Tried for the fastest: default and channels-last layout, one and all threads, fused optimisers, each in eager mode
and as one compiled graph.
"""
import itertools
import sys
import warnings

from turns import fastest, keep_memory, take_turns, thread_counts

keep_memory()
warnings.filterwarnings("ignore")
import torch
from torch import nn


def sgd(rate):
    return [lambda p: torch.optim.SGD(p, lr=rate, fused=True), lambda p: torch.optim.SGD(p, lr=rate, foreach=True)]


def cnn():
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(64, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5), nn.Linear(32, 10))
    return model, (32, 1, 28, 28), [
        lambda p: torch.optim.RMSprop(p, lr=0.001, alpha=0.9, eps=1e-7, foreach=True),
        lambda p: torch.optim.RMSprop(p, lr=0.001, alpha=0.9, eps=1e-7, foreach=False)]


def mlp():
    model = nn.Sequential(
        nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    return model, (32, 1, 28, 28), sgd(0.01)


def gmp_cnn():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten(),
        nn.Linear(32, 10))
    return model, (128, 1, 28, 28), [
        lambda p: torch.optim.Adam(p, fused=True), lambda p: torch.optim.Adam(p, foreach=True)]


def digits():
    model = nn.Sequential(nn.Linear(64, 100), nn.SELU(), nn.Linear(100, 100), nn.SELU(), nn.Linear(100, 10))
    return model, (1347, 64), sgd(0.05)


def fashion():
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
    return model, (32, 1, 28, 28), [
        lambda p: torch.optim.Adam(p, fused=True), lambda p: torch.optim.Adam(p, foreach=True)]


class Block(nn.Module):
    """Halves the field: two convolutions, and a shortcut by one of 1x1."""

    def __init__(self, c_in, c_out):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(c_in, c_out, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(),
            nn.Conv2d(c_out, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out))
        self.shortcut = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride=2, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        return torch.relu(self.inner(x) + self.shortcut(x))


def residual():
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Block(16, 32), Block(32, 64),
        nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 10))
    return model, (64, 3, 32, 32), sgd(0.01)


def wide_mlp():
    model = nn.Sequential(
        nn.Flatten(), nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
    return model, (32, 1, 28, 28), sgd(0.01)


NETWORKS = {"cnn": cnn, "mlp": mlp, "gmp-cnn": gmp_cnn, "digits": digits, "fashion": fashion, "residual": residual,
            "wide-mlp": wide_mlp}
IMAGES = (cnn, gmp_cnn, residual)


def make(network, optimiser, layout, threads, compiled):
    def build():
        torch.manual_seed(1)
        model, shape, optimisers = network()
        model = model.to(memory_format=layout)
        images = torch.rand(shape).to(memory_format=layout)
        labels = torch.randint(0, 10, (shape[0],))
        update = optimisers[optimiser](model.parameters())
        loss_of = nn.CrossEntropyLoss()

        def loss():
            return loss_of(model(images), labels)

        forward = torch.compile(loss) if compiled else loss

        def step():
            torch.set_num_threads(threads)
            update.zero_grad(set_to_none=True)
            forward().backward()
            update.step()

        step()
        return step

    return build


def can_compile():
    """Compiling needs the headers of Python, which may be missing."""
    try:
        torch.compile(lambda x: x + 1)(torch.ones(1))
        return True
    except Exception:  # whatever the toolchain lacks
        return False


def main():
    network = NETWORKS[sys.argv[1]]
    layouts = {"default layout": torch.contiguous_format, "channels last": torch.channels_last}
    if network not in IMAGES:
        del layouts["channels last"]
    modes = {"eager": False, "compiled": True} if can_compile() else {"eager": False}
    settings = [
        (f"PyTorch {torch.__version__}, {layout}, {mode}, {threads} threads",
         make(network, optimiser, layouts[layout], threads, modes[mode]))
        for optimiser, layout, threads, mode in itertools.product((0, 1), layouts, thread_counts(), modes)]
    take_turns(*fastest(settings))


if __name__ == "__main__":
    main()
