#!/usr/bin/env python3
"""The commands of docs/inspecting.md work, and the real TensorBoard shows what they have inspected.

    inspecting_page_test.py POPSCOPE PAGE VENV CHROMIUM PICTURES

VENV is the environment that scripts/setup --python makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets the screenshots of the page. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tensorboard_page
import tensorboard_server

POPSCOPE, PAGE, VENV, CHROMIUM, PICTURES = (pathlib.Path(argument).absolute() for argument in sys.argv[1:6])
UPDATES = 32
KERNELS = [f"tapped_gradients/{layer}/kernel:0_grad/histogram" for layer in ("conv_0", "conv_1", "conv_2", "dense")]
INSPECTED = ["steep", "gentle"]


def run_page():
    """Runs the commands of the page, in a directory where popscope is built as in a checkout; an example that begins with
    $ also shows what the command says."""
    page = PAGE.read_text()
    lines = re.findall(r"^    (.+)$", page, re.MULTILINE)
    commands = [line for line in lines if line.startswith(("export PATH=", "popscope ", "python3 ", "short="))]
    environment = dict(os.environ, PATH=f"{VENV}/bin:{os.environ['PATH']}")
    pathlib.Path("build/release").mkdir(parents=True)
    pathlib.Path("build/release/bin").symlink_to(POPSCOPE.parent)
    printed = subprocess.run(["bash", "-euc", "\n".join(commands)], env=environment, check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    said, shown = {}, {}
    for command, answer in re.findall(r"^    \$ (.+)\n((?:    .+\n)+)", page, re.MULTILINE):
        shown[command] = re.sub(r"^    ", "", answer, flags=re.MULTILINE)
        said[command] = subprocess.run(["bash", "-c", f"{commands[0]}\n{command}"], env=environment,
                                       stderr=subprocess.PIPE, text=True).stderr
    return printed, said, shown


def exported(kind):
    """What popscope events export says of the inspected runs: run and tag -> points."""
    runs = [option for run in INSPECTED for option in ("--run", run)]
    answer = subprocess.run([POPSCOPE, "events", "export", "logs", "--kind", kind, "--format", "json", *runs],
                            check=True, stdout=subprocess.PIPE)
    series = collections.defaultdict(list)
    for run, tag, *point in json.loads(answer.stdout):
        series[run, tag].append(point)
    return series


def serve(loader):
    """TensorBoard, once it has loaded the last point of every inspected run."""
    server = tensorboard_server.Server(VENV, "logs", loader)
    unittest.addModuleCleanup(server.stop)
    for kind, series in EXPORTED.items():
        for run, tag in {run: (run, tag) for run, tag in series}.values():
            tensorboard_server.wait_for(
                lambda: tag in server.json(f"plugin/{kind}/tags").get(run, ()) and
                len(server.json(f"plugin/{kind}/{kind}", run=run, tag=tag)) == UPDATES, server.output)
    return server


def setUpModule():
    global PRINTED, SAID, SHOWN, EXPORTED, SERVERS
    directory = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(directory.cleanup)
    os.chdir(directory.name)
    PRINTED, SAID, SHOWN = run_page()
    EXPORTED = {kind: exported(kind) for kind in ("scalars", "histograms")}
    SERVERS = {loader: serve(loader) for loader in ("true", "false")}


class Session(unittest.TestCase):
    """What the page says of its trainings."""

    def values(self, run, tag):
        return [value for *_, value in EXPORTED["scalars"][run, tag]]

    def test_mistakes_are_answered_as_shown(self):
        self.assertEqual(len(SHOWN), 4)
        self.assertEqual(SAID, SHOWN)

    def test_the_alarm_shows_what_it_counts_and_nothing_else(self):
        update, bad, largest, *statistics = re.search(r"^ *conv_2_preacts +(.*)$", PRINTED, re.MULTILINE)[1].split()
        self.assertEqual((update, bad, statistics), (str(UPDATES - 1), "0", []))
        self.assertGreater(float(largest), 0)

    def test_the_index_of_the_dump_names_every_row(self):
        import numpy  # of the environment that the main program enters
        array = numpy.load("logs/dump/dump/conv_2_acts.npy")
        index = numpy.genfromtxt("logs/dump/dump/conv_2_acts.index.csv", delimiter=",", names=True, dtype=int)
        self.assertEqual(index.dtype.names, ("row", "update", "micro_batch", "replica"))
        self.assertEqual(index.tolist(), [(0, 3, 0, 0), (1, 3, 1, 0), (2, 4, 0, 0), (3, 4, 1, 0)])
        self.assertEqual(len(array), len(index))

    def test_the_runs_part_where_the_page_says(self):
        difference = re.search(r"^first difference: .*$", PRINTED, re.MULTILINE)[0]
        self.assertIn(difference, " ".join(PAGE.read_text().split()))
        self.assertIn("\nthe same bits in ", PRINTED)

    def test_every_update_is_there(self):
        for kind, series in EXPORTED.items():
            self.assertEqual({run for run, _ in series}, set(INSPECTED))
            for points in series.values():
                self.assertEqual([step for _, step, _ in points], list(range(UPDATES)))

    def test_the_layers_die_at_the_higher_rate_only(self):
        for layer in ("conv_1_acts", "conv_2_acts"):
            self.assertGreater(self.values("steep", f"tapped_activations/{layer}/zero_share")[-1], 0.99)
            self.assertLess(self.values("gentle", f"tapped_activations/{layer}/zero_share")[-1], 0.8)

    def test_the_gradients_leap_once_and_vanish(self):
        first, second, *_, last = self.values("steep", "tapped_gradients/conv_2/kernel:0_grad/l2_norm")
        self.assertGreater(second, 1000 * first)
        self.assertLess(last, first / 1000)


class Routes:
    """TensorBoard answers what the log has, with either loader."""

    @classmethod
    def setUpClass(cls):
        cls.server = SERVERS[cls.load_fast]

    def test_inspected_scalars_and_histograms_are_exact(self):
        for kind, series in EXPORTED.items():
            for (run, tag), points in series.items():
                self.assertEqual(self.server.json(f"plugin/{kind}/{kind}", run=run, tag=tag), points, f"{run} {tag}")

    def test_every_histogram_has_a_distribution(self):
        tags = self.server.json("plugin/distributions/tags")
        for run, tag in EXPORTED["histograms"]:
            self.assertIn(tag, tags[run])
        found = self.server.json("plugin/distributions/distributions", run="steep", tag=KERNELS[0])
        self.assertEqual([step for _, step, _ in found], list(range(UPDATES)))


class FastLoader(Routes, unittest.TestCase):
    load_fast = "true"


class PythonLoader(Routes, unittest.TestCase):
    load_fast = "false"


class Pages(tensorboard_page.PageTest):
    pictures = f"{PICTURES}/inspected_"

    @classmethod
    def setUpClass(cls):
        cls.begin(SERVERS["true"], CHROMIUM)

    def test_scalars_shows_the_zeros_of_both_runs(self):
        tags = [f"tapped_activations/{layer}_acts/zero_share" for layer in ("conv_1", "conv_2")]
        lines = self.open("scalars", "steep", "gentle", *tags,
                          tagFilter="conv_[12]_acts/zero_share", regexInput="^(steep|gentle)$",
                          _smoothingWeight=0)
        self.assertNotIn("alarm", lines)
        self.wait_for_count("path.line", len(tags) * len(INSPECTED))

    def test_loss_and_metrics_come_before_what_is_tapped(self):
        lines = self.open("scalars", "epoch_accuracy", "epoch_loss", "tapped_gradients", regexInput="^steep",
                          _smoothingWeight=0)
        self.page = "order"  # names the picture
        groups = [line for line in lines if re.fullmatch(r"(epoch|evaluation|tapped)_\w+", line)]
        first_tapped = next(number for number, group in enumerate(groups) if group.startswith("tapped_"))
        self.assertTrue(all(group.startswith("tapped_") for group in groups[first_tapped:]), groups)
        self.assertIn("epoch_loss", groups[:first_tapped])

    def test_histograms_shows_every_update(self):
        self.open("histograms", *KERNELS, tagFilter="kernel", regexInput="^steep$")
        self.wait_for_count("path.outline", len(KERNELS) * UPDATES)

    def test_distributions_shows_eight_bands_of_each(self):
        self.open("distributions", *KERNELS, tagFilter="kernel", regexInput="^gentle$")
        self.wait_for_count("path.area", len(KERNELS) * 8)


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
