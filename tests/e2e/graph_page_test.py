#!/usr/bin/env python3
"""The Graphs page of the real TensorBoard shows the whole update of a training: stages, devices, estimated costs.

    graph_page_test.py POPSCOPE DATA VENV CHROMIUM PICTURES

VENV is the environment that scripts/setup --python makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets the screenshots of the page. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

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
        self.open("graphs", *boxes, run=f"{preset}/train")
        self.page = picture


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --python installs it from PyPI")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    tensorboard_page.unittest.main(argv=sys.argv[:1], verbosity=2)
