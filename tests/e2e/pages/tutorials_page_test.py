#!/usr/bin/env python3
"""The commands of docs/tutorials.md work, in the order of the page; trainings are cut short.

    tutorials_page_test.py POPSCOPE SOURCE

SOURCE is the checkout; build/venv in it is what scripts/setup --python makes. Without TensorBoard there, its commands are
left out, or fail if POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

POPSCOPE, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
VENV = SOURCE / "build/venv"
PAGE = (SOURCE / "docs/tutorials.md").read_text()
# What the test adds to a training, so that there is just enough to see what the page promises.
SHORT = {"mlp": "--epochs 2 --steps-per-epoch 40", "cnn": "--epochs 5 --steps-per-epoch 16",
         "gmp-cnn": "--epochs 2 --steps-per-epoch 2", "fashion": "--epochs 2 --steps-per-epoch 40",
         "digits": "--epochs 500"}


def commands_of(page):
    """Lines of examples, and code in tables that begins with a program, in their order."""
    found = re.findall(r"^    (.+)$|`(popscope \w+ [^`]+|\./scripts/tensorboard [^`]+)`", page, re.MULTILINE)
    return [line or cell for line, cell in found]


def shortened(command):
    preset = re.match(r"popscope train --preset (\S+)", command)
    return f"{command} {SHORT[preset[1]]} --device model --tiles 8" if preset else command


class TutorialsPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A directory that is like a checkout after ./scripts/train."""
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        os.chdir(directory.name)
        pathlib.Path("build/release").mkdir(parents=True)
        pathlib.Path("build/release/bin").symlink_to(POPSCOPE.parent)
        pathlib.Path("build/venv").symlink_to(VENV)
        pathlib.Path("scripts").symlink_to(SOURCE / "scripts")
        cls.said = {}
        commands = commands_of(PAGE)
        path = next(command for command in commands if command.startswith("export PATH="))
        for command in commands:
            if command.startswith("popscope "):
                cls.said[command] = subprocess.run(["bash", "-euc", f"{path}\n{shortened(command)}"],
                                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def printed(self, command):
        return self.said[command].stdout

    def test_every_command_succeeds_and_says_something(self):
        self.assertGreater(len(self.said), 30)
        for command, result in self.said.items():
            self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")
            self.assertTrue(result.stdout or "-o" in command, command)

    def test_tensorboard_opens_as_shown(self):
        shown = [command for command in commands_of(PAGE) if command.startswith("./scripts/tensorboard ")]
        self.assertTrue(shown)
        if not (VENV / "bin/tensorboard").exists() and not os.environ.get("POPSCOPE_REQUIRE_TENSORBOARD"):
            self.skipTest("scripts/setup --python could not install it")
        for command in set(shown):
            script, logs = command.split()
            server = tensorboard_server.Server(VENV, logs, "true", script)
            self.addCleanup(server.stop)
            server.wait_for_tag("scalars", "cnn/train")
            tensorboard_server.wait_for(lambda: "ssh -N -L" in server.output(), server.output)

    def test_every_preset_has_a_section(self):
        for preset in SHORT:
            self.assertRegex(PAGE, rf"(?m)^## .*`{preset}`$")

    def test_a_filter_that_matches_nothing_leaves_its_table_empty(self):
        command = "popscope train --preset mlp --gradients-filters Dense_1024"
        self.assertIn("\nGradients callback\nNo data enqueued\n", self.printed(command))
        self.assertIn("matches nothing; the nearest are Dense_1", self.said[command].stderr)

    def test_an_option_without_effect_is_pointed_out(self):
        self.assertIn("--model-type Model has no effect",
                      self.said["popscope train --preset mlp --model-type Model"].stderr)

    def test_pictures_are_exported(self):
        for directory in re.findall(r"-o (pictures/\w+)", PAGE):
            self.assertTrue(list(pathlib.Path(directory).rglob("*.png")), directory)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
