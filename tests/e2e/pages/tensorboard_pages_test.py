#!/usr/bin/env python3
"""A real browser on the real TensorBoard shows what was written, page by page, and no error.

    tensorboard_pages_test.py WRITE_SAMPLE_LOG VENV CHROMIUM PICTURES

VENV is the environment that scripts/setup --python makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets a screenshot of every page. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import tensorboard_page
import tensorboard_server
from tensorboard_page import following

WRITER, VENV, CHROMIUM, PICTURES = (pathlib.Path(argument).absolute() for argument in sys.argv[1:5])


class Pages(tensorboard_page.PageTest):
    pictures = f"{PICTURES}/"

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        os.chdir(directory.name)  # pages show the log directory as it was given
        written = subprocess.run([WRITER, "logs"], check=True, stdout=subprocess.PIPE)
        cls.expected = json.loads(written.stdout)
        server = tensorboard_server.Server(VENV, "logs", "true")
        cls.addClassCleanup(server.stop)
        server.wait_for_tag("text", "train")
        for rate in ("0.05", "0.10", "0.20"):
            server.wait_for_tag("scalars", f"sweep/{rate}")
        cls.begin(server, CHROMIUM)

    def expect_shown(self, shown, written):
        """The page rounds to four digits."""
        self.assertAlmostEqual(float(shown), written, delta=abs(written) * 1e-3)

    def test_time_series_shows_the_last_values(self):
        lines = self.open("timeseries", "accuracy", "loss", "train", "sweep/0.20", "19 sec")
        first_card = lines[:lines.index("loss")]
        _, value, step = following(first_card, "train", 3)
        self.expect_shown(value, self.expected["accuracy"][-1][2])
        self.assertEqual(step, "19")

    def test_scalars_shows_values_under_the_mouse(self):
        self.open("scalars", "accuracy", "loss", "overflowing")
        self.wait_for_count("path.line", 2 * 4 * 2)  # tags, runs, each as it is and smoothed
        self.browser.hover("vz-line-chart2")
        lines = self.wait_for_texts("Smoothed", "Value")
        _, value, step = following(lines, "train", 3)
        self.expect_shown(value, self.expected["accuracy"][int(step)][2])

    def test_images_shows_both_pictures(self):
        self.open("images", "sample: 1 of 2", "sample: 2 of 2")
        self.wait_for_count("img", 2)
        tensorboard_server.wait_for(lambda: self.browser.evaluate("find('img').every((image) => image.complete)"),
                                    lambda: "pictures")
        side = self.expected["side"]
        self.assertEqual(self.browser.evaluate("find('img').map((image) => [image.naturalWidth, image.naturalHeight])"),
                         2 * [[side, side]])

    def test_graphs_shows_layers_inside_their_stage(self):
        self.open("graphs", "images", "stage_0", "stage_1", "32×13×13×32")
        for stage, layers in (("stage_1", ("dense", "softmax")), ("stage_0", ("conv_0", "pool_0"))):
            self.unfold(stage, layers)
            time.sleep(tensorboard_page.ANIMATION)
        self.browser.click('paper-button[alt="Fit to screen"]')

    def unfold(self, stage, layers):
        def is_unfolded():
            time.sleep(tensorboard_page.ANIMATION)
            self.browser.click(f'g.node[data-name="{stage}"] rect', times=2)
            # A slow machine may still have been moving the node away from the mouse; then it is tried again.
            for _ in range(50):
                if set(layers) <= set(self.browser.visible_text()):
                    return True
                time.sleep(0.2)

        tensorboard_server.wait_for(is_unfolded, lambda: f"{layers} in {self.browser.visible_text()}")

    def test_distributions_shows_eight_bands(self):
        self.open("distributions", "weights", "train")
        self.wait_for_count("path.area", 8)

    def test_histograms_shows_every_step(self):
        self.open("histograms", "weights", "train")
        self.wait_for_count("path.outline", len(self.expected["weights"]))

    def test_text_shows_words_and_table(self):
        self.assertEqual(following(self.open("text", "note", "bold", "conv_0"), "layer", 3), ["dead", "conv_0", "3 %"])

    def test_pr_curves_shows_counts_under_the_mouse(self):
        self.open("pr_curves", "curve", "train", "train is at", "step 19")
        self.wait_for_count("path.line", 1)
        self.browser.hover("vz-line-chart2")
        lines = self.wait_for_texts("Threshold", "Precision", "TP")
        threshold, _, _, true_positives, false_positives = following(lines, "train", 5)
        at = round(float(threshold) * 50)
        self.assertEqual([int(true_positives), int(false_positives)],
                         [self.expected[name][-1][2][at] for name in ("true_positives", "false_positives")])

    def test_hparams_shows_every_session(self):
        lines = self.open("hparams", "TABLE VIEW", "sweep/0.05", "sweep/0.10", "sweep/0.20", "train")
        rate, optimizer, shuffle, accuracy, loss = following(lines, "train", 5)
        self.assertEqual((float(rate), optimizer, shuffle), (0.1, "sgd", "true"))
        self.expect_shown(accuracy, self.expected["accuracy"][-1][2])
        self.expect_shown(loss, self.expected["loss"][-1][2])


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
