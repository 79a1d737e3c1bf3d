#!/usr/bin/env python3
"""The version of the program, of the summary library that is built alone, and of the newest changes is the same.

    version_test.py SOURCE
"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()


class Version(unittest.TestCase):
    def test_is_the_same_everywhere(self):
        versions = {name: re.search(r"project\(popscope VERSION (\S+)", (SOURCE / name).read_text())[1]
                    for name in ("CMakeLists.txt", "summary/CMakeLists.txt")}
        versions["CHANGELOG.md"] = re.search(r"^## (\S+)", (SOURCE / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
        self.assertEqual(len(set(versions.values())), 1, versions)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
