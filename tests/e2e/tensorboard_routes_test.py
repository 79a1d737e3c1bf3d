#!/usr/bin/env python3
"""The real TensorBoard, with either loader, answers exactly what was written.

    tensorboard_routes_test.py WRITE_SAMPLE_LOG POPSCOPE VENV

VENV is the environment that scripts/setup --python makes. Where it has no
TensorBoard the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request
import zlib

WRITER, POPSCOPE, VENV = sys.argv[1:4]
TENSORBOARD = pathlib.Path(VENV) / "bin" / "tensorboard"
SKIPPED = 77  # exit code, as ctest is told
DEADLINE = 120  # seconds for TensorBoard to start and to load the log


class Server:
    """TensorBoard on a log directory, on a free port of localhost."""

    def __init__(self, logdir, load_fast):
        self.log = tempfile.NamedTemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [TENSORBOARD, "--logdir", logdir, "--host", "127.0.0.1",
             "--port", "0", f"--load_fast={load_fast}", "--reload_interval", "1"],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.url = self.wait_for(self.find_url)

    def find_url(self):
        if self.process.poll() is not None:
            raise AssertionError("TensorBoard ended: " + self.output())
        found = re.search(r"TensorBoard \S+ at (http://\S+?)/? ", self.output())
        return found and found[1]

    def output(self):
        return pathlib.Path(self.log.name).read_text()

    def wait_for(self, probe):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            result = probe()
            if result:
                return result
            time.sleep(0.2)
        raise AssertionError("TensorBoard was not ready in time: " + self.output())

    def get(self, route, **query):
        return urllib.request.urlopen(f"{self.url}/data/{route}?{urllib.parse.urlencode(query)}", timeout=60).read()

    def json(self, route, **query):
        return json.loads(self.get(route, **query))

    def post(self, route, body):
        request = urllib.request.Request(f"{self.url}/data/{route}", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(request, timeout=60).read())

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def compressed_to_basis_points(buckets):
    """TensorBoard's distribution of a histogram: the value below which each share of the elements lies."""
    total = sum(count for _, _, count in buckets)
    result = []
    for point in (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000):
        target, below = total * point / 10000, 0.0
        for left, right, count in buckets:
            if count and below + count >= target:
                result.append([point, left + (right - left) * (target - below) / count])
                break
            below += count
    return result


def rgb_pixels(png, width, height):
    """The pixels of an RGB picture whose rows may have any filter."""
    assert struct.unpack(">II", png[16:24]) == (width, height) and png[24:26] == b"\x08\x02", "not RGB of that size"
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at:at + 4])
        if png[at + 4:at + 8] == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += length + 12
    rows, stride = zlib.decompress(data), 3 * width
    above, pixels = bytes(stride), b""
    for y in range(height):
        kind, row = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, corner = (row[x - 3], above[x - 3]) if x >= 3 else (0, 0)
            estimate = left + above[x] - corner
            paeth = min((left, above[x], corner), key=lambda near: abs(estimate - near))
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, paeth)[kind]) % 256
        above, pixels = bytes(row), pixels + bytes(row)
    return list(pixels)


class Routes:
    """The claims, for each loader."""

    load_fast = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        written = subprocess.run([WRITER, cls.directory.name], check=True, stdout=subprocess.PIPE)
        cls.expected = json.loads(written.stdout)
        cls.server = Server(cls.directory.name, cls.load_fast)
        # The picture is among the last values, so all others have been loaded with it.
        cls.server.wait_for(lambda: cls.server.json("plugin/images/tags").get("train"))
        cls.server.wait_for(lambda: cls.server.json("plugin/pr_curves/tags").get("train"))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    def series(self, plugin, tag):
        return self.server.json(f"plugin/{plugin}/{plugin}", run="train", tag=tag)

    def test_the_run_is_listed(self):
        self.assertEqual(self.server.json("runs"), ["train"])

    def test_scalars_are_exact(self):
        self.assertEqual(self.series("scalars", "loss"), self.expected["loss"])

    def test_scalars_that_are_not_numbers_arrive(self):
        self.assertEqual([value for _, _, value in self.series("scalars", "broken")], [1.0] + 4 * ["NaN"])

    def test_histograms_are_exact(self):
        self.assertEqual(self.series("histograms", "weights"), self.expected["weights"])

    def test_distributions_follow_from_the_buckets(self):
        found = self.series("distributions", "weights")
        self.assertEqual(len(found), len(self.expected["weights"]))
        for (wall, step, points), (wall_written, step_written, buckets) in zip(found, self.expected["weights"]):
            self.assertEqual((wall, step), (wall_written, step_written))
            self.assertEqual(len(points), 9)
            for (point, value), (point_expected, value_expected) in zip(points, compressed_to_basis_points(buckets)):
                self.assertEqual(point, point_expected)
                self.assertAlmostEqual(value, value_expected, delta=1e-3 * (buckets[-1][1] - buckets[0][0]))

    def test_pictures_are_exact(self):
        (entry,) = self.server.json("plugin/images/images", run="train", tag="digit", sample=0)
        self.assertEqual((entry["step"], entry["wall_time"]), (5, self.expected["start"] + 6))
        query = dict(urllib.parse.parse_qsl(entry["query"]))
        png = self.server.get("plugin/images/individualImage", **query)
        self.assertEqual(rgb_pixels(png, 3, 2), self.expected["pixels"])

    def test_text_is_rendered(self):
        (entry,) = self.series("text", "note")
        self.assertIn("some <strong>bold</strong> words", entry["text"])

    def test_pr_curves_are_exact(self):
        (curve,) = self.server.json("plugin/pr_curves/pr_curves", run="train", tag="curve")["train"]
        kept = len(curve["thresholds"])  # TensorBoard cuts thresholds above all predictions
        self.assertGreater(kept, 1)
        for name in ("true_positives", "false_positives"):
            self.assertEqual(curve[name], self.expected[name][:kept])
            self.assertEqual(sum(self.expected[name][kept:]), 0)

    def test_hparams_are_exact(self):
        answer = self.server.post("plugin/hparams/session_groups", {
            "startIndex": 0, "sliceSize": 10,
            "allowedStatuses": ["STATUS_SUCCESS", "STATUS_RUNNING", "STATUS_UNKNOWN", "STATUS_FAILURE"],
            "colParams": [{"hparam": "lr"}, {"hparam": "optimizer"}, {"hparam": "shuffle"},
                          {"metric": {"tag": "loss"}}]})
        (group,) = answer["sessionGroups"]
        self.assertEqual(group["hparams"], {"lr": 0.125, "optimizer": "sgd", "shuffle": True})
        (session,) = group["sessions"]
        self.assertEqual(session["status"], "STATUS_SUCCESS")
        (loss,) = [value for value in session["metricValues"] if value["name"]["tag"] == "loss"]
        self.assertEqual((loss["value"], loss["trainingStep"]), (self.expected["loss"][-1][2], 4))

    def test_export_is_what_the_download_links_give(self):
        for tag in ("loss", "broken"):
            for form in ("csv", "json"):
                ours = subprocess.run([POPSCOPE, "events", "export", self.directory.name, "--tag", tag, "--format", form],
                                      check=True, stdout=subprocess.PIPE).stdout
                theirs = self.server.get("plugin/scalars/scalars", run="train", tag=tag, format=form)
                self.assertEqual(ours.strip(), theirs.strip(), f"{tag} as {form}")


class FastLoader(Routes, unittest.TestCase):
    load_fast = "true"


class PythonLoader(Routes, unittest.TestCase):
    load_fast = "false"


if __name__ == "__main__":
    if not TENSORBOARD.exists():
        print(f"no {TENSORBOARD}: scripts/setup --python installs it from PyPI")
        sys.exit(1 if os.environ.get("POPSCOPE_REQUIRE_TENSORBOARD") else SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
