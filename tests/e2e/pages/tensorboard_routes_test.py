#!/usr/bin/env python3
"""The real TensorBoard, with either loader, answers exactly what was written.

    tensorboard_routes_test.py WRITE_SAMPLE_LOG POPSCOPE VENV

VENV is the environment that scripts/setup --python makes. Where it has no
TensorBoard the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import wave
import zlib

import tensorboard_server

WRITER, POPSCOPE, VENV = sys.argv[1:4]


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
        cls.server = tensorboard_server.Server(VENV, cls.directory.name, cls.load_fast)
        # The text is in the last summary, so all others have been loaded with it.
        cls.server.wait_for_tag("text", "train")
        for rate in ("0.05", "0.10", "0.20"):
            cls.server.wait_for_tag("scalars", f"sweep/{rate}")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    def series(self, plugin, tag):
        return self.server.json(f"plugin/{plugin}/{plugin}", run="train", tag=tag)

    def expect_pictures(self, entries, blob_of):
        """Both pictures of every entry, which has a step."""
        written = [(step, pictures) for _, step, pictures in self.expected["pictures"] if step % 10 == 0]
        self.assertEqual([entry["step"] for entry in entries[0]], [step for step, _ in written])
        for sample in (0, 1):
            for entry, (_, pictures) in zip(entries[sample], written):
                side = self.expected["side"]
                self.assertEqual(rgb_pixels(blob_of(entry), side, side), pictures[sample])

    def test_the_runs_are_listed(self):
        self.assertEqual(set(self.server.json("runs")), {"train", "sweep/0.05", "sweep/0.10", "sweep/0.20"})

    def test_scalars_are_exact(self):
        for tag in ("loss", "accuracy"):
            self.assertEqual(self.series("scalars", tag), self.expected[tag])

    def test_scalars_that_are_not_numbers_arrive(self):
        self.assertEqual([value for _, _, value in self.series("scalars", "overflowing")], [1.0] + 19 * ["NaN"])

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
        entries = [self.server.json("plugin/images/images", run="train", tag="pictures", sample=sample)
                   for sample in (0, 1)]
        self.expect_pictures(entries, lambda entry: self.server.ask("plugin/images/individualImage?" + entry["query"]))

    def test_time_series_are_exact(self):
        scalars, histograms, *images = self.server.post_form("plugin/timeseries/timeSeries", requests=json.dumps(
            [{"plugin": "scalars", "tag": "loss"}, {"plugin": "histograms", "tag": "weights", "run": "train"}] +
            [{"plugin": "images", "tag": "pictures", "run": "train", "sample": sample} for sample in (0, 1)]))
        self.assertEqual([[point["wallTime"], point["step"], point["value"]]
                          for point in scalars["runToSeries"]["train"]], self.expected["loss"])
        found = [[point["wallTime"], point["step"], [[bin["min"], bin["max"], bin["count"]]
                                                     for bin in point["bins"]]]
                 for point in histograms["runToSeries"]["train"]]
        self.assertEqual([point[:2] for point in found], [point[:2] for point in self.expected["weights"]])
        # This page gets buckets of a width common to all steps; elements are neither lost nor made.
        for (_, _, bins), (_, _, buckets) in zip(found, self.expected["weights"]):
            self.assertAlmostEqual(sum(count for *_, count in bins), sum(count for *_, count in buckets), places=6)
        self.expect_pictures([image["runToSeries"]["train"] for image in images],
                             lambda entry: self.server.get("plugin/timeseries/imageData", imageId=entry["imageId"]))

    def test_sound_is_exact(self):
        (entry,) = self.server.json("plugin/audio/audio", run="train", tag="tone", sample=0)
        self.assertEqual((entry["step"], entry["contentType"]), (20, "audio/wav"))
        with wave.open(io.BytesIO(self.server.ask("plugin/audio/individualAudio?" + entry["query"]))) as clip:
            self.assertEqual((clip.getframerate(), clip.getnchannels(), clip.getsampwidth()),
                             (self.expected["tone_rate"], 1, 2))
            samples = struct.unpack(f"<{clip.getnframes()}h", clip.readframes(clip.getnframes()))
        self.assertEqual([sample / 32768 for sample in samples], self.expected["tone"])

    def test_text_is_rendered(self):
        (note,) = self.series("text", "note")
        self.assertIn("some <strong>bold</strong> words", note["text"])
        (table,) = self.series("text", "table")
        self.assertEqual(re.findall(r"<t[hd]>(.*?)</t[hd]>", table["text"]), ["layer", "dead", "conv_0", "3 %"])

    def test_the_graph_has_its_nodes_devices_and_edges(self):
        info = self.server.json("plugin/graphs/info")["train"]
        self.assertTrue(info["run_graph"])
        text = self.server.get("plugin/graphs/graph", run="train").decode()
        nodes = [re.findall(r'^  (name|device): "(.*)"$', node, re.MULTILINE) for node in text.split("node {")[1:]]
        self.assertEqual([dict(node) for node in nodes],
                         [{"name": name, "device": device} for name, device, *_ in self.expected["nodes"]])
        self.assertEqual(re.findall(r'^  input: "(.*)"$', text, re.MULTILINE), [
            "images", "stage_0/conv_0/kernel", "stage_0/conv_0/convolution", "stage_0/pool_0", "stage_1/dense/kernel",
            "stage_1/dense/product"])

    def test_the_profile_has_the_cost_of_every_node(self):
        self.assertTrue(self.server.json("plugin/graphs/info")["train"]["tags"]["first step"]["profile"])
        text = self.server.get("plugin/graphs/run_metadata", run="train", tag="first step").decode()
        found = {}
        for node in text.split("node_stats {")[1:]:
            (name,) = re.findall(r'node_name: "(.*)"', node)
            found[name] = [int(re.search(field + r": (\d+)", node)[1]) for field in ("all_end_rel_micros", "total_bytes")]
        self.assertEqual(found, {name: [micros, size] for name, _, micros, size in self.expected["nodes"]})

    def test_the_layers_are_a_graph_of_their_own(self):
        self.assertTrue(self.server.json("plugin/graphs/info")["train"]["tags"]["keras"]["conceptual_graph"])
        text = self.server.get("plugin/graphs/graph", run="train", tag="keras", conceptual="true").decode()
        self.assertEqual(re.findall(r'^  (name|input): "(.*)"$', text, re.MULTILINE),
                         [("name", "cnn/conv_0"), ("name", "cnn/pool_0"), ("input", "cnn/conv_0"),
                          ("name", "cnn/dense"), ("input", "cnn/pool_0")])

    def test_the_layout_and_its_curves_are_exact(self):
        (category,) = self.server.json("plugin/custom_scalars/layout")["category"]
        self.assertEqual(category["title"], "training")
        self.assertEqual(category["chart"], [{"title": "both", "multiline": {"tag": ["loss", "accuracy"]}}])
        answer = self.server.json("plugin/custom_scalars/scalars", run="train", tag="loss|accuracy")
        self.assertEqual(answer["tag_to_events"], {tag: self.expected[tag] for tag in ("loss", "accuracy")})

    def test_embeddings_are_exact(self):
        self.assertEqual(self.server.json("plugin/projector/runs"), ["train"])
        (points,) = self.server.json("plugin/projector/info", run="train")["embeddings"]
        self.assertEqual((points["tensorName"], points["tensorShape"]), ("points", [30, 3]))
        vectors = self.server.get("plugin/projector/tensor", run="train", name="points")
        self.assertEqual(list(struct.unpack("<90f", vectors)), self.expected["vectors"])
        names = self.server.get("plugin/projector/metadata", run="train", name="points").decode()
        self.assertEqual(names.split("\n")[:30], self.expected["names"])

    def test_pr_curves_are_exact(self):
        curves = self.server.json("plugin/pr_curves/pr_curves", run="train", tag="curve")["train"]
        self.assertEqual(len(curves), len(self.expected["loss"]))
        for name in ("true_positives", "false_positives"):
            for curve, (wall, step, counts) in zip(curves, self.expected[name]):
                self.assertEqual((curve["step"], curve["wall_time"]), (step, wall))
                kept = len(curve["thresholds"])  # TensorBoard cuts thresholds above all predictions
                self.assertGreater(kept, 1)
                self.assertEqual(curve[name], counts[:kept])
                self.assertEqual(sum(counts[kept:]), 0)

    def test_hparams_are_exact(self):
        answer = self.server.post_json("plugin/hparams/session_groups", {
            "startIndex": 0, "sliceSize": 10,
            "allowedStatuses": ["STATUS_SUCCESS", "STATUS_RUNNING", "STATUS_UNKNOWN", "STATUS_FAILURE"],
            "colParams": [{"hparam": "lr"}, {"hparam": "optimizer"}, {"hparam": "shuffle"},
                          {"metric": {"tag": "loss"}}]})
        sessions = {}
        for group in answer["sessionGroups"]:
            (session,) = group["sessions"]
            sessions[session["name"]] = (group["hparams"], session)
        rates = {"train": 0.1, "sweep/0.05": 0.05, "sweep/0.10": 0.1, "sweep/0.20": 0.2}
        self.assertEqual({name: hparams for name, (hparams, _) in sessions.items()},
                         {name: {"lr": rate, "optimizer": "sgd", "shuffle": True} for name, rate in rates.items()})
        _, session = sessions["train"]
        self.assertEqual(session["status"], "STATUS_SUCCESS")
        (loss,) = [value for value in session["metricValues"] if value["name"]["tag"] == "loss"]
        self.assertEqual((loss["value"], loss["trainingStep"]), (self.expected["loss"][-1][2], 19))

    def test_export_is_what_the_download_links_give(self):
        for tag in ("loss", "overflowing"):
            for form in ("csv", "json"):
                ours = subprocess.run([POPSCOPE, "events", "export", pathlib.Path(self.directory.name) / "train",
                                       "--tag", tag, "--format", form, "--bare"], check=True, stdout=subprocess.PIPE).stdout
                theirs = self.server.get("plugin/scalars/scalars", run="train", tag=tag, format=form)
                self.assertEqual(ours.strip(), theirs.strip(), f"{tag} as {form}")


    def test_export_of_a_resumed_run_is_what_the_download_links_give(self):
        with tempfile.TemporaryDirectory() as logs:
            # Every step comes twice, the second time behind a session start at step 0.
            for start in (1, 2):
                for path in (pathlib.Path(self.directory.name) / "train").glob("*tfevents*"):
                    (pathlib.Path(logs) / f"events.out.tfevents.{start}").write_bytes(path.read_bytes())
            server = tensorboard_server.Server(VENV, logs, self.load_fast)
            try:
                server.wait_for_tag("text", ".")
                for form in ("csv", "json"):
                    def downloaded():
                        return server.get("plugin/scalars/scalars", run=".", tag="loss", format=form).strip()
                    ours = subprocess.run([POPSCOPE, "events", "export", logs, "--tag", "loss", "--format", form, "--bare"],
                                          check=True, stdout=subprocess.PIPE).stdout.strip()
                    # The second file may still be on its way.
                    tensorboard_server.wait_for(lambda: downloaded() == ours, lambda: f"{ours} as {downloaded()}")
            finally:
                server.stop()


class FastLoader(Routes, unittest.TestCase):
    load_fast = "true"


class PythonLoader(Routes, unittest.TestCase):
    load_fast = "false"


if __name__ == "__main__":
    tensorboard_server.need(f"{VENV}/bin/tensorboard", "scripts/setup --python installs it from PyPI")
    unittest.main(argv=sys.argv[:1], verbosity=2)
