"""What the tests that open TensorBoard's pages in a browser have in common."""

import json
import pathlib
import re
import time
import unittest
import urllib.parse

import tensorboard_server

WIDTH, HEIGHT = 1280, 800
ANIMATION = 1  # seconds until what has been drawn stands still
COMPLAINT = re.compile(r"(?i)no .*(data|files) (was|were) found|\bfailed\b|\berror\b|no dashboards are active")


def following(lines, first, count):
    """The lines after the last one that is `first`; a row of a table."""
    at = len(lines) - 1 - lines[::-1].index(first)
    return lines[at + 1:at + 1 + count]


class PageTest(unittest.TestCase):
    """A page per test, photographed at its end: nothing may have gone wrong in it. The class has a server and a browser
    once begin() was called."""

    pictures = None  # where screenshots go, as the beginning of their paths
    page = None  # the one that is open, and the end of the path of its screenshot

    @classmethod
    def begin(cls, server, chromium):
        import browser  # needs a package of the environment

        cls.server = server
        cls.browser = browser.Chromium(chromium, WIDTH, HEIGHT)
        cls.addClassCleanup(cls.browser.stop)

    def open(self, page, *texts, **settings):
        """Opens the page with the settings of its own and waits until all texts are to be seen."""
        self.page = page
        setting = "".join(f"&{name}={urllib.parse.quote(str(value))}" for name, value in settings.items())
        # Time Series, the newest page, has its settings before the #.
        before, behind = (setting, "") if page == "timeseries" else ("", setting)
        self.browser.open(f"{self.server.url}/?page={page}{before}#{page}{behind}")
        return self.wait_for_texts(*texts)

    def wait_for_texts(self, *texts):
        def seen():
            self.lines = self.browser.visible_text()
            return set(texts) <= set(self.lines)

        tensorboard_server.wait_for(seen, lambda: f"{texts} in {self.lines}")
        return self.lines

    def count(self, selector):
        return self.browser.evaluate(f"find({json.dumps(selector)}).length")

    def wait_for_count(self, selector, count):
        tensorboard_server.wait_for(lambda: self.count(selector) == count,
                                    lambda: f"{count} of {selector}, but {self.count(selector)}")

    def tearDown(self):
        if not self.page:
            return
        time.sleep(ANIMATION)
        path = pathlib.Path(f"{self.pictures}{self.page}.png")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.browser.screenshot(path)
        lines = self.browser.visible_text()
        self.assertEqual([line for line in lines if COMPLAINT.search(line)], [])
        self.assertEqual(self.browser.problems, [])
