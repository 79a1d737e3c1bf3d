#!/usr/bin/env python3
"""What scripts/setup and scripts/build ask and say, on a terminal and in a pipe.

    build_scripts_test.py SOURCE
"""

import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()


class Scripts(unittest.TestCase):
    """Runs in a checkout of scripts alone, on a machine that has no package and whose programs write down their calls."""

    def setUp(self):
        self.checkout = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.checkout / "scripts").mkdir()
        for name in ("setup", "build", "lib.sh"):
            shutil.copy(SOURCE / "scripts" / name, self.checkout / "scripts")
        self.program("dpkg-query", "exit 1")
        self.program("sudo", 'exec "$@"')
        self.program("apt-get", 'echo "$@" >> "$RECORD"')
        self.program("ninja", "exit 0")
        self.record = self.checkout / "record"
        self.environment = dict(os.environ, RECORD=str(self.record), PATH=f"{self.checkout}/bin:{os.environ['PATH']}")

    def program(self, name, text):
        file = self.checkout / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def recorded(self):
        return self.record.read_text() if self.record.exists() else ""

    def in_pipe(self, *command):
        return subprocess.run(command, cwd=self.checkout, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def on_terminal(self, answer, *command):
        """The exit code of a command, and what the terminal shows when the user types an answer."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen(command, cwd=self.checkout, env=self.environment, stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        os.write(controller, answer.encode())
        shown = b""
        try:
            while part := os.read(controller, 4096):
                shown += part
        except OSError:  # Linux says so when the command has ended
            pass
        os.close(controller)
        return process.wait(), shown.decode()

    def test_setup_asks_on_a_terminal_and_takes_no_for_an_answer(self):
        code, shown = self.on_terminal("n\n", "scripts/setup", "--application")
        self.assertEqual(code, 1)
        self.assertIn("Install g++ cmake", shown)
        self.assertIn("scripts/setup: not installed: g++ cmake", shown)
        self.assertEqual(self.recorded(), "")

    def test_setup_takes_enter_for_yes(self):
        code, _ = self.on_terminal("\n", "scripts/setup", "--application")
        self.assertEqual(code, 0)
        self.assertIn("install -y --no-install-recommends g++", self.recorded())

    def test_setup_does_not_ask_in_a_pipe(self):
        result = self.in_pipe("scripts/setup", "--application")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn("[Y/n]", result.stdout)
        self.assertIn("install -y --no-install-recommends g++", self.recorded())

    def test_setup_for_the_application_leaves_out_what_only_tests_need(self):
        self.in_pipe("scripts/setup", "--application")
        self.assertNotIn("libgtest-dev", self.recorded())
        self.in_pipe("scripts/setup")
        self.assertIn("libgtest-dev", self.recorded())

    def test_build_says_on_a_terminal_how_long_it_will_take(self):
        self.program("cmake", 'case $1 in --build) echo "${NINJA_STATUS:-none}"; echo "[20/80 30.5] a.o"; echo "a warning" ;; esac')
        code, shown = self.on_terminal("", "scripts/build", "application")
        self.assertEqual(code, 0, shown)
        self.assertIn("Building build/release", shown)
        self.assertIn("[%f/%t %e] ", shown)
        self.assertIn("==> 20 of 80, about 1:30 left", shown)
        self.assertIn("a warning", shown)

    def test_build_leaves_the_lines_of_a_pipe_as_they_are(self):
        self.program("cmake", 'case $1 in --build) echo "[20/80] a.o" ;; esac')
        self.assertEqual(self.in_pipe("scripts/build", "application").stdout.splitlines()[-1], "[20/80] a.o")

    def test_build_that_fails_says_so_on_a_terminal_too(self):
        self.program("cmake", 'case $1 in --build) echo "[20/80 1.0] a.o"; exit 1 ;; esac')
        code, shown = self.on_terminal("", "scripts/build", "application")
        self.assertEqual(code, 1)
        self.assertIn("scripts/build: building preset 'application' failed", shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
