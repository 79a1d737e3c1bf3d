#!/usr/bin/env python3
"""popscope taps foresees what comes to the hosts of several instances.

    taps_command_test.py POPSCOPE DATA
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
UPDATES = 4
TRAINING = ["--preset", "mlp", "--data", f"{DATA}/mnist", "--steps-per-epoch", str(4 * UPDATES), "--epochs", "1"]


def popscope(*arguments, **options):
    return subprocess.run([POPSCOPE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def predicted(*arguments):
    result = popscope("taps", *TRAINING, "--json", *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


class Taps(unittest.TestCase):
    def measured(self, replicas, *taps):
        with tempfile.TemporaryDirectory() as place:
            result = popscope("train", *TRAINING, "--replicas", str(replicas), "--tap", *taps, "--run", "run", cwd=place)
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads((pathlib.Path(place) / "logs/run/popscope.json").read_text())["cost"]

    def test_a_host_gets_what_a_training_of_its_replicas_sends(self):
        for taps in (["kind:gradient -> stats"], ["kind:weight @ every 2 -> shape", "loss"]):
            host = predicted("--instances", "3", "--replicas", "6", *taps)["instances"]
            self.assertEqual((host["instances"], host["replicas_of_each"]), (3, 2))
            sent = self.measured(2, *taps)["bytes"]
            self.assertEqual(host["bytes_per_update_of_a_host"] * UPDATES, sent, taps)
            self.assertEqual(host["merged_bytes_per_update"] * UPDATES, 3 * sent)

    def test_what_a_replica_needs_does_not_depend_on_their_number(self):
        few = predicted("--instances", "2", "--replicas", "2")["instances"]
        many = predicted("--instances", "64", "--replicas", "256")["instances"]
        for key in ("tile_bytes", "cycles_per_update"):
            self.assertEqual(few[key], many[key])
        self.assertEqual(128 * few["merged_records_per_update"], many["merged_records_per_update"])
        self.assertEqual(4 * few["bytes_per_update_of_a_host"], many["bytes_per_update_of_a_host"])

    def test_replicas_that_are_merged_send_what_is_foreseen(self):
        for replicas in (2, 3):
            for taps in (["kind:gradient -> stats"], ["kind:weight @ every 2 -> shape", "loss -> stats"]):
                given = ["--replicas", str(replicas), "--merge-replicas", *taps]
                told = predicted(*given)
                self.assertEqual(told["totals"]["bytes_per_update"] * UPDATES,
                                 self.measured(replicas, *taps, "--merge-replicas")["bytes"], given)
                without = predicted("--replicas", str(replicas), *taps)
                self.assertEqual(without["with_merge_replicas"]["bytes_per_update"], told["totals"]["bytes_per_update"])
                self.assertEqual(told["without_merge_replicas"]["bytes_per_update"],
                                 without["totals"]["bytes_per_update"])

    def test_what_reaches_hosts_does_not_grow_with_merged_replicas(self):
        def rows(replicas):
            told = predicted("--replicas", str(replicas), "--instances", "1", "--no-health", "--merge-replicas", "* -> stats")
            return told["totals"]["bytes_per_update"], sum(tap["bytes_per_update"] for tap in told["taps"])

        few, of_taps = rows(2)
        for replicas in (4, 16, 64, 256):
            many, same = rows(replicas)
            self.assertEqual(same, of_taps)
            # Each replica has the 12 bytes of a header, and at most a word that is not full, in each of few frames.
            self.assertLess(many, 2 * of_taps + 16 * replicas * 32)
        self.assertLess(few, 1.2 * of_taps)
        apart = predicted("--replicas", "256", "--instances", "1", "--no-health", "* -> stats")["totals"]["bytes_per_update"]
        self.assertGreater(apart, 256 * of_taps * 0.9)  # two moments may share a record
        self.assertLess(many, apart / 20)

    def test_merging_one_replica_is_refused(self):
        result = popscope("taps", *TRAINING, "--merge-replicas")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--merge-replicas has no effect without --replicas", result.stderr)

    def test_instances_that_do_not_divide_the_replicas_are_refused(self):
        result = popscope("taps", *TRAINING, "--instances", "3", "--replicas", "4")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--instances 3: instances have the same number of replicas", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
