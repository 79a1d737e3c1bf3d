#!/usr/bin/env python3
"""A training whose disk fails goes on, says what it loses, and writes again as soon as it can.

    disk_test.py POPSCOPE FAULTY_DISK DATA VENV

FAULTY_DISK is the library that makes a disk fail, see faulty_disk.cpp; VENV the environment that scripts/setup --python
makes.
"""

import csv
import errno
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import tensorboard_server

POPSCOPE, FAULTY_DISK, DATA, VENV = sys.argv[1:5]
DUMPED = "Dense_10.bias:0_grad"
GOOD = "slow 20000"  # microseconds a write, so that not much is trained while a file is waited for
PATIENCE = 120  # seconds until a training counts as hung; it decides nothing else


def column(file, name):
    """Of a CSV file; nothing if there is none. Its last line may be half written."""
    text = file.read_text() if file.exists() else ""
    return [int(row[name]) for row in csv.DictReader(text[:text.rfind("\n") + 1].splitlines())]


class Training:
    """One update per epoch, so that every writer has something to write all the time."""

    def __init__(self, fault=None, options=(), epochs=1000000):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name) / "logs"
        self.root.mkdir()
        self.run = self.root / "r"
        self.samples = self.root / "samples.json"
        self.switch = pathlib.Path(self.folder.name) / "switch"
        self.errors = pathlib.Path(self.folder.name) / "errors"
        self.output = pathlib.Path(self.folder.name) / "output"
        self.begin(fault or GOOD)
        environment = {**os.environ, "LD_PRELOAD": FAULTY_DISK, "FAULTY_DISK_ROOT": str(self.root),
                       "FAULTY_DISK_SWITCH": str(self.switch)}
        with self.output.open("w") as output, self.errors.open("w") as errors:
            self.process = self.start(output, errors, environment, epochs, options)

    def start(self, output, errors, environment, epochs, options):
        return subprocess.Popen(
            [POPSCOPE, "train", "--device", "model", "--tiles", "8", "--preset", "mlp", "--data", f"{DATA}/mnist",
             "--steps-per-epoch", "4", "--epochs", str(epochs), "--logdir", self.root, "--run", "r", "--checkpoint-every",
             "1", "--no-control", "--inspect-json", self.samples, "--tap",
             "name:Dense_10/bias:0_grad & at:accumulated -> full", *options],
            stdout=output, stderr=errors, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def begin(self, fault):
        aside = self.switch.with_suffix(".new")
        aside.write_text(fault)
        aside.rename(self.switch)  # never half a word

    def end(self):
        self.begin(GOOD)

    def wait_for(self, what):
        end = time.monotonic() + PATIENCE
        while not what():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"exit {self.process.poll()}: {self.errors.read_text()}")
            time.sleep(0.1)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def epochs(self):
        return len(re.findall("^epoch ", self.output.read_text(), re.MULTILINE))

    def lost(self):
        """The records that the last line says are lost, of each writer."""
        last = self.errors.read_text().splitlines()[-1]
        found = {}
        for part in last.removeprefix("popscope: not everything was written: ").split("; /"):
            records = re.search(r"lost ([\d,]+) record", part)
            found[pathlib.Path(part.split(": ")[0]).name] = int(records[1].replace(",", "")) if records else 0
        return found

    def lines(self):
        text = self.samples.read_text() if self.samples.exists() else ""
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def csv_epochs(self):
        return column(self.run / "log.csv", "epoch")

    def dumped_updates(self):
        return column(self.run / f"dump/{DUMPED}.index.csv", "update")

    def curve(self):
        from tensorboard.backend.event_processing import event_file_loader

        return [event.step for file in sorted((self.run / "train").glob("*tfevents*"))
                for event in event_file_loader.EventFileLoader(str(file)).Load()
                for value in event.summary.value if value.tag == "epoch_loss"]

    def newest(self):
        """How far each writer has come, in updates; an epoch is one."""
        return {"train": max(self.curve(), default=-1), "log.csv": max(self.csv_epochs(), default=-1),
                "samples.json": max((line["update"] for line in self.lines()), default=-1),
                "dump": max(self.dumped_updates(), default=-1)}

    def wait_until_all_write(self):
        """Until every writer has something of an update that is yet to come."""
        now = self.epochs()
        self.wait_for(lambda: min(self.newest().values()) > now)


class Disk(unittest.TestCase):
    def expect_whole_files(self, training):
        import numpy
        from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New

        check = subprocess.run([POPSCOPE, "events", "check", training.run], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.assertTrue(training.samples.read_text().endswith("\n"))
        self.assertTrue((training.run / "log.csv").read_text().endswith("\n"))
        rows = training.dumped_updates()
        self.assertEqual(len(numpy.load(training.run / f"dump/{DUMPED}.npy")), len(rows))
        records = PyRecordReader_New(str(training.run / "samples.log"))
        while True:  # raises if one is damaged
            try:
                records.GetNext()
            except Exception as end:
                self.assertEqual(type(end).__name__, "OutOfRangeError", end)
                break
        for steps in (training.curve(), training.csv_epochs(), rows):
            self.assertEqual(steps, sorted(set(steps)))

    def expect_all_counted(self, training):
        """What is not in a file is among what is said to be lost, to the last one."""
        updates, lost = training.epochs(), training.lost()
        self.assertEqual(updates - len(training.csv_epochs()), lost.get("log.csv", 0))
        self.assertEqual(updates - len(training.dumped_updates()), lost.get(f"{DUMPED}.npy", 0))
        of_dumped = [line["update"] for line in training.lines() if line["name"] == "Dense_10/bias:0_grad"]
        self.assertEqual(of_dumped, sorted(set(of_dumped)))
        per_update = len({line["name"] for line in training.lines()})
        self.assertEqual(updates * per_update - len(training.lines()), lost.get("samples.json", 0))

    def test_that_fails_for_a_while_costs_only_what_is_said_to_be_lost(self):
        with Training(f"create {errno.EMFILE}") as training:
            training.wait_for(lambda: training.epochs() > 3)
            self.assertRegex(training.errors.read_text(), "train: cannot be created: Too many open files")
            for fault in (None, f"write {errno.ENOSPC}", f"write {errno.EIO}", f"write {errno.EAGAIN}",
                          f"create {errno.EROFS}"):
                if fault:
                    training.begin(fault)
                    before = training.epochs()
                    training.wait_for(lambda: training.epochs() > before + 3)
                training.end()
                training.wait_until_all_write()
            self.assertEqual(training.stop(), 1)
            last = training.errors.read_text().splitlines()[-1]
            for what in ("went on in a new file", "log.csv: ", "samples.json: ", "samples.log: ", f"{DUMPED}.npy: "):
                self.assertIn(what, last)
            self.assertGreaterEqual(len(list(training.run.glob("train/*tfevents*"))), 4)
            self.expect_whole_files(training)
            self.expect_all_counted(training)
            for what in ("saved", "popscope.json"):
                self.assertNotIn(f"{what}: ", last, "the last one was written")

    def test_whose_directory_is_removed_has_a_new_one(self):
        with Training() as training:
            training.wait_until_all_write()
            shutil.rmtree(training.run)
            training.wait_until_all_write()
            self.assertEqual(training.stop(), 1)
            self.assertIn("was removed while it was being written", training.errors.read_text())
            self.expect_whole_files(training)
            self.expect_all_counted(training)

    def test_that_is_slow_only_takes_time(self):
        with Training("slow 100000", epochs=3) as training:
            self.assertEqual(training.process.wait(PATIENCE), 0, training.errors.read_text())
            self.assertEqual(training.errors.read_text(), "")
            self.assertEqual(training.curve(), [0, 1, 2])
            self.expect_whole_files(training)

    def test_without_a_checkpoint_says_so_until_one_is_written(self):
        for fault in (f"sync {errno.EIO}", f"rename {errno.EIO}"):
            with self.subTest(fault), Training(fault) as training:
                training.wait_for(lambda: "the last checkpoint was not written" in training.errors.read_text())
                self.assertFalse((training.run / "saved/state").exists() and "rename" in fault)
                training.end()
                training.wait_for(lambda: (training.run / "saved/state").exists())
                training.stop()
                self.assertNotIn("the last checkpoint", training.errors.read_text().splitlines()[-1]
                                 if "not everything" in training.errors.read_text() else "")


if __name__ == "__main__":
    tensorboard_server.need(f"{VENV}/bin/tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
