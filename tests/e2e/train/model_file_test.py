#!/usr/bin/env python3
"""popscope train --model trains what a file says, and a run does not need the file again.

    model_file_test.py POPSCOPE DATA
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import saved_state

POPSCOPE, DATA = (os.path.abspath(argument) for argument in sys.argv[1:3])
SHORT = ["--tiles", "8", "--quiet", "--epochs", "1"]
SMALL = {
    "name": "small", "data": f"{DATA}/mnist", "input": [28, 28, 1],
    "layers": [
        {"name": "conv", "kind": "conv", "filters": 4, "kernel": 5},
        {"name": "pool", "kind": "max_pool", "window": 4},
        {"name": "flatten", "kind": "flatten"},
        {"name": "digit", "kind": "dense", "units": 10, "activation": "softmax"}],
    "optimizer": {"kind": "adam"},
    "validation": "test",
    "settings": {"epochs": 2, "batch-size": 8, "steps-per-epoch": 6, "learning-rate": 0.002},
    "taps": ["kind:weight -> identity"]}


class ModelFile(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def run_command(self, *arguments):
        return subprocess.run([POPSCOPE, *arguments], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)

    def popscope(self, *arguments):
        answer = self.run_command(*arguments)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def write(self, model):
        (self.place / "my.json").write_text(json.dumps(model))

    def train_small(self, *arguments):
        self.write(SMALL)
        return self.popscope("train", "--model", "my.json", "--tiles", "8", *arguments)

    def refuse(self, *arguments):
        answer = self.run_command(*arguments)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertRegex(answer.stderr, r"\Apopscope: [^\n]+\n\Z")
        return answer.stderr

    def test_a_preset_that_is_shown_trains_the_weights_of_the_preset(self):
        presets = json.loads(self.popscope("presets", "--json"))
        self.assertGreater(len(presets), 4)
        for preset in presets:
            name = preset["name"]
            (self.place / "my.json").write_text(self.popscope("presets", "--show", name))
            options = [*SHORT, "--data", f"{DATA}/{preset['data']}"]
            if preset["settings"]["batch-size"]:
                options += ["--batch-size", "4", "--steps-per-epoch", "16"]
            self.popscope("train", "--preset", name, *options, "--run", "a")
            self.popscope("train", "--model", "my.json", *options, "--run", "b", "--clean")
            states = [saved_state.read(self.place / "logs" / run)[1] for run in "ab"]
            self.assertEqual(*states, name)
            logs = [(self.place / "logs" / run / "log.csv").read_text() for run in "ab"]
            self.assertEqual(*logs, name)
            self.popscope("train", "--preset", name, *options, "--run", "a", "--seed", "2", "--clean")
            self.assertNotEqual(saved_state.read(self.place / "logs/a")[1], states[0], name)
            for file in ("a", "b"):
                subprocess.run(["rm", "-r", self.place / "logs" / file], check=True)

    def test_options_go_before_the_file(self):
        self.train_small("--run", "short", "--epochs", "1", "--learning-rate", "0.5", "--optimizer", "sgd")
        run = json.loads((self.place / "logs/short/popscope.json").read_text())
        self.assertEqual([run[key] for key in ("model", "epochs", "learning_rate", "optimizer", "batch_size")],
                         ["small", 1, 0.5, "sgd", 8])

    def test_a_run_needs_its_file_no_more(self):
        self.train_small("--run", "whole")
        self.train_small("--run", "parts", "--epochs", "1")
        (self.place / "my.json").unlink()
        self.popscope("train", "--resume", "logs/parts", "--epochs", "2")
        self.assertEqual(saved_state.read(self.place / "logs/parts"), saved_state.read(self.place / "logs/whole"))
        self.assertIn("bit-identical", self.popscope("diff", "logs/whole", "logs/parts"))
        self.assertIn("healthy", self.popscope("health", "logs/parts"))
        replayed = self.popscope("replay", "logs/parts", "--update", "9", "--inspect-json", "samples.json")
        self.assertIn("digit/kernel:0_m", replayed)

    def test_a_changed_file_is_another_training(self):
        self.train_small("--run", "r", "--epochs", "1")
        changed = json.loads(json.dumps(SMALL))
        changed["layers"][0]["activation"] = "selu"
        self.write(changed)
        error = self.refuse("train", "--model", "my.json", "--tiles", "8", "--run", "r", "--resume")
        self.assertIn("was trained with other options: another model file", error)

    def test_other_commands_take_it(self):
        self.write(SMALL)
        listed = json.loads(self.popscope("taps", "--model", "my.json", "--json"))
        self.assertIn("conv/kernel:0", [tap["tensor"] for tap in listed["taps"]])
        dry = self.popscope("train", "--model", "my.json", "--tiles", "8", "--dry-run")
        self.assertIn("model   small, 4 layers, batch 8", dry)
        self.assertIn("logs/small-", dry)
        self.assertIn("the same bits", self.popscope("prove", "--model", "my.json", "--tiles", "8", "--epochs", "1"))

    def test_what_is_wrong_is_one_line_that_names_the_file(self):
        wrong = json.loads(json.dumps(SMALL))
        wrong["layers"][0]["filter"] = wrong["layers"][0].pop("filters")
        self.write(wrong)
        for command in ("train", "taps", "prove"):
            self.assertTrue(self.refuse(command, "--model", "my.json").startswith(
                'popscope: my.json: layer conv (conv): no key "filter"; did you mean "filters"?'))
        wrong = json.loads(json.dumps(SMALL))
        wrong["data"] = "./nowhere"
        self.write(wrong)
        self.assertIn('my.json: "data": ./nowhere/', self.refuse("train", "--model", "my.json"))
        wrong = json.loads(json.dumps(SMALL))
        wrong["layers"][-1]["units"] = 7
        self.write(wrong)
        self.assertIn("the last layer of --model my.json has 7 units", self.refuse("train", "--model", "my.json"))
        (self.place / "my.json").write_text('{"name": "small",\n  "data": }')
        self.assertIn("my.json: not JSON: a value is expected in line 2, column 11", self.refuse("train", "--model", "my.json"))
        wrong = json.loads(json.dumps(SMALL))
        wrong["taps"] = ["cnv*"]
        self.write(wrong)
        self.assertIn("my.json: taps[0]: no tensor matches 'cnv*'",
                      self.refuse("train", "--model", "my.json", "--tiles", "8", "--quiet"))
        wrong["input"] = [14, 56, 1]
        self.write(wrong)
        self.assertIn("--model my.json takes images of 14x56x1 pixels", self.refuse("train", "--model", "my.json"))
        self.assertIn("give only one of them", self.refuse("train", "--model", "my.json", "--preset", "cnn"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
