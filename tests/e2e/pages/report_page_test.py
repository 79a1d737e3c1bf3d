#!/usr/bin/env python3
"""The page of popscope report in a real browser: by mouse and by keyboard, narrow and wide, light and dark.

    report_page_test.py POPSCOPE DATA VENV CHROMIUM PICTURES PAGE

VENV is the environment that scripts/setup --python makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets the screenshots, that of PAGE, the documentation, included. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import console_page
import tensorboard_server

POPSCOPE, DATA, VENV, CHROMIUM, PICTURES, PAGE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:7])
UPDATES, BAD_UPDATE = 8, 3
BAD = "dense_0/kernel:0_grad_per_micro_batch"
EVIL = "<img src=x onerror=document.title='broken'>"


def popscope(*words, **options):
    return subprocess.run([POPSCOPE, *words], text=True, capture_output=True, **options)


def train(logs, run, *options):
    subprocess.run([POPSCOPE, "train", "--preset", "fashion", "--data", DATA / "fashion-mnist", "--device", "model",
                    "--tiles", "8", "--quiet", "--logdir", logs, "--run", run, "--epochs", "2", "--steps-per-epoch",
                    str(UPDATES // 2), *options], check=True, stderr=subprocess.DEVNULL)


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import browser  # needs a package of the environment

        class Chromium(browser.Chromium):
            """Whose problems include what is in the console, such as a breach of the page's security policy."""

            def note(self, message):
                super().note(message)
                parameters = message.get("params", {})
                if message["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                    self.problems.append(parameters["entry"]["text"])
                if message["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                    self.problems.append(str(parameters["args"]))

        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.logs = pathlib.Path(directory.name)
        train(cls.logs, "whole", "--tap", "* -> shape")
        train(cls.logs, "bad", "--tap", "* -> stats", "--inject",
              f"nan:dense_0/kernel:0_grad@update={BAD_UPDATE},index=1")
        train(cls.logs, "plain")
        for page, runs in {"both": ["whole", "bad"], "plain": ["plain"]}.items():
            told = popscope("report", *(cls.logs / run for run in runs), "-o", cls.logs / f"{page}.html")
            assert told.returncode == 0, told.stderr
        cls.browser = Chromium(CHROMIUM, 1600, 1000)
        cls.addClassCleanup(cls.browser.stop)
        cls.browser.call("Log.enable")

    def show(self, page, width=1600, scheme="light", height=1000):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                          mobile=False)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.browser.open(f"file://{self.logs}/{page}.html")
        tensorboard_server.wait_for(lambda: self.browser.evaluate("find('#cost .card').length") > 0,
                                    lambda: "the last card")

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.browser.screenshot(PICTURES / f"{name}.png")

    def text(self, selector):
        return self.browser.evaluate(f"find('{selector}').map((element) => element.textContent).join('\\n')")

    def click_cell(self, map_id, label, update, run=0, columns=UPDATES):
        """In the middle of the cell, as a person would."""
        x, y = self.browser.evaluate(f"""(() => {{
            const map = document.querySelectorAll('#map-{map_id} .maprun')[{run}];
            map.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const box = map.querySelector('canvas').getBoundingClientRect();
            const row = [...map.querySelectorAll('.names div')].findIndex((name) => name.textContent === '{label}');
            return [box.x + box.width * ({update} + 0.5) / {columns}, box.y + 10 + (row + 0.5) * 22];
        }})()""")
        self.browser.click_at(x, y)

    def recorded(self, run, tag, update):
        """As the event file has it, by another way."""
        rows = csv.DictReader(io.StringIO(popscope("events", "export", self.logs / run, "--tag", tag).stdout))
        return next(float(row["Value"]) for row in rows if int(row["Step"]) == update)

    def test_is_readable_at_any_width_in_light_and_dark(self):
        for page in "both", "plain":
            for width in 400, 1600:
                for scheme in "light", "dark":
                    with self.subTest(page=page, width=width, scheme=scheme):
                        self.show(page, width, scheme)
                        self.picture(f"report-{page}-{width}-{scheme}")
                        self.assertLessEqual(*self.browser.evaluate(
                            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"))
                        self.assertEqual(self.browser.problems, [])

    def test_names_what_went_bad_first(self):
        self.show("both")
        self.assertEqual(self.text(".blame .first"), BAD)
        self.assertIn(f"not finite at update {BAD_UPDATE}", self.text("#verdict .pill"))
        self.assertIn("injected by", self.text(".blame"))
        self.assertGreater(self.browser.evaluate("find('.alertmark').length"), 0)

    def test_a_click_shows_the_exponents_and_the_limits_of_formats(self):
        self.show("both")
        self.click_cell("gradients", "dense_0/kernel", 2)
        self.assertEqual(self.text("#inspector h3"), "dense_0/kernel:0_grad")
        self.assertGreater(self.browser.evaluate("find('#inspector .bar-of-elements').length"), 3)
        self.assertEqual(self.text("#inspector .format-limits text").splitlines(),
                         ["half", "bfloat16", "fp8 F143", "fp8 F152"])
        self.assertEqual(self.browser.evaluate("find('#inspector .fates tbody tr').length"), 4)
        norm = self.browser.evaluate("""find('#inspector dl')[0].textContent.match(/l2_norm([^a-z]+)/)[1]""")
        expected = self.recorded("whole", "tapped_gradients/dense_0/kernel:0_grad/l2_norm", 2)
        self.assertAlmostEqual(float(norm.replace(",", "")) / expected, 1, delta=0.006)

    def test_says_where_there_are_only_statistics(self):
        self.show("both")
        self.click_cell("gradients", "dense_0/kernel", 2, run=1)
        part = self.text("#inspector .grid > div:nth-child(2)")
        self.assertIn("No histogram: this tensor was recorded as summary statistics only", part)
        self.assertIn("-> shape", part)
        self.assertIn("l2_norm", part)

    def test_works_by_keyboard_alone(self):
        self.show("both")
        for _ in range(60):
            self.browser.press("Tab")
            if self.browser.evaluate("document.activeElement.className") == "cells":
                break
        self.assertEqual(self.browser.evaluate("document.activeElement.closest('.card').id"), "map-gradients")
        self.browser.press("ArrowRight")
        self.browser.press("ArrowDown")
        self.assertRegex(self.text("#tip"), r"^\S+_grad, update 1\nl2_norm ")
        self.browser.press("Enter")
        self.assertIn("update 1", self.text("#inspector"))
        self.browser.press("ArrowRight")  # goes on, with the panel open
        self.assertIn("update 2", self.text("#inspector"))
        self.browser.press("Escape")
        self.assertEqual(self.browser.evaluate("find('#inspector').length"), 0)
        self.assertEqual(self.browser.evaluate("document.activeElement.className"), "cells")

    def test_cells_that_are_not_finite_are_marked(self):
        self.show("both")
        self.assertIn("not finite", self.text("#map-gradients .legend"))
        self.click_cell("gradients", "dense_0/kernel", BAD_UPDATE, run=1)
        self.assertRegex(self.text("#inspector .pill.bad"), r"\d+ NaN")

    def test_the_theme_can_be_chosen(self):
        self.show("both", scheme="light")
        background = "getComputedStyle(document.body).backgroundColor"
        light = self.browser.evaluate(background)
        for expected in light, "another", light:  # light, dark, as the system has it
            self.browser.click("#theme")
            (self.assertEqual if expected == light else self.assertNotEqual)(self.browser.evaluate(background), light)

    def test_the_table_is_sorted_and_filtered(self):
        self.show("both")
        self.browser.evaluate("document.querySelector('#health').scrollIntoView({behavior: 'instant'})")
        self.assertEqual(self.browser.evaluate("find('#health tbody tr').length"), 12)
        self.browser.click("[data-key=largest]")
        largest = [float(text.replace(",", "")) for text in self.text("#health td:nth-child(5)").splitlines()]
        self.assertEqual(largest, sorted(largest, reverse=True))
        self.assertEqual(self.browser.evaluate("find('#health [aria-sort]')[0].getAttribute('aria-sort')"),
                         "descending")
        self.browser.click("#health [type=search]")
        self.browser.call("Input.insertText", text="dense_1/bias")
        self.assertTrue(all("dense_1/bias" in name for name in self.text("#health td:first-child").splitlines()))

    def test_says_which_option_records_what_is_missing(self):
        self.show("plain")
        text = self.text("main")
        for option in ("--tap loss", "kind:gradient & at:accumulated -> shape", "kind:activation -> shape",
                       "kind:update | kind:weight -> shape", "--checks default", "* @ every 10 -> shape"):
            self.assertIn(option, text)

    def test_takes_no_name_for_markup(self):
        (self.logs / EVIL).symlink_to(self.logs / "whole", target_is_directory=True)
        told = popscope("report", self.logs / EVIL, "-o", self.logs / "evil.html")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.show("evil")
        self.assertIn(EVIL, self.text("#verdict .run"))
        self.assertEqual(self.browser.evaluate("document.images.length"), 0)
        self.assertIn(EVIL, self.browser.evaluate("document.title"))

    def test_heat_maps_are_images_of_tensorboard_too(self):
        pictures = self.logs / "pictures"
        popscope("events", "export", self.logs / "whole", "--kind", "images", "--tag", "heat_maps/*", "-o", pictures)
        self.assertEqual(sorted(file.name.split("-step")[0] for file in pictures.iterdir()),
                         ["heat_maps_activations", "heat_maps_gradients", "heat_maps_updates"])
        self.assertEqual(popscope("events", "export", self.logs / "plain", "--kind", "images", "--tag", "heat_maps/*",
                                  "-o", self.logs / "none").returncode, 2)

    def test_the_documentation_shows_what_its_commands_make(self):
        os.chdir(self.logs)
        self.assertEqual(console_page.run(PAGE, POPSCOPE, VENV), [])
        self.show("report", width=1280, height=900)
        self.click_cell("gradients", "conv_1/kernel", 5, columns=32)
        self.assertEqual(self.text("#inspector h3"), "conv_1/kernel:0_grad")
        self.picture("report")

    def test_bad_input_is_one_line_and_code_2(self):
        page = self.logs / "both.html"
        for words, expected in (([self.logs / "nowhere", "-o", "x.html"], "no popscope.json"),
                                ([self.logs / "whole", "-o", page], "exists already; --force replaces it"),
                                ([self.logs / "whole", "-o", self.logs / "no" / "x.html"], "cannot be written"),
                                ([self.logs / "whole", self.logs / "whole", "-o", "x.html"], "is named twice"),
                                ([self.logs / "whole"], "--output")):
            told = popscope("report", *words)
            self.assertEqual(told.returncode, 2, told.stderr)
            self.assertEqual(told.stderr.count("\n"), 1, told.stderr)
            self.assertIn(expected, told.stderr)


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "python", "scripts/setup --python makes it")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    unittest.main(argv=sys.argv[:1], verbosity=2)
