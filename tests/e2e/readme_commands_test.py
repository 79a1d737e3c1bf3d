#!/usr/bin/env python3
"""The popscope commands that README.md gives work; trainings are cut to a few steps.

    readme_commands_test.py WRITE_SAMPLE_LOG POPSCOPE README
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SHORT = " --gradient-accumulation 2 --epochs 1 --steps-per-epoch 16"

writer, popscope, readme = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
commands = re.findall(r"^popscope \w+ .*?(?= +#|$)", readme.read_text(), re.MULTILINE)
for kind in ("events", "taps", "train"):
    if not any(command.startswith(f"popscope {kind}") for command in commands):
        sys.exit(f"README.md shows no popscope {kind} commands")

with tempfile.TemporaryDirectory() as directory:
    subprocess.run([writer, "logs"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    environment = dict(os.environ, PATH=f"{popscope.parent}:{os.environ['PATH']}")
    for number, command in enumerate(commands):
        if command.startswith("popscope train"):
            command += f"{SHORT} --logdir trained --run {number}"
        result = subprocess.run(command, shell=True, cwd=directory, env=environment, stdout=subprocess.PIPE)
        if result.returncode != 0 or not (result.stdout or "-o" in command):
            sys.exit(f"exit code {result.returncode}, {len(result.stdout)} bytes of output: {command}")
