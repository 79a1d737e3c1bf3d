#!/usr/bin/env python3
"""The training of a preset in JAX, as a whole program.

    train_jax.py gmp-cnn|fashion|digits DATA STEPS

Batches are drawn in a shuffled order, or are the whole set; each step is one compiled call whose state is donated. Loss
and accuracy are counted.
"""
import argparse

import jax
import jax.numpy as jnp
import numpy
import optax
import train_step_jax
from training_data import digits, training_set


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset")
    parser.add_argument("data")
    parser.add_argument("steps", type=int)
    options = parser.parse_args()

    images, labels = digits(options.data) if options.preset == "digits" else training_set(options.data)
    weights, model, (size, _), _, optimiser = train_step_jax.networks()[options.preset]

    def loss_of(p, batch, wanted, key):
        logits = model(p, batch, "NHWC", key)
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, wanted).mean()
        return loss, (logits.argmax(1) == wanted).sum()

    def step(state, batch, wanted):
        p, memory, key, loss_sum, right = state
        key, used = jax.random.split(key)
        (loss, hits), gradient = jax.value_and_grad(loss_of, has_aux=True)(p, batch, wanted, used)
        change, memory = optimiser.update(gradient, memory, p)
        return optax.apply_updates(p, change), memory, key, loss_sum + loss, right + hits

    step = jax.jit(step, donate_argnums=0)
    p = weights()
    state = (p, optimiser.init(p), jax.random.key(3), jnp.zeros(()), jnp.zeros((), jnp.int32))
    batches_per_pass = len(labels) // size
    whole = (jnp.asarray(images), jnp.asarray(labels)) if batches_per_pass == 1 else None
    for i in range(options.steps):
        if i % batches_per_pass == 0:
            order = numpy.random.permutation(len(labels))
        chosen = order[i % batches_per_pass * size:][:size]
        state = step(state, *(whole or (images[chosen], labels[chosen])))
    print(f"loss {float(state[3]) / options.steps:.4f} accuracy {int(state[4]) / (options.steps * size):.4f}")


if __name__ == "__main__":
    main()
