#!/usr/bin/env python3
"""popscope events on a terminal, and beside a program that is still writing.

    events_follow_test.py WRITE_SAMPLE_LOG POPSCOPE
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from terminal import Terminal

WRITE_SAMPLE_LOG, POPSCOPE = (os.path.abspath(argument) for argument in sys.argv[1:3])
BARS = "▁▂▃▄▅▆▇█"


class EventsTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        subprocess.run([WRITE_SAMPLE_LOG, self.directory / "logs"], check=True, stdout=subprocess.DEVNULL)
        [self.file] = (self.directory / "logs/train").glob("*tfevents*")


class Trend(EventsTest):
    def shown(self, locale, columns=80):
        command = ["env", f"LC_ALL={locale}", POPSCOPE, "events", "inspect", "logs/train"]
        text, code = Terminal(command, self.directory, columns).wait_for_end()
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", text, "no colours")
        self.assertLessEqual(max(map(len, text.splitlines())), columns)
        return {row.split()[1]: row.split()[-1] for row in text.splitlines() if row.startswith("  scalars")}

    def test_scalars_have_a_curve_of_bars(self):
        trends = self.shown("C.UTF-8")
        self.assertRegex(trends["loss"], f"^█[{BARS}]{{14}}▁$")
        self.assertEqual(trends["loss"], "".join(sorted(trends["loss"], reverse=True)), "the loss only falls")
        self.assertEqual(trends["overflowing"], "x" * 16, "no number is drawn where there is none")

    def test_a_terminal_without_utf_8_gets_ascii(self):
        trends = self.shown("C")
        self.assertTrue(all(trend.isascii() for trend in trends.values()))
        self.assertRegex(trends["loss"], r"^#.{14}_$")
        self.assertRegex(trends["accuracy"], r"^_.{14}#$")

    def test_a_pipe_gets_the_columns_of_every_log(self):
        printed = subprocess.run([POPSCOPE, "events", "inspect", "logs/train"], cwd=self.directory, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        self.assertIn("tag\t.\tscalars\tloss\t20\t0\t19\t0\t80\n", printed)


class Follow(EventsTest):
    def start(self, path, *options):
        self.process = subprocess.Popen([POPSCOPE, "events", "cat", path, "--follow", "--tag", "loss", *options],
                                        cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.process.kill)

    def steps(self, count, run="."):
        """Of the next lines."""
        rows = [self.process.stdout.readline().split("\t") for _ in range(count)]
        self.assertEqual({row[0] for row in rows}, {run})
        return [int(row[2]) for row in rows]

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        rest, said = self.process.communicate()
        self.assertEqual(rest, "")
        self.assertEqual(self.process.returncode, 130)
        return said

    def copy(self, name):
        path = self.directory / "run" / name
        path.parent.mkdir(exist_ok=True)
        shutil.copy(self.file, path)

    def test_points_are_printed_as_they_are_written(self):
        content = self.file.read_bytes()
        file = self.directory / "run/a.tfevents"
        file.parent.mkdir()
        half = len(content) // 2  # in the middle of a record
        file.write_bytes(content[:half])
        self.start("run")
        first = self.steps(5)
        with open(file, "ab") as growing:
            growing.write(content[half:])
        self.assertEqual(first + self.steps(15), list(range(20)))
        self.assertEqual(self.stop(), "")

    def test_a_run_that_does_not_exist_yet_is_waited_for(self):
        self.start("run")
        self.assertEqual(self.process.stderr.readline(), "popscope: run: no event files yet; waiting for them\n")
        self.copy("events.out.tfevents.1")
        self.assertEqual(self.steps(20), list(range(20)))
        self.stop(signal.SIGTERM)

    def test_the_next_file_and_the_next_run_are_followed(self):
        self.copy("events.out.tfevents.1")
        self.start("run")
        self.assertEqual(self.steps(20), list(range(20)))
        self.copy("events.out.tfevents.2")
        self.assertEqual(self.steps(20), list(range(20)), "a log that was rotated")
        shutil.copytree(self.directory / "logs/sweep/0.05", self.directory / "run/validation")
        self.assertEqual(self.steps(20, "validation"), list(range(20)))
        self.stop()

    def test_damage_is_reported_and_passed_over(self):
        content = bytearray(self.file.read_bytes())
        content[content.index(b"\x0a\x04loss\x15")] ^= 255  # the first point
        self.file.write_bytes(content)
        self.start("logs/train")
        self.assertEqual(self.steps(19), list(range(1, 20)))
        self.assertRegex(self.stop(), r"\Apopscope: logs/train/\S+: .*CRC.*\n\Z")

    def test_ctrl_c_on_a_terminal_ends_it_between_lines(self):
        terminal = Terminal([POPSCOPE, "events", "cat", "-f", "logs/train", "--tag", "loss"], self.directory)
        self.addCleanup(terminal.kill)
        shown = terminal.wait_for(r" 19 .*\n")
        self.assertRegex(shown, r"\A  run  wall time     step  kind     tag   value\r\n  \.    1600000001\.0  0     scalars")
        terminal.press_ctrl_c()
        text, code = terminal.wait_for_end()
        self.assertEqual((re.sub(r"\^C", "", text).strip(), code), ("", 130))

    def test_output_that_cannot_be_written_ends_it(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([POPSCOPE, "events", "cat", "-f", self.file], stdout=full, stderr=subprocess.PIPE,
                                    text=True)
        self.assertEqual((result.returncode, result.stderr), (1, "popscope: standard output cannot be written\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
