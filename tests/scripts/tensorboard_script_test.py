#!/usr/bin/env python3
"""What scripts/tensorboard installs, and how it calls popscope tensorboard.

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


class TensorBoardScript(unittest.TestCase):
    """Runs in a checkout whose popscope says that the log is LOG; it writes down its words and fails with code 3."""

    def setUp(self):
        self.checkout = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.checkout / "scripts").mkdir()
        for name in ("tensorboard", "lib.sh"):
            shutil.copy(SOURCE / "scripts" / name, self.checkout / "scripts")
        self.program("scripts/setup", 'echo "setup $*"')
        self.program("elsewhere/popscope", """
            for word; do last=$word; done
            if [ "$last" = --which ]; then [ -n "$LOG" ] && echo "$LOG"; exit; fi
            printf '%s\\n' "$PWD" "$@" > "$RECORD"
            exit 3""")
        self.program("scripts/build", """
            echo "build $*"
            mkdir -p build/release/bin
            cp elsewhere/popscope build/release/bin""")
        (self.checkout / "elsewhere/my logs").mkdir()

    def program(self, path, text):
        file = self.checkout / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def start(self, *options, cwd=".", log="logs"):
        record = self.checkout / "record"
        record.unlink(missing_ok=True)
        result = subprocess.run([self.checkout / "scripts/tensorboard", *options], cwd=self.checkout / cwd, text=True,
                                env=dict(os.environ, RECORD=str(record), LOG=log), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.said = result.stdout + result.stderr
        self.code = result.returncode
        if not record.exists():
            return None
        directory, *words = record.read_text().splitlines()
        self.assertEqual(directory, str(self.checkout / cwd), "paths hold where the caller is")
        return words

    def words(self, *options, environment="venv"):
        return ["tensorboard", *options, "--program", str(self.checkout / f"build/{environment}/bin/tensorboard")]

    def test_it_installs_tensorboard_and_calls_popscope(self):
        self.assertEqual(self.start(), self.words())
        self.assertEqual(self.code, 3, "the exit code is that of popscope")
        self.assertIn("setup --python\n", self.said)
        self.assertEqual(self.start("my logs", "--port", "0", cwd="elsewhere"), self.words("my logs", "--port", "0"))

    def test_popscope_is_built_only_if_it_is_not(self):
        self.start()
        self.assertIn("setup --application\nbuild application\n", self.said)
        self.start()
        self.assertNotIn("build ", self.said)

    def test_a_log_that_popscope_refuses_installs_nothing(self):
        self.start()
        self.assertIsNone(self.start("nothing", log=""))
        self.assertNotEqual(self.code, 0)
        self.assertNotIn("setup", self.said)

    def test_a_run_with_debugger_files_gets_the_environment_with_tensorflow(self):
        (self.checkout / "elsewhere/my logs/tfdbg_events.1.host.metadata").touch()
        self.assertEqual(self.start("my logs", cwd="elsewhere", log="my logs"),
                         self.words("my logs", environment="debugger"))
        self.assertIn("setup --debugger\n", self.said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
