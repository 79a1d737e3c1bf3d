#!/usr/bin/env python3
"""One training step of a preset's network in JAX, with the optimisers of Optax.

    train_step_jax.py cnn|mlp|gmp-cnn|digits|fashion

Tried for the fastest: one and all threads, a call per step and 64 steps by one `lax.scan`, and, where there is an image,
channels first and last. State is donated to the call that replaces it.
"""
import argparse
import itertools
import os
import subprocess
import sys

from turns import fastest, take_turns, thread_counts

STEPS = 64


def limit_threads(threads):
    """XLA makes a thread for each processor it may use; call before JAX is imported."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def networks():
    import jax
    import jax.numpy as jnp
    import optax

    def dense(key, n_in, n_out):
        return {"w": jax.random.uniform(key, (n_in, n_out), minval=-1, maxval=1) * (3 / n_in)**0.5,
                "b": jnp.zeros(n_out)}

    def conv(key, c_in, c_out):
        return {"w": jax.random.uniform(key, (3, 3, c_in, c_out), minval=-1, maxval=1) * (6 / (9 * c_in))**0.5,
                "b": jnp.zeros(c_out)}

    def apply_dense(p, x):
        return x @ p["w"] + p["b"]

    def convolve(p, x, layout):
        channel = layout.index("C")
        y = jax.lax.conv_general_dilated(x, p["w"], (1, 1), "VALID", dimension_numbers=(layout, "HWIO", layout))
        return jax.nn.relu(y + p["b"].reshape([-1 if i == channel else 1 for i in range(4)]))

    def pool(x, layout):
        window = [2 if axis in "HW" else 1 for axis in layout]
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")

    def cnn_model(p, x, layout, key):
        for i in range(3):
            x = pool(convolve(p[i], x, layout), layout)
        x = x.reshape(x.shape[0], -1)
        return apply_dense(p[3], jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x * 2, 0))

    def gmp_model(p, x, layout, key):
        x = convolve(p[1], convolve(p[0], x, layout), layout)
        return apply_dense(p[2], x.max([layout.index(axis) for axis in "HW"]))

    def perceptron(activation):
        def model(p, x, layout, key):
            x = x.reshape(x.shape[0], -1)
            for layer in p[:-1]:
                x = activation(apply_dense(layer, x))
            return apply_dense(p[-1], x)

        return model

    def layers(make, sizes):
        return [make(jax.random.key(i), *size) for i, size in enumerate(sizes)]

    image = ["NHWC", "NCHW"]
    return {
        "cnn": (lambda: layers(conv, ((1, 32), (32, 64), (64, 32))) + layers(dense, ((32, 10),)), cnn_model, (32, 28), image,
                optax.rmsprop(0.001, decay=0.9, eps=1e-7)),
        "gmp-cnn": (lambda: layers(conv, ((1, 16), (16, 32))) + layers(dense, ((32, 10),)), gmp_model, (128, 28), image,
                    optax.adam(0.001)),
        "mlp": (lambda: layers(dense, ((784, 256), (256, 128), (128, 10))), perceptron(jax.nn.relu), (32, 28), ["NHWC"],
                optax.sgd(0.01)),
        "fashion": (lambda: layers(dense, ((784, 32), (32, 10))), perceptron(jax.nn.relu), (32, 28), ["NHWC"],
                    optax.adam(0.001)),
        "digits": (lambda: layers(dense, ((64, 100), (100, 100), (100, 10))), perceptron(jax.nn.selu), (1347, 8), ["NHWC"],
                   optax.sgd(0.05)),
    }


def make(network, layout, scanned):
    import jax
    import jax.numpy as jnp
    import optax

    weights, model, (batch, field), _, optimiser = network

    def build():
        sizes = {"N": batch, "H": field, "W": field, "C": 1}
        images = jax.random.uniform(jax.random.key(1), [sizes[axis] for axis in layout])
        labels = jax.random.randint(jax.random.key(2), (batch,), 0, 10)

        def loss(p, key):
            return optax.softmax_cross_entropy_with_integer_labels(model(p, images, layout, key), labels).mean()

        def update(state, _):
            p, memory, key = state
            key, used = jax.random.split(key)
            value, gradient = jax.value_and_grad(loss)(p, used)
            change, memory = optimiser.update(gradient, memory, p)
            return (optax.apply_updates(p, change), memory, key), value

        if scanned:
            call = jax.jit(lambda state: jax.lax.scan(update, state, None, length=STEPS), donate_argnums=0)
        else:
            call = jax.jit(lambda state: update(state, None), donate_argnums=0)
        p = weights()
        state = (p, optimiser.init(p), jax.random.key(3))

        def job():
            nonlocal state
            state, value = call(state)
            value.block_until_ready()

        job.steps = build.steps
        return job

    build.steps = STEPS if scanned else 1
    return build


def settings(name, threads):
    import jax

    network = networks()[name]
    modes = {"a call per step": False, f"scan of {STEPS} steps": True}
    return [(f"JAX {jax.__version__}, {layout}, {mode}, {threads} threads", make(network, layout, modes[mode]))
            for mode, layout in itertools.product(modes, network[3])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--time", action="store_true", help="print the seconds of the fastest step, and end")
    options = parser.parse_args()
    if not options.threads:
        # The number of threads cannot be changed later, so each is tried in a process.
        def seconds(threads):
            command = [sys.executable, __file__, options.network, "--threads", str(threads), "--time"]
            return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

        options.threads = min(thread_counts(), key=seconds)
    limit_threads(options.threads)
    if options.time:
        print(fastest(settings(options.network, options.threads))[2])
    else:
        take_turns(*fastest(settings(options.network, options.threads))[:2])


if __name__ == "__main__":
    main()
