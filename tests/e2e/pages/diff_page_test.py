#!/usr/bin/env python3
"""The page of popscope diff --html in a real browser: narrow and wide, light and dark.

    diff_page_test.py POPSCOPE DATA VENV CHROMIUM PICTURES

VENV is the environment that scripts/setup --python makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets the screenshots. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import tensorboard_server

POPSCOPE, DATA, VENV, CHROMIUM, PICTURES = (pathlib.Path(argument).absolute() for argument in sys.argv[1:6])
CHANGED = "dense_0/kernel:0_grad_per_micro_batch"
UPDATE, UPDATES = 3, 8


def train(logs, run, *options):
    subprocess.run([POPSCOPE, "train", "--preset", "fashion", "--data", DATA / "fashion-mnist", "--device", "model",
                    "--tiles", "8", "--quiet", "--logdir", logs, "--run", run, "--epochs", "1", "--steps-per-epoch",
                    str(UPDATES), "--tap", "* -> identity", *options], check=True)


class DiffPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import browser  # needs a package of the environment

        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        logs = pathlib.Path(directory.name)
        train(logs, "a")
        train(logs, "b", "--inject", f"scale:dense_0/kernel:0_grad@update={UPDATE},factor=1.0001")
        cls.page = logs / "diff.html"
        code = subprocess.run([POPSCOPE, "diff", logs / "a", logs / "b", "--html", cls.page],
                              stdout=subprocess.DEVNULL).returncode
        assert code == 1
        cls.browser = browser.Chromium(CHROMIUM, 1600, 1000)
        cls.addClassCleanup(cls.browser.stop)

    def show(self, width, scheme):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1,
                          mobile=False)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.browser.open(f"file://{self.page}")
        tensorboard_server.wait_for(lambda: self.browser.evaluate("find('#tensors tr').length") > 1, lambda: "a table")
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.browser.screenshot(PICTURES / f"diff-{width}-{scheme}.png")

    def color(self, row, update):
        """Of the middle of a cell, as the screen has it."""
        return self.browser.evaluate(f"""(() => {{
            const canvas = find('#cells')[0];
            const x = canvas.width * ({update} + 0.5) / {UPDATES}, y = canvas.height - ({row} + 0.5) * 18;
            return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].join();
        }})()""")

    def test_is_readable_at_any_width_in_light_and_dark(self):
        for width in 400, 1600:
            for scheme in "light", "dark":
                with self.subTest(width=width, scheme=scheme):
                    self.show(width, scheme)
                    lines = self.browser.visible_text()
                    self.assertTrue(lines[0].startswith(f"first difference: update {UPDATE}, {CHANGED} "), lines[0])
                    self.assertEqual(self.browser.evaluate("find('#names .first').map((name) => name.textContent)"),
                                     [CHANGED])
                    self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.browser.problems, [])

    def test_colors_are_those_of_the_differences(self):
        self.show(1600, "light")
        names = self.browser.evaluate("find('#names div').map((name) => name.textContent)")
        row = len(names) - 1 - names.index(CHANGED)
        same = self.color(len(names) - 1, 0)  # the input
        for update in range(UPDATES):
            self.assertEqual(self.color(len(names) - 1, update), same)
            (self.assertEqual if update < UPDATE else self.assertNotEqual)(self.color(row, update), same)

    def test_tells_what_is_under_the_mouse(self):
        self.show(1600, "light")
        self.browser.hover("#cells")
        self.assertRegex(self.browser.evaluate("find('#tip')[0].textContent"), r"^\S+, update 4: ")

    def test_can_leave_out_what_is_the_same(self):
        self.show(1600, "light")
        self.browser.click("#only")
        names = self.browser.evaluate("find('#names div').map((name) => name.textContent)")
        self.assertNotIn("input", names)
        self.assertIn(CHANGED, names)


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "python", "scripts/setup --python makes it")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
