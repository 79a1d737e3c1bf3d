#!/usr/bin/env python3
"""Computes PyTorch's results of operators on half precision tensors.

  make_reference_half.py DIRECTORY    writes half.ref.gz, a file of tests/data/poplibs (needs torch and numpy)
"""
import random
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from make_references import ints, tensor  # noqa: E402
from reference_file import ReferenceFile  # noqa: E402


def half(*shape):
    return tensor(*shape).half()


def products(file):
    for _ in range(12):
        g, m, k, n = random.randint(1, 2), random.randint(1, 20), random.randint(1, 40), random.randint(1, 40)
        a, b = half(g, m, k), half(g, k, n)
        file.add(family="matmul", a=a.numpy(), b=b.numpy(), product=(a @ b).numpy())


def convolutions(file):
    for _ in range(14):
        groups, n, ci, co = random.choice([1, 1, 2]), random.randint(1, 2), random.randint(1, 5), random.randint(1, 12)
        kernel = [random.randint(1, 3), random.randint(1, 3)]
        stride = [random.choice([1, 1, 2]), random.choice([1, 1, 2])]
        padding = [random.choice([0, 1]), random.choice([0, 1])]
        field = [k + random.randint(0, 6) for k in kernel]
        x = half(n, groups * ci, *field).requires_grad_()
        w = half(groups * co, ci, *kernel).requires_grad_()
        y = F.conv2d(x, w, stride=stride, padding=padding, groups=groups)
        g = half(*y.shape)
        y.backward(g)
        file.add(family="convolution", groups=groups, stride=ints(*stride), padding=ints(*padding),
                 x=x.detach().numpy(), w=w.detach().numpy(), y=y.detach().numpy(), g=g.numpy(), dx=x.grad.numpy(),
                 dw=w.grad.numpy())


def pooling(file):
    for index in range(14):
        kind = ["max", "avg"][index % 2]
        n, c = random.randint(1, 2), random.randint(1, 12)
        kernel = [random.randint(1, 3), random.randint(1, 3)]
        stride = [random.randint(1, 3), random.randint(1, 3)]
        padding = [random.randint(0, k // 2) for k in kernel]
        field = [k + random.randint(0, 5) for k in kernel]
        # Different values in every window, since PyTorch and PopLibs treat ties differently.
        size = n * c * field[0] * field[1]
        x = torch.randperm(size).half().reshape(n, c, *field)
        x = (x / 16).requires_grad_()
        if kind == "max":
            y = F.max_pool2d(x, kernel, stride, padding)
        else:
            y = F.avg_pool2d(x, kernel, stride, padding, count_include_pad=False)
        g = half(*y.shape)
        y.backward(g)
        file.add(family="pooling", kind=kind, kernel=ints(*kernel), stride=ints(*stride), padding=ints(*padding),
                 x=x.detach().numpy(), y=y.detach().numpy(), g=g.numpy(), dx=x.grad.numpy())


def non_linearities(file):
    functions = {
        "sigmoid": torch.sigmoid, "relu": torch.relu, "tanh": torch.tanh,
        "gelu": lambda x: F.gelu(x, approximate="tanh"), "gelu_erf": F.gelu, "swish": F.silu,
        "softmax": lambda x: F.softmax(x, -1), "softmax_stable": lambda x: F.softmax(x, -1),
    }
    for name, function in functions.items():
        for _ in range(3):
            shape = [random.randint(1, 5) for _ in range(random.randint(0, 2))] + [random.randint(1, 40)]
            x = (half(*shape) * 2 + 1 / 32).requires_grad_()
            y = function(x)
            g = half(*shape)
            y.backward(g)
            file.add(family="non_linearity", name=name, x=x.detach().numpy(), y=y.detach().numpy(), g=g.numpy(),
                     dx=x.grad.numpy())
    for _ in range(3):
        x = half(random.randint(1, 5), random.randint(1, 40)) * 4
        file.add(family="log_softmax", x=x.numpy(), y=F.log_softmax(x, -1).numpy())


def reductions(file):
    operations = {
        "ADD": lambda x, d: x.sum(d), "MIN": lambda x, d: x.amin(d), "MAX": lambda x, d: x.amax(d),
        "LOG_ADD": lambda x, d: torch.logsumexp(x, d),
    }
    for index in range(20):
        name = list(operations)[index % len(operations)]
        rank = random.randint(1, 4)
        x = half(*[random.randint(1, 9) for _ in range(rank)])
        dims = sorted(random.sample(range(rank), random.randint(1, rank)))
        file.add(family="reduce", name=name, dims=ints(*dims), x=x.numpy(), y=operations[name](x, dims).numpy())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    random.seed(21)
    torch.manual_seed(21)
    file = ReferenceFile()
    for family in (products, convolutions, pooling, non_linearities, reductions):
        family(file)
    file.write(Path(sys.argv[1]) / "half.ref.gz")


if __name__ == "__main__":
    main()
