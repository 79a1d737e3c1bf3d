#!/usr/bin/env python3
"""What scripts/train asks of popscope, and that it builds what README.md installs.

    train_script_test.py SOURCE BUILD
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
TAP = "kind:gradient & at:accumulated & */kernel* @ every 16 -> shape"
SETTINGS = ["--preset", "cnn", "--gradient-accumulation", "2", "--learning-rate", "0.002", "--steps-per-epoch", "256",
            "--epochs", "15", "--tap", TAP]


class TrainScript(unittest.TestCase):
    """Runs in a checkout that has a popscope which writes down its arguments and fails with code 3."""

    def setUp(self):
        self.checkout = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.checkout / "scripts").mkdir()
        for name in ("train", "lib.sh"):
            shutil.copy(SOURCE / "scripts" / name, self.checkout / "scripts")
        self.program("scripts/setup", "")
        self.program("scripts/build", "")
        self.program("build/release/bin/popscope", 'printf "%s\\n" "$PWD" "$@" > "$RECORD"; exit 3')

    def program(self, path, text):
        file = self.checkout / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def train(self, *options, cwd=None):
        record = self.checkout / "record"
        result = subprocess.run([self.checkout / "scripts/train", *options], cwd=cwd or self.checkout,
                                env=dict(os.environ, RECORD=str(record)), stdout=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 3, "the exit code is popscope's")
        self.directory, command, *words = record.read_text().splitlines()
        self.assertEqual(command, "train")
        return words

    def test_without_options_has_the_settings_of_the_readme(self):
        self.assertEqual(self.train(), SETTINGS)

    def test_options_add_to_the_settings(self):
        self.assertEqual(self.train("--seed", "3"), SETTINGS + ["--seed", "3"])
        self.assertEqual(self.train("--preset", "cnn", "--quiet"), SETTINGS[2:] + ["--preset", "cnn", "--quiet"])

    def test_option_replaces_the_setting_of_its_name(self):
        without_epochs = SETTINGS[:8] + SETTINGS[10:]
        self.assertEqual(self.train("--epochs", "2"), without_epochs + ["--epochs", "2"])
        self.assertEqual(self.train("--epochs=2"), without_epochs + ["--epochs=2"])

    def test_taps_replace_the_tap(self):
        rules = ["--tap", "* -> alarm", "loss"]
        self.assertEqual(self.train(*rules), SETTINGS[:10] + rules)

    def test_another_preset_has_its_own_numbers(self):
        self.assertEqual(self.train("--preset", "mlp"), ["--preset", "mlp"])
        self.assertEqual(self.train("--preset=digits", "--epochs", "3"), ["--preset=digits", "--epochs", "3"])

    def test_a_model_file_and_a_run_have_their_own_numbers(self):
        for options in (["--model", "my.json"], ["--model=my.json", "--epochs", "3"], ["--resume", "logs/night"],
                        ["--quiet", "--resume=logs/night"]):
            self.assertEqual(self.train(*options), options)
        for options in (["--run", "night", "--resume"], ["--resume", "--run", "night"]):
            self.assertEqual(self.train(*options), SETTINGS + options)

    def test_paths_mean_what_they_mean_to_the_caller(self):
        self.train()
        self.assertEqual(self.directory, str(self.checkout))
        elsewhere = self.checkout / "elsewhere"
        elsewhere.mkdir()
        self.train("--logdir", "logs", cwd=elsewhere)
        self.assertEqual(self.directory, str(elsewhere))


class Built(unittest.TestCase):
    @staticmethod
    def target_after(text, page):
        """What the first command `scripts/build PRESET` after the text builds."""
        after = page.read_text().partition(text)[2]
        preset = re.search(r"^\./scripts/build (\w+)", after, re.MULTILINE)[1]
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["buildPresets"]
        [target] = next(known["targets"] for known in presets if known["name"] == preset)
        return target

    def test_the_script_builds_the_program(self):
        self.assertEqual(self.target_after("#!", SOURCE / "scripts/train"), "popscope")

    def test_what_the_readme_builds_can_be_installed_as_it_says(self):
        target = self.target_after("## Programs written for the SDK", SOURCE / "README.md")
        answer = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", target], stdout=subprocess.PIPE, text=True)
        if answer.returncode != 0:
            self.skipTest("not built by Ninja 1.11 or newer")
        built = {str((BUILD / line.strip()).resolve()) for line in answer.stdout.splitlines()}
        needed = set()
        for script in BUILD.rglob("cmake_install.cmake"):
            for component in re.split(r"(?=CMAKE_INSTALL_COMPONENT STREQUAL)", script.read_text()):
                if component.startswith('CMAKE_INSTALL_COMPONENT STREQUAL "ipumodel"'):
                    needed.update(re.findall(rf'"({re.escape(str(BUILD))}/(?:lib|bin)/[^"/]+)"', component))
        needed = {str(pathlib.Path(file).resolve()) for file in needed}
        if not needed:
            self.skipTest("built on another engine")
        self.assertEqual(needed - built, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
