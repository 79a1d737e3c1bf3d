#!/usr/bin/env python3
"""The Debian packages that cpack makes install and work in a root that has only what they depend on.

    packages_test.py CPACK BUILD SOURCE

Reported as skipped where no such root can be made.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import clean_root

CPACK, BUILD, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
APPLICATION = ("libipumodel", "popscope")
LIBRARIES = ("libipumodel-dev", "libpopscope-summary-dev", "libpopscope-dev")
TOOLS = ("g++", "cmake", "make", "pkg-config")  # a developer has them


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        subprocess.run([CPACK, "--config", BUILD / "CPackConfig.cmake", "-B", directory / "packages"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.debs = {deb.name.split("_")[0]: deb for deb in (directory / "packages").glob("*.deb")}
        cls.root = clean_root.CleanRoot(directory / "root")
        cls.add(APPLICATION)

    @classmethod
    def add(cls, names):
        for name in names:
            depends = subprocess.run(["dpkg-deb", "-f", cls.debs[name], "Depends"], check=True, stdout=subprocess.PIPE, text=True)
            cls.root.add(choices[0] for choices in clean_root.alternatives(depends.stdout) if choices[0] not in cls.debs)
        cls.root.install([cls.debs[name] for name in names])

    def shell(self, script):
        return self.root.run("sh", "-euc", script)

    def test_1_popscope_trains_with_its_own_data_and_finds_a_fault(self):
        self.assertFalse(list((self.root.path / "usr/bin").glob("clang*")), "the root is not clean")
        said = self.shell("cd /tmp; popscope train --preset digits --epochs 5 --run broken --inject nan:dense_1_preacts@update=3")
        self.assertIn("first not finite: update 3, dense_1_preacts", said)
        self.assertIn("loss", self.shell("popscope events inspect /tmp/logs/broken"))

    def test_2_a_project_elsewhere_builds_on_each_library(self):
        self.root.add(TOOLS)
        self.add(LIBRARIES)
        for name in ("poplar_program", "write_log", "tap_program"):
            shutil.copytree(SOURCE / "examples" / name, self.root.path / "tmp" / name)
        self.assert_examples_work(
            "cmake -S $1 -B $1/build >/dev/null; cmake --build $1/build --target $2 >/dev/null; $1/build/$2 $4")

    def test_3_pkg_config_knows_what_each_library_needs(self):
        self.assert_examples_work("g++ -std=c++17 $1/$2.cpp $(pkg-config --cflags --libs $3) -o program; ./program $4")

    def assert_examples_work(self, script):
        """The script gets the directory of an example, its program, the library it needs and an argument."""
        run = lambda *words: self.root.run("sh", "-euc", f"cd /tmp; {script}", "sh", *words)
        self.assertEqual(run("poplar_program", "poplar_program", "ipumodel", "poplar_program/scale.cpp"), "3.5 7 10.5 14 \n")
        for directory, program, library in ("write_log", "write_log", "popscope-summary"), ("tap_program", "tapped", "popscope-outfeed"):
            run(directory, program, library, "log")
            self.assertIn("whole", self.shell("popscope events inspect /tmp/log; rm -r /tmp/log"))


if __name__ == "__main__":
    if not clean_root.is_possible():
        print("a user may not make a root here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
