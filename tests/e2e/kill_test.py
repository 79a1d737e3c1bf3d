#!/usr/bin/env python3
"""A training that is killed at any moments and resumed has lost nothing.

    kill_test.py POPSCOPE DATA VENV KILLS

Every kind of training is run once as a whole, and once in parts: killed at KILLS moments, chosen by a seed, and resumed
after each. Then its weights have to be those of the whole, bit for bit, and TensorBoard has to show the same points,
each once. At each kill, every event file has to be readable, and the checkpoint whole. VENV is the environment that
scripts/setup --python makes.
"""

import collections
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import tensorboard_server

POPSCOPE, DATA, VENV, KILLS = *sys.argv[1:4], int(sys.argv[4])

TRAININGS = {
    "mlp, pipelined, inspected, dumped": [
        "--preset", "mlp", "--data", f"{DATA}/mnist", "--epochs", "6", "--steps-per-epoch", "80", "--evaluate-every", "1",
        "--tap", "kind:gradient & at:accumulated @ every 3 -> shape", "name:Dense_10/bias:0_grad & at:accumulated -> full"],
    "cnn": ["--preset", "cnn", "--data", f"{DATA}/mnist", "--epochs", "6", "--steps-per-epoch", "32", "--batch-size", "4",
            "--evaluate-every", "2", "--filters-every", "2"],
    "gmp-cnn, replicated": ["--preset", "gmp-cnn", "--data", f"{DATA}/mnist", "--epochs", "6", "--steps-per-epoch", "4",
                            "--batch-size", "4", "--replicas", "2"],
    "fashion": ["--preset", "fashion", "--data", f"{DATA}/fashion-mnist", "--epochs", "4", "--steps-per-epoch", "20"],
    "digits": ["--preset", "digits", "--data", f"{DATA}/digits", "--epochs", "12"],
}


def command(logs, run, options, *more):
    return [POPSCOPE, "train", "--device", "model", "--tiles", "8", "--quiet", "--logdir", logs, "--run", run,
            "--checkpoint-every", "0", *options, *more]


def event_files(run):
    return sorted(file for file in pathlib.Path(run).rglob("*tfevents*"))


def shown(run):
    """Every point as TensorBoard shows it: a start of a session discards the steps that come again."""
    from tensorboard.backend.event_processing import event_file_loader

    points = collections.Counter()
    for folder in {file.parent for file in event_files(run)}:
        of_folder = collections.Counter()
        for file in sorted(folder.glob("*tfevents*")):
            for event in event_file_loader.EventFileLoader(str(file)).Load():
                if event.session_log.status == event.session_log.START:
                    of_folder = collections.Counter({key: count for key, count in of_folder.items()
                                                     if key[1] < event.step})
                for value in event.summary.value:
                    # What every start says of the run, and of itself.
                    if (value.tag.startswith(("_hparams_", "custom_scalars__"))
                            or value.metadata.plugin_data.plugin_name == "text"):
                        continue
                    content = value.tensor.SerializeToString()
                    of_folder[value.tag, event.step, content] += 1
        for key, count in of_folder.items():
            points[(str(folder.relative_to(run)), *key)] += count
    return points


class Kill(unittest.TestCase):
    def kill_somewhere(self, logs, options, seconds):
        """Starts the training, or goes on with it, and kills it after some time. Returns its exit code if it ended."""
        run = pathlib.Path(logs) / "parts"
        more = ["--resume"] if (run / "saved/state").exists() else ["--clean"]
        training = subprocess.Popen(command(logs, "parts", options, *more), stderr=subprocess.PIPE, text=True)
        try:
            errors = training.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            training.kill()
            errors = training.communicate()[1]
        self.assertEqual(errors, "")
        return None if training.returncode < 0 else training.returncode

    def expect_readable(self, run):
        from tensorboard.backend.event_processing import event_file_loader

        for file in event_files(run):
            list(event_file_loader.EventFileLoader(str(file)).Load())  # raises if it is damaged
            check = subprocess.run([POPSCOPE, "events", "check", file], capture_output=True, text=True)
            self.assertNotIn("CRC", check.stdout + check.stderr)

    def expect_same(self, parts, whole):
        for file in ("saved/state", "log.csv"):
            self.assertEqual((parts / file).read_bytes(), (whole / file).read_bytes(), file)
        for dump in whole.glob("dump/*"):
            self.assertEqual((parts / "dump" / dump.name).read_bytes(), dump.read_bytes(), dump.name)
        found, expected = shown(parts), shown(whole)
        self.assertEqual([key[:3] for key in expected - found], [], "lost")
        self.assertEqual([key[:3] for key in found - expected], [], "more than there should be")

    def test_at_any_moment_loses_nothing(self):
        moments = random.Random(19)
        kills = 0
        for name, options in TRAININGS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as logs:
                parts, whole = pathlib.Path(logs) / "parts", pathlib.Path(logs) / "whole"
                start = time.monotonic()
                subprocess.run(command(logs, "whole", options), check=True)
                seconds = time.monotonic() - start
                left = KILLS
                for _ in range(KILLS + 1):  # a training may end before its kill, and is begun again
                    if left == 0:
                        break
                    shutil.rmtree(parts, ignore_errors=True)
                    code = None
                    while code is None:
                        code = self.kill_somewhere(logs, options, moments.uniform(0.1, 0.9) * seconds if left else 600)
                        if code is None:
                            left -= 1
                            kills += 1
                            if parts.exists():
                                self.expect_readable(parts)
                    self.assertEqual(code, 0)
                    self.expect_same(parts, whole)
        print(f"{kills} kills")


if __name__ == "__main__":
    tensorboard_server.need(f"{VENV}/bin/tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
