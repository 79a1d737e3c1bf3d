#!/usr/bin/env python3
"""A training that is killed at any moments and resumed has lost nothing.

    kill_test.py POPSCOPE DATA VENV KILLS

Every kind of training is run once as a whole, and once in parts: killed at its share of KILLS moments, chosen by a seed,
and resumed after each. Then its weights have to be those of the whole, bit for bit, and TensorBoard has to show the same
points, each once. At each kill, every event file has to be readable, no curve may go back, and the checkpoints have to be
whole. VENV is the environment that scripts/setup --python makes.
"""

import collections
import json
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import tensorboard_server

POPSCOPE, DATA, VENV, KILLS = *sys.argv[1:4], int(sys.argv[4])

MLP = ["--preset", "mlp", "--data", f"{DATA}/mnist", "--steps-per-epoch", "80", "--epochs"]
FASHION = ["--preset", "fashion", "--data", f"{DATA}/fashion-mnist", "--epochs", "4", "--steps-per-epoch", "20"]
DIGITS = ["--preset", "digits", "--data", f"{DATA}/digits", "--epochs", "12"]
SAVE_ALWAYS = ["--checkpoint-every", "0"]  # after every execution
TRAININGS = {
    "mlp, pipelined, inspected, dumped": [
        *MLP, "6", *SAVE_ALWAYS, "--evaluate-every", "1", "--inspect-json", "SAMPLES",
        "--tap", "kind:gradient & at:accumulated @ every 3 -> shape", "name:Dense_10/bias:0_grad & at:accumulated -> full"],
    "mlp, saved every second, all taps": [
        *MLP, "20", "--checkpoint-every", "1", "--inspect-json", "SAMPLES",
        "--tap", "Dense_10* & kind:weight @ every 4 -> identity"],
    "mlp, with a fault and its dump": [
        *MLP, "6", *SAVE_ALWAYS, "--on-alarm", "dump", "--inject", "nan:Dense_10/kernel:0_grad@update=50,index=3"],
    "cnn": ["--preset", "cnn", "--data", f"{DATA}/mnist", "--epochs", "6", "--steps-per-epoch", "32", "--batch-size", "4",
            *SAVE_ALWAYS, "--evaluate-every", "2", "--filters-every", "2"],
    "gmp-cnn, replicated": ["--preset", "gmp-cnn", "--data", f"{DATA}/mnist", "--epochs", "6", "--steps-per-epoch", "4",
                            *SAVE_ALWAYS, "--batch-size", "4", "--replicas", "2", "--tap", "kind:weight -> stats"],
    "fashion": [*FASHION, *SAVE_ALWAYS],
    "fashion, recorded": [*FASHION, *SAVE_ALWAYS, "--recorder", "5", "--tap", "kind:gradient when l2_norm>3 -> full"],
    "digits": [*DIGITS, *SAVE_ALWAYS],
    "digits, checked": [*DIGITS, *SAVE_ALWAYS, "--checks", "default"],
}
PATIENCE = 60  # seconds until a file counts as not written; it decides nothing else
RECORDER = "recorder"  # the device's memory of the last updates, which a kill takes


def command(logs, run, options, *more):
    samples = f"{logs}/{run}.samples.json"
    return [POPSCOPE, "train", "--device", "model", "--tiles", "8", "--quiet", "--logdir", logs, "--run", run,
            *(samples if option == "SAMPLES" else option for option in options), *more]


def event_files(run):
    return sorted(file for file in pathlib.Path(run).rglob("*tfevents*"))


def folders(run):
    return sorted({file.parent for file in event_files(run)})


def shown(run):
    """Every point as TensorBoard shows it: a start of a session discards the steps that come again."""
    from tensorboard.backend.event_processing import event_file_loader

    points = collections.Counter()
    for folder in folders(run):
        of_folder = collections.Counter()
        for file in sorted(folder.glob("*tfevents*")):
            for event in event_file_loader.EventFileLoader(str(file)).Load():
                if event.session_log.status == event.session_log.START:
                    of_folder = collections.Counter({key: count for key, count in of_folder.items()
                                                     if key[1] < event.step})
                for value in event.summary.value:
                    # What every start says of the run, and of itself.
                    if (value.tag.startswith(("_hparams_", "custom_scalars__"))
                            or value.metadata.plugin_data.plugin_name == "text"):
                        continue
                    content = value.tensor.SerializeToString()
                    of_folder[value.tag, event.step, content] += 1
        for key, count in of_folder.items():
            points[(str(folder.relative_to(run)), *key)] += count
    return points


def curves(run):
    """The steps of each curve, from what TensorBoard's pages are made of."""
    from tensorboard.backend.event_processing import plugin_event_accumulator as accumulator
    from tensorboard.util import tb_logging

    tb_logging.get_logger().setLevel("ERROR")  # it tells of every start

    for folder in folders(run):
        found = accumulator.EventAccumulator(str(folder), size_guidance={accumulator.TENSORS: 0})
        found.Reload()
        for tag in found.Tags()[accumulator.TENSORS]:
            if found.SummaryMetadata(tag).plugin_data.plugin_name in ("scalars", "histograms", "images", "pr_curves"):
                yield folder, tag, [point.step for point in found.Tensors(tag)]


def kill(training):
    training.kill()


def press_ctrl_c(training):
    training.send_signal(signal.SIGINT)


def press_ctrl_c_twice(training):
    press_ctrl_c(training)
    press_ctrl_c(training)


class Kill(unittest.TestCase):
    def stop_somewhere(self, logs, options, seconds, stop):
        """Starts the training, or goes on with it, and stops it after some time. Returns whether it came to its end."""
        run, samples = pathlib.Path(logs) / "parts", pathlib.Path(logs) / "parts.samples.json"
        isBegun = (run / "saved/state").exists()
        if not isBegun:
            samples.unlink(missing_ok=True)
        training = subprocess.Popen(command(logs, "parts", options, "--resume" if isBegun else "--clean"),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            errors = training.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            stop(training)
            errors = training.communicate()[1]
        # While the program starts, and once it has finished, Ctrl-C ends it as it ends any other.
        stopped = (-signal.SIGKILL,) if stop is kill else (130, -signal.SIGINT)
        self.assertIn(training.returncode, (0, *stopped), errors)
        if stop is kill and not {"--inject", "--recorder", "--checks"} & set(options):
            self.assertEqual(errors, "")  # the others have news, also in the whole
        self.assertNotIn("not everything was written", errors)
        return training.returncode == 0

    def expect_readable(self, run):
        check = subprocess.run([POPSCOPE, "events", "check", run], capture_output=True, text=True)
        self.assertNotIn("CRC", check.stdout + check.stderr)
        for folder, tag, steps in curves(run):
            self.assertEqual(steps, sorted(set(steps)), f"{folder}: {tag} goes back")

    def expect_whole_checkpoints(self, run):
        from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import crc32c

        for file in run.glob("saved/state*"):
            if file.name in ("state", "state.previous"):  # not the one that was being written
                state = file.read_bytes()
                self.assertEqual(struct.unpack("<Q", state[-8:])[0], crc32c(state[:-8]), file)

    def expect_same(self, parts, whole, isRecorded):
        self.assertTrue((whole / "log.csv").exists())
        for file in ("saved/state", "log.csv", "samples.log", "../SAMPLES"):
            one, other = (run / file.replace("SAMPLES", f"{run.name}.samples.json") for run in (parts, whole))
            if other.exists():
                self.assertEqual(one.read_bytes(), other.read_bytes(), file)
        for dump in whole.rglob("*.npy"):
            self.assertEqual((parts / dump.relative_to(whole)).read_bytes(), dump.read_bytes(), dump.name)
        found, expected = shown(parts), shown(whole)
        if isRecorded:  # the maps at the end show what the recorder had, too
            for points in (found, expected):
                for key in [key for key in points if key[1].startswith("heat_maps/")]:
                    del points[key]
        self.assertEqual([key[:3] for key in expected - found if key[0] != RECORDER], [], "lost")
        self.assertEqual([key[:3] for key in found - expected], [], "more than there should be")
        health = [json.loads((run / "popscope.json").read_text())["health"] for run in (parts, whole)]
        for one in health:  # without what followed: that is told at the end
            del one["lines"]
            if one["first_not_finite"]:
                one["first_not_finite"] = one["first_not_finite"]["line"]
        self.assertEqual(*health)

    def stop_and_compare(self, options, times, moments, stop):
        """Returns how often the training was stopped."""
        done = 0
        with tempfile.TemporaryDirectory() as logs:
            parts, whole = pathlib.Path(logs) / "parts", pathlib.Path(logs) / "whole"
            start = time.monotonic()
            subprocess.run(command(logs, "whole", options), check=True, stderr=subprocess.DEVNULL)
            seconds = time.monotonic() - start
            for _ in range(10 * times + 10):  # a training may end before it is stopped, and is begun again
                if done == times:
                    break
                shutil.rmtree(parts, ignore_errors=True)
                while not self.stop_somewhere(logs, options, moments.uniform(0.1, 0.9) * seconds if done < times else 600,
                                              stop):
                    done += 1
                    if parts.exists():
                        self.expect_readable(parts)
                        self.expect_whole_checkpoints(parts)
                self.expect_same(parts, whole, "--recorder" in options)
        return done

    def test_at_any_moment_loses_nothing(self):
        moments = random.Random(19)
        kills = 0
        for number, (name, options) in enumerate(TRAININGS.items()):
            share = KILLS * (number + 1) // len(TRAININGS) - KILLS * number // len(TRAININGS)
            with self.subTest(name):
                kills += self.stop_and_compare(options, share, moments, kill)
        print(f"{kills} kills")

    def test_loses_no_point_that_was_written_a_second_before_though_none_followed(self):
        def points(run):
            return {key[1:3] for key in shown(run) if key[1].startswith("tapped_gradients")}

        tap = ["--tap", "kind:gradient & at:accumulated @ updates 3 -> stats", "--checkpoint-every", "3600"]
        cnn = ["--preset", "cnn", "--data", f"{DATA}/mnist", "--epochs", "1", "--batch-size", "4", "--steps-per-epoch"]
        with tempfile.TemporaryDirectory() as logs:
            subprocess.run(command(logs, "whole", [*cnn, "64", *tap]), check=True)
            expected = {point for point in points(pathlib.Path(logs) / "whole") if point[1] == 3}
            self.assertGreater(len(expected), 6)
            training = subprocess.Popen(command(logs, "endless", [*cnn, "400000000", *tap]))
            try:
                end = time.monotonic() + PATIENCE
                while not expected <= points(pathlib.Path(logs) / "endless"):
                    self.assertLess(time.monotonic(), end, "they never reached their file")
                    self.assertIsNone(training.poll())
                    time.sleep(0.3)
            finally:
                training.kill()
                training.wait()

    def test_ctrl_c_at_any_moment_loses_nothing(self):
        moments = random.Random(4)
        for stop, name in ((press_ctrl_c, "digits, checked"), (press_ctrl_c_twice, "fashion")):
            with self.subTest(name):
                times = self.stop_and_compare(TRAININGS[name], KILLS // len(TRAININGS), moments, stop)
                print(f"{stop.__name__} {times} times")


if __name__ == "__main__":
    tensorboard_server.need(f"{VENV}/bin/tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
