"""A page of documentation whose ```console blocks show commands and what they print.

A line that begins with $ is a command; a backslash at its end goes on in the next line. What follows, up to the next command
or the end of the block, is its output. Lines may be wrapped elsewhere than in the terminal, and ... stands for anything.
"""

import os
import pathlib
import re
import subprocess


def examples(page):
    """The commands of a page and what it says that they print."""
    for block in re.findall(r"^```console\n(.*?)^```$", pathlib.Path(page).read_text(), re.MULTILINE | re.DOTALL):
        for command, output in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            yield command.replace("\\\n", " "), output


def matches(shown, printed):
    pattern = "".join(r"(?:\s+\S+)*?" if word == "..." else r"\s+" + re.escape(word) for word in shown.split())
    return re.fullmatch(pattern, " " + printed.strip()) if shown.strip() else not printed.strip()


def run(page, popscope, environment=None):
    """Runs the commands in the current directory, where popscope is built as in a checkout. Returns a list of
    (command, shown, printed) of those that print something else than the page shows."""
    built = pathlib.Path("build/release/bin")
    built.parent.mkdir(parents=True)
    built.symlink_to(pathlib.Path(popscope).resolve().parent)
    path = f"{built.absolute()}:{os.environ['PATH']}"
    wrong = []
    for command, shown in examples(page):
        printed = subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": path, **(environment or {})},
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        if not matches(shown, printed):
            wrong.append((command, shown, printed))
    return wrong
