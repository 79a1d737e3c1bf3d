#!/usr/bin/env python3
"""The picture in README.md shows the session that README.md has, which the test of console pages runs.

    terminal_picture_test.py SOURCE
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SOURCE = pathlib.Path(sys.argv[1]).resolve()


class TerminalPicture(unittest.TestCase):
    def draw(self, page):
        with tempfile.TemporaryDirectory() as directory:
            picture = pathlib.Path(directory, "picture.svg")
            subprocess.run([SOURCE / "scripts/terminal_picture", page, "-o", picture], check=True)
            return picture.read_text()

    def test_the_picture_of_the_readme_is_up_to_date(self):
        self.assertEqual(self.draw(SOURCE / "README.md"), (SOURCE / "docs/images/nan_caught.svg").read_text(),
                         "run scripts/terminal_picture README.md -o docs/images/nan_caught.svg")

    def test_text_is_shown_as_it_is_printed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
            page.write("```console\n$ a --b\n  x <y> &  z\n```\n")
            page.flush()
            root = xml.etree.ElementTree.fromstring(self.draw(page.name))
        self.assertEqual([text.text for text in root.iter("{http://www.w3.org/2000/svg}text")], ["$ a --b", "  x <y> &  z"])

    @unittest.skipUnless(shutil.which("chromium"), "Chromium is not installed")
    def test_a_browser_keeps_the_columns_of_tables(self):
        with tempfile.TemporaryDirectory() as directory:
            page, columns = pathlib.Path(directory, "page.md"), "  x     y  z"
            page.write_text(f"```console\n$ a\n{columns}\n```\n")
            shown = pathlib.Path(directory, "page.html")
            count = "document.title = [...document.querySelectorAll('text')].pop().getNumberOfChars()"
            shown.write_text(f"{self.draw(page)}<script>{count}</script>")
            browser = ["chromium", "--headless", "--no-sandbox", f"--user-data-dir={directory}/profile", "--dump-dom", shown]
            dom = subprocess.run(browser, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        self.assertIn(f"<title>{len(columns)}</title>", dom)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
