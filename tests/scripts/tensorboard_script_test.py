#!/usr/bin/env python3
"""What scripts/tensorboard asks of TensorBoard, and what it says.

    tensorboard_script_test.py SOURCE
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
SAMPLES = "scalars=100000,histograms=10000,images=1000,audio=1000,text=1000,pr_curves=1000"


class TensorBoardScript(unittest.TestCase):
    """Runs in a checkout that has a TensorBoard which writes down its arguments and fails with code 3."""

    def setUp(self):
        self.checkout = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.checkout / "scripts").mkdir()
        for name in ("tensorboard", "lib.sh"):
            shutil.copy(SOURCE / "scripts" / name, self.checkout / "scripts")
        self.program("scripts/setup", 'echo "setup $*"')
        for environment in ("venv", "debugger"):
            self.program(f"build/{environment}/bin/tensorboard", f"""
                printf '%s\\n' "$PWD" "$@" > "$RECORD"
                echo "of {environment}" >&2
                echo "TensorBoard 2.20.0 at http://${{SAYS:-localhost:6007}}/ (Press CTRL+C to quit)" >&2
                exit 3""")
        for name in ("logs", "elsewhere/logs", "elsewhere/my logs"):
            (self.checkout / name).mkdir(parents=True)

    def program(self, path, text):
        file = self.checkout / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def start(self, *options, cwd=".", says=""):
        record = self.checkout / "record"
        record.unlink(missing_ok=True)
        result = subprocess.run([self.checkout / "scripts/tensorboard", *options], cwd=self.checkout / cwd, text=True,
                                env=dict(os.environ, RECORD=str(record), SAYS=says), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.said = result.stdout + result.stderr
        if not record.exists():
            return None
        self.assertEqual(result.returncode, 3, "the exit code is TensorBoard's")
        directory, *words = record.read_text().splitlines()
        self.assertEqual(directory, str(self.checkout / cwd), "paths hold where the caller is")
        return words

    def test_without_arguments_shows_every_point_of_logs_on_localhost(self):
        self.assertEqual(self.start(),
                         ["--logdir", "logs", "--samples_per_plugin", SAMPLES, "--host", "localhost"])
        self.assertIn("Listening on localhost only", self.said)
        self.assertIn("Every point is shown, up to 100,000 scalars", self.said)

    def test_the_log_directory_is_the_callers(self):
        self.assertEqual(self.start(cwd="elsewhere")[:2], ["--logdir", "logs"])
        self.assertEqual(self.start("my logs", cwd="elsewhere")[:2], ["--logdir", "my logs"])
        self.assertEqual(self.start("../logs", "--port", "0", cwd="elsewhere")[:2], ["--logdir", "../logs"])
        self.assertEqual(self.start(str(self.checkout / "logs"), cwd="elsewhere")[1], str(self.checkout / "logs"))

    def test_a_directory_that_is_not_there_is_named(self):
        self.assertIsNone(self.start("my logs"))
        self.assertRegex(self.said, r"\Ascripts/tensorboard: no directory 'my logs'; .*\n\Z")

    def test_bind_all_takes_the_place_of_the_host(self):
        words = self.start("--bind_all", says="machine:6006")
        self.assertNotIn("--host", words)
        self.assertEqual(words[-1], "--bind_all")
        self.assertIn("Listening on all network interfaces", self.said)
        self.assertNotIn("ssh", self.said, "no tunnel is needed")

    def test_a_host_takes_the_place_of_localhost(self):
        for given in (["--host", "10.0.0.1"], ["--host=10.0.0.1"]):
            words = self.start("logs", *given, says="10.0.0.1:6006")
            self.assertEqual(words[-len(given):], given)
            self.assertNotIn("localhost", words)

    def test_samples_that_are_given_are_left_alone(self):
        words = self.start("--samples_per_plugin=images=5")
        self.assertEqual([word for word in words if "images" in word], ["--samples_per_plugin=images=5"])
        self.assertNotIn("Every point", self.said)

    def test_a_run_with_debugger_files_gets_the_environment_with_tensorflow(self):
        self.start("my logs", cwd="elsewhere")
        self.assertIn("setup --python\n", self.said)
        self.assertIn("of venv\n", self.said)
        (self.checkout / "elsewhere/my logs/tfdbg_events.1.host.metadata").touch()
        self.start("my logs", cwd="elsewhere")
        self.assertIn("setup --debugger\n", self.said)
        self.assertIn("of debugger\n", self.said)

    def test_the_tunnel_leads_to_the_port_that_tensorboard_names(self):
        self.start()
        first, tunnel = self.said.splitlines()[-2:]
        self.assertEqual(first, "TensorBoard 2.20.0 at http://localhost:6007/ (Press CTRL+C to quit)")
        self.assertRegex(tunnel, r"ssh -NL 6007:localhost:6007 \S+@\S+, then http://localhost:6007/$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
