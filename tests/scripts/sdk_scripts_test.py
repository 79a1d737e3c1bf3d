"""The scripts for a first day with an SDK: sdk_smoke and check_sdk_headers.

    sdk_scripts_test.py SOURCE_DIR POPSCOPE INCLUDE_DIR
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, POPSCOPE, INCLUDE = (os.path.abspath(argument) for argument in sys.argv[1:4])


def run(script, *arguments):
    return subprocess.run([f"{SOURCE}/scripts/{script}", *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


class Scripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def smoke(self, program):
        return run("sdk_smoke", "--short", "--device", "model", "--popscope", program, "--keep", self.place / "kept")


class SdkSmoke(Scripts):
    def test_every_step_is_as_expected_on_this_engine(self):
        result = self.smoke(POPSCOPE)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual([line for line in lines[:-1] if not line.startswith("ok  ")], [])
        self.assertIn(f"all {len(lines) - 1} steps are as expected", lines[-1])
        names = subprocess.run(["tar", "tzf", self.place / "kept.tar.gz"], stdout=subprocess.PIPE, text=True).stdout
        self.assertIn("kept/logs/nan/popscope.json", names)
        self.assertNotIn("kept/cache", names)

    def test_a_step_that_differs_is_named_and_the_others_go_on(self):
        fake = self.place / "popscope"
        fake.write_text(f"""#!/bin/sh
case "$1" in
prove) echo weights differ; exit 1 ;;
train | diff | health | events) exit 0 ;;
*) exec {POPSCOPE} "$@" ;;
esac
""")
        fake.chmod(0o755)
        result = self.smoke(fake)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"(?m)^ok  .* devices ")
        self.assertRegex(result.stdout, r"(?m)^DIFFERS  .* taps-change-nothing: exit code 1, expected 0")
        self.assertRegex(result.stdout, r"(?m)^DIFFERS  .* statistics: exit code 0, expected 0 and")
        self.assertIn("steps differ", result.stderr)
        self.assertTrue((self.place / "kept.tar.gz").exists())

    def test_without_short_two_instances_are_started_by_the_poprun_beside_the_program(self):
        for name, text in (("popscope", "exit 0"), ("poprun", "echo told \"$@\"; echo first not finite: update 1, "
                                                              "micro-batch 0, instance 1, replica 1, Dense_128_acts")):
            (self.place / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.place / name).chmod(0o755)
        result = run("sdk_smoke", "--device", "model", "--popscope", self.place / "popscope", "--keep", self.place / "kept")
        self.assertRegex(result.stdout, r"(?m)^ok  .* two-instances ")
        (told,) = (self.place / "kept").glob("*-two-instances.txt")
        self.assertRegex(told.read_text(), r"told --num-instances 2 --num-replicas 2 .*popscope train --device model .*"
                                           r"--inject nan:Dense_128_acts@update=1,replica=1")

    def test_a_missing_program_is_said(self):
        result = self.smoke(self.place / "absent")
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no", result.stderr)


class CheckSdkHeaders(Scripts):
    def test_headers_that_fit_and_headers_that_do_not(self):
        result = run("check_sdk_headers", INCLUDE, "--codelets", INCLUDE, "--only", "codelets")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"==> \d\d sources compile against these headers")
        other = self.place / "include"
        shutil.copytree(INCLUDE, other)
        graph = other / "poplar/Graph.hpp"
        graph.write_text(graph.read_text().replace("addCodelets", "addCodeletFiles"))
        result = run("check_sdk_headers", other, "--only", "graph/codelets")
        self.assertEqual(result.returncode, 1)
        self.assertIn("addCodelets", result.stdout)
        self.assertIn("1 of 1 sources do not compile", result.stderr)

    def test_bad_input_is_one_line(self):
        for arguments in ([], ["no-such-directory"], [INCLUDE, "--only", "no such source"], [INCLUDE, "--wrong"]):
            result = run("check_sdk_headers", *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
