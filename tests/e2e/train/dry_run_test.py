#!/usr/bin/env python3
"""popscope train --dry-run says what the same command without it does, and leaves nothing behind.

    dry_run_test.py POPSCOPE DATA
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
TRAINING = ["--preset", "mlp", "--data", f"{DATA}/mnist", "--epochs", "1", "--steps-per-epoch", "8", "--run", "short",
            "--tap", "loss", "--inspect-json", "samples.json"]


class DryRun(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def train(self, *arguments):
        return subprocess.run([POPSCOPE, "train", *arguments], cwd=self.place, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def files(self):
        return {str(path.relative_to(self.place)) for path in self.place.rglob("*")}

    def test_it_leaves_nothing_behind_and_the_training_does_what_it_says(self):
        dry = self.train(*TRAINING, "--dry-run")
        self.assertEqual((dry.returncode, dry.stderr), (0, ""))
        self.assertEqual(self.files(), set())
        self.assertIn("train   1 epoch of 8 batches, 2 updates;", dry.stdout)
        self.assertIn("sgd, learning rate 0.01,", dry.stdout)
        self.assertIn("samples to samples.json", dry.stdout)
        self.assertTrue(all(len(line) <= 80 for line in dry.stdout.splitlines()), dry.stdout)
        used, there = (int(number.replace(",", "")) for number in
                       re.search(r"memory  ([\d,]+) bytes .* has ([\d,]+)", dry.stdout).groups())
        self.assertTrue(0 < used < there)

        wet = self.train(*TRAINING)
        self.assertEqual(wet.returncode, 0, wet.stderr)
        for line in ("data", "model", "device", "log"):
            shown = re.search(rf"^{line} .*$", dry.stdout, re.MULTILINE)[0]
            self.assertIn(shown, wet.stdout.splitlines())
        run = self.place / "logs/short"
        for name in ("popscope.json", "log.csv"):
            self.assertIn(name, dry.stdout)
            self.assertTrue((run / name).is_file())
        self.assertTrue(list(run.glob("*tfevents*")))
        self.assertTrue((self.place / "samples.json").is_file())
        tensors = int(re.search(r"checkpoints of ([\d,]+) bytes", dry.stdout)[1].replace(",", ""))
        saved = sum(file.stat().st_size for file in (run / "saved").rglob("*") if file.is_file())
        self.assertGreater(tensors, 0)
        self.assertGreaterEqual(saved, tensors)

    def leave_a_run(self):
        run = self.place / "logs/short"
        run.mkdir(parents=True)
        (run / "popscope.json").write_text("{}\n")
        (run / "log.csv").write_text("epoch\n")

    def test_it_deletes_nothing_of_a_run_that_would_be_cleaned(self):
        self.leave_a_run()
        before = self.files()
        dry = self.train(*TRAINING, "--clean", "--dry-run")
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertIn("would be deleted", dry.stdout)
        self.assertEqual(self.files(), before)

    def test_it_refuses_what_the_training_refuses(self):
        self.leave_a_run()
        for wrong in ([], ["--clean", "--batch-size", "100000000"], ["--clean", "--tap", "no_such_tensor"]):
            wet, dry = self.train(*TRAINING, *wrong), self.train(*TRAINING, *wrong, "--dry-run")
            self.assertEqual(wet.returncode, 2)
            self.assertEqual((dry.returncode, dry.stdout, dry.stderr), (2, "", wet.stderr))

    def test_it_does_not_resume(self):
        dry = self.train(*TRAINING, "--resume", "--dry-run")
        self.assertEqual(dry.returncode, 2)
        self.assertRegex(dry.stderr, r"^popscope: --dry-run does not go with --resume: .*\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
