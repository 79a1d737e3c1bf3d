#!/usr/bin/env python3
"""The training of a preset in PyTorch, as a whole program.

    train_torch.py cnn|mlp|gmp-cnn|fashion DATA STEPS [--channels-last]

Batches are drawn in a shuffled order, gradients accumulated over some of them, loss and accuracy counted.
"""
import argparse

from turns import keep_memory

keep_memory()
import torch
import train_step
from training_data import training_set

ACCUMULATION = {"cnn": 16, "mlp": 4, "gmp-cnn": 1, "fashion": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", choices=ACCUMULATION)
    parser.add_argument("data")
    parser.add_argument("steps", type=int)
    parser.add_argument("--channels-last", action="store_true")
    options = parser.parse_args()

    torch.manual_seed(1)
    images, labels = training_set(options.data)
    images = torch.from_numpy(images).permute(0, 3, 1, 2).contiguous()
    labels = torch.from_numpy(labels)
    layout = torch.channels_last if options.channels_last else torch.contiguous_format
    network, (size, *_), optimisers = train_step.NETWORKS[options.preset]()
    network = network.to(memory_format=layout)
    optimiser = optimisers[0](network.parameters())
    loss_of = torch.nn.CrossEntropyLoss()

    loss_sum, right = torch.zeros(()), torch.zeros((), dtype=torch.int64)
    batches_per_pass = len(labels) // size
    for step in range(options.steps):
        if step % batches_per_pass == 0:
            order = torch.randperm(len(labels))
        chosen = order[step % batches_per_pass * size:][:size]
        batch, wanted = images[chosen].to(memory_format=layout), labels[chosen]
        logits = network(batch)
        loss = loss_of(logits, wanted)
        loss.backward()
        loss_sum += loss.detach()
        right += (logits.argmax(1) == wanted).sum()
        if (step + 1) % ACCUMULATION[options.preset] == 0:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
    print(f"loss {loss_sum.item() / options.steps:.4f} accuracy {right.item() / (options.steps * size):.4f}")


if __name__ == "__main__":
    main()
