"""A page of documentation whose ```console blocks show commands and what they print.

A line that begins with $ is a command; a backslash at its end continues it, and so does <<END up to a line END. What
follows, up to the next command or the end of the block, is its output. Lines may be wrapped elsewhere than in the terminal,
and ... stands for anything.
"""

import os
import pathlib
import re
import subprocess


def examples(page):
    """The commands of a page and what it says that they print."""
    for block in re.findall(r"^```console\n(.*?)^```$", pathlib.Path(page).read_text(), re.MULTILINE | re.DOTALL):
        lines = block.splitlines()
        while lines:
            command = lines.pop(0).removeprefix("$ ")
            while command.endswith("\\"):
                command = command[:-1] + lines.pop(0).strip()
            if command.endswith("<<END"):
                while not command.endswith("\nEND"):
                    command += "\n" + lines.pop(0)
            output = []
            while lines and not lines[0].startswith("$ "):
                output.append(lines.pop(0))
            yield command, "\n".join(output) + "\n"


def matches(shown, printed):
    pattern = "".join(r"(?:\s+\S+)*?" if word == "..." else r"\s+" + re.escape(word) for word in shown.split())
    return re.fullmatch(pattern, " " + printed.strip()) if shown.strip() else not printed.strip()


def run(page, popscope, venv):
    """Runs the commands in the current directory, where popscope is built as in a checkout, with the Python of `venv`.
    Returns a list of (command, shown, printed) of those that print something else than the page shows."""
    built = pathlib.Path("build/release/bin")
    built.parent.mkdir(parents=True)
    built.symlink_to(pathlib.Path(popscope).resolve().parent)
    environment = {**os.environ, "PATH": f"{built.absolute()}:{venv}/bin:{os.environ['PATH']}"}
    settings, wrong = [], []
    for command, shown in examples(page):
        if re.match(r"(export )?\w+=", command):
            settings.append(command)
        printed = subprocess.run(["bash", "-c", "\n".join([*settings, command])], env=environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True).stdout
        if not matches(shown, printed):
            wrong.append((command, shown, printed))
    return wrong
