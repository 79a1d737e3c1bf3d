#!/usr/bin/env python3
"""The real TensorBoard, with either loader, shows the pages that every training fills besides its curves: HParams, Text,
Custom Scalars, PR Curves and, when asked, Projector.

    run_pages_test.py POPSCOPE DATA VENV

VENV is the environment that scripts/setup --python makes; without TensorBoard in it the test is skipped.
"""
import gzip
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

POPSCOPE, DATA, VENV = sys.argv[1:4]
IMAGES = 1000  # on the Projector page: all of the test set
CLASSES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
STATUSES = ["STATUS_SUCCESS", "STATUS_RUNNING", "STATUS_UNKNOWN", "STATUS_FAILURE"]


def train(logs, run, data, *options):
    subprocess.run([POPSCOPE, "train", "--data", pathlib.Path(DATA) / data, "--device", "model", "--tiles", "8", "--quiet",
                    "--logdir", logs, "--run", run, *options], check=True)


def setUpModule():
    global LOGS, SERVERS
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    LOGS = pathlib.Path(folder.name)
    train(LOGS, "cnn", "mnist", "--preset", "cnn", "--epochs", "6", "--steps-per-epoch", "8", "--gradient-accumulation", "4",
          "--tap", "kind:gradient & at:accumulated", "kind:activation", "kind:weight | kind:update")
    train(LOGS, "fashion", "fashion-mnist", "--preset", "fashion", "--epochs", "2", "--steps-per-epoch", "64",
          "--projector", str(IMAGES), "--learning-rate", "0.002")
    for epochs in ("1", "2"):
        train(LOGS, "mlp", "mnist", "--preset", "mlp", "--epochs", epochs, "--steps-per-epoch", "8", "--no-inspection",
              *(["--resume"] if epochs == "2" else []))
    SERVERS = {loader: tensorboard_server.Server(VENV, LOGS, loader) for loader in ("true", "false")}
    for server in SERVERS.values():
        unittest.addModuleCleanup(server.stop)
        for run in ("cnn", "fashion", "mlp"):
            tensorboard_server.wait_for(lambda: "health" in server.json("plugin/text/tags").get(run, ()), server.output)
        for run in ("cnn/train", "cnn/validation", "cnn/evaluation", "fashion/train", "fashion/validation", "mlp/train"):
            server.wait_for_tag("scalars", run)
        server.wait_for_tag("images", "fashion/cm")


class Pages:
    """The claims, for each loader."""

    @classmethod
    def setUpClass(cls):
        cls.server = SERVERS[cls.load_fast]

    def last(self, run, tag):
        _, step, value = self.server.json("plugin/scalars/scalars", run=run, tag=tag)[-1]
        return step, value

    def sessions(self):
        """Every session: its hyperparameters and itself, once all have ended."""
        answer = self.server.post_json("plugin/hparams/session_groups", {
            "startIndex": 0, "sliceSize": 10, "allowedStatuses": STATUSES,
            "colParams": [{"hparam": name} for name in ("preset", "batch_size")]})
        return {group["name"]: (group["hparams"], group["sessions"][0]) for group in answer["sessionGroups"]}

    def test_a_training_with_taps_is_four_runs(self):
        self.assertEqual(set(self.server.json("runs")), {
            "cnn", "cnn/train", "cnn/validation", "cnn/evaluation",
            "fashion", "fashion/train", "fashion/validation", "fashion/cm",
            "mlp", "mlp/train"})

    def test_hparams_has_the_options_and_the_last_metrics(self):
        experiment = self.server.post_json("plugin/hparams/experiment", {"experimentName": ""})
        names = {info["name"] for info in experiment["hparamInfos"]}
        self.assertLessEqual({"preset", "optimizer", "learning_rate", "batch_size", "gradient_accumulation", "replicas",
                              "precision", "loss_scale", "seed"}, names)
        # Differences first: they are what the page shows before one chooses.
        self.assertTrue(experiment["hparamInfos"][0]["differs"])
        shown = [(info["name"]["tag"], info["name"].get("group", "")) for info in experiment["metricInfos"]][:5]
        self.assertEqual(shown[:2], [("epoch_accuracy", "train"), ("epoch_accuracy", "validation")])
        self.assertFalse([tag for tag, _ in shown if tag.startswith("tapped_")])
        hparams, session = self.sessions()["cnn"]
        self.assertEqual((hparams["preset"], hparams["batch_size"]), ("cnn", 32))
        values = {(value["name"]["tag"], value["name"].get("group", "")): value for value in session["metricValues"]}
        for tag, group in (("epoch_accuracy", "train"), ("epoch_loss", "validation"), ("evaluation_loss", "evaluation")):
            step, value = self.last(f"cnn/{group}", tag)
            self.assertEqual((values[tag, group].get("trainingStep", 0), values[tag, group]["value"]), (step, value))

    def test_sessions_end_as_the_last_start_did(self):
        tensorboard_server.wait_for(lambda: all("endTimeSecs" in session for _, session in self.sessions().values()),
                                    lambda: str(self.sessions()))
        self.assertEqual({name: session["status"] for name, (_, session) in self.sessions().items()},
                         {name: "STATUS_SUCCESS" for name in ("cnn", "fashion", "mlp")})

    def test_text_says_what_ran_and_how_it_went(self):
        (ran,) = self.server.json("plugin/text/text", run="cnn", tag="what_ran")
        self.assertRegex(ran["text"], r"<code>\S*popscope train .*--preset cnn")
        cells = re.findall(r"<t[hd]>(.*?)</t[hd]>", ran["text"])
        self.assertEqual(cells[:10], ["layer", "kind", "output", "parameters", "stage",
                                      "conv_0", "convolution 3x3, ReLU", "26 x 26 x 32", "320", "0"])
        for what in ("training", "data", "device", "versions"):
            self.assertIn(f"<li><strong>{what}</strong>: ", ran["text"])
        (health,) = self.server.json("plugin/text/text", run="cnn", tag="health")
        self.assertIn("<strong>was completed</strong> after epoch 6 of 6", health["text"])
        self.assertIn("tensors were watched: no element was NaN, infinite or saturated", health["text"])
        self.assertEqual(health["step"], 12)
        texts = self.server.json("plugin/text/text", run="mlp", tag="what_ran")
        self.assertEqual([text["step"] for text in texts], [0, 2], "one of each start")
        self.assertIn("none was watched",
                      self.server.json("plugin/text/text", run="mlp", tag="health")[-1]["text"])

    def test_custom_scalars_charts_have_curves(self):
        categories = self.server.json("plugin/custom_scalars/layout")["category"]
        self.assertEqual([category["title"] for category in categories],
                         ["loss and accuracy", "norms of gradients", "zeros in activations", "updates relative to weights"])
        self.assertEqual([chart["title"] for chart in categories[0]["chart"]], ["loss", "accuracy"])
        curves = {}
        for category in categories:
            for chart in category["chart"]:
                pattern = "|".join(f"({tag})" for tag in chart["multiline"]["tag"])
                curves[chart["title"]] = {
                    run: set(self.server.json("plugin/custom_scalars/scalars", run=run, tag=pattern)["tag_to_events"])
                    for run in ("cnn", "cnn/train", "cnn/validation", "cnn/evaluation")}
        weights = [f"{layer}/{part}:0" for layer in ("conv_0", "conv_1", "conv_2", "dense") for part in ("kernel", "bias")]
        self.assertEqual(curves["loss"], {"cnn": set(), "cnn/train": {"epoch_loss"}, "cnn/validation": {"epoch_loss"},
                                          "cnn/evaluation": {"evaluation_loss"}})
        self.assertEqual(curves["accuracy"]["cnn/evaluation"], {"evaluation_accuracy"})
        self.assertEqual(curves["norms of gradients"]["cnn"],
                         {f"tapped_gradients/{weight}_grad/l2_norm" for weight in weights})
        self.assertLessEqual({f"tapped_activations/conv_{i}_acts/zero_share" for i in range(3)},
                             curves["zeros in activations"]["cnn"])
        self.assertEqual(curves["updates relative to weights"]["cnn"],
                         {f"tapped_updates/{weight}_update/ratio_to_weight" for weight in weights})

    def test_updates_are_compared_with_their_weights(self):
        def norms(tag):
            return [value for *_, value in self.server.json("plugin/scalars/scalars", run="cnn", tag=tag)]
        name = "dense/kernel:0"
        ratios = norms(f"tapped_updates/{name}_update/ratio_to_weight")
        self.assertEqual(len(ratios), 12)
        for ratio, update, weight in zip(ratios, norms(f"tapped_updates/{name}_update/l2_norm"),
                                         norms(f"tapped_weights/{name}/l2_norm")):
            self.assertAlmostEqual(ratio, update / weight, delta=1e-5 * ratio)

    def test_queues_without_losses_are_not_shown(self):
        self.assertFalse([tag for tag in self.server.json("plugin/scalars/tags")["cnn"] if tag.startswith("queue")])

    def embedding(self, name):
        import numpy  # of the environment that the main program enters
        vectors = self.server.get("plugin/projector/tensor", run="fashion", name=name)
        return numpy.frombuffer(vectors, "<f4").reshape(IMAGES, len(CLASSES))

    def labels(self):
        import numpy
        with gzip.open(pathlib.Path(DATA) / "fashion-mnist" / "t10k-labels-idx1-ubyte.gz") as file:
            return numpy.frombuffer(file.read()[8:], numpy.uint8)

    def test_projector_has_the_images_with_labels_answers_and_pictures(self):
        import numpy
        from PIL import Image
        self.assertEqual(self.server.json("plugin/projector/runs"), ["fashion"])
        embeddings = self.server.json("plugin/projector/info", run="fashion")["embeddings"]
        self.assertEqual([(entry["tensorName"], entry["tensorShape"]) for entry in embeddings],
                         [("logits", [IMAGES, 10]), ("probabilities", [IMAGES, 10])])
        probabilities, logits = self.embedding("probabilities"), self.embedding("logits")
        self.assertTrue(numpy.allclose(probabilities.sum(axis=1), 1, atol=1e-5))
        raised = numpy.exp(logits.astype(float))
        self.assertTrue(numpy.allclose(raised / raised.sum(axis=1, keepdims=True), probabilities, atol=1e-5))
        rows = self.server.get("plugin/projector/metadata", run="fashion", name="logits").decode().splitlines()
        self.assertEqual(rows[0].split("\t"), ["label", "answer", "right"])
        for row, label, answer in zip(rows[1:], self.labels(), probabilities.argmax(axis=1)):
            self.assertEqual(row.split("\t"), [CLASSES[label], CLASSES[answer], "yes" if label == answer else "no"])
        sprite = Image.open(io.BytesIO(self.server.get("plugin/projector/sprite_image", run="fashion", name="logits")))
        side = embeddings[0]["sprite"]["singleImageDim"]
        self.assertEqual((side, sprite.size), ([28, 28], (32 * 28, 32 * 28)))
        with gzip.open(pathlib.Path(DATA) / "fashion-mnist" / "t10k-images-idx3-ubyte.gz") as file:
            images = numpy.frombuffer(file.read()[16:], numpy.uint8).reshape(-1, 28, 28)
        pixels = numpy.asarray(sprite)
        for image in (0, 33, IMAGES - 1):
            y, x = image // 32 * 28, image % 32 * 28
            self.assertTrue((pixels[y:y + 28, x:x + 28] == 255 - images[image]).all(), image)

    def test_pr_curves_are_those_of_the_probabilities(self):
        import numpy
        self.assertEqual(set(self.server.json("plugin/pr_curves/tags")["fashion/validation"]),
                         {f"precision_recall/{name}" for name in CLASSES})
        self.assertEqual(set(self.server.json("plugin/pr_curves/tags")), {"fashion/validation", "cnn/evaluation"})
        # TensorBoard's own summary finds the thresholds in single precision.
        reached = numpy.floor(self.embedding("probabilities") * numpy.float32(200))
        labels = self.labels()
        self.assertEqual(len(labels), len(reached))
        for number, name in enumerate(CLASSES):
            curves = self.server.json("plugin/pr_curves/pr_curves", run="fashion/validation",
                                      tag=f"precision_recall/{name}")["fashion/validation"]
            self.assertEqual([curve["step"] for curve in curves], [0, 1])
            taken = reached[:, number, None] >= numpy.arange(201)
            right = (labels == number)[:, None]
            true, false = (taken & right).sum(axis=0), (taken & ~right).sum(axis=0)
            kept = len(curves[1]["thresholds"])  # TensorBoard cuts thresholds above all predictions
            self.assertEqual(curves[1]["true_positives"], true[:kept].tolist())
            self.assertEqual(curves[1]["false_positives"], false[:kept].tolist())
            self.assertEqual((true[kept:] + false[kept:]).sum(), 0)
            precision = true[:kept] / (true[:kept] + false[:kept])
            self.assertTrue(numpy.allclose(curves[1]["precision"], precision, atol=1e-5))
            self.assertTrue(numpy.allclose(curves[1]["recall"], true[:kept] / right.sum(), atol=1e-5))


class FastLoader(Pages, unittest.TestCase):
    load_fast = "true"


class PythonLoader(Pages, unittest.TestCase):
    load_fast = "false"


if __name__ == "__main__":
    tensorboard_server.need(pathlib.Path(VENV) / "bin" / "tensorboard", "scripts/setup --python installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
