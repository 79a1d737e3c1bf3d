#!/usr/bin/env python3
"""The Graphs page of the real TensorBoard shows the whole update of a training: stages, devices, estimated costs.

    graph_page_test.py POPSCOPE DATA VENV CHROMIUM PICTURES

VENV is the environment that scripts/setup --python makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets the screenshots of the page. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import tensorboard_page
import tensorboard_server

POPSCOPE, DATA, VENV, CHROMIUM, PICTURES = (pathlib.Path(argument).absolute() for argument in sys.argv[1:6])
PROFILE = "estimated time of 1000 batches"
PRESETS = {"cnn": "mnist", "fashion": "fashion-mnist"}


def train(logs, preset):
    subprocess.run([POPSCOPE, "train", "--preset", preset, "--data", DATA / PRESETS[preset], "--device", "model",
                    "--tiles", "8", "--quiet", "--logdir", logs, "--run", preset, "--epochs", "1",
                    "--steps-per-epoch", "16"], check=True)


class GraphPage(tensorboard_page.PageTest):
    pictures = f"{PICTURES}/"

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        for preset in PRESETS:
            train(directory.name, preset)
        server = tensorboard_server.Server(VENV, directory.name, "true")
        cls.addClassCleanup(server.stop)
        for preset in PRESETS:
            tensorboard_server.wait_for(
                lambda: PROFILE in server.json("plugin/graphs/info").get(f"{preset}/train", {}).get("tags", {}),
                server.output)
        cls.begin(server, CHROMIUM)

    def open_graph(self, preset, picture, *boxes):
        self.browser.open("about:blank")  # else the page keeps what the last test has done to it
        self.open("graphs", "Main Graph", run=f"{preset}/train")
        runs = self.browser.evaluate("find('tf-graph-controls')[0].datasets.map((run) => run.name)")
        self.control("_selectedRunIndex", runs.index(f"{preset}/train"))
        self.wait_for_nodes(*boxes)
        self.page = picture

    def control(self, choice, value):
        self.browser.evaluate(f"find('tf-graph-controls')[0].set('{choice}', {json.dumps(value)})")

    def choose_profile(self):
        tags = self.browser.evaluate("""(() => {
            const controls = find('tf-graph-controls')[0];
            return controls.datasets[controls._selectedRunIndex].tags.map((tag) => tag.displayName);
        })()""")
        self.control("_selectedTagIndex", tags.index(PROFILE))
        tensorboard_server.wait_for(lambda: self.browser.evaluate("find('tf-graph-controls')[0].stats != null"),
                                    lambda: "a profile")

    def color_by(self, choice):
        button = f"find('paper-radio-button').filter((button) => button.name === '{choice}')[0]"
        self.assertFalse(self.browser.evaluate(f"{button}.disabled"), choice)
        self.browser.evaluate(f"{button}.click()")
        tensorboard_server.wait_for(lambda: self.browser.evaluate(f"find('tf-graph-controls')[0].colorBy") == choice,
                                    lambda: choice)
        time.sleep(tensorboard_page.ANIMATION)

    def nodes(self):
        return set(self.browser.evaluate("find('g.node').map((node) => node.getAttribute('data-name'))"))

    def wait_for_nodes(self, *names):
        tensorboard_server.wait_for(lambda: set(names) <= self.nodes(), lambda: f"{names} in {self.nodes()}")

    def unfold(self, box, *inside):
        self.browser.evaluate(f"find('tf-graph')[0].fire('node-toggle-expand', {{name: '{box}'}})")
        self.wait_for_nodes(*(f"{box}/{name}" for name in inside))
        time.sleep(tensorboard_page.ANIMATION)
        self.browser.click('paper-button[alt="Fit to screen"]')

    def select(self, node):
        self.browser.evaluate(f"find('tf-graph-board')[0].set('selectedNode', '{node}')")

    def fill(self, node):
        return self.browser.evaluate(
            f"getComputedStyle(find('g.node[data-name=\"{node}\"] > .nodeshape > *')[0]).fill")

    def redness(self, node):
        """How far the colour of a node is from white, in the blue that red lacks."""
        return 255 - int(re.fullmatch(r"rgb\(\d+, \d+, (\d+)\)", self.fill(node))[1])

    def legend(self):
        return self.browser.evaluate("find('.color-legend-value').map((line) => line.textContent)")

    def test_stages_hold_the_whole_update(self):
        self.open_graph("cnn", "graph_of_cnn", "host", "stage_0", "stage_1")
        self.assertEqual(self.nodes(), {"host", "stage_0", "stage_1"})
        self.unfold("stage_1", "CopyToIpu", "conv_2", "pool_2", "flatten", "dropout", "dense", "loss", "gradients",
                    "accumulation", "optimizer")
        self.unfold("stage_0", "images", "conv_0", "pool_0", "conv_1", "pool_1", "stash", "gradients", "accumulation",
                    "optimizer")

    def test_devices_have_a_colour_each(self):
        self.open_graph("cnn", "graph_of_cnn_by_device", "host", "stage_0", "stage_1")
        self.color_by("device")
        self.assertEqual(self.legend(), ["HOST:0", "IPU:0", "IPU:1", "unknown device"])
        for box in ("host", "stage_0", "stage_1"):
            self.assertIn(f"#device-{box}", self.fill(box))

    def test_training_on_one_ipu_has_no_stages(self):
        self.open_graph("fashion", "graph_of_fashion", "host", "flatten", "dense_0", "dense_1", "loss", "gradients",
                        "optimizer")
        self.assertEqual([name for name in self.nodes() if "stage" in name], [])
        self.color_by("device")
        self.assertEqual(self.legend(), ["HOST:0", "IPU:0", "unknown device"])
        self.unfold("optimizer", "all_gradients", "dense_0", "step_size")
        self.assertGreater(self.count("path.control-dep"), 0)

    def test_operations_list_their_parameters(self):
        self.open_graph("cnn", "graph_of_cnn_attributes", "stage_0")
        self.select("stage_0/conv_1/Conv2D")
        lines = self.wait_for_texts("padding", "strides", "kernel", "estimated_cycles")
        self.assertIn('{"s":"valid"}', lines)
        self.assertIn('{"s":"3x3"}', lines)

    def test_estimates_colour_the_profile(self):
        self.open_graph("cnn", "graph_of_cnn_by_time", "stage_0")
        self.choose_profile()
        self.wait_for_nodes("host", "stage_0", "stage_1")
        self.color_by("compute_time")
        self.wait_for_texts("0 \u00b5s")
        self.assertGreater(self.redness("stage_0"), self.redness("stage_1"))
        self.unfold("stage_0", "gradients", "conv_1", "pool_1")
        self.assertGreater(self.redness("stage_0/conv_1"), self.redness("stage_0/pool_1"))
        self.select("stage_0/conv_1")
        self.wait_for_texts("Compute Time")

    def test_estimates_colour_the_memory(self):
        self.open_graph("cnn", "graph_of_cnn_by_memory", "stage_0")
        self.choose_profile()
        self.wait_for_nodes("host", "stage_0", "stage_1")
        self.color_by("memory")
        self.wait_for_texts("0 B")
        self.assertGreater(self.redness("stage_0"), self.redness("stage_1"))


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
