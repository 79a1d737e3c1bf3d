#!/usr/bin/env python3
"""popscope train as several instances, started by poprun over Open MPI on this machine.

    instances_test.py POPSCOPE DATA

Skipped with a word where Open MPI is missing; failed there if POPSCOPE_REQUIRE_MPI is set.
"""

import array
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import poprun
import saved_state

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
del sys.argv[1:3]
BIN = os.path.dirname(POPSCOPE)
LIMIT = 200  # seconds until a job counts as hanging; it decides nothing else
DIGITS = ["--preset", "digits", "--data", f"{DATA}/digits", "--tiles", "4", "--batch-size", "8",
          "--gradient-accumulation", "2", "--steps-per-execution", "6"]
SHORT = [*DIGITS, "--steps-per-epoch", "12"]
# Until it is told to end; with a tap, so that there is something to control.
ENDLESS = [*DIGITS, "--steps-per-epoch", "6000000", "--epochs", "1", "--checkpoint-every", "1", "--tap",
           "name:dense_0_acts @ never -> full"]
SPLITS = (1, 2, 4)
ALL = 4  # replicas


class Job:
    """Instances that train in the background."""

    def __init__(self, instances, run, *options, **variables):
        self.run = pathlib.Path("logs", run)
        self.outputs = [tempfile.TemporaryFile("w+") for _ in range(2)]
        self.process = poprun.start(BIN, instances, ALL, POPSCOPE, "train", "--run", run, *options, **variables,
                                    out=self.outputs[0], err=self.outputs[1])

    def end(self):
        """Waits for the status; then `out` and `err` are what was printed, without mpirun's tags."""
        try:
            self.process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.terminate()  # mpirun ends the instances
            self.process.wait()
            raise
        finally:
            self.tagged = []
            for output in self.outputs:
                output.seek(0)
                self.tagged.append(output.read())
                output.close()
            self.out, self.err = (re.sub(r"\[1,\d+\]<std\w+>:", "", text) for text in self.tagged)
        return self.process.returncode

    def trains(self):
        """Waits until an execution is over."""
        self.wait_for(lambda: '"update"' in control(self.run, "--json").stdout)

    def wait_for(self, holds):
        end = time.monotonic() + LIMIT
        while not holds():
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.terminate()
                raise AssertionError((self.end(), self.out, self.err))
            time.sleep(0.05)

    def send(self, instance, number):
        manifest = json.loads((self.run / f"instance_{instance}/popscope.json").read_text())
        os.kill(manifest["process"], number)

    def log(self, instance):
        return (self.run / f"instance_{instance}/log.txt").read_text().splitlines()


def control(run, *options):
    return subprocess.run([POPSCOPE, "control", run, *options], capture_output=True, text=True, timeout=LIMIT)


def values_of(run):
    """All points of the event files, without the time and the file that they are in."""
    cat = subprocess.run([POPSCOPE, "events", "cat", run, "--json"], capture_output=True, text=True, check=True)
    points = [json.loads(line) for line in cat.stdout.splitlines()]
    for point in points:
        for key in ("wall_time", "time", "file"):
            point.pop(key, None)
    return sorted(json.dumps(point, sort_keys=True).replace(str(run), "RUN") for point in points
                  if point.get("kind") != "text")


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(place.name)

    def train(self, instances, run, *options, status=0, **variables):
        job = Job(instances, run, *options, **variables)
        self.assertEqual(job.end(), status, job.out + job.err)
        return job

    def assert_whole(self, run):
        check = subprocess.run([POPSCOPE, "events", "check", run], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)


class Splits(Case):
    def test_every_split_has_the_same_bits(self):
        taps = ["--tap", "* -> identity", "--tap", "kind:activation @ every 3 -> full", "--tap",
                "kind:gradient when abs_max > 0 -> stats"]
        states, lines, values = [], [], []
        for instances in SPLITS:
            run = f"split{instances}"
            self.train(instances, run, *SHORT, "--epochs", "2", *taps, "--inspect-json", f"{run}.json")
            states.append(saved_state.read(f"logs/{run}"))
            lines.append(pathlib.Path(f"{run}.json").read_text().splitlines())
            values.append(values_of(pathlib.Path("logs", run)))
            self.assert_whole(f"logs/{run}")
            dumps = [path for path in pathlib.Path("logs", run).rglob("dump/dense_0_acts.npy")]
            self.assertEqual(len(dumps), instances)
        self.assertGreater(len(lines[0]), 100)
        self.assertGreater(len(values[0]), 100)
        for other in (1, 2):
            self.assertEqual(states[other], states[0])
            self.assertEqual(lines[other], lines[0])
            self.assertEqual(values[other], values[0])
            diff = subprocess.run([POPSCOPE, "diff", "logs/split1", f"logs/split{SPLITS[other]}"], capture_output=True,
                                  text=True)
            self.assertEqual(diff.returncode, 0, diff.stdout + diff.stderr)

    def test_a_checkpoint_goes_on_in_another_split(self):
        self.train(1, "straight", *SHORT, "--epochs", "3")
        self.train(1, "moved", *SHORT, "--epochs", "1")
        for instances, epochs in ((2, 2), (4, 3)):
            job = Job(instances, "moved", *SHORT, "--epochs", epochs, "--resume")
            self.assertEqual(job.end(), 0, job.out + job.err)
        self.assertEqual(saved_state.read("logs/moved"), saved_state.read("logs/straight"))
        self.assertEqual([line.rsplit(" begins ")[0] for i in (0, 3) for line in job.log(i) if "begins" in line][-1],
                         "instance 3 of 4, replica 3 of 4")

    def test_a_run_of_instances_goes_on_without_poprun(self):
        self.train(2, "alone", *SHORT, "--epochs", "1")
        self.train(2, "straight", *SHORT, "--epochs", "2")
        subprocess.run([POPSCOPE, "train", "--resume", "logs/alone", "--epochs", "2"], check=True, capture_output=True)
        self.assertEqual(saved_state.read("logs/alone"), saved_state.read("logs/straight"))

    def test_only_the_first_instance_prints(self):
        job = self.train(2, "one", *SHORT, "--epochs", "1", "--replicas", "3")
        self.assertNotIn("[1,1]", "".join(job.tagged))
        self.assertIn("2 instances, each on: ", job.out)
        self.assertNotIn("\x1b", job.out)  # mpirun gives it a terminal, but writes to a file
        self.assertIn("--replicas 3 has no effect: poprun was told 4", job.err)

    def test_what_all_refuse_is_told_once(self):
        job = self.train(2, "refused", "--data", f"{DATA}/digits", "--preset", "digits", "--batch-size", "100000",
                         status=2)
        self.assertEqual(len(re.findall("popscope: ", job.err)), 1, job.err)
        self.assertFalse(os.path.exists("logs/refused"))

    def test_a_dry_run_has_the_replicas_of_all(self):
        self.assertIn("2 batches accumulated, 4 replicas", self.train(2, "dry", *SHORT, "--dry-run").out)

    def test_under_plain_mpirun_it_says_what_is_missing(self):
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", POPSCOPE, "train", *SHORT], text=True,
                              env=poprun.ENVIRONMENT, capture_output=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 2)
        self.assertIn("POPDIST_NUM_TOTAL_REPLICAS and the other variables of poprun are missing", done.stderr)


def elements_of(path, updates):
    """Of a dumped tensor, by update: those of all replicas and micro-batches."""
    data = path.read_bytes()
    begin = 10 + int.from_bytes(data[8:10], "little")
    assert b"'<f4'" in data[:begin], data[:begin]
    values = array.array("f", data[begin:])
    rows = path.with_name(path.name.replace(".npy", ".index.csv")).read_text().splitlines()
    column = rows[0].split(",").index("update")
    size = len(values) // (len(rows) - 1)
    result = [[] for _ in range(updates)]
    for i, row in enumerate(rows[1:]):
        result[int(row.split(",")[column])] += values[i * size:(i + 1) * size]
    return result


class CompiledBefore(Case):
    """The IPUs of an instance are fewer than those of the program; poprun --offline-mode shows it none."""

    def test_one_executable_serves_every_number_of_instances(self):
        cached = {"POPDIST_EXECUTABLE_CACHE_PATH": "cache"}
        self.train(2, "plain", *SHORT, "--epochs", "1")
        for instances, others in ((2, {}), (4, {"IPUMODEL_DEVICES": "0"})):
            job = self.train(instances, "none", *SHORT, "--compile-only", **cached, **others)
            self.assertIn("in cache cache, for IPU, 4 IPUs of 4 tiles", job.out)
            self.assertFalse(os.path.exists("logs/none"))
        self.assertEqual(len([path for path in pathlib.Path("cache").rglob("*") if path.is_file()]), 1)
        for instances in (2, 4):
            job = self.train(instances, f"cached{instances}", *SHORT, "--epochs", "1", **cached)
            self.assertIn("executable loaded from cache", job.out)
            self.assertEqual(saved_state.read(f"logs/cached{instances}"), saved_state.read("logs/plain"))


class MergedReplicas(Case):
    RULES = ["--tap", "* -> shape", "--tap", "kind:weight @ every 2 -> stats"]

    def samples(self, file):
        lines = [json.loads(line) for line in pathlib.Path(file).read_text().splitlines()]
        return {(line["name"], line["at"], line["update"]): line for line in lines if "name" in line}

    def test_every_split_has_the_same_bits(self):
        texts, values, states, sent = [], [], [], []
        for instances in SPLITS:
            run = f"merged{instances}"
            self.train(instances, run, *SHORT, "--epochs", "1", *self.RULES, "--merge-replicas", "--inspect-json",
                       f"{run}.json")
            texts.append(pathlib.Path(f"{run}.json").read_text())
            values.append(values_of(pathlib.Path("logs", run)))
            states.append(saved_state.read(f"logs/{run}"))
            sent.append(json.loads(pathlib.Path("logs", run, "popscope.json").read_text())["cost"]["bytes"])
        self.train(2, "apart", *SHORT, "--epochs", "1", *self.RULES, "--inspect-json", "apart.json")
        for other in (1, 2):
            self.assertEqual(texts[other], texts[0])
            self.assertEqual(values[other], values[0])
            self.assertEqual(states[other], states[0])
            self.assertEqual(sent[other], sent[0])
        self.assertEqual(saved_state.read("logs/apart"), states[0])
        whole = json.loads(pathlib.Path("logs/apart/popscope.json").read_text())["cost"]["bytes"]
        self.assertLess(sent[0], whole / 2)
        merged, apart = self.samples("merged4.json"), self.samples("apart.json")
        self.assertGreater(len(merged), 100)
        self.assertEqual(merged.keys(), apart.keys())
        for key, sample in merged.items():
            for name in ("samples", "count", "zero", "min", "max", "nan"):
                self.assertEqual(sample.get(name), apart[key].get(name), (key, name))

    def test_they_are_those_of_all_elements_together(self):
        self.train(4, "merged", *SHORT, "--epochs", "1", "--tap", "* -> shape", "--merge-replicas", "--inspect-json",
                   "merged.json")
        self.train(1, "full", *SHORT, "--epochs", "1", "--tap", "* -> full")
        samples = self.samples("merged.json")
        for tensor, at in (("dense_0_acts", "microBatch"), ("dense_1/kernel:0_grad", "accumulated")):
            dump = pathlib.Path("logs/full/dump", tensor.replace("/", ".") + ".npy")
            for update, elements in enumerate(elements_of(dump, 6)):
                sample = samples[(tensor, at, update)]
                count = len(elements)
                mean = math.fsum(elements) / count
                deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in elements) / count)
                self.assertEqual(sample["count"], count)
                self.assertEqual(sample["zero"], elements.count(0.0))
                self.assertEqual((sample["min"], sample["max"]), (min(elements), max(elements)))
                self.assertAlmostEqual(sample["mean"], mean, delta=1e-6 * deviation)
                self.assertAlmostEqual(sample["std"], deviation, delta=1e-6 * deviation)

    def test_the_verdict_names_the_replica(self):
        job = self.train(2, "bad", *SHORT, "--epochs", "1", *self.RULES, "--merge-replicas", "--inject",
                         "nan:dense_1_acts@update=3,replica=3")
        self.assertIn("first not finite: update 3, micro-batch 0, instance 1, replica 3, dense_1_acts", job.err)
        self.assertIn("began here: replica 3", job.err)

    def test_what_tells_replicas_apart_and_what_does_not_are_told_once(self):
        job = self.train(2, "both", *SHORT, *self.RULES, "--merge-replicas", "--keep-apart", status=2)
        self.assertEqual(len(re.findall("popscope: --merge-replicas makes one sample of all", job.err)), 1, job.err)


class Agreement(Case):
    def test_a_signal_to_any_instance_stops_all_at_the_same_place(self):
        job = Job(4, "stopped", *ENDLESS)
        job.trains()
        job.send(2, signal.SIGTERM)
        self.assertEqual(job.end(), 130, job.out + job.err)
        ends = {job.log(instance)[-1] for instance in range(4)}
        self.assertEqual(len(ends), 1, ends)
        self.assertIn("ends in epoch 1 of 1, after", ends.pop())
        self.assertIn("poprun --num-instances 4 --num-replicas 4", job.out)
        self.assert_whole("logs/stopped")

    def test_control_of_the_first_instance_holds_for_all(self):
        job = Job(2, "controlled", *ENDLESS, "--inspect-json", "samples.json")
        job.trains()
        on = control(job.run, "--enable", "name:dense_0_acts", "--every", "5")
        self.assertEqual(on.returncode, 0, on.stderr)
        job.wait_for(lambda: '"name"' in pathlib.Path("samples.json").read_text())
        job.send(0, signal.SIGTERM)
        self.assertEqual(job.end(), 130, job.out + job.err)
        lines = [json.loads(line) for line in pathlib.Path("samples.json").read_text().splitlines()]
        samples = [line["samples"] for line in lines if "name" in line]
        self.assertEqual(set(samples), {2 * ALL})  # the micro-batches of all replicas
        for instance in (0, 1):
            self.assertTrue((job.run / f"instance_{instance}/dump/dense_0_acts.npy").exists())


class Failures(Case):
    def failed(self, number, status, **variables):
        job = Job(4, "failed", *ENDLESS, **variables)
        job.trains()
        job.wait_for(lambda: (job.run / "saved/state").exists())
        job.send(2, number)
        self.assertEqual(job.end(), status, job.out + job.err)
        self.assert_whole("logs/failed")
        saved_state.read("logs/failed")
        return job

    def test_a_killed_instance_ends_the_job(self):
        self.failed(signal.SIGKILL, 137)

    def test_ctrl_c_leaves_whole_files(self):
        job = Job(4, "interrupted", *ENDLESS)
        job.trains()
        job.wait_for(lambda: (job.run / "saved/state").exists())
        job.process.send_signal(signal.SIGINT)  # mpirun leaves the instances a second
        self.assertNotEqual(job.end(), 0, job.out + job.err)
        self.assert_whole("logs/interrupted")
        saved_state.read("logs/interrupted")

    def test_an_instance_that_hangs_is_named(self):
        job = self.failed(signal.SIGSTOP, 1, POPLAR_RUNTIME_OPTIONS='{"target.hostSyncTimeout": "5"}')
        self.assertRegex(job.err, r"still waiting for host sync after 5 seconds .*: instances? (\d, )*2(, \d)* did not (come to|finish) ")


class FirstBad(Case):
    FAULT = "nan:dense_1_acts@update=5,replica=3"

    def test_the_verdict_names_instance_and_replica_and_tells_what_was_received(self):
        for instances, place in ((1, "replica 3"), (2, "instance 1, replica 3"), (4, "instance 3, replica 3")):
            run = f"bad{instances}"
            job = self.train(instances, run, *SHORT, "--epochs", "2", "--inject", self.FAULT)
            self.assertIn(f"first not finite: update 5, micro-batch 0, {place}, dense_1_acts", job.err)
            self.assertIn("began here: replica 3", job.err)
            where = {1: "", 2: " (instances 0, 1)", 4: " (instances 0 to 2)"}[instances]
            self.assertIn(f"received by a reduction: replicas 0 to 2{where}, update 5, ", job.err)
            verdict = json.loads(pathlib.Path("logs", run, "popscope.json").read_text())["health"]["first_not_finite"]
            self.assertEqual({arrival["replica"]: arrival["how"] for arrival in verdict["arrivals"]},
                             {0: "received", 1: "received", 2: "received", 3: "began"})

    def test_an_alarm_stops_all(self):
        job = self.train(2, "alarm", *SHORT, "--epochs", "20", "--inject", self.FAULT, "--on-alarm", "stop", status=3)
        self.assertEqual(job.log(0)[-1], job.log(1)[-1])
        self.assertRegex(job.out, r"stopped (in|after) epoch 1 of 20.* because of --on-alarm stop")


if __name__ == "__main__":
    poprun.require(BIN)
    unittest.main(verbosity=2)
