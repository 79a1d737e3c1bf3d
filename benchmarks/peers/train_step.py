#!/usr/bin/env python3
"""One training step of a preset's network in PyTorch.

    train_step.py cnn|mlp|gmp-cnn

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
    return model, (32, 1, 28, 28), [
        lambda p: torch.optim.SGD(p, lr=0.01, fused=True), lambda p: torch.optim.SGD(p, lr=0.01, foreach=True)]


def gmp_cnn():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten(),
        nn.Linear(32, 10))
    return model, (128, 1, 28, 28), [
        lambda p: torch.optim.Adam(p, fused=True), lambda p: torch.optim.Adam(p, foreach=True)]


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
    network = {"cnn": cnn, "mlp": mlp, "gmp-cnn": gmp_cnn}[sys.argv[1]]
    layouts = {"default layout": torch.contiguous_format, "channels last": torch.channels_last}
    if network is mlp:
        del layouts["channels last"]
    modes = {"eager": False, "compiled": True} if can_compile() else {"eager": False}
    settings = [
        (f"PyTorch {torch.__version__}, {layout}, {mode}, {threads} threads",
         make(network, optimiser, layouts[layout], threads, modes[mode]))
        for optimiser, layout, threads, mode in itertools.product((0, 1), layouts, thread_counts(), modes)]
    take_turns(*fastest(settings))


if __name__ == "__main__":
    main()
