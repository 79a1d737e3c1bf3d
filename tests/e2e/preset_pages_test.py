#!/usr/bin/env python3
"""A real browser on the real TensorBoard, opened by scripts/tensorboard, shows what each preset trained, page by page.

    preset_pages_test.py POPSCOPE SOURCE CHROMIUM PICTURES

SOURCE is the checkout; build/venv in it is what scripts/setup --python makes, CHROMIUM what scripts/setup --browser
installs. PICTURES gets a screenshot of every page. Without either of the two the test reports itself as skipped, or as
failed if POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tensorboard_page
import tensorboard_server

POPSCOPE, SOURCE, CHROMIUM, PICTURES = (pathlib.Path(argument).absolute() for argument in sys.argv[1:5])
VENV = SOURCE / "build/venv"
CLASSIFICATION = ["loss", "accuracy"]


def tags_of(log):
    """What the log has, as popscope events inspect says: kind -> (run, tag) -> number of points."""
    found = subprocess.run([POPSCOPE, "events", "inspect", log, "--json"], check=True, stdout=subprocess.PIPE)
    tags = collections.defaultdict(dict)
    for run in json.loads(found.stdout):
        for entry in run["tags"]:
            tags[entry["kind"]][run["run"], entry["tag"]] = entry["values"]
    return tags


class PresetPages(tensorboard_page.PageTest):
    """The pages of one preset; the subclasses say what is special about it."""

    options = []  # of the training
    metrics = CLASSIFICATION
    images = []  # tags
    graph = []  # nodes that are seen when the page opens

    @classmethod
    def setUpClass(cls):
        if cls is PresetPages:
            raise unittest.SkipTest("what the presets have in common")
        cls.pictures = f"{PICTURES}/{cls.preset}_"
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        os.chdir(directory.name)
        subprocess.run([POPSCOPE, "train", "--preset", cls.preset, "--device", "model", "--tiles", "8", "--quiet",
                        "--run", cls.preset, *cls.options], check=True)
        cls.log = f"logs/{cls.preset}"
        cls.tags = tags_of(cls.log)
        server = tensorboard_server.Server(VENV, cls.log, "true", SOURCE / "scripts/tensorboard")
        cls.addClassCleanup(server.stop)
        for run, tag in cls.tags["scalar"]:
            tensorboard_server.wait_for(lambda: tag in server.json("plugin/scalars/tags").get(run, ()), server.output)
        cls.begin(server, CHROMIUM)

    def last_line(self):
        """The last epoch, as log.csv has it."""
        with open(f"{self.log}/log.csv", newline="") as file:
            return list(csv.DictReader(file))[-1]

    def test_no_point_is_lost(self):
        for (run, tag), count in self.tags["scalar"].items():
            self.assertEqual(len(self.server.json("plugin/scalars/scalars", run=run, tag=tag)), count, f"{run} {tag}")

    def test_scalars_shows_the_metrics(self):
        shown = [f"epoch_{metric}" for metric in self.metrics]
        self.open("scalars", "train", *shown, tagFilter="^epoch_", _smoothingWeight=0)
        tensorboard_server.wait_for(lambda: self.count("path.line") >= len(shown), lambda: f"lines of {shown}")

    def test_time_series_shows_the_last_values(self):
        last = self.last_line()
        lines = self.open("timeseries", "train", "epoch_loss", last["epoch"], tagFilter="epoch_loss")
        _, value, step = tensorboard_page.following(lines, "train", 3)
        self.assertEqual(step, last["epoch"])
        self.assertAlmostEqual(float(value), float(last["loss"]), delta=1e-3 * float(last["loss"]))

    def test_images_shows_every_picture(self):
        if not self.images:
            return self.assertEqual(self.tags["image"], {})
        self.assertLessEqual(set(self.images), {tag for _, tag in self.tags["image"]})
        self.open("images", *self.images, tagFilter="|".join(self.images))
        tensorboard_server.wait_for(lambda: self.browser.evaluate(
            f"find('img').length >= {len(self.images)} && "
            "find('img').every((image) => image.complete && image.naturalWidth > 0)"), lambda: f"{self.images}")

    def test_graphs_shows_the_model(self):
        self.open("graphs", *self.graph)

    def histograms(self):
        return {(run, tag): count for (run, tag), count in self.tags["histogram"].items() if run.endswith("train")}

    def test_histograms_shows_the_weights(self):
        tags = [tag for _, tag in self.histograms()]
        self.open("histograms", *tags, tagFilter="/histogram", regexInput="train")
        tensorboard_server.wait_for(lambda: self.count("path.outline") >= sum(self.histograms().values()),
                                    lambda: f"{self.count('path.outline')} outlines of {self.histograms()}")

    def test_distributions_shows_the_weights(self):
        tags = [tag for _, tag in self.histograms()]
        self.open("distributions", *tags, tagFilter="/histogram", regexInput="train")
        tensorboard_server.wait_for(lambda: self.count("path.area") >= 8 * len(tags),
                                    lambda: f"{self.count('path.area')} bands of {tags}")


class Cnn(PresetPages):
    preset = "cnn"
    options = ["--epochs", "5", "--steps-per-epoch", "32"]
    metrics = [*CLASSIFICATION, "auc", "top_k_categorical_accuracy"]
    images = ["conv_0", "conv_1", "conv_2"]
    graph = ["stage_0", "stage_1"]

    def test_scalars_shows_evaluation_and_validation(self):
        self.open("scalars", "evaluation", "validation", *[f"evaluation_{metric}" for metric in self.metrics],
                  *[f"evaluation_{metric}_vs_iterations" for metric in self.metrics], tagFilter="^evaluation_")
        self.page = "scalars_evaluation"


class Mlp(PresetPages):
    preset = "mlp"
    options = ["--epochs", "2", "--steps-per-epoch", "64"]
    graph = ["stage_0", "stage_1"]


class GmpCnn(PresetPages):
    preset = "gmp-cnn"
    options = ["--epochs", "3", "--steps-per-epoch", "8", "--learning-rate", "0.01"]
    graph = ["conv_0"]

    def test_scalars_shows_the_learning_rate(self):
        self.open("scalars", "lr", "learning_rate", tagFilter="^learning_rate")
        self.page = "scalars_learning_rate"


class Fashion(PresetPages):
    preset = "fashion"
    options = ["--epochs", "3"]
    images = ["Confusion Matrix"]


class Digits(PresetPages):
    preset = "digits"
    options = ["--epochs", "1100"]  # more than TensorBoard keeps unless it is told to
    images = ["Training Data", "Step 1 Accuracy Testsheet", "Step 500 Accuracy Testsheet", "Model Output"]


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
