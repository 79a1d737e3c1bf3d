#!/usr/bin/env python3
"""The checks of PopScope find what checks written with NumPy find, on random traces; and the gradient noise scale is that
of gradients whose noise is known.

    numpy_checks_test.py CHECK_TRACE VENV

VENV is the environment that scripts/setup --python makes; without it the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM, VENV = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PYTHON = VENV / "bin" / "python3"
if not PYTHON.exists():
    print(f"{PYTHON} is missing; scripts/setup --python makes it")
    sys.exit(1 if os.environ.get("POPSCOPE_REQUIRE_TENSORBOARD") else 77)
if pathlib.Path(sys.prefix).resolve() != VENV.resolve():
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

import numpy as np  # noqa: E402: of the environment

TRACES = 40
UPDATES = 60


def tensor(name, kind, at, size=100, dtype="float", **more):
    return {"tensor": name, "kind": kind, "at": at, "stage": 0, "type": dtype, "shape": [size], **more}


class Trace:
    """Statistics by name of tensor: arrays of float32, one number for each update; NaN where there is no sample."""

    def __init__(self, checks, **facts):
        self.checks, self.facts, self.tensors, self.series = checks, facts, [], []

    def add(self, traits, replica=None, **statistics):
        if traits not in self.tensors:
            self.tensors.append(traits)
        statistics = {name: np.asarray(values, np.float32) for name, values in statistics.items()}
        self.series.append((self.tensors.index(traits), replica, statistics))
        return next(iter(statistics.values())).astype(float) if len(statistics) == 1 else statistics

    def text(self):
        samples = []
        for number, replica, statistics in self.series:
            for update in range(UPDATES):
                values = {name: float(array[update]) for name, array in statistics.items() if not np.isnan(array[update])}
                if values:
                    samples.append([update, number, replica, values])
        # Not in the order of updates or tensors: that must not matter.
        np.random.default_rng(len(samples)).shuffle(samples)
        return json.dumps({"facts": {"tensors": self.tensors, **self.facts}, "samples": samples, "checks": self.checks})


def answers(traces):
    run = subprocess.run([PROGRAM], input="\n".join(trace.text() for trace in traces) + "\n", text=True, check=True,
                         stdout=subprocess.PIPE)
    return [json.loads(line) for line in run.stdout.splitlines()]


def streaks(holds):
    """For each place how many in a row hold up to and including it."""
    places = np.arange(len(holds))
    last_false = np.maximum.accumulate(np.where(holds, -1, places))
    return places - last_false


def firing(check, name, updates, violates, values):
    """What a check says of one tensor: nothing, or one finding."""
    at = updates[violates]
    return [[check, name, int(at[0]), int(at[-1]), len(at), float(values[violates][0])]] if len(at) else []


def running_mean(values, memory):
    """After each value; the weights of the earlier ones in closed form."""
    keep = 1 - 1 / np.minimum(np.arange(1, len(values) + 1), memory)
    means = np.empty(len(values))
    for i in range(len(values)):
        later = np.concatenate([np.cumprod(keep[i:0:-1])[::-1], [1.0]])
        means[i] = np.sum(values[:i + 1] * (1 - keep[:i + 1]) * later)
    return means


def gaps(rng, values):
    """Some updates have no sample."""
    return np.where(rng.random(len(values)) < 0.1, np.nan, values)


class Checks(unittest.TestCase):
    def compare(self, make):
        """`make` gets a generator of random numbers and returns a trace and what is to be found in it."""
        rng = np.random.default_rng(17)
        traces, expected = zip(*(make(rng) for _ in range(TRACES)))
        found = [sorted(answer["findings"]) for answer in answers(traces)]
        for got, want in zip(found, map(sorted, expected)):
            self.assertEqual([finding[:5] for finding in got], [finding[:5] for finding in want])
            for mine, theirs in zip(got, want):
                np.testing.assert_allclose(float(mine[5]), theirs[5], rtol=1e-9)
        some = sum(map(bool, found))
        self.assertTrue(0 < some < TRACES, f"{some} of {TRACES} traces fire: the test tells nothing")

    def test_dead_relu(self):
        def make(rng):
            limit, samples = rng.uniform(0.5, 0.9), int(rng.integers(1, 8))
            trace = Trace({"dead_relu": {"zero_share": limit, "samples": samples}})
            found = []
            for name, kind in (("a_acts", "activation"), ("b_preacts", "preactivation")):
                zeros = trace.add(tensor(name, kind, "microBatch", computation="relu"),
                                  zero_share=gaps(rng, rng.uniform(0.3, 1, UPDATES)))
                updates = np.flatnonzero(~np.isnan(zeros))
                zeros = zeros[updates]
                if kind == "activation":
                    found += firing("dead_relu", name, updates, streaks(zeros >= limit) >= samples, zeros)
            return trace, found
        self.compare(make)

    def test_saturation(self):
        def make(rng):
            trace = Trace({"saturation": {"saturated_share": 0.1, "samples": 2}})
            found = []
            for name, dtype in (("a_acts", "half"), ("b_acts", "float")):
                shares = trace.add(tensor(name, "activation", "microBatch", dtype=dtype),
                                   saturated_share=rng.exponential(0.04, UPDATES))
                if dtype == "half":
                    found += firing("saturation", name, np.arange(UPDATES), streaks(shares > 0.1) >= 2, shares)
            return trace, found
        self.compare(make)

    def test_frozen_weight(self):
        def make(rng):
            samples = int(rng.integers(2, 5))
            trace = Trace({"frozen_weight": {"samples": samples}})
            steps = np.where(rng.random((2, UPDATES)) < 0.5, 0, rng.normal(size=(2, UPDATES)))
            statistics = trace.add(tensor("a/kernel:0", "weight", "applied"), l2_norm=10 + np.cumsum(steps[0]),
                                   mean=np.cumsum(steps[1]))
            same = np.all([np.diff(array, prepend=np.nan) == 0 for array in statistics.values()], axis=0)
            rows = streaks(same)
            return trace, firing("frozen_weight", "a/kernel:0", np.arange(UPDATES), rows >= samples, rows)
        self.compare(make)

    def test_update_ratio(self):
        def make(rng):
            samples = int(rng.integers(2, 6))
            trace = Trace({"update_ratio": {"least": 0.01, "most": 0.1, "samples": samples}})
            weight = trace.add(tensor("a/kernel:0", "weight", "applied"), l2_norm=rng.uniform(1, 2, UPDATES))
            update = trace.add(tensor("a/kernel:0_update", "update", "applied"),
                               l2_norm=gaps(rng, 10 ** rng.uniform(-3, 0.2, UPDATES)))
            updates = np.flatnonzero(~np.isnan(update))
            ratio = (update / weight)[updates]
            outside = (streaks(ratio < 0.01) >= samples) | (streaks(ratio > 0.1) >= samples)
            return trace, firing("update_ratio", "a/kernel:0_update", updates, outside, ratio)
        self.compare(make)

    def test_spike(self):
        def make(rng):
            memory, warm_up = int(rng.integers(2, 20)), int(rng.integers(1, 30))
            trace = Trace({"spike": {"factor": 5, "memory": memory, "warm_up": warm_up}})
            found = []
            for name, kind, at, statistic in (("loss", "loss", "microBatch", "mean"),
                                              ("a/kernel:0_grad", "gradient", "accumulated", "l2_norm")):
                values = trace.add(tensor(name, kind, at), **{statistic: gaps(rng, np.exp(rng.normal(0, 0.6, UPDATES)))})
                updates = np.flatnonzero(~np.isnan(values))
                values = values[updates]
                before = np.concatenate([[np.nan], running_mean(values, memory)[:-1]])
                spikes = (values > 5 * before) & (np.arange(len(values)) >= warm_up)
                found += firing("spike", name, updates, spikes, values / before)
            return trace, found
        self.compare(make)

    def test_loss_not_falling(self):
        def make(rng):
            memory, patience, fall = int(rng.integers(1, 10)), int(rng.integers(5, 30)), 0.02
            trace = Trace({"loss_not_falling": {"memory": memory, "updates": patience, "fall": fall}})
            rate = rng.uniform(0, 0.05)
            loss = trace.add(tensor("loss", "loss", "microBatch"),
                             mean=gaps(rng, np.exp(-rate * np.arange(UPDATES)) * rng.uniform(0.9, 1.1, UPDATES)))
            updates = np.flatnonzero(~np.isnan(loss))
            means = running_mean(loss[updates], memory)
            best, best_at, stays = means[0], updates[0], []
            for update, mean in zip(updates, means):
                if mean < best * (1 - fall):
                    best, best_at = mean, update
                stays.append(update - best_at >= patience)
            return trace, firing("loss_not_falling", "loss", updates, np.array(stays), means)
        self.compare(make)

    def depth_trend(self, check):
        def make(rng):
            samples, factor = int(rng.integers(1, 4)), 8.0
            trace = Trace({check: {"factor": factor, "samples": samples}})
            sizes = rng.integers(10, 1000, 4)
            slope, names = rng.normal(0, 3), [f"layer_{i}" for i in range(4)]
            for name in names:  # the order of the layers is that of the forward pass
                trace.add(tensor(f"{name}_acts", "activation", "microBatch"), zero_share=np.zeros(UPDATES))
            logs = slope * np.arange(4)[:, None] + rng.normal(0, 2, (4, UPDATES))
            norms = {}
            for i in reversed(range(4)):
                norms[i] = trace.add(tensor(f"{names[i]}/kernel:0_grad", "gradient", "accumulated", int(sizes[i])),
                                     l2_norm=2 ** logs[i])
            rms = np.log2([norms[i] / np.sqrt(sizes[i]) for i in range(4)])
            slopes = np.polyfit(np.arange(4), rms, 1)[0]  # towards the output: gradients flow the other way
            growth = 2 ** (slopes if check == "vanishing" else -slopes)
            return trace, firing(check, "layer_0/kernel:0_grad", np.arange(UPDATES), streaks(growth > factor) >= samples,
                                 growth)
        self.compare(make)

    def test_vanishing(self):
        self.depth_trend("vanishing")

    def test_exploding(self):
        self.depth_trend("exploding")

    def test_replicas_part(self):
        def make(rng):
            replicas = 5
            trace = Trace({"replicas_part": {}}, replicas=replicas)
            norms = np.tile(rng.uniform(1, 2, UPDATES).astype(np.float32), (replicas, 1))
            for _ in range(int(rng.integers(0, 3))):
                norms[rng.integers(replicas), rng.integers(UPDATES):] += np.float32(rng.uniform(1, 2))
            for replica in range(replicas):
                trace.add(tensor("a/kernel:0", "weight", "applied"), replica, l2_norm=norms[replica])
            common = np.median(norms, axis=0)  # at most two of five differ
            found = []
            for replica in range(replicas):
                found += firing("replicas_part", f"a/kernel:0/replica_{replica}", np.arange(UPDATES),
                                norms[replica] != common, np.full(UPDATES, replica))
            return trace, found
        self.compare(make)

    def noise(self, rng, replicas, micro_batches, images, signal, deviation, size, **facts):
        """Squared norms of gradients of two weights with a known signal and noise, and the true noise scale."""
        scale, summed = facts.get("loss_scale", 1), facts.get("summed", False)
        gradients = rng.normal(signal, deviation / np.sqrt(images), (UPDATES, replicas * micro_batches, 2, size))
        whole = gradients.mean(axis=1) * (replicas * micro_batches if summed else 1)
        trace = Trace({"gradient_noise": {"memory": UPDATES, "warm_up": UPDATES, "most": 2}}, replicas=replicas,
                      micro_batches=micro_batches, images=images, **facts)
        for weight in range(2):
            name = f"{'ab'[weight]}/kernel:0_grad"
            trace.add(tensor(name, "gradient", "microBatch", size),
                      l2_norm=scale * np.sqrt(np.sum(gradients[:, :, weight] ** 2, axis=(1, 2))))
            trace.add(tensor(name, "gradient", "reduced" if replicas > 1 else "accumulated", size),
                      l2_norm=np.sqrt(replicas * np.sum(whole[:, weight] ** 2, axis=1)))
        return trace, deviation ** 2 / signal ** 2

    def test_gradient_noise_scale_is_within_five_percent(self):
        rng = np.random.default_rng(3)
        settings = [(1, 8, 16, {}), (1, 4, 32, {"summed": True}), (4, 2, 8, {"summed": True, "loss_scale": 128.0}),
                    (2, 1, 64, {})]
        traces, scales = zip(*(self.noise(rng, *numbers, signal=0.05, deviation=deviation, size=4000, **facts)
                               for *numbers, facts in settings for deviation in (0.3, 1.0)))
        for answer, scale in zip(answers(traces), scales):
            self.assertLess(abs(answer["measures"]["gradient_noise_scale"] / scale - 1), 0.05, scale)

    def test_gradient_noise(self):
        def make(rng):
            trace, scale = self.noise(rng, 1, 4, 16, signal=0.1, deviation=rng.uniform(0.3, 2), size=100)
            norms = {(number, key): array.astype(float) for number, _, stats in trace.series for key, array in stats.items()}
            squares = [np.sum([array ** 2 for (number, _), array in norms.items() if trace.tensors[number]["at"] == at], axis=0)
                       for at in ("microBatch", "accumulated")]
            small, large = squares[0] / 4, squares[1]
            signal = np.mean((64 * large - 16 * small) / 48)
            noise = np.mean((small - large) / (1 / 16 - 1 / 64))
            found = [["gradient_noise", "a/kernel:0_grad_per_micro_batch", UPDATES - 1, UPDATES - 1, 1, noise / signal]]
            return trace, found if noise > 2 * 64 * signal else []
        self.compare(make)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
