#!/usr/bin/env python3
"""One operator in PyTorch, on a shape of the presets.

    operators.py NAME

Tried for the fastest: one and all threads and, where there is an image, default and channels-last layout. Results
are written in place or over the last ones where PyTorch has a way to, as we do.
"""
import sys

from turns import fastest, keep_memory, take_turns, thread_counts

keep_memory()
import torch
import torch.nn.functional as F

aten = torch.ops.aten
LAYOUTS = {"default layout": torch.contiguous_format, "channels last": torch.channels_last}


def convolution(n, field, c_in, c_out):
    def make(layout):
        x = torch.rand(n, c_in, field, field).to(memory_format=layout)
        w = torch.rand(c_out, c_in, 3, 3).to(memory_format=layout)
        b = torch.rand(c_out)
        return lambda: F.conv2d(x, w, b)

    return make


def convolution_gradient(n, field, c_in, c_out, which):
    def make(layout):
        x = torch.rand(n, c_in, field, field).to(memory_format=layout)
        w = torch.rand(c_out, c_in, 3, 3).to(memory_format=layout)
        dz = torch.rand(n, c_out, field - 2, field - 2).to(memory_format=layout)
        mask = [which == "input", which == "weights", False]
        return lambda: aten.convolution_backward(dz, x, w, [c_out], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, mask)

    return make


def pool(n, field, c, window):
    def make(layout):
        x = torch.rand(n, c, field, field).to(memory_format=layout)
        return lambda: F.max_pool2d(x, window)

    return make


def pool_gradient(n, field, c, window):
    def make(layout):
        x = torch.rand(n, c, field, field).to(memory_format=layout)
        y, indices = F.max_pool2d(x, window, return_indices=True)
        dy = torch.rand_like(y)
        sizes = [window, window]
        return lambda: aten.max_pool2d_with_indices_backward(dy, x, sizes, sizes, [0, 0], [1, 1], False, indices)

    return make


def pool_and_gradient(n, field, c, window):
    def make(layout):
        x = torch.rand(n, c, field, field).to(memory_format=layout)
        dy = torch.rand(n, c, field // window, field // window).to(memory_format=layout)
        sizes = [window, window]

        def call():
            _, indices = F.max_pool2d(x, window, return_indices=True)
            aten.max_pool2d_with_indices_backward(dy, x, sizes, sizes, [0, 0], [1, 1], False, indices)

        return call

    return make


def relu(*shape):
    def make(layout):
        x = torch.rand(shape).to(memory_format=layout)
        return lambda: torch.relu_(x)

    return make


def relu_gradient(*shape):
    def make(layout):
        y, dy = (torch.rand(shape).to(memory_format=layout) for _ in range(2))
        return lambda: aten.threshold_backward(dy, y, 0)

    return make


def bias_gradient(*shape):
    def make(layout):
        dz, out = torch.rand(shape).to(memory_format=layout), torch.empty(shape[1])
        return lambda: torch.sum(dz, (0, 2, 3), out=out)

    return make


def gather(rows, columns, n):
    def make(_layout):
        x, index, y = torch.rand(rows, columns), torch.randint(0, rows, (n,)), torch.empty(n, columns)
        return lambda: torch.index_select(x, 0, index, out=y)

    return make


def row_update(rows, columns, n):
    def make(_layout):
        x, index, updates = torch.rand(rows, columns), torch.randint(0, rows, (n,)), torch.rand(n, columns)
        return lambda: x.index_add_(0, index, updates, alpha=0.5)

    return make


def scatter(rows, columns, n):
    def make(_layout):
        x, index, updates = torch.rand(rows, columns), torch.randint(0, rows, (n,)), torch.rand(n, columns)
        return lambda: x.index_copy_(0, index, updates)

    return make


def sequence_slice():
    def make(_layout):
        x, y = torch.rand(1600, 256), torch.rand(2048, 256)

        def call():
            y.zero_()
            for i in range(16):
                y[i * 128:i * 128 + 100].copy_(x[i * 100:(i + 1) * 100])

        return call

    return make


def regroup(size, group):
    def make(_layout):
        x, blocks = torch.rand(size, size), size // group
        source = x.view(blocks, group, blocks, group).permute(0, 2, 3, 1)
        y = torch.empty(source.shape)
        return lambda: y.copy_(source)

    return make


def quarter_convolution(n, field, c_in, c_out):
    def make(layout):
        x = torch.rand(n, c_in, field, field).to(memory_format=layout).to(torch.float8_e4m3fnuz)
        w = torch.rand(c_out, c_in, 3, 3).to(memory_format=layout).to(torch.float8_e4m3fnuz)
        return lambda: F.conv2d(x.float(), w.float()).half()

    return make


def quarter_product(m, k, n):
    def make(_layout):
        a, b = (torch.rand(shape).to(torch.float8_e4m3fnuz) for shape in ((m, k), (k, n)))
        return lambda: torch.mm(a.float(), b.float()).half()

    return make


def product(m, k, n, transpose_a=False, transpose_b=False):
    def make(_layout):
        a = torch.rand(k, m).t() if transpose_a else torch.rand(m, k)
        b = torch.rand(n, k).t() if transpose_b else torch.rand(k, n)
        c = torch.empty(m, n)
        return lambda: torch.mm(a, b, out=c)

    return make


def softmax(*shape):
    def make(_layout):
        x, y = torch.rand(shape), torch.empty(shape)
        return lambda: torch.softmax(x, 1, out=y)

    return make


def cross_entropy(n, classes):
    """Loss and gradient of the logits."""

    def make(_layout):
        x, labels = torch.rand(n, classes), torch.full((n,), 3)
        scale = torch.ones(())

        def call():
            y = aten._log_softmax(x, 1, False)
            _, weight = aten.nll_loss_forward(y, labels, None, 1, -100)
            dy = aten.nll_loss_backward(scale, y, labels, None, 1, -100, weight)
            aten._log_softmax_backward_data(dy, y, 1, x.dtype)

        return call

    return make


def dropout(*shape):
    def make(_layout):
        x = torch.rand(shape)
        return lambda: torch.native_dropout(x, 0.5, True)

    return make


def selu(*shape):
    def make(_layout):
        x = 2 * torch.rand(shape) - 1
        return lambda: torch.selu_(x)

    return make


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def selu_gradient(*shape):
    def make(_layout):
        y, dy = 2 * torch.rand(shape) - 1, torch.rand(shape)
        return lambda: aten.elu_backward(dy, SELU_ALPHA, SELU_SCALE, 1.0, True, y)

    return make


def recurrent(layer, units, batch, size, training):
    """A layer over sequences of 32 steps; all gradients, if it is trained."""

    def make(_layout):
        def weights(*shape):
            return (torch.rand(shape) * 0.2 - 0.1).requires_grad_(training)

        x = (torch.rand(32, batch, size) * 2 - 1).requires_grad_(training)
        dy = torch.rand(32, batch, size) * 2 - 1
        state = torch.zeros(1, batch, size)
        states = (state, state) if layer is torch.lstm else state
        parameters = [weights(units * size, size), weights(units * size, size), weights(units * size),
                      weights(units * size)]

        def call():
            with torch.set_grad_enabled(training):
                y = layer(x, states, parameters, True, 1, 0.0, training, False, False)[0]
                if training:
                    torch.autograd.grad([y], [x, *parameters], [dy])

        return call

    return make


def layer_norm(rows, columns, training):
    def make(_layout):
        x, gamma, beta, dy = (torch.rand(shape) for shape in ((rows, columns), (columns,), (columns,), (rows, columns)))

        def call():
            _, mean, scale = aten.native_layer_norm(x, [columns], gamma, beta, 1e-5)
            if training:
                aten.native_layer_norm_backward(dy, x, [columns], mean, scale, gamma, beta, [True, True, True])

        return call

    return make


def instance_norm(n, c, field):
    def make(layout):
        x, gamma, beta = torch.rand(n, c, field, field).to(memory_format=layout), torch.rand(c), torch.rand(c)
        return lambda: F.instance_norm(x, weight=gamma, bias=beta)

    return make


def adam(*shape):
    def make(_layout):
        w, g, m, v = ([torch.rand(shape)] for _ in range(4))
        steps = [torch.ones(())]
        return lambda: torch._fused_adam_(w, g, m, v, [], steps, lr=0.001, beta1=0.9, beta2=0.999, weight_decay=0,
                                          eps=1e-7, amsgrad=False, maximize=False)

    return make


def rmsprop(*shape):
    def make(_layout):
        w, g, v = (torch.rand(shape) for _ in range(3))
        return lambda: w.addcdiv_(g, v.mul_(0.9).addcmul_(g, g, value=0.1).add(1e-7).sqrt_(), value=-0.001)

    return make


def sgd(*shape):
    def make(_layout):
        w, g = torch.rand(shape), torch.rand(shape)
        return lambda: w.add_(g, alpha=-0.01)

    return make


OPERATORS = {
    "conv-0": (convolution(32, 28, 1, 32), True),
    "conv-1": (convolution(32, 13, 32, 64), True),
    "conv-2": (convolution(32, 5, 64, 32), True),
    "conv-2-input-gradient": (convolution_gradient(32, 5, 64, 32, "input"), True),
    "conv-2-weight-gradient": (convolution_gradient(32, 5, 64, 32, "weights"), True),
    "gmp-conv-0": (convolution(128, 28, 1, 16), True),
    "gmp-conv-1": (convolution(128, 26, 16, 32), True),
    "gmp-conv-1-input-gradient": (convolution_gradient(128, 26, 16, 32, "input"), True),
    "gmp-conv-0-weight-gradient": (convolution_gradient(128, 28, 1, 16, "weights"), True),
    "gmp-conv-1-weight-gradient": (convolution_gradient(128, 26, 16, 32, "weights"), True),
    "conv-1-input-gradient": (convolution_gradient(32, 13, 32, 64, "input"), True),
    "conv-0-weight-gradient": (convolution_gradient(32, 28, 1, 32, "weights"), True),
    "conv-1-weight-gradient": (convolution_gradient(32, 13, 32, 64, "weights"), True),
    "relu": (relu(32, 32, 26, 26), True),
    "relu-gradient": (relu_gradient(32, 32, 26, 26), True),
    "max-pool": (pool(32, 26, 32, 2), True),
    "max-pool-gradient": (pool_gradient(32, 26, 32, 2), True),
    "global-max-pool": (pool(128, 24, 32, 24), True),
    "global-max-pool-gradient": (pool_gradient(128, 24, 32, 24), True),
    "global-max-pool-both": (pool_and_gradient(128, 24, 32, 24), True),
    "bias-gradient": (bias_gradient(32, 32, 26, 26), True),
    "gather": (gather(30000, 256, 4096), False),
    "grouped-gather": (gather(8 * 4096, 64, 8 * 1024), False),
    "row-update": (row_update(30000, 256, 4096), False),
    "scatter": (scatter(30000, 256, 4096), False),
    "sequence-slice": (sequence_slice(), False),
    "regroup": (regroup(1024, 16), False),
    "conv-quarter": (quarter_convolution(32, 13, 32, 64), True),
    "matmul-quarter": (quarter_product(32, 784, 256), False),
    "matmul": (product(32, 784, 256), False),
    "matmul-128": (product(32, 256, 128), False),
    "matmul-10": (product(32, 128, 10), False),
    "matmul-input-gradient": (product(32, 256, 784, transpose_b=True), False),
    "matmul-weight-gradient": (product(784, 32, 256, transpose_a=True), False),
    "softmax": (softmax(32, 10), False),
    "cross-entropy": (cross_entropy(32, 10), False),
    "dropout": (dropout(32, 32), False),
    "selu": (selu(32, 100), False),
    "selu-gradient": (selu_gradient(32, 100), False),
    "lstm": (recurrent(torch.lstm, 4, 32, 128, False), False),
    "lstm-training": (recurrent(torch.lstm, 4, 32, 128, True), False),
    "lstm-256": (recurrent(torch.lstm, 4, 64, 256, False), False),
    "lstm-256-training": (recurrent(torch.lstm, 4, 64, 256, True), False),
    "gru": (recurrent(torch.gru, 3, 32, 128, False), False),
    "gru-training": (recurrent(torch.gru, 3, 32, 128, True), False),
    "rnn": (recurrent(torch.rnn_tanh, 1, 32, 128, False), False),
    "layer-norm": (layer_norm(256, 512, False), False),
    "layer-norm-training": (layer_norm(256, 512, True), False),
    "instance-norm": (instance_norm(32, 64, 13), True),
    "adam-update": (adam(144, 32), False),
    "rmsprop-update": (rmsprop(288, 64), False),
    "sgd-update": (sgd(784, 256), False),
}


def main():
    operator, has_layout = OPERATORS[sys.argv[1]]
    layouts = LAYOUTS if has_layout else {"default layout": torch.contiguous_format}

    def make(layout, threads):
        def build():
            call = operator(layout)

            def job():
                torch.set_num_threads(threads)
                call()

            return job

        return build

    torch.set_grad_enabled(False)
    take_turns(*fastest([(f"PyTorch {torch.__version__}, {name}, {threads} threads", make(layout, threads))
                         for name, layout in layouts.items() for threads in thread_counts()]))


if __name__ == "__main__":
    main()
