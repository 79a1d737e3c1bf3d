#!/usr/bin/env python3
"""popscope train --resume RUN goes on with the options of the run.

    resume_command_test.py POPSCOPE DATA
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import saved_state

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
# With an optimiser that has a memory, two stages, and a rule with several words.
MLP = ["--preset", "mlp", "--data", f"{DATA}/mnist", "--tiles", "8", "--steps-per-epoch", "8", "--batch-size", "4",
       "--optimizer", "adam", "--seed", "7", "--tap", "kind:weight -> identity", "loss @ every 2"]
PATIENCE = 60  # seconds until a file counts as not written; it decides nothing else


class Resume(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def popscope(self, *arguments):
        answer = subprocess.run([POPSCOPE, *arguments], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def train(self, run, *arguments):
        return self.popscope("train", *MLP, "--run", run, *arguments)

    def resume(self, run, *arguments):
        return self.popscope("train", "--resume", f"logs/{run}", *arguments)

    def refuse(self, *arguments):
        answer = subprocess.run([POPSCOPE, "train", *arguments], cwd=self.place, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
        self.assertRegex(answer.stderr, r"\Apopscope: [^\n]+\n\Z")
        return answer.stderr

    def start(self, run, *arguments):
        """A training that saves its state after each execution, once it has saved one with trained weights."""
        training = subprocess.Popen([POPSCOPE, "train", *MLP, "--run", run, "--checkpoint-every", "0", *arguments],
                                    cwd=self.place, stdout=subprocess.DEVNULL)
        self.addCleanup(training.wait)
        self.addCleanup(training.kill)
        end = time.monotonic() + PATIENCE
        while not (self.place / "logs" / run / "saved/state.previous").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return training

    def manifest(self, run):
        return json.loads((self.place / "logs" / run / "popscope.json").read_text())

    def expect_same(self, a, b):
        self.assertEqual(saved_state.read(self.place / "logs" / a), saved_state.read(self.place / "logs" / b))
        log = [(self.place / "logs" / run / "log.csv").read_text() for run in (a, b)]
        self.assertEqual(*log)

    def test_a_killed_run_goes_on_without_another_option(self):
        self.train("whole", "--epochs", "40")
        training = self.start("killed", "--epochs", "40")
        training.kill()
        training.wait()
        printed = self.resume("killed")
        self.assertIn("\nresume  ", printed)
        self.assertNotIn("\nchange  ", printed)
        self.expect_same("whole", "killed")
        self.assertIn("no difference seen", self.popscope("diff", "logs/whole", "logs/killed"))
        # What it did stays known: the next start, and a replay, need no option either.
        self.assertIn("nothing is left to train", self.resume("killed"))
        self.popscope("replay", "logs/killed", "--update", "70", "--quiet")

    def test_a_changed_learning_rate_holds_from_the_next_epoch_on_and_is_said(self):
        self.train("whole", "--epochs", "4", "--learning-rate", "0.002,0.01@3")
        self.train("parts", "--epochs", "2", "--learning-rate", "0.002")
        printed = self.resume("parts", "--learning-rate", "0.01", "--epochs", "4")
        self.assertIn("\nchange  --epochs 4, before 2\n"
                      "change  --learning-rate 0.01 from epoch 3 on, before 0.002\n", printed)
        self.expect_same("whole", "parts")
        self.assertEqual(self.manifest("parts")["learning_rate_schedule"], "0.002,0.01@3")
        # A replay from the first weights has the rates that each epoch had.
        shutil.rmtree(self.place / "logs/parts/saved")
        for run in ("whole", "parts"):
            self.popscope("replay", f"logs/{run}", "--update", "7", "--tap", "* -> identity", "--quiet")
        self.assertIn("bit-identical", self.popscope("diff", "logs/whole-replay-7", "logs/parts-replay-7"))

    def test_a_schedule_with_a_rate_twice_is_no_change(self):
        rates = "0.002,0.002@2"
        self.train("r", "--epochs", "1", "--learning-rate", rates)
        self.assertNotIn("learning-rate", self.resume("r", "--epochs", "2", "--learning-rate", rates))
        self.assertEqual(self.manifest("r")["learning_rate_schedule"], rates)

    def test_a_learning_rate_that_changes_within_an_epoch_waits_for_its_end(self):
        training = self.start("parts", "--epochs", "100000")
        training.kill()
        training.wait()
        state = saved_state.read(self.place / "logs/parts")[1]
        batches = int.from_bytes(state[:8], "little")
        epoch = -(-batches // 8) + 1
        printed = self.resume("parts", "--learning-rate", "0.5", "--epochs", str(epoch))
        self.assertIn(f"\nchange  --learning-rate 0.5 from epoch {epoch} on, before 0.001\n", printed)
        rows = (self.place / "logs/parts/log.csv").read_text().splitlines()
        rates = [float(dict(zip(rows[0].split(","), row.split(",")))["learning_rate"]) for row in rows[1:]]
        self.assertEqual([round(rate, 6) for rate in rates], [0.001] * (epoch - 1) + [0.5])

    def test_taps_and_what_is_logged_may_change_and_are_said(self):
        self.train("r", "--epochs", "1")
        printed = self.resume("r", "--epochs", "2", "--tap", "kind:gradient", "--watch", "--evaluate-every", "1",
                              "--checkpoint-every", "1")
        for change in ("--tap kind:gradient, before kind:weight -> identity loss @ every 2", "--watch, not given before",
                       "--evaluate-every 1, not given before", "--checkpoint-every 1, not given before"):
            self.assertIn(f"\nchange  {change}\n", printed)
        words = self.manifest("r")["command_line"]
        self.assertEqual([words[i + 1] for i, word in enumerate(words) if word == "--tap"], ["kind:gradient"])
        self.assertNotIn("\nchange  ", self.resume("r", "--tap", "kind:gradient", "--seed", "7"))

    def test_what_the_weights_depend_on_is_refused(self):
        self.train("r", "--epochs", "2", "--quiet")
        before = saved_state.read(self.place / "logs/r")
        for name, *value in (["--batch-size", "8"], ["--seed", "8"], ["--precision", "half"], ["--replicas", "2"],
                             ["--optimizer", "sgd"], ["--gradient-accumulation", "2"], ["--steps-per-epoch", "16"],
                             ["--steps-per-execution", "8"], ["--pipeline-stages", "3"],
                             ["--data", f"{DATA}/fashion-mnist"]):
            error = self.refuse("--resume", "logs/r", name, *value)
            self.assertIn("logs/r was trained with other options: ", error)
            self.assertIn(f": leave {name} out", error)
        for name, value in (("--preset", "cnn"), ("--model", "my.json"), ("--run", "r"), ("--logdir", "logs")):
            self.assertIn(f"popscope: {name}", self.refuse("--resume", "logs/r", name, value))
        self.assertIn("--clean", self.refuse("--resume", "logs/r", "--clean"))
        self.assertIn("more than --epochs 1", self.refuse("--resume", "logs/r", "--epochs", "1"))
        self.assertIn("--dry-run does not go with --resume", self.refuse("--resume", "logs/r", "--dry-run"))
        self.assertEqual(saved_state.read(self.place / "logs/r"), before)
        # The same in other words is no change.
        self.resume("r", "--preset", "mlp", "--pipeline-stages", "2", "--precision", "float")

    def test_a_copy_of_the_data_is_the_same_data(self):
        self.train("r", "--epochs", "1")
        shutil.copytree(f"{DATA}/mnist", self.place / "moved")
        self.assertIn("change  --data moved, before ", self.resume("r", "--epochs", "2", "--data", "moved"))

    def test_what_cannot_be_resumed_is_refused(self):
        (self.place / "empty").mkdir()
        for place in ("empty", "nothing"):
            self.assertIn(f"popscope: {place}: no popscope.json; name the directory of a run",
                          self.refuse("--resume", place))
        self.assertIn("--resume needs --run", self.refuse("--resume"))
        self.train("r", "--epochs", "1")
        self.popscope("replay", "logs/r", "--update", "0", "--quiet")
        self.assertIn("name the run of a training", self.refuse("--resume", "logs/r-replay-0"))
        shutil.rmtree(self.place / "logs/r/saved")
        self.assertIn("there is no checkpoint to resume", self.refuse("--resume", "logs/r"))
        (self.place / "logs/r/popscope.json").write_text("[")
        self.assertIn("popscope.json: not JSON", self.refuse("--resume", "logs/r"))
        self.start("running", "--epochs", "100000")
        self.assertIn("another popscope is writing this run", self.refuse("--resume", "logs/running"))

    def test_the_name_of_a_run_with_all_options_still_resumes_it(self):
        self.train("whole", "--epochs", "3")
        self.train("parts", "--epochs", "1")
        self.train("parts", "--epochs", "2", "--resume")
        self.assertIn("popscope train --resume logs/parts goes on with its own",
                      self.refuse("--preset", "mlp", "--data", f"{DATA}/mnist", "--run", "parts", "--resume"))
        self.resume("parts", "--epochs", "3")
        self.expect_same("whole", "parts")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
