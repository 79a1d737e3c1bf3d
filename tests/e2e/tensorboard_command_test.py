#!/usr/bin/env python3
"""What popscope tensorboard asks of TensorBoard, and what it says.

    tensorboard_command_test.py WRITE_SAMPLE_LOG POPSCOPE VENV

VENV is the environment that scripts/setup --python makes. Where it has no TensorBoard, what needs the real one is skipped,
or fails if POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

import tensorboard_server
from terminal import Terminal

WRITER, POPSCOPE, VENV = (os.path.abspath(argument) for argument in sys.argv[1:4])
SAMPLES = "scalars=100000,histograms=10000,images=1000,audio=1000,text=1000,pr_curves=1000"
RECORDING = """#!/bin/sh
printf '%s\\n' "$@" > record
echo "TensorBoard 2.20.0 at http://${SAYS:-localhost:6007}/ (Press CTRL+C to quit)" >&2
exit 3
"""


class TensorboardTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        subprocess.run([WRITER, self.directory / "logs"], check=True, stdout=subprocess.DEVNULL)
        # Without a TensorBoard that may be installed.
        self.environment = {**os.environ, "PATH": str(self.program("bin/none").parent)}

    def program(self, path, text="#!/bin/sh\nexit 1\n"):
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def make_newest(self, run):
        for file in (self.directory / "logs" / run).rglob("*tfevents*"):
            os.utime(file, (4e9, 4e9))

    def run_command(self, *words):
        return subprocess.run([POPSCOPE, "tensorboard", *words], cwd=self.directory, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def start(self, *words, says=""):
        """The words that a TensorBoard gets which writes them down and fails with code 3."""
        self.environment["SAYS"] = says
        self.program("bin/tensorboard", RECORDING)
        result = self.run_command(*words)
        self.assertEqual(result.returncode, 3, "the exit code is TensorBoard's")
        self.said, self.passed = result.stdout, result.stderr
        return (self.directory / "record").read_text().splitlines()


class Words(TensorboardTest):
    def test_without_words_the_newest_run_is_opened_on_localhost(self):
        self.make_newest("train")
        self.assertEqual(self.start(), ["--logdir", "logs/train", "--samples_per_plugin", SAMPLES, "--host", "localhost"])
        self.assertIn("Opening logs/train, the newest of 2 runs; popscope tensorboard logs shows all\n", self.said)
        self.assertIn("Listening on localhost only", self.said)
        self.make_newest("sweep/0.10")
        os.utime(next((self.directory / "logs/train").glob("*tfevents*")), (3e9, 3e9))
        self.assertEqual(self.start()[1], "logs/sweep", "a run is what is in logs, with all below it")

    def test_a_log_and_options_of_tensorboard_are_passed_on(self):
        words = self.start("logs", "--port", "0", "--load_fast=false")
        self.assertEqual(words[:2], ["--logdir", "logs"])
        self.assertEqual(words[-3:], ["--port", "0", "--load_fast=false"])
        self.assertEqual(self.start("--port", "0")[-2:], ["--port", "0"], "0 is not a log")
        self.assertEqual(self.start("--logdir", "logs"), ["--host", "localhost", "--logdir", "logs"])

    def test_which_only_prints_the_directory(self):
        self.make_newest("train")
        for words, printed in (((), "logs/train\n"), (("logs", "--port", "0"), "logs\n"), (("--logdir=x",), "")):
            result = self.run_command(*words, "--which")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, printed, ""))

    def test_bind_all_and_host_take_the_place_of_localhost(self):
        words = self.start("logs", "--bind_all", says="machine:6006")
        self.assertNotIn("--host", words)
        self.assertIn("Listening on all network interfaces", self.said)
        self.assertNotIn("ssh", self.said, "no tunnel is needed")
        for given in (["--host", "10.0.0.1"], ["--host=10.0.0.1"]):
            words = self.start("logs", *given, says="10.0.0.1:6006")
            self.assertEqual(words[-len(given):], given)
            self.assertNotIn("localhost", words)

    def test_the_tunnel_leads_to_the_port_that_tensorboard_names(self):
        self.start("logs")
        self.assertEqual(self.passed, "TensorBoard 2.20.0 at http://localhost:6007/ (Press CTRL+C to quit)\n")
        self.assertRegex(self.said, r"\nFrom another machine: ssh -N -L 6007:localhost:6007 \S+@\S+\n"
                                    r"then http://localhost:6007/\n\Z")

    def test_a_program_can_be_named(self):
        named = self.program("my programs/board", RECORDING)
        result = self.run_command("logs", "--program", str(named))
        self.assertEqual(result.returncode, 3)
        self.assertTrue((self.directory / "record").exists())

    def test_the_module_of_python_is_the_second_choice(self):
        self.program("bin/python3", """#!/bin/sh
            [ "$1" = -c ] && exit 0
            printf '%s\\n' "$@" > record
            exit 4""")
        self.assertEqual(self.run_command("logs").returncode, 4)
        self.assertEqual((self.directory / "record").read_text().splitlines()[:4],
                         ["-m", "tensorboard.main", "--logdir", "logs"])

    def test_debugger_files_are_pointed_out(self):
        self.start("logs/train")
        self.assertNotIn("Debugger V2", self.said)
        (self.directory / "logs/train/tfdbg_events.1.host.metadata").touch()
        self.start("logs/train")
        self.assertIn("Debugger V2", self.said)

    def test_bad_input_is_refused_in_one_line(self):
        (self.directory / "bin/file").write_text("")
        for words, reason in (
                (("nothing",), "nothing: no such directory; give the one that popscope train has written to"),
                (("bin/file",), "bin/file: a file; TensorBoard opens the directory it is in"),
                (("logs", "--program", "nothing"), "--program nothing: not a program that can be executed"),
                (("logs", "--logdir", "logs"), "logs and --logdir: give the log only once"),
                (("logs",), "TensorBoard is neither in PATH nor in python3; get it with python3 -m pip install")):
            result = self.run_command(*words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertTrue(result.stderr.startswith("popscope: " + reason), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        result = self.run_command("logs", "--program", str(self.program("bad", "#!/nonexistent\n")))
        self.assertEqual((result.returncode, result.stderr),
                         (2, f"popscope: {self.directory}/bad: cannot be executed\n"))
        (self.directory / "logs").rename(self.directory / "else")
        self.assertEqual(self.run_command().stderr,
                         "popscope: no directory 'logs' here; name a log: popscope tensorboard DIR\n")


class HiddenPoints(TensorboardTest):
    def write_again(self, run, times):
        """Makes series longer: each file of the run once more, under other names."""
        [file] = (self.directory / "logs" / run).glob("*tfevents*")
        for number in range(times):
            (file.parent / f"{file.name}.{number}").write_bytes(file.read_bytes())

    def test_nothing_is_said_where_all_is_shown(self):
        self.start("logs")
        self.assertNotIn("hide", self.said)

    def test_what_tensorboard_would_hide_is_said_and_shown(self):
        self.write_again("train", 5)
        words = self.start("logs")
        self.assertEqual(words[2:4], ["--samples_per_plugin", SAMPLES])
        self.assertIn("Every point is shown; TensorBoard by itself would hide some:\n"
                      "  of histograms it keeps 51 a tag, and train, weights has 120\n"
                      "  of images it keeps 10 a tag, and train, pictures has 12\n"
                      "  of pr_curves it keeps 100 a tag, and train, curve has 120\n", self.said)

    def test_numbers_that_are_given_are_left_alone_and_others_suggested(self):
        self.write_again("train", 5)
        words = self.start("logs", "--samples_per_plugin=images=5")
        self.assertEqual([word for word in words if "images" in word], ["--samples_per_plugin=images=5"])
        self.assertIn(f"Without --samples_per_plugin {SAMPLES}\nTensorBoard may hide points", self.said)

    def test_longer_series_ask_for_more(self):
        self.write_again("train", 300)  # of two pictures
        self.assertIn("images=10000,", self.start("logs")[3])


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except OSError:
        return False


class Running(TensorboardTest):
    def start_program(self, text):
        """Of a program that says something at once; returns the process of popscope and what it said."""
        process = subprocess.Popen([POPSCOPE, "tensorboard", "logs", "--program", self.program("waits", text)],
                                   cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.addCleanup(process.stderr.close)
        return process, process.stderr.readline()

    def test_ctrl_c_ends_both(self):
        if not os.path.exists(f"{VENV}/bin/tensorboard"):
            if os.environ.get("POPSCOPE_REQUIRE_TENSORBOARD"):
                self.fail("no TensorBoard; scripts/setup --python installs it")
            self.skipTest("scripts/setup --python installs it")
        command = [POPSCOPE, "tensorboard", "logs", "--program", f"{VENV}/bin/tensorboard", "--port", "0"]
        terminal = Terminal(command, self.directory)
        self.addCleanup(terminal.kill)
        shown = terminal.wait_for(r"then http://\S+/\r\n")
        address = re.search(r"then (http://\S+/)", shown)[1]
        self.assertIn(b"TensorBoard", urllib.request.urlopen(address, timeout=60).read())
        terminal.press_ctrl_c()
        text, code = terminal.wait_for_end()
        self.assertEqual(code, 130)
        self.assertNotIn("Traceback", text)
        with self.assertRaises(OSError):
            urllib.request.urlopen(address, timeout=60)

    def test_a_program_that_ignores_the_first_signal_is_killed_by_the_second(self):
        process, _ = self.start_program("#!/bin/sh\ntrap 'echo no >&2' TERM\necho ready >&2\nwhile :; do sleep 0.1; done\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stderr.readline(), "no\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)

    def test_tensorboard_does_not_outlive_popscope(self):
        process, said = self.start_program("#!/bin/sh\necho $$ >&2\nexec sleep 1000\n")
        self.assertTrue(is_running(int(said)))
        process.kill()
        process.wait()
        tensorboard_server.wait_for(lambda: not is_running(int(said)), lambda: said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
