#!/usr/bin/env python3
"""Computes PyTorch's results of randomised convolutions, products, pooling and so on.

  make_references.py DIRECTORY    writes *.ref.gz, the files of tests/data/poplibs (needs torch and numpy)
"""
import random
import sys
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from reference_file import ReferenceFile  # noqa: E402


def tensor(*shape):
    """Multiples of 1/16 in [-2, 2]: exact in half, so that both sides start from the same numbers."""
    return torch.randint(-32, 33, shape).float() / 16


def ints(*values):
    return numpy.array(values, dtype=numpy.int32)


def convolutions(path):
    file = ReferenceFile()
    for _ in range(70):
        dims = random.choice([1, 2, 2, 2, 3])
        groups = random.choice([1, 1, 1, 2, 3])
        n, ci, co = random.randint(1, 3), random.randint(1, 5), random.randint(1, 20)
        kernel = [random.randint(1, 3) for _ in range(dims)]
        stride = [random.choice([1, 1, 2, 3]) for _ in range(dims)]
        padding = [random.choice([0, 0, 1, 2]) for _ in range(dims)]
        dilation = [random.choice([1, 1, 2]) for _ in range(dims)]
        field = [max((k - 1) * d + 1 - 2 * p, 1) + random.randint(0, 6)
                 for k, d, p in zip(kernel, dilation, padding)]
        x = tensor(n, groups * ci, *field).requires_grad_()
        w = tensor(groups * co, ci, *kernel).requires_grad_()
        conv = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[dims]
        y = conv(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)
        g = tensor(*y.shape)
        y.backward(g)
        file.add(groups=groups, kernel=ints(*kernel), stride=ints(*stride), padding=ints(*padding),
                 dilation=ints(*dilation), x=x.detach().numpy(), w=w.detach().numpy(), y=y.detach().numpy(),
                 g=g.numpy(), dx=x.grad.numpy(), dw=w.grad.numpy())
    file.write(path / "convolution.ref.gz")


def products(path):
    file = ReferenceFile()
    for _ in range(40):
        g, m, k, n = random.randint(1, 2), random.randint(1, 40), random.randint(1, 40), random.randint(1, 70)
        a, b, c = tensor(g, m, k), tensor(g, k, n), tensor(g, m, n)
        file.add(a=a.numpy(), b=b.numpy(), c=c.numpy(), product=(a @ b).numpy(),
                 accumulated=(c + 0.5 * (a @ b)).numpy())
    file.write(path / "matmul.ref.gz")


def pooling(path):
    file = ReferenceFile()
    for index in range(45):
        kind = ["max", "avg", "sum"][index % 3]
        n, c = random.randint(1, 3), random.randint(1, 20)
        kernel = [random.randint(1, 3), random.randint(1, 3)]
        stride = [random.randint(1, 3), random.randint(1, 3)]
        padding = [random.randint(0, k // 2) for k in kernel]
        field = [k + random.randint(0, 6) for k in kernel]
        # Different values in every window, since PyTorch and PopLibs treat ties differently.
        size = n * c * field[0] * field[1]
        x = (torch.randperm(size).float().reshape(n, c, *field) / 16).requires_grad_()
        if kind == "max":
            y = F.max_pool2d(x, kernel, stride, padding)
        else:
            y = F.avg_pool2d(x, kernel, stride, padding, count_include_pad=False)
            if kind == "sum":
                y = F.avg_pool2d(x, kernel, stride, padding, divisor_override=1)
        g = tensor(*y.shape)
        y.backward(g)
        file.add(kind=kind, kernel=ints(*kernel), stride=ints(*stride), padding=ints(*padding),
                 x=x.detach().numpy(), y=y.detach().numpy(), g=g.numpy(), dx=x.grad.numpy())
    file.write(path / "pooling.ref.gz")


def non_linearities(path):
    functions = {
        "sigmoid": torch.sigmoid, "hard_sigmoid": lambda x: torch.clamp(0.2 * x + 0.5, 0, 1), "relu": torch.relu,
        "tanh": torch.tanh, "gelu": lambda x: F.gelu(x, approximate="tanh"), "gelu_erf": F.gelu, "swish": F.silu,
        "softmax": lambda x: F.softmax(x, -1), "softmax_stable": lambda x: F.softmax(x, -1),
    }
    file = ReferenceFile()
    for name, function in functions.items():
        for _ in range(4):
            shape = [random.randint(1, 5) for _ in range(random.randint(0, 2))] + [random.randint(1, 40)]
            x = (tensor(*shape) * 2 + 1 / 32).requires_grad_()
            y = function(x)
            g = tensor(*shape)
            y.backward(g)
            file.add(name=name, x=x.detach().numpy(), y=y.detach().numpy(), g=g.numpy(), dx=x.grad.numpy())
    for _ in range(4):
        x = tensor(random.randint(1, 5), random.randint(1, 40)) * 20
        file.add(name="log_softmax", x=x.numpy(), y=F.log_softmax(x, -1).numpy())
    file.write(path / "non_linearity.ref.gz")


def losses(path):
    file = ReferenceFile()
    for _ in range(12):
        n, k = random.randint(2, 9), random.randint(2, 30)
        logits = tensor(n, k).requires_grad_()
        labels = torch.randint(0, k, (n,))
        loss = F.cross_entropy(logits, labels, reduction="none")
        loss.sum().backward()
        p = F.softmax(logits, -1).detach()
        file.add(p=p.numpy(), labels=labels.numpy().astype(numpy.int32), loss=loss.detach().numpy(),
                 dlogits=logits.grad.numpy(), correct=int((p.argmax(-1) == labels).sum()))
    file.write(path / "loss.ref.gz")


def reductions(path):
    file = ReferenceFile()
    operations = {
        "ADD": lambda x, d: x.sum(d), "MIN": lambda x, d: x.amin(d), "MAX": lambda x, d: x.amax(d),
        "SQUARE_ADD": lambda x, d: (x * x).sum(d), "LOG_ADD": lambda x, d: torch.logsumexp(x, d),
    }
    for index in range(60):
        name = list(operations)[index % len(operations)]
        rank = random.randint(1, 4)
        x = tensor(*[random.randint(1, 9) for _ in range(rank)])
        dims = sorted(random.sample(range(rank), random.randint(1, rank)))
        order = random.sample(range(rank), rank)
        file.add(name=name, dims=ints(*dims), order=ints(*order), x=x.numpy(), y=operations[name](x, dims).numpy())
    big = tensor(37, 1000)
    for dims in ([0], [1], [0, 1]):
        file.add(name="ADD", dims=ints(*dims), order=ints(0, 1), x=big.numpy(),
                 y=big.double().sum(dims).float().numpy())
    file.write(path / "reduce.ref.gz")


def norms(path):
    file = ReferenceFile()
    for index in range(24):
        kind = ["batch", "group", "layer"][index % 3]
        size = random.randint(1, 4)
        groups = {"batch": 0, "group": random.randint(2, 4), "layer": 1}[kind]
        n, c = random.randint(2, 5), size * max(groups, 1)
        field = [random.randint(1, 5) for _ in range(random.randint(0, 3))]
        if kind != "batch" and size * numpy.prod(field) < 2:
            field = [7]
        x = (tensor(n, c, *field) + 1).requires_grad_()
        gamma, beta = tensor(c).requires_grad_(), tensor(c).requires_grad_()
        eps = 0.25
        if kind == "batch":
            y = F.batch_norm(x, None, None, gamma, beta, training=True, eps=eps)
        else:
            y = F.group_norm(x, groups, gamma, beta, eps)
        g = tensor(*y.shape)
        y.backward(g)
        file.add(groups=groups, x=x.detach().numpy(), gamma=gamma.detach().numpy(), beta=beta.detach().numpy(),
                 y=y.detach().numpy(), g=g.numpy(), dx=x.grad.numpy(), dgamma=gamma.grad.numpy(),
                 dbeta=beta.grad.numpy())
    file.write(path / "norm.ref.gz")


def sample_norms(path):
    """Normalisation of each sample alone, with one scale and offset per channel as in PopLibs."""
    file = ReferenceFile()
    for index in range(16):
        kind = ["layer", "instance"][index % 2]
        n, c = random.randint(1, 4), random.randint(2, 6)
        dims = random.randint(1 if kind == "instance" else 0, 3)
        field = [random.randint(2, 5) for _ in range(dims)]
        x = (tensor(n, c, *field) + 1).requires_grad_()
        gamma, beta = tensor(c).requires_grad_(), tensor(c).requires_grad_()
        eps = 0.25
        if kind == "layer":
            spread = [p.reshape(c, *[1] * dims).expand(c, *field) for p in (gamma, beta)]
            y = F.layer_norm(x, [c, *field], *spread, eps=eps)
        else:
            y = F.instance_norm(x, weight=gamma, bias=beta, eps=eps)
        g = tensor(*y.shape)
        y.backward(g)
        file.add(kind=kind, x=x.detach().numpy(), gamma=gamma.detach().numpy(), beta=beta.detach().numpy(),
                 y=y.detach().numpy(), g=g.numpy(), dx=x.grad.numpy(), dgamma=gamma.grad.numpy(),
                 dbeta=beta.grad.numpy())
    file.write(path / "sample_norm.ref.gz")


def slices(path):
    """Rows written, added and gathered by index, alone and in groups; sequences of rows."""
    random.seed(21)
    torch.manual_seed(21)
    file = ReferenceFile()
    for _ in range(8):
        rows, columns, n = random.randint(3, 40), random.randint(1, 30), random.randint(1, 60)
        x, index, updates = tensor(rows, columns), torch.randint(0, rows, (n,)), tensor(n, columns)
        unique = torch.randperm(rows)[:min(n, rows)]
        file.add(kind="rows", x=x.numpy(), index=index.numpy(), updates=updates.numpy(), unique=unique.numpy(),
                 written=x.index_put((unique,), updates[:len(unique)]).numpy(),
                 added=x.index_put((index,), updates, accumulate=True).numpy())
    for _ in range(4):
        rows, columns, n = random.randint(2, 9), random.randint(2, 9), random.randint(1, 40)
        x, updates = tensor(rows, columns), tensor(n)
        index = torch.stack([torch.randint(0, rows, (n,)), torch.randint(0, columns, (n,))])
        file.add(kind="points", x=x.numpy(), index=index.numpy(), updates=updates.numpy(),
                 added=x.index_put(tuple(index), updates, accumulate=True).numpy())
    for _ in range(6):
        groups, rows, columns = random.randint(1, 5), random.randint(2, 20), random.randint(1, 24)
        n = random.randint(1, 30)
        x, index = tensor(groups, rows, columns), torch.randint(0, rows, (groups, n))
        spread, updates = index[:, :, None].expand(groups, n, columns), tensor(groups, n, columns)
        file.add(kind="groups", x=x.numpy(), index=index.numpy(), updates=updates.numpy(),
                 gathered=x.gather(1, spread).numpy(), added=x.scatter_add(1, spread, 0.5 * updates).numpy(),
                 largest=x.scatter_reduce(1, spread, updates, "amax").numpy(),
                 multiplied=x.scatter_reduce(1, spread, updates, "prod").numpy())
    for zero in (False, True):
        x, out = tensor(40, 3, 4), tensor(30, 4, 3)
        lengths, start, end = [3, 0, 7, 1], [36, 2, 5, 0], [0, 9, 11, 29]
        y = torch.zeros_like(out) if zero else out.clone()
        for count, a, b in zip(lengths, start, end):
            y[b:b + count] = x[a:a + count].reshape(count, 4, 3)
        file.add(kind="sequences", zero=zero, x=x.numpy(), out=out.numpy(), lengths=ints(*lengths),
                 start=ints(*start), end=ints(*end), y=y.numpy())
    file.write(path / "slices.ref.gz")


def quarters(path):
    """8-bit floats: torch's "fnuz" formats are F143 and F152 with a scale of 2^0."""
    random.seed(22)
    torch.manual_seed(22)
    formats = {"F143": torch.float8_e4m3fnuz, "F152": torch.float8_e5m2fnuz}
    file = ReferenceFile()
    for name, kind in formats.items():
        for scale in (0, -7, 12):
            bits = torch.tensor([i for i in range(256) if i != 128], dtype=torch.uint8)
            values = torch.randn(400) * torch.exp2(torch.randint(-12, 7, (400,)).float() + scale)
            file.add(kind="cast", format=name, scale=scale, bits=bits.int().numpy(),
                     exact=(bits.view(kind).float() * 2.0**scale).numpy(), values=values.numpy(),
                     rounded=(values * 2.0**-scale).to(kind).view(torch.uint8).int().numpy())

    def quarter(name, scale, *shape):
        return (torch.randn(shape).to(formats[name]).double() * 2.0**scale)

    for _ in range(12):
        fx, fw = random.choice(list(formats)), random.choice(list(formats))
        sx, sw = random.randint(-6, 3), random.randint(-3, 3)
        m, k, n, groups = random.randint(1, 9), random.randint(1, 40), random.randint(1, 20), random.randint(1, 3)
        a, b = quarter(fx, sx, groups, m, k), quarter(fw, sw, groups, k, n)
        x, w = quarter(fx, sx, 2, 3, 6, 5), quarter(fw, sw, 4, 3, 3, 2)
        file.add(kind="product", xformat=fx, wformat=fw, xscale=sx, wscale=sw, a=a.float().numpy(), b=b.float().numpy(),
                 product=(a @ b).float().numpy(), x=x.float().numpy(), w=w.float().numpy(),
                 y=F.conv2d(x, w, stride=2, padding=1).float().numpy())
    file.write(path / "quarter.ref.gz")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    random.seed(20)
    torch.manual_seed(20)
    path = Path(sys.argv[1])
    for family in (convolutions, products, pooling, non_linearities, losses, reductions, norms, sample_norms,
                   slices, quarters):
        family(path)


if __name__ == "__main__":
    main()
