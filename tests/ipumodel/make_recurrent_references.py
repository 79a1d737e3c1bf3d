#!/usr/bin/env python3
"""Computes PyTorch's results of randomised LSTMs, GRUs and plain recurrent layers, and their gradients.

  make_recurrent_references.py DIRECTORY    writes lstm, gru, rnn and cells.ref.gz, files of tests/data/poplibs

Where PyTorch has the layer, it is PyTorch's; variants that only PopLibs has are loops that PyTorch differentiates.
"""
import random
import sys
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from reference_file import ReferenceFile  # noqa: E402


def tensor(*shape, scale=1.0):
    """Multiples of a power of two: exact in half, so that both sides start from the same numbers."""
    return (torch.randint(-32, 33, shape).float() / 16 * scale).requires_grad_()


def hard_sigmoid(x):
    """Its gradient is 0.2 everywhere, as in PopLibs."""
    line = 0.2 * x + 0.5
    return line + (line.clamp(0, 1) - line).detach()


ACTIVATIONS = {"SIGMOID": torch.sigmoid, "TANH": torch.tanh, "RELU": torch.relu, "HARD_SIGMOID": hard_sigmoid,
               "SOFTMAX": lambda x: torch.softmax(x, -1),
               "GELU": lambda x: torch.nn.functional.gelu(x, approximate="tanh"), "GELU_ERF": torch.nn.functional.gelu,
               "SWISH": torch.nn.functional.silu}


def sizes():
    return random.randint(1, 6), random.randint(1, 5), random.randint(1, 9), random.randint(1, 20)


def random_lengths(steps, batch, index):
    """Of all sequences, or None; zeros too."""
    return [random.randint(0, steps) for _ in range(batch)] if index % 3 == 2 else None


def by_steps(step, state, steps, lengths):
    """Outputs of all steps, zero beyond a sequence's length, and the states at their ends."""
    outputs = []
    for t in range(steps):
        after = step(t, state)
        if lengths is not None:
            runs = torch.tensor([t < length for length in lengths])[:, None]
            outputs.append(torch.where(runs, after[0], torch.zeros(())))
            state = [torch.where(runs, new, old) for new, old in zip(after, state)]
        else:
            outputs.append(after[0])
            state = after
    return torch.stack(outputs), state


def lstm_layer(x, w, u, b, h0, c0):
    """PyTorch's: input gate, forget gate, candidate, output gate."""
    order = [1, 0, 2, 3]
    parameters = [torch.cat([p[i].t() for i in order]) for p in (w, u)]
    parameters += [torch.cat([b[i] for i in order]), torch.zeros(4 * b.shape[1])]
    y, h, c = torch.lstm(x, (h0[None], c0[None]), parameters, True, 1, 0.0, True, False, False)
    return y, [h[0], c[0]]


def lstm_loop(x, w, u, b, h0, c0, activation, recurrent, lengths):
    act, rec = ACTIVATIONS[activation], ACTIVATIONS[recurrent]

    def step(t, state):
        h, c = state
        f, i, g, o = (x[t] @ w[k] + h @ u[k] + b[k] for k in range(4))
        c = rec(f) * c + rec(i) * act(g)
        return [rec(o) * act(c), c]

    return by_steps(step, [h0, c0], x.shape[0], lengths)


def lstms(path):
    file = ReferenceFile()
    variants = [("TANH", "SIGMOID")] * 4 + [("TANH", "HARD_SIGMOID"), ("RELU", "SIGMOID"), ("SIGMOID", "TANH"),
                                         ("TANH", "SOFTMAX"), ("SOFTMAX", "SIGMOID")]
    for index in range(28):
        steps, batch, size_in, size = sizes()
        lengths = random_lengths(steps, batch, index)
        activation, recurrent = variants[index % len(variants)]
        full = index % 4 != 3
        x, h0, c0 = tensor(steps, batch, size_in), tensor(batch, size), tensor(batch, size)
        w, u = tensor(4, size_in, size, scale=0.125), tensor(4, size, size, scale=0.125)
        b = tensor(4, size, scale=0.5)
        if (activation, recurrent) == ("TANH", "SIGMOID") and lengths is None:
            y, last = lstm_layer(x, w, u, b, h0, c0)
        else:
            y, last = lstm_loop(x, w, u, b, h0, c0, activation, recurrent, lengths)
        out = y if full else last[0]
        g = tensor(*out.shape).detach()
        gh, gc = (tensor(batch, size).detach() for _ in range(2))
        if lengths is None:  # else there is no gradient of the last state
            torch.autograd.backward([out, last[0], last[1]], [g, gh, gc])
        else:
            torch.autograd.backward([out], [g])
            if not full:  # PopLibs gives zero for those that end early
                ended = torch.tensor([length < max(lengths) for length in lengths])[:, None]
                out = torch.where(ended, torch.zeros(()), out)
        file.add(activation=activation, recurrent=recurrent, full=full, has_lengths=lengths is not None,
                 lengths=numpy.array(lengths or [steps], dtype=numpy.int32), g=g.numpy(), gh=gh.numpy(),
                 gc=gc.numpy(), y=out.detach().numpy(), c=last[1].detach().numpy(),
                 **{name: t.detach().numpy() for name, t in (("x", x), ("w", w), ("u", u), ("b", b), ("h0", h0),
                                                             ("c0", c0))},
                 **{"d" + name: (t.grad if t.grad is not None else torch.zeros_like(t)).numpy()
                    for name, t in (("x", x), ("w", w), ("u", u), ("b", b), ("h0", h0), ("c0", c0))})
    file.write(path / "lstm.ref.gz")


def gru_layer(x, w, u, b, h0):
    """PyTorch's resets after the product, with two biases."""
    parameters = [torch.cat([p[i].t() for i in range(3)]) for p in (w, u)]
    parameters += [torch.cat([b[i][k] for i in range(3)]) for k in range(2)]
    y, h = torch.gru(x, h0[None], parameters, True, 1, 0.0, True, False, False)
    return y, [h[0]]


def gru_loop(x, w, u, b, h0, reset_after, attention, activation, recurrent, lengths):
    act, rec = ACTIVATIONS[activation], ACTIVATIONS[recurrent]

    def step(t, state):
        h = state[0]
        own, theirs = (b[:, 0], b[:, 1]) if reset_after else (b, torch.zeros(3, b.shape[-1]))
        r, z = (rec(x[t] @ w[k] + h @ u[k] + own[k] + theirs[k]) for k in range(2))
        if reset_after:
            c = act(x[t] @ w[2] + own[2] + r * (h @ u[2] + theirs[2]))
        else:
            c = act(x[t] @ w[2] + own[2] + (r * h) @ u[2])
        if attention is not None:
            z = (1 - attention[:, t, None]) * z
        return [z * h + (1 - z) * c]

    return by_steps(step, [h0], x.shape[0], lengths)


def grus(path):
    file = ReferenceFile()
    variants = [("TANH", "SIGMOID")] * 4 + [("TANH", "HARD_SIGMOID"), ("RELU", "SIGMOID"), ("SIGMOID", "TANH"),
                                         ("TANH", "SOFTMAX"), ("SOFTMAX", "SIGMOID")]
    for index in range(30):
        steps, batch, size_in, size = sizes()
        lengths = random_lengths(steps, batch, index)
        activation, recurrent = variants[index % len(variants)]
        reset_after, full = index % 2 == 1, index % 5 != 4
        attends = index % 4 >= 2
        x, h0 = tensor(steps, batch, size_in), tensor(batch, size)
        w, u = tensor(3, size_in, size, scale=0.125), tensor(3, size, size, scale=0.125)
        b = tensor(*((3, 2, size) if reset_after else (3, size)), scale=0.5)
        a = (torch.randint(0, 17, (batch, steps)).float() / 16).requires_grad_()
        if (activation, recurrent) == ("TANH", "SIGMOID") and lengths is None and reset_after and not attends:
            y, last = gru_layer(x, w, u, b, h0)
        else:
            y, last = gru_loop(x, w, u, b, h0, reset_after, a if attends else None, activation, recurrent, lengths)
        out = y if full else last[0]
        g = tensor(*out.shape).detach()
        torch.autograd.backward([out], [g])
        file.add(activation=activation, recurrent=recurrent, full=full, has_lengths=lengths is not None,
                 reset_after=reset_after, attends=attends, lengths=numpy.array(lengths or [steps], dtype=numpy.int32),
                 g=g.numpy(), y=out.detach().numpy(),
                 **{name: t.detach().numpy() for name, t in (("x", x), ("w", w), ("u", u), ("b", b), ("h0", h0),
                                                             ("a", a))},
                 **{"d" + name: (t.grad if t.grad is not None else torch.zeros_like(t)).numpy()
                    for name, t in (("x", x), ("w", w), ("u", u), ("b", b), ("h0", h0), ("a", a))})
    file.write(path / "gru.ref.gz")


def untrained(path):
    """Cells without gradients."""
    file = ReferenceFile()
    variants = [("GELU", "SIGMOID"), ("SWISH", "HARD_SIGMOID"), ("GELU_ERF", "SOFTMAX"), ("TANH", "SWISH")]
    for index, (activation, recurrent) in enumerate(variants * 2):
        steps, batch, size_in, size = random.randint(1, 4), 2, 5, (7, 70)[index // 4]
        x, h0, c0 = tensor(steps, batch, size_in), tensor(batch, size), tensor(batch, size)
        w, u = tensor(4, size_in, size, scale=0.0625), tensor(4, size, size, scale=0.015625)
        b = tensor(4, size, scale=0.25)
        y, _ = lstm_loop(x, w, u, b, h0, c0, activation, recurrent, None)
        z, _ = gru_loop(x, w[:3], u[:3], b[:3], h0, False, None, activation, recurrent, None)
        file.add(activation=activation, recurrent=recurrent,
                 **{name: t.detach().numpy() for name, t in (("x", x), ("w", w), ("u", u), ("b", b), ("h0", h0),
                                                             ("c0", c0), ("lstm", y), ("gru", z))})
    file.write(path / "cells.ref.gz")


def rnns(path):
    """h = activation(x W + h U + b)."""
    file = ReferenceFile()
    for index in range(16):
        steps, batch, size_in, size = sizes()
        activation = ["TANH", "SIGMOID", "RELU", "TANH"][index % 4]
        x, h0 = tensor(steps, batch, size_in), tensor(batch, size)
        w, u, b = tensor(size_in, size, scale=0.125), tensor(size, size, scale=0.125), tensor(size, scale=0.5)
        if activation == "SIGMOID":
            y, _ = by_steps(lambda t, h, x=x, w=w, u=u, b=b: [torch.sigmoid(x[t] @ w + h[0] @ u + b)], [h0], steps,
                            None)
        else:
            layer = torch.rnn_tanh if activation == "TANH" else torch.rnn_relu
            y, _ = layer(x, h0[None], [w.t(), u.t(), b, torch.zeros(size)], True, 1, 0.0, True, False, False)
        g = tensor(*y.shape).detach()
        y.backward(g)
        file.add(activation=activation, g=g.numpy(), y=y.detach().numpy(),
                 **{name: t.detach().numpy() for name, t in (("x", x), ("w", w), ("u", u), ("b", b), ("h0", h0))},
                 **{"d" + name: t.grad.numpy() for name, t in (("x", x), ("w", w), ("u", u), ("b", b))})
    file.write(path / "rnn.ref.gz")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    for seed, family in enumerate((lstms, grus, rnns, untrained)):
        random.seed(30 + seed)
        torch.manual_seed(30 + seed)
        family(path)


if __name__ == "__main__":
    main()
