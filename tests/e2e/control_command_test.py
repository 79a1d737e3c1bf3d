#!/usr/bin/env python3
"""popscope control: taps of a running training are turned on and off, and the log has what was on.

    control_command_test.py POPSCOPE PAGE

PAGE is docs/inspecting.md, whose commands are run.
"""

import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

POPSCOPE, PAGE = (os.path.abspath(argument) for argument in sys.argv[1:3])
PATIENCE = 300  # seconds, before a test gives up
RUN = pathlib.Path("logs/night")


def control(*options, run=RUN):
    return subprocess.run([POPSCOPE, "control", run, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)


def update_of(result):
    """The update that a change is confirmed with."""
    assert result.returncode == 0, result.stderr
    return int(result.stdout.split(":")[0].split()[1])


class Training:
    """A training that ends when it is told to: it has more batches than any machine finishes while a test runs."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [POPSCOPE, "train", "--preset", "cnn", "--batch-size", "2", "--gradient-accumulation", "2", "--steps-per-epoch",
             "400000", "--steps-per-execution", "16", "--run", "night", "--inspect-json", "samples.json", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_until_it_trains(self):
        end = time.monotonic() + PATIENCE
        while not self.has_begun():
            assert self.process.poll() is None and time.monotonic() < end, self.process.communicate()
            time.sleep(0.05)

    @staticmethod
    def has_begun():
        status = control("--json")
        return status.returncode == 0 and "update" in json.loads(status.stdout)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=PATIENCE)


class ControlledTraining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        os.chdir(directory.name)
        training = Training("--tap", "* @ never", "conv_0_acts @ never -> full")
        try:
            training.wait_until_it_trains()
            cls.status = control("--status")
            cls.mode = stat.S_IMODE(os.stat(RUN / "control").st_mode)
            cls.on = update_of(control("--enable", "name:loss"))
            cls.slower = update_of(control("--enable", "name:loss", "--every", "4"))
            cls.off = update_of(control("--disable", "*"))
            cls.dumped = update_of(control("--dump", "conv_0_acts"))
            training.process.send_signal(signal.SIGUSR1)
            end = time.monotonic() + PATIENCE
            while not any(tap["tensor"] == "input" and tap["sent"] for tap in json.loads(control("--json").stdout)["taps"]):
                assert time.monotonic() < end
                time.sleep(0.05)
            cls.refused = {options: control(*options) for options in (
                ("--enable", "conv_9_acts"), ("--enable", "loss", "--payload", "shape"), ("--dump", "loss"), ("--every", "3"),
                ("--enable", "knd:x"), ("--enable", "loss", "--when", "abs_max>1"))}
        finally:
            cls.said = training.stop()
        cls.lines = [json.loads(line) for line in pathlib.Path("samples.json").read_text().splitlines()]

    def updates_of(self, tensor):
        return [line["update"] for line in self.lines if line.get("name") == tensor]

    def everything(self):
        [update] = [line["update"] for line in self.lines if "everything" in line.get("control", "")]
        return update

    def test_samples_are_of_the_updates_at_which_the_tap_was_on(self):
        slower = [update for update in range(self.slower, self.off) if update % 4 == 0]
        expected = [*range(self.on, self.slower), *slower, self.everything()]
        self.assertEqual(self.updates_of("loss"), expected)

    def test_sigusr1_turns_everything_on_for_one_update(self):
        self.assertEqual(self.updates_of("input"), [self.everything()])
        self.assertGreater(self.everything(), self.dumped)

    def test_a_dump_has_the_update_that_was_confirmed(self):
        rows = (RUN / "dump/conv_0_acts.index.csv").read_text().splitlines()
        dumps = [(update, micro_batch) for update in (self.dumped, self.everything()) for micro_batch in range(2)]
        self.assertEqual(rows, ["row,update,micro_batch,replica",
                                *(f"{row},{update},{micro_batch},0" for row, (update, micro_batch) in enumerate(dumps))])

    def test_changes_are_noted_in_the_log(self):
        notes = [(line["update"], line["control"]) for line in self.lines if "control" in line]
        self.assertEqual([update for update, _ in notes], [self.on, self.slower, self.off, self.dumped, self.everything()])
        self.assertEqual(notes[1][1], "turned on loss every 4")
        text = subprocess.run([POPSCOPE, "events", "cat", RUN, "--tag", "control"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        self.assertIn("turned on loss every 4", text)
        self.assertIn(f"popscope: update {self.on}: turned on loss\n", self.said[1])

    def test_what_is_not_compiled_in_is_refused(self):
        expected = {
            ("--enable", "conv_9_acts"): "no tensor matches 'conv_9_acts'; the nearest are",
            ("--enable", "loss", "--payload", "shape"): "start the program with the rule 'loss @ never -> shape'",
            ("--dump", "loss"): "start the program with the rule 'loss @ never -> full'",
            ("--every", "3"): "--every is for what is turned on; name it with --enable SEL",
            ("--enable", "knd:x"): "no property 'knd'",
            ("--enable", "loss", "--when", "abs_max>1"): "start the program with the rule 'loss @ never when abs_max>1'",
        }
        for options, message in expected.items():
            self.assertEqual(self.refused[options].returncode, 2, options)
            self.assertIn(message, self.refused[options].stderr)
            self.assertTrue(self.refused[options].stderr.startswith("popscope: "))

    def test_status_lists_the_taps(self):
        lines = [line.split("\t") for line in self.status.stdout.splitlines()]
        self.assertEqual(lines[0], ["tensor", "at", "tap", "schedule", "when", "payload", "compiled in", "due"])
        self.assertIn(["conv_0_acts", "microBatch", "off", "every 1", "", "stats", "stats, full", "0"], lines)

    def test_the_socket_is_the_users_alone_and_goes_away(self):
        self.assertEqual(self.mode, 0o600)
        self.assertFalse((RUN / "control").exists())
        over = control("--status")
        self.assertEqual(over.returncode, 2)
        self.assertIn("logs/night: no program runs here that can be controlled", over.stderr)


class KilledTraining(unittest.TestCase):
    def test_leaves_a_socket_that_the_next_start_replaces(self):
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            killed = Training("--tap", "loss")
            killed.wait_until_it_trains()
            killed.process.kill()
            killed.process.communicate()
            self.assertTrue((RUN / "control").exists())
            self.assertIn("was killed", control("--status").stderr)
            resumed = Training("--tap", "loss", "--resume", "--force")
            resumed.wait_until_it_trains()
            self.assertEqual(control("--disable", "loss").returncode, 0)
            resumed.stop()
            self.assertFalse((RUN / "control").exists())


class DocumentedCommands(unittest.TestCase):
    def test_the_commands_of_the_page_work(self):
        page = pathlib.Path(PAGE).read_text()
        [block] = re.findall(r"^```\n(popscope train .*?)^```", page, re.MULTILINE | re.DOTALL)
        train, *commands = block.splitlines()
        wait = f"until {POPSCOPE} control logs/night >/dev/null 2>&1; do kill -0 $!; sleep 0.05; done"
        script = "\n".join([f"PATH={os.path.dirname(POPSCOPE)}:$PATH", f"{train[:-1]} >training.txt 2>&1 &", wait, *commands,
                            "kill -INT $!", "wait $! || true"])
        with tempfile.TemporaryDirectory() as directory:
            said = subprocess.run(["bash", "-euc", script], cwd=directory, check=True, stdout=subprocess.PIPE, text=True,
                                  timeout=PATIENCE).stdout
            self.assertRegex(said, r"update \d+: turned on .*_grad.* every 10\n")
            self.assertRegex(said, r"update \d+: dumped conv_1_acts\n")
            self.assertRegex(said, r"update \d+: intervention: conv_1_acts scaled by 0.5 for 100 updates\n")
            self.assertTrue(pathlib.Path(directory, "logs/night/dump/conv_1_acts.npy").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
