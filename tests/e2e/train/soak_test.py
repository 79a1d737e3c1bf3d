#!/usr/bin/env python3
"""A long training takes no more memory and no more descriptors than it did at first.

    soak_test.py POPSCOPE DATA EPOCHS

The training has one update per epoch, writes to every kind of file, and is looked at after each tenth of its epochs.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

POPSCOPE, DATA, EPOCHS = *sys.argv[1:3], int(sys.argv[3])
MOST_GROWTH = 4 << 20  # bytes, from a fifth of the epochs on: what is kept of an epoch would be more


def resident(process):
    pages = pathlib.Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def descriptors(process):
    return len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))


class Soak(unittest.TestCase):
    def test_memory_and_descriptors_stay_as_they_are(self):
        with tempfile.TemporaryDirectory() as logs:
            output = pathlib.Path(logs) / "output"
            with output.open("w") as out:
                training = subprocess.Popen(
                    [POPSCOPE, "train", "--device", "model", "--tiles", "8", "--preset", "mlp", "--data", f"{DATA}/mnist",
                     "--steps-per-epoch", "4", "--batch-size", "4", "--epochs", str(EPOCHS), "--logdir", logs, "--run", "r",
                     "--checkpoint-every", "1", "--histograms-every", "0", "--inspect-json", f"{logs}/samples.json",
                     "--tap", "* @ every 100", "name:Dense_10/bias:0_grad & at:accumulated @ every 100 -> full"],
                    stdout=out, stderr=subprocess.STDOUT)
            seen = []  # (epoch, bytes, descriptors)
            try:
                while training.poll() is None:
                    time.sleep(0.2)
                    with output.open("rb") as file:
                        file.seek(max(0, output.stat().st_size - 4096))
                        epochs = re.findall(r"^epoch +(\d+)/", file.read().decode(), re.MULTILINE)
                    if epochs and (not seen or int(epochs[-1]) >= seen[-1][0] + EPOCHS // 10):
                        seen.append((int(epochs[-1]), resident(training.pid), descriptors(training.pid)))
            finally:
                training.kill()
            self.assertEqual(training.wait(), 0, output.read_text()[-2000:])
            late = [point for point in seen if point[0] >= EPOCHS // 5]
            self.assertGreaterEqual(len(late), 5, seen)
            growth = late[-1][1] - late[0][1]
            print(f"{late[-1][0]} epochs; resident {late[0][1] >> 10} KiB at epoch {late[0][0]}, {late[-1][1] >> 10} KiB at "
                  f"epoch {late[-1][0]}: {growth / (late[-1][0] - late[0][0]):.2f} bytes an epoch; descriptors "
                  f"{[point[2] for point in late]}")
            self.assertLess(growth, MOST_GROWTH, seen)
            self.assertLessEqual(max(point[2] for point in late), late[0][2] + 2, "one is open while a checkpoint is written")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
