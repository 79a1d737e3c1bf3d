"""A page of documentation whose ```console blocks show commands and what they print.

A line that begins with $ is a command; a backslash at its end continues it, and so does <<END up to a line END. What
follows, up to the next command or the end of the block, is its output. Lines may be wrapped elsewhere than in the terminal,
and ... stands for anything; within a word, for a part of it. All commands of a page are given to one shell. A training
with & at its end goes on in the background, as $!, and the next command is given once popscope control reaches it; what it
prints is not shown.
"""

import os
import pathlib
import re
import subprocess

END_OF_OUTPUT = "\0"


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
    def pattern(word):
        return r"(?:\s+\S+)*?" if word == "..." else r"\s+" + re.escape(word).replace(re.escape("..."), r"\S*")

    expected = "".join(pattern(word) for word in shown.split())
    return re.fullmatch(expected, " " + printed.strip()) if shown.strip() else not printed.strip()


def for_the_shell(command):
    if not command.endswith("&"):
        return command
    [run] = re.findall(r"--run (\S+)", command)
    has_begun = f"popscope control logs/{run} --json 2>&1 | grep -q '\"update\"'"
    return f"{command.removesuffix('&')} >{run}.txt 2>&1 &\nuntil {has_begun}; do kill -0 $! || break; sleep 0.05; done"


def run(page, popscope, venv):
    """Runs the commands in the current directory, where popscope is built as in a checkout, with the Python of `venv`.
    Returns a list of (command, shown, printed) of those that print something else than the page shows."""
    built = pathlib.Path("build/release/bin")
    built.parent.mkdir(parents=True)
    built.symlink_to(pathlib.Path(popscope).resolve().parent)
    environment = {**os.environ, "PATH": f"{built.absolute()}:{venv}/bin:{os.environ['PATH']}"}
    commands = list(examples(page))
    end = r"printf '\0'"
    script = "\n".join(["trap 'kill $(jobs -p) 2>/dev/null' EXIT", *(f"{for_the_shell(command)}\n{end}" for command, _ in commands)])
    outputs = subprocess.run(["bash", "-c", script], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True).stdout.split(END_OF_OUTPUT)
    assert len(outputs) == len(commands) + 1, f"{page}: the shell ended after\n{outputs[-1]}"
    return [(command, shown, printed) for (command, shown), printed in zip(commands, outputs) if not matches(shown, printed)]
