#!/usr/bin/env python3
"""TensorBoard, with either loader, shows a merged log like the log that its parts were cut from.

    merged_log_test.py WRITE_SAMPLE_LOG POPSCOPE VENV

VENV is the environment that scripts/setup --python makes. Where it has no TensorBoard the test reports itself as skipped,
or as failed if POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

WRITER, POPSCOPE, VENV = sys.argv[1:4]
LAST = 20


def events(*words):
    subprocess.run([POPSCOPE, "events", *words], check=True, stdout=subprocess.DEVNULL)


def setUpModule():
    """A log with the run train, and the run merged of three parts of it that overlap."""
    global LOGS
    directory = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(directory.cleanup)
    LOGS = pathlib.Path(directory.name) / "logs"
    subprocess.run([WRITER, LOGS], check=True, stdout=subprocess.DEVNULL)
    parts = []
    for first, last in ((8, LAST), (0, 9), (3, 5)):
        parts.append(f"{directory.name}/{first}.tfevents")
        events("cut", LOGS / "train", "--from-step", str(first), "--to-step", str(last), "-o", parts[-1])
    events("merge", *parts, "-o", LOGS / "merged")


class MergedLog:
    """The claims, for each loader."""

    load_fast = None

    @classmethod
    def setUpClass(cls):
        cls.server = tensorboard_server.Server(VENV, LOGS, cls.load_fast)
        cls.addClassCleanup(cls.server.stop)
        for run in ("train", "merged"):  # the text is in the last summary
            cls.server.wait_for_tag("text", run)

    def answers(self, route, **query):
        return [self.server.json(route, run=run, **query) for run in ("train", "merged")]

    def test_every_page_has_the_same_tags(self):
        for plugin in ("scalars", "histograms", "images", "audio", "text", "pr_curves"):
            tags = self.server.json(f"plugin/{plugin}/tags")
            self.assertEqual(set(tags["train"]), set(tags["merged"]), plugin)

    def test_every_point_is_there_once(self):
        for plugin, tag in (("scalars", "loss"), ("scalars", "accuracy"), ("histograms", "weights"), ("text", "note")):
            whole, merged = self.answers(f"plugin/{plugin}/{plugin}", tag=tag)
            self.assertEqual(whole, merged, tag)
            self.assertTrue(whole, tag)

    def test_pictures_are_the_same(self):
        pictures = [[self.server.ask("plugin/images/individualImage?" + entry["query"]) for entry in entries]
                    for entries in self.answers("plugin/images/images", tag="pictures", sample=0)]
        self.assertEqual(*pictures)
        self.assertEqual(len(pictures[0]), 2)

    def test_the_graph_is_the_same(self):
        graphs = [self.server.get("plugin/graphs/graph", run=run) for run in ("train", "merged")]
        self.assertEqual(*graphs)


class FastLoader(MergedLog, unittest.TestCase):
    load_fast = "true"


class PythonLoader(MergedLog, unittest.TestCase):
    load_fast = "false"


if __name__ == "__main__":
    tensorboard_server.need(f"{VENV}/bin/tensorboard", "scripts/setup --python installs it from PyPI")
    unittest.main(argv=sys.argv[:1], verbosity=2)
