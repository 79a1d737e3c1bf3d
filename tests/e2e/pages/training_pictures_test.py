#!/usr/bin/env python3
"""The pictures of trainings, drawn again from the numbers by NumPy.

    training_pictures_test.py POPSCOPE DATA VENV

TensorBoard's loader reads the event files and Pillow decodes the pictures. NumPy computes what they should show from the
weights, which the trainings dump. VENV is the environment that scripts/setup --python makes; without TensorBoard in it
the test is skipped.
"""
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

POPSCOPE, DATA, VENV = sys.argv[1:4]

# The colours that ColorBrewer publishes.
BLUES = [(247, 251, 255), (222, 235, 247), (198, 219, 239), (158, 202, 225), (107, 174, 214), (66, 146, 198),
         (33, 113, 181), (8, 81, 156), (8, 48, 107)]
RED_TO_BLUE = [(103, 0, 31), (178, 24, 43), (214, 96, 77), (244, 165, 130), (253, 219, 199), (247, 247, 247),
               (209, 229, 240), (146, 197, 222), (67, 147, 195), (33, 102, 172), (5, 48, 97)]
NEXT_COLOUR = 3  # how far neighbours of the 256 colours of a map are apart, at most
GREEN, RED, WHITE, BLACK = (0, 128, 0), (255, 0, 0), (255, 255, 255), (0, 0, 0)


class Run:
    """A training of one execution or a few, with the weights after its last update dumped."""

    def __init__(self, preset, data, last_update, *options):
        self.folder = tempfile.TemporaryDirectory()
        subprocess.run([POPSCOPE, "train", "--preset", preset, "--data", pathlib.Path(DATA) / data, "--device", "model",
                        "--tiles", "8", "--quiet", "--logdir", self.folder.name, "--run", "r",
                        "--tap", f"kind:weight @ updates {last_update} -> full", *options], check=True)
        self.path = pathlib.Path(self.folder.name) / "r"

    def pictures(self, run, tag):
        """Of all steps: the step and its pictures, as arrays of red, green and blue."""
        found = []
        for file in sorted((self.path / run).glob("*tfevents*")):
            for event in EventFileLoader(str(file)).Load():
                for value in event.summary.value:
                    if value.tag == tag:
                        found.append((event.step, [numpy.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)
                                                   for picture in value.tensor.string_val[2:]]))
        return found

    def weight(self, layer, part):
        (file,) = [path for path in self.path.rglob("*.npy") if layer in str(path) and part in str(path)]
        return numpy.load(file)[-1].astype("float64")

    def dense(self, layer, x):
        return x @ self.weight(layer, "kernel") + self.weight(layer, "bias")


def read_idx(name, images):
    with gzip.open(pathlib.Path(DATA) / name) as file:
        values = numpy.frombuffer(file.read(), dtype="uint8")
    return values[16:].reshape(-1, 784) / 255 if images else values[8:]


def colour(anchors, share):
    places = numpy.linspace(0, 1, len(anchors))
    return numpy.stack([numpy.interp(share, places, channel) for channel in numpy.transpose(anchors)], axis=-1)


def has(area, wanted):
    return bool((area == wanted).all(axis=-1).any())


def smooth(image, side):
    """Dark on white; every grey is the mean of the pixels around, weighted by their distance."""
    places = (numpy.arange(side) + 0.5) * 8 / side - 0.5
    mirrored = numpy.pad(image, 2, mode="symmetric")
    distance = places[:, None] - numpy.arange(-2, 10)[None, :]
    # Two pixels to either side, as near as they are.
    near = (distance < 2) & (distance >= -2)
    weights = numpy.where(near, numpy.exp(-2 * distance ** 2), 0)
    weights /= weights.sum(axis=1, keepdims=True)
    grey = weights @ mirrored @ weights.T
    return 255 * (1 - (grey - image.min()) / (image.max() - image.min()))


class Digits(unittest.TestCase):
    SIDE, GAP = 48, 10  # of an image on a sheet

    @classmethod
    def setUpClass(cls):
        cls.run_ = Run("digits", "digits", 0, "--epochs", "1")
        with gzip.open(pathlib.Path(DATA) / "digits" / "digits.csv.gz") as file:
            rows = numpy.loadtxt(file, delimiter=",", dtype=int)
        cls.images, cls.labels = rows[:, :64], rows[:, 64]
        # scikit-learn's train_test_split(random_state=0).
        test = numpy.random.RandomState(0).permutation(len(rows))[:450]
        cls.test_images, cls.test_labels = cls.images[test], cls.labels[test]
        scale, alpha = 1.0507009873554805, 1.6732632423543772
        x = cls.test_images
        for layer in ("dense_0", "dense_1"):
            x = cls.run_.dense(layer, x)
            x = scale * numpy.where(x > 0, x, alpha * numpy.expm1(numpy.minimum(x, 0)))
        cls.logits = cls.run_.dense("dense_2", x)
        cls.answers = cls.logits.argmax(axis=1)

    @classmethod
    def tearDownClass(cls):
        cls.run_.folder.cleanup()

    def picture(self, tag, step, count=1):
        ((found, pictures),) = self.run_.pictures("test", tag)
        self.assertEqual((found, len(pictures)), (step, count), tag)
        return pictures

    def check_sheet(self, sheet, images, shown, labels):
        pitch = self.SIDE + self.GAP
        self.assertEqual(sheet.shape, (10 * pitch + self.GAP, 10 * pitch + self.GAP, 3))
        for i in range(100):
            top, left = self.GAP + i // 10 * pitch, self.GAP + i % 10 * pitch
            cell = sheet[top:top + self.SIDE, left:left + self.SIDE]
            expected = smooth(images[i].reshape(8, 8), self.SIDE)
            # The label covers the lower left quarter.
            for part in (numpy.s_[:20, :], numpy.s_[:, 26:]):
                for channel in range(3):
                    self.assertLess(abs(cell[part][:, :, channel] - expected[part]).max(), 3, f"image {i}")
            corner, frame = cell[20:, :26], sheet[top - 3:top - 1, left:left + self.SIDE]
            right = shown[i] == labels[i]
            self.assertTrue(has(corner, GREEN if right else RED), f"image {i}")
            self.assertFalse(has(corner, RED if right else GREEN), f"image {i}")
            self.assertEqual((frame == (WHITE if right else RED)).all(), True, f"image {i}")

    def test_training_data_is_the_beginning_of_the_set(self):
        (sheet,) = self.picture("Training Data", 0)
        self.check_sheet(sheet, self.images, self.labels, self.labels)

    def test_sheet_has_the_tutorials_images_and_the_models_answers(self):
        (sheet,) = self.picture("Step 1 Accuracy Testsheet", 1)
        # As in the pictures of the tutorial.
        self.assertEqual(list(self.test_labels[:10]), [2, 8, 2, 6, 6, 7, 1, 9, 8, 5])
        self.assertEqual(list(self.test_labels[90:100]), [9, 9, 3, 1, 7, 7, 4, 8, 5, 8])
        self.assertIn(True, self.answers[:100] != self.test_labels[:100])
        self.check_sheet(sheet, self.test_images, self.answers, self.test_labels)

    def test_model_output_has_the_logits_and_the_answers(self):
        logits, answers = self.picture("Model Output", 1, 2)
        left, top, width, height = 64, 60, 32, 18
        end = abs(self.logits[:35]).max()
        for row in range(35):
            for column in range(10):
                area = numpy.s_[top + row * height:top + (row + 1) * height,
                                left + column * width:left + (column + 1) * width]
                expected = colour(RED_TO_BLUE, (self.logits[row, column] / end + 1) / 2)
                self.assertLess(abs(logits[area] - expected).max(), NEXT_COLOUR + 1, (row, column))
                right = self.answers[row] == self.test_labels[row]
                if column == self.answers[row]:
                    self.assertTrue(has(answers[area], GREEN if right else RED), (row, column))
                elif column == self.test_labels[row]:
                    self.assertTrue(has(answers[area], GREEN), (row, column))
                else:
                    self.assertEqual(len(numpy.unique(answers[area])), 1, (row, column))


class Fashion(unittest.TestCase):
    def test_confusion_matrix_has_the_colours_of_its_counts(self):
        run = Run("fashion", "fashion-mnist", 31, "--epochs", "2", "--steps-per-epoch", "16")
        self.addCleanup(run.folder.cleanup)
        images, labels = (read_idx(f"fashion-mnist/t10k-{name}-ubyte.gz", name == "images-idx3")
                          for name in ("images-idx3", "labels-idx1"))
        answers = run.dense("dense_1", numpy.maximum(run.dense("dense_0", images), 0)).argmax(axis=1)
        counts = numpy.zeros((10, 10), dtype=int)
        numpy.add.at(counts, (labels, answers), 1)
        steps = run.pictures("cm", "Confusion Matrix")
        self.assertEqual([step for step, _ in steps], [0, 1])
        (picture,) = steps[1][1]
        shares = (counts - counts.min()) / (counts.max() - counts.min())
        left, top, side = 148, 56, 52
        for row in range(10):
            for column in range(10):
                cell = picture[top + row * side:top + (row + 1) * side, left + column * side:left + (column + 1) * side]
                expected = colour(BLUES, shares[row, column])
                for corner in (cell[2, 2], cell[2, -3], cell[-3, 2], cell[-3, -3]):
                    self.assertLess(abs(corner - expected).max(), NEXT_COLOUR + 1, (row, column))
                dark = counts[row, column] > counts.max() / 2
                self.assertTrue(has(cell, WHITE if dark else BLACK), (row, column))
        bar = picture[top:top + 10 * side, left + 10 * side + 33]
        expected = colour(BLUES, 1 - (numpy.arange(520) + 0.5) / 520)
        self.assertLess(abs(bar - expected).max(), NEXT_COLOUR + 1)


class Filters(unittest.TestCase):
    def test_filters_are_tiled_by_input_channel(self):
        run = Run("cnn", "mnist", 1, "--epochs", "2", "--steps-per-epoch", "16")
        self.addCleanup(run.folder.cleanup)
        for layer in ("conv_0", "conv_1", "conv_2"):
            kernel = run.weight(layer, "kernel")
            filters = kernel.reshape(3, 3, -1)
            filters = (filters - filters.min()) / (filters.max() - filters.min())
            ((step, (picture,)),) = run.pictures("train", layer)
            self.assertEqual(step, 1)
            side = int(numpy.ceil(filters.shape[2] ** 0.5))
            self.assertEqual(picture.shape, (4 * side - 1, 4 * side - 1, 3))
            for i in range(side * side):
                tile = picture[i // side * 4:i // side * 4 + 3, i % side * 4:i % side * 4 + 3]
                expected = filters[:, :, i:i + 1] * 255.5 if i < filters.shape[2] else 0
                self.assertLessEqual(abs(tile - expected).max(), 1.01, (layer, i))
            self.assertEqual(picture[3::4].max(), 0)
            self.assertEqual(picture[:, 3::4].max(), 0)


if __name__ == "__main__":
    tensorboard_server.need(pathlib.Path(VENV) / "bin" / "tensorboard", "scripts/setup --python installs it")
    tensorboard_server.enter(VENV)
    import numpy
    from PIL import Image
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    unittest.main(argv=sys.argv[:1], verbosity=2)
