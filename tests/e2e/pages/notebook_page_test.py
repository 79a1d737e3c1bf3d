#!/usr/bin/env python3
"""The session of docs/notebook.md prints what the page shows.

    notebook_page_test.py POPSCOPE ENVIRONMENT PAGE

ENVIRONMENT is what scripts/setup --notebook makes; without it the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import doctest
import os
import sys
import tempfile

import console_page
import tensorboard_server

POPSCOPE, ENVIRONMENT, PAGE = (os.path.abspath(argument) for argument in sys.argv[1:4])


def main():
    tensorboard_server.need(f"{ENVIRONMENT}/bin/python", "scripts/setup --notebook makes it")
    tensorboard_server.enter(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        wrong = console_page.run(PAGE, POPSCOPE, ENVIRONMENT)
        os.environ["PATH"] = f"{os.path.dirname(POPSCOPE)}:{os.environ['PATH']}"
        result = doctest.testfile(PAGE, module_relative=False,
                                  optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        os.chdir("/")
    print(*wrong, f"{result.attempted} examples", sep="\n")
    assert result.attempted >= 10, "the page has a session"
    return bool(wrong or result.failed)


if __name__ == "__main__":
    sys.exit(main())
