#!/usr/bin/env python3
"""popscope train --executable-cache and --compile-only: the same training, compiled once.

    executable_cache_test.py POPSCOPE DATA
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import saved_state

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
TRAINING = ["--preset", "mlp", "--data", f"{DATA}/mnist", "--epochs", "1", "--steps-per-epoch", "8", "--tap",
            "kind:gradient -> stats"]
LOADED = "executable loaded from cache"


class ExecutableCache(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.runs = 0

    def train(self, *arguments, **variables):
        self.runs += 1
        return subprocess.run([POPSCOPE, "train", *TRAINING, "--run", f"run{self.runs}", *arguments], cwd=self.place,
                              env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def weights(self):
        return saved_state.read(self.place / f"logs/run{self.runs}")[1]

    def entries(self):
        return sorted(path for path in (self.place / "cache").rglob("*") if path.is_file())

    def expect(self, result, loaded, problem=""):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(LOADED in result.stdout, loaded, result.stdout)
        if problem:
            self.assertIn(problem, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        else:
            self.assertEqual(result.stderr, "")

    def test_a_cached_executable_trains_the_same_bits(self):
        self.expect(self.train(), loaded=False)
        plain = self.weights()
        self.assertEqual(self.entries(), [])
        self.expect(self.train("--executable-cache", "cache"), loaded=False)
        self.assertEqual(self.weights(), plain)
        self.assertEqual(len(self.entries()), 1)
        self.expect(self.train(POPDIST_EXECUTABLE_CACHE_PATH="cache"), loaded=True)
        self.assertEqual(self.weights(), plain)
        # Neither the seed nor the learning rate is part of the program.
        self.expect(self.train("--executable-cache", "cache", "--seed", "2", "--learning-rate", "0.02"), loaded=True)
        self.assertNotEqual(self.weights(), plain)
        self.assertEqual(len(self.entries()), 1)

    def test_what_the_program_depends_on_is_another_entry(self):
        self.assertEqual(self.train("--executable-cache", "cache", "--compile-only").returncode, 0)
        others = [["--batch-size", "16"], ["--precision", "half"], ["--replicas", "2"], ["--tiles", "64"],
                  ["--tap", "kind:gradient -> shape"], ["--recorder", "4"], ["--optimizer", "adam"]]
        for count, other in enumerate(others, 2):
            result = self.train("--executable-cache", "cache", "--compile-only", *other)
            self.assertIn("compiled and kept in cache cache, for IPU model", result.stdout, other)
            self.assertEqual(len(self.entries()), count, other)
        variables = {"POPLAR_ENGINE_OPTIONS": '{"debug.instrument":"false"}'}
        self.train("--executable-cache", "cache", "--compile-only", **variables)
        self.assertEqual(len(self.entries()), len(others) + 2)

    def test_compile_only_trains_nothing_and_serves_the_training(self):
        compiled = self.train("--executable-cache", "cache", "--compile-only")
        self.assertEqual((compiled.returncode, compiled.stderr), (0, ""))
        self.assertIn("compiled and kept in cache cache, for IPU model, 2 IPUs of 1472 tiles", compiled.stdout)
        self.assertFalse((self.place / "logs").exists())
        again = self.train("--executable-cache", "cache", "--compile-only")
        self.assertIn("already in cache cache", again.stdout)
        self.expect(self.train("--executable-cache", "cache"), loaded=True)

    def test_compile_only_refuses_what_it_cannot_do(self):
        for wrong, words in [([], "--compile-only needs a place for the executable"),
                             (["--executable-cache", "cache", "--resume"], "--compile-only does not go with --resume"),
                             (["--executable-cache", "cache", "--dry-run"], "--compile-only"),
                             (["--executable-cache", "cache", "--tap", "no_such"], "no_such"),
                             (["--executable-cache", "cache", "--device", "ipu"], "without the Poplar SDK")]:
            result = self.train("--compile-only", *wrong)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(words, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_a_damaged_or_foreign_file_is_ignored_with_a_line(self):
        self.expect(self.train("--executable-cache", "cache"), loaded=False)
        plain, (entry,) = self.weights(), self.entries()
        whole = entry.read_bytes()
        for damaged in (b"", whole[:-1], whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:], b"somebody else's file\n"):
            entry.write_bytes(damaged)
            self.expect(self.train("--executable-cache", "cache"), loaded=False, problem="is not used: it is damaged")
            self.assertEqual(self.weights(), plain)
            self.assertEqual(entry.read_bytes(), whole)
        entry.chmod(0o666)
        self.expect(self.train("--executable-cache", "cache"), loaded=False, problem="somebody else may write it")
        self.expect(self.train("--executable-cache", "cache"), loaded=True)

    def test_a_cache_that_cannot_be_written_costs_only_time(self):
        (self.place / "cache").write_text("a file\n")
        self.expect(self.train("--executable-cache", "cache"), loaded=False, problem="the executable is not kept")
        result = self.train("--executable-cache", "cache", "--compile-only")
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
