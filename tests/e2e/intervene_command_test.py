#!/usr/bin/env python3
"""popscope control changes tensors of a running training as NumPy says, says so everywhere, and a replay and a resumed run
do it again.

    intervene_command_test.py POPSCOPE VENV

VENV is the environment that scripts/setup --python makes; without it the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

POPSCOPE, VENV = (os.path.abspath(argument) for argument in sys.argv[1:3])
tensorboard_server.need(f"{VENV}/bin/python", "scripts/setup --python makes it")
tensorboard_server.enter(VENV)

import numpy as np  # noqa: E402: of the environment

SEED, DEVIATION = 11, 0.25
RUN = pathlib.Path("logs/night")
# More batches than any machine finishes while a test runs: it ends when it is told to.
TRAIN = ["train", "--preset", "cnn", "--tiles", "16", "--batch-size", "2", "--gradient-accumulation", "2", "--seed", str(SEED),
         "--steps-per-epoch", "400000", "--run", "night"]
WATCHED = ["--tap", "conv_0_*acts @ never -> full", "name:pool_0_acts @ never -> full"]
ALLOWED = ["--allow-intervention", "kind:activation"]


def popscope(*words):
    return subprocess.run([POPSCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


class Training:
    def __init__(self, *options, watched=tuple(WATCHED)):
        self.process = subprocess.Popen([POPSCOPE, *TRAIN, *watched, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        tensorboard_server.wait_for(self.has_begun, lambda: "the training to begin")

    def has_begun(self):
        assert self.process.poll() is None, self.process.communicate()
        status = popscope("control", RUN, "--json")
        return status.returncode == 0 and "update" in json.loads(status.stdout)

    def control(self, *options):
        """The update that a change is confirmed with."""
        result = popscope("control", RUN, *options)
        assert result.returncode == 0, result.stderr
        return int(result.stdout.split(":")[0].split()[1])

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=300)


def mix(x):
    x = np.asarray(x, np.uint32)
    with np.errstate(over="ignore"):
        x = (x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D)
        x = (x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B)
        return x ^ x >> np.uint32(16)


def noise(name, update, micro_batch, shape):
    """Of standard deviation 1, of a tensor that is complete in each micro-batch."""
    seed = mix(SEED)
    for character in name.encode():
        seed = mix(seed ^ np.uint32(character))
    seed = mix(mix(seed) ^ np.uint32(update))
    with np.errstate(over="ignore"):
        for _ in range(micro_batch):
            seed = mix(seed + np.uint32(1))
        a = mix(seed ^ mix(np.arange(np.prod(shape), dtype=np.uint32)))
        b = mix(a + np.uint32(0x9E3779B9))
    total = sum(half.astype(np.int64) for word in (a, b) for half in (word & np.uint32(0xFFFF), word >> np.uint32(16)))
    return ((total - 2 * 0xFFFF).astype(np.float32) * np.float32(3**0.5 / 65536)).reshape(shape)


def dumped(run, tensor, update):
    """Of each micro-batch of the update."""
    rows = (run / f"dump/{tensor}.index.csv").read_text().splitlines()[1:]
    array = np.load(run / f"dump/{tensor}.npy")
    return [array[int(row)] for row, of, *_ in (line.split(",") for line in rows) if int(of) == update]


class IntervenedTraining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        os.chdir(directory.name)
        training = Training(*ALLOWED)
        dump = ("--dump", "conv_0_*acts", "pool_0_acts")
        try:
            cls.noisy = training.control("--noise", f"conv_0_acts={DEVIATION}", "--for", "2", *dump)
            cls.second = cls.noisy + 1
            cls.zeroed = training.control("--zero", "pool_0_acts", *dump)
            cls.left = training.control(*dump)
            cls.scaled = training.control("--scale", "conv_2_acts=0.5", "--for", "1000000")
            cls.status = popscope("control", RUN)
            cls.refused = popscope("control", RUN, "--zero", "loss")
        finally:
            cls.said = training.stop()

    def test_noise_is_what_numpy_makes_of_the_seed_the_tensor_and_the_update(self):
        for micro_batch, (before, after) in enumerate(
                zip(dumped(RUN, "conv_0_preacts", self.noisy), dumped(RUN, "conv_0_acts", self.noisy))):
            expected = np.maximum(before, 0) + np.float32(DEVIATION) * noise("conv_0_acts", self.noisy, micro_batch, after.shape)
            np.testing.assert_array_equal(after, expected)
        self.assertEqual(micro_batch, 1)

    def test_what_follows_is_computed_from_the_changed_tensor(self):
        for acts, pooled in zip(dumped(RUN, "conv_0_acts", self.noisy), dumped(RUN, "pool_0_acts", self.noisy)):
            height, width = (2 * size for size in pooled.shape[1:3])
            windows = [acts[:, y:height:2, x:width:2] for y in (0, 1) for x in (0, 1)]
            np.testing.assert_array_equal(pooled, np.maximum.reduce(windows))

    def test_zero_is_zero_and_over_after_one_update(self):
        self.assertFalse(np.any(dumped(RUN, "pool_0_acts", self.zeroed)))
        self.assertTrue(np.any(dumped(RUN, "conv_0_acts", self.zeroed)))
        self.assertTrue(np.any(dumped(RUN, "pool_0_acts", self.left)))

    def test_it_is_marked_wherever_the_run_is_described(self):
        line = f"intervention at updates {self.noisy} to {self.second}: conv_0_acts given noise of 0.25"
        self.assertIn(line, popscope("health", RUN).stdout)
        self.assertIn(f"popscope: {line}\n", self.said[1])
        self.assertIn(f"popscope: update {self.second + 1}: intervention over: conv_0_acts\n", self.said[1])
        recorded = json.loads((RUN / "popscope.json").read_text())["health"]["interventions"]
        self.assertEqual(recorded[0], {"tensor": "conv_0_acts", "at": "microBatch", "tag": "conv_0_acts", "kind": "noise",
                                       "amount": 0.25, "first": self.noisy, "last": self.second})
        notes = popscope("events", "cat", RUN, "--tag", "control").stdout
        self.assertIn(f"\t{self.noisy}\ttext\tcontrol\tdumped ", notes)
        self.assertIn("intervention: conv_0_acts given noise of 0.25 for 2 updates", notes)
        self.assertIn(line, popscope("events", "cat", RUN, "--tag", "health").stdout)

    def test_status_has_what_is_done_and_for_how_long(self):
        [row] = [line.split("\t") for line in self.status.stdout.splitlines() if "\tscaled by 0.5\t" in line]
        self.assertEqual(row[:3], ["conv_2_acts", "microBatch", "scaled by 0.5"])
        self.assertLessEqual(int(row[3]), 1000000)
        self.assertGreater(int(row[3]), 0)

    def test_what_is_not_compiled_in_is_refused(self):
        self.assertEqual(self.refused.returncode, 2)
        self.assertEqual(self.refused.stderr, "popscope: 'loss' cannot be changed; start the program with --allow-intervention "
                                              "'loss' to be able to\n")

    def test_a_replay_has_the_same_noise(self):
        replay = popscope("replay", RUN, "--update", str(self.noisy), "--to", str(self.zeroed), "--tap",
                          "conv_0_*acts -> full", "name:pool_0_acts -> full", "--quiet")
        self.assertEqual(replay.returncode, 0, replay.stderr)
        self.assertIn("conv_0_acts given noise of 0.25, as before", replay.stderr)
        again = RUN.with_name(f"night-replay-{self.noisy}")
        for update in (self.noisy, self.zeroed):
            for tensor in ("conv_0_preacts", "conv_0_acts", "pool_0_acts"):
                np.testing.assert_array_equal(dumped(again, tensor, update), dumped(RUN, tensor, update), tensor)

    def test_resumed_it_goes_on_or_is_refused(self):
        refused = popscope(*TRAIN, *WATCHED, "--resume")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(": conv_2_acts scaled by 0.5, which has to be done again; add --allow-intervention 'conv_2_acts'",
                      refused.stderr)
        resumed = Training(*ALLOWED, "--resume")
        try:
            self.assertGreater(resumed.control("--cancel", "conv_2_acts"), self.scaled)
        finally:
            said = resumed.stop()
        self.assertRegex(said[1], rf"popscope: update \d+: intervention at updates {self.scaled} to \d+: "
                                  "conv_2_acts scaled by 0.5, as before\n")
        recorded = json.loads((RUN / "popscope.json").read_text())["health"]["interventions"]
        self.assertEqual([item["tensor"] for item in recorded], ["conv_0_acts", "pool_0_acts", "conv_2_acts"])


class AllowedButOff(unittest.TestCase):
    def test_changes_no_bit(self):
        proof = popscope("prove", "--preset", "cnn", "--tiles", "16", "--batch-size", "4", "--gradient-accumulation", "2", "--epochs", "1",
                         "--steps-per-epoch", "8", "--allow-intervention", "*")
        self.assertEqual(proof.returncode, 0, proof.stderr)
        self.assertIn("the same bits", proof.stdout)

    def test_is_enough_to_be_controlled(self):
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            training = Training("--allow-intervention", "loss", "--no-health", watched=())
            try:
                training.control("--zero", "loss")
                missing = popscope("control", RUN, "--scale", "loss")
                status = popscope("control", RUN)
            finally:
                said = training.stop()
        self.assertIn("loss set to 0", said[1])
        self.assertEqual(status.stdout.splitlines()[1].split("\t")[:3], ["loss", "microBatch", "left alone"])
        self.assertEqual((missing.returncode, missing.stderr), (
            2, "popscope: --scale 'loss' has no number; write SEL=NUMBER, such as --scale conv_1_acts=0.5\n"))

    def test_needs_control(self):
        for option in (["--no-control"], ["--recorder"], ["--on-alarm", "dump"], ["--no-inspection"]):
            refused = popscope(*TRAIN[:3], *ALLOWED, *option)
            self.assertEqual(refused.returncode, 2, option)
            self.assertIn(f"--allow-intervention needs live control, which there is not with {' '.join(option)}; ", refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
