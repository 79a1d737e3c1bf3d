#!/usr/bin/env python3
"""The commands that README.md gives for event files work.

    readme_events_test.py WRITE_SAMPLE_LOG POPSCOPE README
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

writer, popscope, readme = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
commands = re.findall(r"^popscope events .*$", readme.read_text(), re.MULTILINE)
if not commands:
    sys.exit("README.md shows no popscope events commands")

with tempfile.TemporaryDirectory() as directory:
    subprocess.run([writer, "logs"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    environment = dict(os.environ, PATH=f"{popscope.parent}:{os.environ['PATH']}")
    for command in commands:
        result = subprocess.run(command, shell=True, cwd=directory, env=environment, stdout=subprocess.PIPE)
        if result.returncode != 0 or not (result.stdout or "-o" in command):
            sys.exit(f"exit code {result.returncode}, {len(result.stdout)} bytes of output: {command}")
