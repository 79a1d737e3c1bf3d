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


class PresetPages:
    """The pages of one preset; the classes of the presets say what is special about each."""

    options = []  # of the training
    metrics = CLASSIFICATION
    images = []  # what their tags begin with
    stages = []  # of the pipeline
    has_pr_curves = True

    @classmethod
    def setUpClass(cls):
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
        for run, tag in cls.tags["scalars"]:
            tensorboard_server.wait_for(lambda: tag in server.json("plugin/scalars/tags").get(run, ()), server.output)
        cls.begin(server, CHROMIUM)

    def last_line(self):
        """The last epoch, as log.csv has it."""
        with open(f"{self.log}/log.csv", newline="") as file:
            return list(csv.DictReader(file))[-1]

    def test_no_point_is_lost(self):
        self.assertIn(("train", "epoch_loss"), self.tags["scalars"])
        for (run, tag), count in self.tags["scalars"].items():
            self.assertEqual(len(self.server.json("plugin/scalars/scalars", run=run, tag=tag)), count, f"{run} {tag}")

    def test_scalars_shows_the_metrics(self):
        shown = [f"epoch_{metric}" for metric in self.metrics]
        self.open("scalars", "train", *shown, tagFilter="^epoch_", _smoothingWeight=0)
        tensorboard_server.wait_for(lambda: self.count("path.line") >= len(shown), lambda: f"lines of {shown}")

    def test_time_series_shows_the_last_values(self):
        self.open("timeseries", "epoch_loss", tagFilter="epoch_loss")

        def row_of_train():  # smoothed, value, step
            lines = self.browser.visible_text()
            card = lines[lines.index("epoch_loss"):]
            return "train" in card and tensorboard_page.following(card, "train", 3)

        _, value, step = tensorboard_server.wait_for(row_of_train, lambda: f"train in {self.browser.visible_text()}")
        last = self.last_line()
        self.assertEqual(step.replace(",", ""), last["epoch"])
        self.assertAlmostEqual(float(value), float(last["loss"]), delta=max(1e-3 * float(last["loss"]), 1e-4))

    def test_images_shows_every_picture(self):
        tags = [tag for _, tag in self.tags["images"]]
        for beginning in self.images:
            self.assertTrue(any(tag.startswith(beginning) for tag in tags), f"{beginning} in {tags}")
        if not self.images:
            return self.assertEqual(tags, [])
        self.open("images", *tags, tagFilter=".")
        tensorboard_server.wait_for(lambda: self.browser.evaluate(
            f"find('img').length >= {len(tags)} && "
            "find('img').every((image) => image.complete && image.naturalWidth > 0)"), lambda: f"{tags}")

    def test_graphs_shows_the_stages_or_the_layers(self):
        self.open("graphs", "host", *(self.stages or [self.layer, "optimizer"]))

    def histograms(self):
        return {(run, tag): count for (run, tag), count in self.tags["histograms"].items() if run.endswith("train")}

    def test_histograms_shows_the_weights(self):
        tags = [tag for _, tag in self.histograms()]
        self.assertGreaterEqual(len(tags), 4)
        self.open("histograms", *tags, tagFilter="/histogram", regexInput="train")
        tensorboard_server.wait_for(lambda: self.count("path.outline") >= sum(self.histograms().values()),
                                    lambda: f"{self.count('path.outline')} outlines of {self.histograms()}")

    def test_distributions_shows_the_weights(self):
        tags = [tag for _, tag in self.histograms()]
        self.open("distributions", *tags, tagFilter="/histogram", regexInput="train")
        tensorboard_server.wait_for(lambda: self.count("path.area") >= 8 * len(tags),
                                    lambda: f"{self.count('path.area')} bands of {tags}")


    def test_text_shows_the_layers_and_the_health(self):
        self.open("text", "what_ran", "health", self.layer)

    def test_custom_scalars_shows_loss_and_accuracy(self):
        self.open("custom_scalars", "loss and accuracy", "loss", "accuracy")
        tensorboard_server.wait_for(lambda: self.count("path.line") >= 2, lambda: "lines of loss and accuracy")

    def test_hparams_shows_the_options_and_the_last_metrics(self):
        self.open("hparams", "TABLE VIEW", "optimizer", self.optimizer)

    def test_pr_curves_shows_a_curve_of_every_class(self):
        tags = [tag for _, tag in self.tags["pr_curves"]]
        self.assertEqual(len(tags), 10 if self.has_pr_curves else 0)
        if not tags:
            return
        self.open("pr_curves", *tags)
        tensorboard_server.wait_for(lambda: self.count("path.line") >= 1, lambda: "curves")


class Cnn(PresetPages, tensorboard_page.PageTest):
    preset = "cnn"
    layer, optimizer = "conv_2", "rmsprop"
    options = ["--epochs", "5", "--steps-per-epoch", "32"]
    metrics = [*CLASSIFICATION, "auc", "top_k_categorical_accuracy"]
    images = ["conv_0", "conv_1", "conv_2"]
    stages = ["stage_0", "stage_1"]

    def test_scalars_shows_evaluation_and_validation(self):
        self.open("scalars", "evaluation", "validation", *[f"evaluation_{metric}" for metric in self.metrics],
                  *[f"evaluation_{metric}_vs_iterations" for metric in self.metrics], tagFilter="^evaluation_")
        self.page = "scalars_evaluation"


class Mlp(PresetPages, tensorboard_page.PageTest):
    preset = "mlp"
    has_pr_curves = False  # it measures nothing on the test set
    layer, optimizer = "Dense_128", "sgd"
    options = ["--epochs", "2", "--steps-per-epoch", "64"]
    images = ["heat_maps/activations", "heat_maps/gradients"]
    stages = ["stage_0", "stage_1"]


class GmpCnn(PresetPages, tensorboard_page.PageTest):
    preset = "gmp-cnn"
    layer, optimizer = "global_pool", "adam"
    options = ["--epochs", "3", "--steps-per-epoch", "8", "--learning-rate", "0.01"]

    def test_scalars_shows_the_learning_rate(self):
        self.open("scalars", "lr", "learning_rate", tagFilter="^learning_rate")
        self.page = "scalars_learning_rate"


class Fashion(PresetPages, tensorboard_page.PageTest):
    preset = "fashion"
    layer, optimizer = "dense_1", "adam"
    options = ["--epochs", "3"]
    images = ["Confusion Matrix"]


class Digits(PresetPages, tensorboard_page.PageTest):
    preset = "digits"
    layer, optimizer = "dense_2", "sgd"
    options = ["--epochs", "1100"]  # more than TensorBoard keeps unless it is told to
    images = ["Training Data", "Step 1 Accuracy Testsheet", "Step 500 Accuracy Testsheet", "Model Output"]


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
