#!/usr/bin/env python3
"""Every page of the real TensorBoard comes alive after popscope train.

    training_pages_test.py POPSCOPE DATA VENV

VENV is the environment that scripts/setup --python makes; without TensorBoard in it the test is skipped.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

POPSCOPE, DATA, VENV = sys.argv[1:4]
METRICS = ["loss", "accuracy", "auc", "top_k_categorical_accuracy"]


def train(logs, preset, data, *options):
    subprocess.run([POPSCOPE, "train", "--preset", preset, "--data", pathlib.Path(DATA) / data, "--device", "model",
                    "--tiles", "8", "--quiet", "--logdir", logs, "--run", preset, *options], check=True)


class TrainingPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        train(cls.folder.name, "cnn", "mnist", "--epochs", "2", "--steps-per-epoch", "16", "--evaluate-every", "2")
        train(cls.folder.name, "fashion", "fashion-mnist", "--epochs", "2", "--steps-per-epoch", "16")
        train(cls.folder.name, "gmp-cnn", "mnist", "--epochs", "1", "--steps-per-epoch", "1", "--batch-size", "8")
        train(cls.folder.name, "digits", "digits", "--epochs", "2")
        cls.server = tensorboard_server.Server(VENV, cls.folder.name, "false")
        for plugin, run in (("scalars", "cnn/train"), ("scalars", "cnn/validation"), ("scalars", "cnn/evaluation"),
                            ("images", "cnn/train"), ("images", "fashion/cm"), ("scalars", "gmp-cnn/lr"),
                            ("images", "digits/test")):
            cls.server.wait_for_tag(plugin, run)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def tags(self, plugin, run):
        return set(self.server.json(f"plugin/{plugin}/tags")[run])

    def steps(self, run, tag):
        return [step for _, step, _ in self.server.json("plugin/scalars/scalars", run=run, tag=tag)]

    def test_scalars(self):
        for metric in METRICS:
            self.assertEqual(self.steps("cnn/train", "epoch_" + metric), [0, 1])
            self.assertEqual(self.steps("cnn/validation", "epoch_" + metric), [1])
            self.assertEqual(self.steps("cnn/evaluation", "evaluation_" + metric), [1])
        self.assertEqual(self.steps("gmp-cnn/lr", "learning_rate"), [0])
        self.assertEqual(self.steps("digits/test", "Loss"), [1, 2])

    def test_images(self):
        self.assertEqual(self.tags("images", "cnn/train"), {f"conv_{i}" for i in range(3)})
        self.assertEqual(self.tags("images", "fashion/cm"), {"Confusion Matrix"})
        self.assertEqual(self.tags("images", "digits/test"),
                         {"Training Data", "Step 1 Accuracy Testsheet", "Model Output"})
        entry = self.server.json("plugin/images/images", run="fashion/cm", tag="Confusion Matrix", sample=0)[0]
        self.assertTrue(self.server.ask("plugin/images/individualImage?" + entry["query"]).startswith(b"\x89PNG"))

    def test_histograms_and_distributions(self):
        weights = {f"{layer}/{part}/histogram" for layer in ("conv_0", "conv_1", "conv_2", "dense")
                   for part in ("kernel", "bias")}
        for plugin in ("histograms", "distributions"):
            self.assertEqual(self.tags(plugin, "cnn/train"), weights)

    def test_graph_has_layers_inside_their_stage_with_shapes(self):
        info = self.server.json("plugin/graphs/info")["cnn/train"]
        self.assertTrue(info["run_graph"])
        self.assertTrue(info["tags"]["keras"]["conceptual_graph"])
        text = self.server.get("plugin/graphs/graph", run="cnn/train").decode()
        for name in ("stage_0/conv_0/Conv2D", "stage_0/pool_1/MaxPool", "stage_1/conv_2/Conv2D", "stage_1/dense/Softmax"):
            self.assertIn(f'name: "{name}"', text)
        self.assertIn("_output_shapes", text)
        self.assertIn("size: 26", text)

    def test_time_series(self):
        found = self.server.post_form("plugin/timeseries/timeSeries", requests=json.dumps([
            {"plugin": "scalars", "tag": "epoch_auc"}, {"plugin": "histograms", "tag": "dense/bias/histogram", "run": "cnn/train"}]))
        self.assertEqual([len(entry["runToSeries"]["cnn/train"]) for entry in found], [2, 2])


if __name__ == "__main__":
    tensorboard_server.need(pathlib.Path(VENV) / "bin" / "tensorboard", "scripts/setup --python installs it")
    unittest.main(argv=sys.argv[:1], verbosity=2)
