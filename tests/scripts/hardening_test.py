"""What docs/security.md promises of the programs: how they were built, and what they do not call."""

import pathlib
import re
import subprocess
import sys
import unittest

SOURCE, *PROGRAMS = map(pathlib.Path, sys.argv[1:])
# Programs are started by posix_spawnp, execv or execvp, with a list of words.
SHELL = r"\b(system|popen|execl[ep]?|wordexp)\s*\("
NETWORK = r"\b(AF_INET6?|PF_INET6?|getaddrinfo|gethostbyname)\b"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Sources(unittest.TestCase):
    def test_call_no_shell_and_no_network(self):
        rooms = ("codelets", "graph", "summary", "text", "outfeed", "host", "ipumodel", "examples")
        found = []
        for room in rooms:
            for path in SOURCE.joinpath(room).rglob("*"):
                if path.suffix in (".cpp", ".hpp", ".h"):
                    for number, line in enumerate(path.read_text().splitlines(), 1):
                        code = line.split("//")[0]
                        if re.search(SHELL, code) or re.search(NETWORK, code):
                            found.append(f"{path}:{number}: {line.strip()}")
        self.assertEqual(found, [])


class Programs(unittest.TestCase):
    def test_are_loaded_at_random_addresses(self):
        for program in PROGRAMS:
            self.assertRegex(output("readelf", "-h", program), r"Type:\s+DYN", program)

    def test_have_tables_that_cannot_be_overwritten(self):
        for program in PROGRAMS:
            self.assertIn("GNU_RELRO", output("readelf", "-lW", program), program)
            self.assertRegex(output("readelf", "-dW", program), r"BIND_NOW|Flags:.*NOW", program)

    def test_have_a_stack_that_is_not_executable(self):
        for program in PROGRAMS:
            stack = re.search(r"GNU_STACK.*", output("readelf", "-lW", program)).group()
            self.assertNotIn("RWE", stack, program)

    def test_notice_an_overwritten_stack(self):
        for program in PROGRAMS:
            self.assertIn("__stack_chk_fail", output("nm", "-D", "--undefined-only", program), program)

    def test_notice_an_overwritten_buffer(self):
        popscope = PROGRAMS[0]  # others may have no copy that can be checked
        self.assertRegex(output("nm", "-D", "--undefined-only", popscope), r"__mem\w+_chk\b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
