#!/usr/bin/env python3
"""The popscope commands of README.md and other pages work where README.md says that popscope is; trainings are cut to a
few batches.

    readme_commands_test.py WRITE_SAMPLE_LOG POPSCOPE README PAGE...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SHORT = " --gradient-accumulation 2 --epochs 1 --steps-per-epoch 16"

writer, popscope, *pages = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
text = pages[0].read_text()
commands = [command for page in pages for command in re.findall(r"^popscope \w+ .*?(?= +#|$)", page.read_text(), re.MULTILINE)]
for kind in ("events", "taps", "train"):
    if not any(command.startswith(f"popscope {kind}") for command in commands):
        sys.exit(f"the pages show no popscope {kind} commands")
path = re.search(r"^export PATH=\S+", text, re.MULTILINE)
if not path or path.start() > text.index(commands[0]):
    sys.exit("README.md uses popscope before it is in the PATH")

with tempfile.TemporaryDirectory() as directory:
    subprocess.run([writer, "logs"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    built = pathlib.Path(directory, "build/release/bin")  # as in a checkout
    built.parent.mkdir(parents=True)
    built.symlink_to(popscope.parent)
    trained = None  # the last
    for number, command in enumerate(commands):
        if command.startswith("popscope train") and "--help" not in command:
            command += f"{SHORT} --logdir trained --run {number}"
            trained = number
        command = command.replace("logs/cnn-*", f"trained/{trained}")
        result = subprocess.run(f"{path[0]}; {command}", shell=True, cwd=directory, stdout=subprocess.PIPE)
        if result.returncode != 0 or not (result.stdout or "-o" in command or ">" in command):
            sys.exit(f"exit code {result.returncode}, {len(result.stdout)} bytes of output: {command}")
