"""A terminal for the tests of what users see."""

import fcntl
import os
import pty
import re
import select
import struct
import termios

PATIENCE = 300  # seconds without output, before a test gives up


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, command, cwd, columns=80):
        self.text = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(cwd)
            self.terminal = 0
            self.resize(columns)
            try:
                os.execvp(command[0], command)
            finally:
                os._exit(127)

    def resize(self, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def press_ctrl_c(self):
        os.write(self.terminal, b"\x03")

    def _read(self):
        if not select.select([self.terminal], [], [], PATIENCE)[0]:
            raise AssertionError(f"nothing for {PATIENCE} s after: {self.text[-2000:]}")
        try:
            text = os.read(self.terminal, 65536).decode()
        except OSError:  # Linux says so when the last process has closed the terminal
            text = ""
        self.text += text
        return text

    def wait_for(self, pattern):
        """The text up to the first match from where the last wait ended."""
        while not (found := re.search(pattern, self.text, re.MULTILINE)):
            if not self._read():
                raise AssertionError(f"ended without {pattern}: {self.text[-2000:]}")
        before, self.text = self.text[:found.end()], self.text[found.end():]
        return before

    def wait_for_end(self):
        """What is left of the text, and the exit code."""
        while self._read():
            pass
        return self.text, os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def kill(self):
        try:
            os.kill(self.process, 9)
            self.wait_for_end()
        except (ProcessLookupError, ChildProcessError):
            pass  # it has ended
