#!/usr/bin/env python3
"""Completions and man pages: they have what --help has, shells complete by them, and groff reads them.

    shell_test.py POPSCOPE BUILD COMMANDS_PAGE

zsh, fish, groff and man are used where they are installed.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

POPSCOPE = os.path.abspath(sys.argv[1])
BUILD, PAGE = (pathlib.Path(argument).resolve() for argument in sys.argv[2:4])
PATIENCE = 120  # seconds without output, before a test gives up


def popscope(*arguments):
    return subprocess.run([POPSCOPE, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def commands(words=()):
    """The words of every command and its help, found by reading --help as a user does."""
    text = popscope(*words, "--help")
    yield words, text
    for name in re.findall(r"^  (\w+) ", text.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.MULTILINE):
        yield from commands((*words, name))


def options(help_text):
    """Every name of every option that a help shows, such as -o and --output."""
    found = []
    for names in re.findall(r"^  (-\S+)", help_text, re.MULTILINE):
        found += names.split(",")
    return found


HELP = dict(commands())
SCRIPTS = {shell: popscope("completions", shell) for shell in ("bash", "zsh", "fish")}


def block(shell, words):
    """The part of a script that is about one command."""
    title = " ".join(("popscope", *words))
    if shell == "fish":
        return "\n".join(line for line in SCRIPTS[shell].splitlines() if f"_is {title}'" in line)
    start = {"bash": f"\n  '{title}')\n", "zsh": f"\n    ('{title}')\n"}[shell]
    end = {"bash": "\n    ;;\n", "zsh": "\n      ;;\n"}[shell]
    return SCRIPTS[shell].partition(start)[2].partition(end)[0]


def bash_offers(*words, cwd="."):
    """What the function of the script offers when Tab is pressed in the last word."""
    script = SCRIPTS["bash"] + """
COMP_WORDS=(popscope "$@")
COMP_CWORD=$#
_popscope
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""
    answer = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], stdout=subprocess.PIPE, cwd=cwd, check=True,
                            text=True)
    return answer.stdout.splitlines()


def typed(shell, setup, *lines):
    """The arguments that popscope gets when each of the lines, with Tabs in it, is typed at a prompt."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", PS1="", HOME="/nonexistent", LC_ALL="C.UTF-8")
        try:
            os.execvp(shell[0], shell)
        finally:
            os._exit(127)
    text = ""

    def read_until(pattern):
        nonlocal text
        while not (found := re.search(pattern, text)):
            if not select.select([terminal], [], [], PATIENCE)[0]:
                raise AssertionError(f"nothing after: {text}")
            text += os.read(terminal, 65536).decode()
        text = text[found.end():]
        return found

    try:
        # The prompt of bash and zsh; the last definition turns popscope into what says how it was called.
        prompt = setup + "; popscope() { echo \"<$*>\"; }; PS1='READY'\"> \"\n"
        os.write(terminal, prompt.encode())
        answers = []
        for line in lines:
            read_until("READY> ")
            os.write(terminal, line.encode() + b"\n")
            answers.append(read_until(r"<([^\n$]*)>\r?\n")[1])
        return answers
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)


class Scripts(unittest.TestCase):
    def test_help_has_commands_and_options(self):  # else the tests below would be about nothing
        self.assertIn(("events", "export"), HELP)
        self.assertIn("--preset", options(HELP[("train",)]))
        self.assertIn("-o", options(HELP[("events", "export")]))

    def test_every_command_of_the_help_is_in_each_script(self):
        for words in HELP:
            for shell in SCRIPTS:
                with self.subTest(shell=shell, words=words):
                    self.assertTrue(block(shell, words))
                    if words:
                        self.assertRegex(block(shell, words[:-1]), rf"\b{words[-1]}\b")

    def test_every_option_of_the_help_is_in_each_script(self):
        for words, text in HELP.items():
            for shell in SCRIPTS:
                for name in options(text):
                    with self.subTest(shell=shell, words=words, option=name):
                        shown = name
                        if shell == "fish":
                            shown = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                        found = re.search(rf"(?<![\w-]){re.escape(shown)}(?![\w-])", block(shell, words))
                        self.assertIsNotNone(found)

    def test_hidden_options_are_in_no_script(self):
        self.assertNotIn("--logdir", HELP[("taps",)])
        for shell in SCRIPTS:
            self.assertNotIn("logdir", block(shell, ("taps",)))

    def test_an_unknown_shell_is_refused(self):
        answer = subprocess.run([POPSCOPE, "completions", "tcsh"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertEqual(answer.stderr, "popscope: shell tcsh: choose bash, zsh or fish\n")


class Bash(unittest.TestCase):
    def test_commands_are_offered_first_and_then_subcommands(self):
        self.assertEqual(sorted(bash_offers("")), sorted(words[0] for words in HELP if len(words) == 1))
        self.assertEqual(bash_offers("tr"), ["train"])
        self.assertEqual(sorted(bash_offers("events", "")), sorted(words[1] for words in HELP if len(words) == 2))

    def test_options_are_those_of_the_command(self):
        for words, text in HELP.items():
            self.assertEqual(sorted(bash_offers(*words, "-")), sorted(options(text)), words)
        self.assertEqual(bash_offers("train", "--epochs", "3", "--batch"), ["--batch-size"])

    def test_a_command_without_arguments_offers_its_options(self):
        self.assertIn("--preset", bash_offers("train", ""))

    def test_values_are_those_that_the_option_takes(self):
        presets = re.search(r"--preset (\S+)", HELP[("train",)])[1].split("|")
        self.assertEqual(bash_offers("train", "--preset", ""), presets)
        self.assertEqual(bash_offers("train", "--device", ""), ["auto", "ipu", "model"])
        self.assertEqual(bash_offers("train", "--device", "m"), ["model"])
        self.assertEqual(bash_offers("events", "export", "--kind", ""), ["scalars", "histograms", "images", "audio", "text"])
        self.assertEqual(bash_offers("control", "logs", "--payload", "s"), ["stats", "shape"])
        self.assertEqual(bash_offers("completions", ""), ["bash", "zsh", "fish"])
        self.assertEqual(bash_offers("help", "ev"), ["events"])

    def test_every_word_that_is_offered_for_an_option_is_taken_by_it(self):
        for option in ("--preset", "--precision", "--optimizer"):
            offers = bash_offers("taps", option, "")
            self.assertGreater(len(offers), 1)
            for word in offers:
                self.assertIn("loss", popscope("taps", "loss", option, word))

    def test_a_value_after_an_equals_sign_is_completed(self):
        self.assertEqual(bash_offers("train", "--device", "=", "m"), ["model"])
        self.assertEqual(bash_offers("train", "--device", "="), ["auto", "ipu", "model"])

    def test_nothing_is_offered_for_a_number(self):
        self.assertEqual(bash_offers("train", "--epochs", ""), [])

    def test_an_optional_value_does_not_hide_the_options(self):
        self.assertEqual(bash_offers("train", "--recorder", "--epo"), ["--epochs"])

    def test_a_value_that_is_the_name_of_a_command_changes_nothing(self):
        self.assertEqual(bash_offers("train", "--run", "taps", "--logd"), ["--logdir"])

    def test_files_and_directories_are_offered_where_they_belong(self):
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "a run").mkdir()
            pathlib.Path(directory, "file").touch()
            self.assertEqual(bash_offers("health", "", cwd=directory), ["a run"])
            self.assertEqual(bash_offers("train", "--data", "", cwd=directory), ["a run"])
            self.assertEqual(sorted(bash_offers("events", "cat", "", cwd=directory)), ["a run", "file"])
            self.assertEqual(bash_offers("diff", "x", "--html", "f", cwd=directory), ["file"])
            self.assertEqual(bash_offers("train", "--checks", "", cwd=directory)[0], "default")

    def test_tab_completes_at_a_prompt(self):
        self.assertEqual(
            typed(["bash", "--norc", "--noprofile", "-i"], f"source <({POPSCOPE} completions bash)",
                  "popscope tr\t--devi\tmod\t", "popscope train --device=mod\t", "popscope ev\texp\t--ki\thi\t"),
            ["train --device model", "train --device=model", "events export --kind histograms"])


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    def test_tab_completes_at_a_prompt(self):
        self.assertEqual(
            typed(["zsh", "-f", "-i"], f"autoload -U compinit; compinit -D -u; source <({POPSCOPE} completions zsh)",
                  "popscope tr\t--devi\tmod\t", "popscope train --device=mod\t", "popscope ev\texp\t--ki\thi\t"),
            ["train --device model", "train --device=model", "events export --kind histograms"])

    def test_the_script_has_no_mistakes_in_syntax(self):
        subprocess.run(["zsh", "-n"], input=SCRIPTS["zsh"], check=True, text=True)


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def offers(self, line):
        script = SCRIPTS["fish"] + f"\ncomplete -C '{line}'\n"
        answer = subprocess.run(["fish", "--no-config"], input=script, stdout=subprocess.PIPE, check=True, text=True)
        return [offer.split("\t")[0] for offer in answer.stdout.splitlines()]

    def test_it_offers_commands_options_and_values(self):
        self.assertEqual(self.offers("popscope tr"), ["train"])
        self.assertEqual(self.offers("popscope events ex"), ["export"])
        self.assertEqual(self.offers("popscope train --devi"), ["--device"])
        self.assertEqual(self.offers("popscope train --device "), ["auto", "ipu", "model"])
        self.assertEqual(self.offers("popscope train --device=m"), ["--device=model"])
        self.assertEqual(sorted(self.offers("popscope events export logs --kind ")),
                         ["audio", "histograms", "images", "scalars", "text"])


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        popscope("help", "--man-pages", cls.directory.name)
        cls.pages = {file.name: file for file in pathlib.Path(cls.directory.name).iterdir()}

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_every_command_has_a_page(self):
        self.assertEqual(set(self.pages), {"-".join(("popscope", *words)) + ".1" for words in HELP})

    def test_a_page_can_be_printed_too(self):
        self.assertEqual(popscope("help", "events", "cat", "--man"), self.pages["popscope-events-cat.1"].read_text())

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_warnings_and_shows_every_option(self):
        for words, text in HELP.items():
            answer = subprocess.run(["groff", "-mandoc", "-ww", "-Tascii", "-P-cbou",
                                     self.pages["-".join(("popscope", *words)) + ".1"]],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, text=True)
            self.assertNotIn("warning", answer.stdout)
            for name in options(text):
                self.assertRegex(answer.stdout, rf"(?m)^ +(-\S+, )*{re.escape(name)}\b", words)
            for example in re.findall(r"^  (popscope .*)", text.rpartition("\nExample")[2], re.MULTILINE):
                self.assertIn(example.split(" #")[0].strip(), answer.stdout)  # as it can be copied

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_has_no_warnings(self):
        for page in self.pages.values():
            answer = subprocess.run(["man", "--warnings", "-l", page], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}, check=True, text=True)
            self.assertEqual(answer.stderr, "")
            self.assertIn("NAME\n", answer.stdout)

    def test_a_directory_that_cannot_be_made_is_refused(self):
        answer = subprocess.run([POPSCOPE, "help", "--man-pages", "/dev/null/man1"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(answer.returncode, 2)
        self.assertRegex(answer.stderr, r"^popscope: --man-pages /dev/null/man1: .*; name another directory\n$")


class Help(unittest.TestCase):
    def test_it_shows_what_the_option_help_shows(self):
        for words, text in HELP.items():
            self.assertEqual(popscope("help", *words), text)

    def test_an_unknown_command_is_refused_with_the_nearest(self):
        answer = subprocess.run([POPSCOPE, "help", "events", "exprt"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(answer.returncode, 2)
        self.assertRegex(answer.stderr, r"^popscope: exprt: not a command of popscope events; the nearest are export")


class Installed(unittest.TestCase):
    def test_completions_and_man_pages_are_where_shells_and_man_look(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--component", "popscope", "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            share = pathlib.Path(prefix, "share")
            for shell, file in (("bash", "bash-completion/completions/popscope"), ("zsh", "zsh/site-functions/_popscope"),
                                ("fish", "fish/vendor_completions.d/popscope.fish")):
                self.assertEqual((share / file).read_text(), SCRIPTS[shell])
            self.assertEqual((share / "man/man1/popscope-train.1").read_text(), popscope("help", "train", "--man"))


class Documentation(unittest.TestCase):
    def test_the_page_of_commands_has_every_command(self):
        text = PAGE.read_text()
        for words in HELP:
            if words:
                row = re.search(rf"^\| `popscope {words[0]}` .*$", text, re.MULTILINE)
                self.assertIsNotNone(row, words)
                self.assertIn("`" + words[-1] if len(words) > 1 else words[-1], row[0])

    def test_pages_name_only_options_that_commands_have(self):
        checked = 0
        for page in (PAGE.parent.parent / "README.md", *PAGE.parent.glob("*.md")):
            text = re.sub(r"\\\n\s*", "", page.read_text())  # continued lines
            for line in re.findall(r"(?:`|\$ |^ *)popscope ([^`\n|;]*)", text, re.MULTILINE):
                words = tuple(re.match(r"[a-z ]*", line)[0].split())
                while words not in HELP:
                    words = words[:-1]
                if not words or words == ("tensorboard",):  # which passes options on
                    continue
                for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r"'[^']*'| #.*", "", line)):
                    checked += 1
                    self.assertIn(name, options(HELP[words]), f"{page.name}: popscope {line}")
        self.assertGreater(checked, 200)


class Colours(unittest.TestCase):
    COLOUR = re.compile(r"\x1b\[[\d;]*m")

    def on_a_terminal(self, *arguments, **variables):
        terminal, end = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        process = subprocess.Popen([POPSCOPE, *arguments], stdin=end, stdout=end, stderr=end,
                                   env={**environment, "TERM": "xterm", **variables})
        os.close(end)
        output = b""
        try:
            while data := os.read(terminal, 65536):
                output += data
        except OSError:
            pass  # Linux says so when the last process has closed the terminal
        process.wait()
        os.close(terminal)
        return output.decode()

    def test_no_color_is_honoured_on_a_terminal(self):
        for arguments in (("--help",), ("taps", "--preset", "mlp"), ("health", "nothing")):
            text = self.on_a_terminal(*arguments, NO_COLOR="1")
            self.assertTrue(text)
            self.assertIsNone(self.COLOUR.search(text), arguments)

    def test_a_problem_is_yellow_on_a_terminal(self):
        self.assertRegex(self.on_a_terminal("health", "nothing"), "\x1b\\[33mpopscope: nothing: [^\x1b]*\x1b\\[0m\r\n$")
        self.assertIsNone(self.COLOUR.search(self.on_a_terminal("health", "nothing", TERM="dumb")))

    def test_a_pipe_gets_no_escape_sequences_at_all(self):
        for arguments in (("--help",), ("taps", "--preset", "mlp"), ("health", "nothing")):
            answer = subprocess.run([POPSCOPE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertNotIn("\x1b", answer.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
