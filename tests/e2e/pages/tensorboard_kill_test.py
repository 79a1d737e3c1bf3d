#!/usr/bin/env python3
"""TensorBoard reads everything that a writer had flushed when it was killed.

    tensorboard_kill_test.py WRITE_UNTIL_KILLED VENV

VENV is the environment that scripts/setup --python makes.
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

import tensorboard_server

WRITER, VENV = sys.argv[1:3]
KILLS = 200


def scalars_read_by_tensorboard(run):
    from tensorboard.backend.event_processing import event_file_loader

    (file,) = pathlib.Path(run).iterdir()
    return [(event.step, value.tensor.float_val[0])
            for event in event_file_loader.EventFileLoader(str(file)).Load() for value in event.summary.value]


class Kill(unittest.TestCase):
    def test_at_any_moment_leaves_what_was_flushed_to_be_read(self):
        moments = random.Random(40)
        most = 0
        for trial in range(KILLS):
            with self.subTest(trial=trial), tempfile.TemporaryDirectory() as run:
                writer = subprocess.Popen([WRITER, run], stdout=subprocess.PIPE, text=True)
                first = writer.stdout.readline()  # the file is there
                time.sleep(moments.uniform(0, 0.03))
                writer.kill()
                lines = (first + writer.communicate()[0]).split("\n")
                flushed = int(lines[-2])  # the last line may have been cut
                scalars = scalars_read_by_tensorboard(run)
                self.assertEqual(scalars, [(step, float(step)) for step in range(len(scalars))])
                self.assertGreater(len(scalars), flushed)
                most = max(most, flushed)
        self.assertGreater(most, 50, "the writer hardly ran")


if __name__ == "__main__":
    tensorboard_server.need(f"{VENV}/bin/tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
