#!/usr/bin/env python3
"""A training step of preset cnn in PyTorch, with every activation and gradient as a histogram in TensorBoard.

    watch_hooks.py hooks|none

Forward hooks see the activations, gradients are read after the backward pass, SummaryWriter writes; `none` is the
same step without all that.
"""
import sys
import tempfile

from turns import fastest, keep_memory, take_turns, thread_counts

keep_memory()
import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter


def make(watched, threads):
    def build():
        torch.manual_seed(1)
        model = nn.Sequential(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5), nn.Linear(32, 10))
        update = torch.optim.RMSprop(model.parameters(), lr=0.001, alpha=0.9, eps=1e-7)
        images, labels = torch.rand(32, 1, 28, 28), torch.randint(0, 10, (32,))
        loss_of = nn.CrossEntropyLoss()
        writer = SummaryWriter(tempfile.mkdtemp(prefix="popscope_hooks_")) if watched else None
        state = {"step": 0}

        def hook(name):
            return lambda _module, _inputs, output: writer.add_histogram(name, output.detach(), state["step"])

        if watched:
            for name, module in model.named_children():
                if isinstance(module, (nn.ReLU, nn.MaxPool2d, nn.Linear)):
                    module.register_forward_hook(hook(name))

        def step():
            torch.set_num_threads(threads)
            update.zero_grad(set_to_none=True)
            loss_of(model(images), labels).backward()
            if watched:
                for name, weight in model.named_parameters():
                    writer.add_histogram(name + "_grad", weight.grad, state["step"])
            update.step()
            state["step"] += 1

        step()
        return step

    return build


def main():
    watched = sys.argv[1] == "hooks"
    what = "hooks and SummaryWriter" if watched else "unwatched"
    take_turns(*fastest([(f"PyTorch {torch.__version__}, {what}, {threads} threads", make(watched, threads))
                         for threads in thread_counts()]))


if __name__ == "__main__":
    main()
