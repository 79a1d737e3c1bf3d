#!/usr/bin/env python3
"""popscope train on a terminal: what a user sees, and what Ctrl-C does.

    terminal_test.py POPSCOPE DATA
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from terminal import PATIENCE, Terminal

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
# More batches in one execution than any machine finishes while a test runs.
ENDLESS = ["--preset", "mlp", "--no-inspection", "--steps-per-epoch", "400000000", "--steps-per-execution", "400000000"]
MANY_EXECUTIONS = ["--preset", "mlp", "--no-inspection", "--steps-per-epoch", "400000000"]
SHORT = ["--preset", "mlp", "--no-inspection", "--epochs", "2", "--steps-per-epoch", "400"]


class TrainOnATerminal(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory())

    def start(self, command, columns=80):
        terminal = Terminal(command, self.directory, columns)
        self.addCleanup(terminal.kill)
        return terminal

    def train(self, *options, columns=80):
        return self.start([POPSCOPE, "train", "--device", "model", "--tiles", "8", "--data", f"{DATA}/mnist", *options],
                          columns)

    def wait_for_checkpoint(self):
        end = time.monotonic() + PATIENCE
        while not list(pathlib.Path(self.directory).glob("logs/*/saved/state")):
            self.assertLess(time.monotonic(), end, "no checkpoint")
            time.sleep(0.02)

    def paste(self, said):
        """Runs the last command that is shown indented, in the same directory."""
        command = re.findall(r"^  (\S.*)$", said.replace("\r", ""), re.MULTILINE)[-1]
        return self.start(["sh", "-c", f"exec {command}"])  # so that kill reaches it

    def test_introduction_is_there_before_the_graph_is_built(self):
        terminal = self.train(*SHORT)
        first = terminal.wait_for(r"building the graph")
        self.assertRegex(first, r"(?s)^data    .*\nmodel   .*\ndevice  .*\nlog     logs/mlp-")
        rest, code = terminal.wait_for_end()
        self.assertEqual(code, 0)
        self.assertTrue(rest.startswith(" and loading it onto the device ...\r\x1b[K"), "wiped when it is done")

    def test_no_line_is_wider_than_the_window(self):
        terminal = self.train("--preset", "cnn", "--batch-size", "4", "--gradient-accumulation", "2", "--epochs", "1",
                              "--steps-per-epoch", "16", "--precision", "half", "--learning-rate", "1e3", "--run", "r",
                              "--tap", "kind:gradient & at:accumulated -> shape")
        said, code = terminal.wait_for_end()
        self.assertEqual(code, 0, said)
        self.assertIn("Tapped tensors in epoch 1", said)
        health, code = self.start([POPSCOPE, "health", "logs/r"]).wait_for_end()
        self.assertEqual(code, 3, health)
        for line in re.sub("\x1b\\[[0-9;]*[a-zA-Z]", "\r", said + health).splitlines():
            if "popscope train" not in line and "popscope report" not in line and "tensorboard" not in line:
                self.assertLessEqual(len(line.split("\r")[-1]), 80, line)
        self.assertRegex(said, r"epoch 1/1  .*\r\n  top_k_categorical_accuracy [0-9.]+\r\n")

    def test_bar_fits_the_window_and_follows_it(self):
        terminal = self.train(*MANY_EXECUTIONS)
        for columns in (80, 40, 120):
            terminal.resize(columns)
            terminal.wait_for("\x1b\\[J")  # one that may still be drawn for the old width
            for _ in range(3):
                line = terminal.wait_for("\x1b\\[J").removesuffix("\r\x1b[J")
                self.assertLess(len(line), columns)
                self.assertRegex(line, r"^epoch 1/3 .*[0-9]:[0-9]{2}:[0-9]{2} left .*loss [0-9.]+")
            self.assertEqual("[=" in line or "[ " in line, columns == 120, line)
            self.assertGreater(len(line), columns / 2)

    def test_ctrl_c_is_acknowledged_and_the_command_it_shows_works(self):
        terminal = self.train(*MANY_EXECUTIONS)
        terminal.wait_for("loss")
        terminal.press_ctrl_c()
        terminal.wait_for("^.*stopping after this execution ... press Ctrl-C again to stop at once\r$")
        said, code = terminal.wait_for_end()
        self.assertEqual(code, 130)
        place = re.search(r"stopped (in epoch 1 of 3, after [0-9]+ of 400000000 batches); everything is written", said)
        self.assertIsNotNone(place, said)
        resumed = self.paste(said)
        resumed.wait_for("^resume  " + place[1])
        resumed.wait_for("loss")

    def test_second_ctrl_c_says_what_is_lost_even_in_the_first_epoch(self):
        terminal = self.train(*ENDLESS)
        self.wait_for_checkpoint()
        terminal.press_ctrl_c()
        terminal.wait_for("press Ctrl-C again to stop at once")
        terminal.press_ctrl_c()
        said, code = terminal.wait_for_end()
        self.assertEqual(code, 130)
        self.assertIn("stopped at once: what was trained since the checkpoint before the first batch is lost.", said)
        self.paste(said).wait_for("^resume  before the first batch")

    def test_killed_in_its_first_epoch_can_be_resumed(self):
        terminal = self.train("--run", "r", *ENDLESS)
        self.wait_for_checkpoint()
        terminal.kill()
        self.train("--run", "r", *ENDLESS, "--resume").wait_for("^resume  before the first batch")

    def test_bad_input_found_while_building_is_one_line_and_leaves_nothing(self):
        for run in ([], ["--run", "r"]):
            result = subprocess.run([POPSCOPE, "train", "--preset", "cnn", "--tiles", "8", "--data", f"{DATA}/mnist",
                                     "--tap", "no_such_tensor", *run],
                                    cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"\Apopscope: .*no_such_tensor.*\n\Z")
            self.assertEqual(os.listdir(self.directory), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
