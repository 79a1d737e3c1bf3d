#!/usr/bin/env python3
"""The commands of docs/instances.md print what the page shows.

    instances_page_test.py POPSCOPE PAGE

Skipped with a word where Open MPI is missing; failed there if POPSCOPE_REQUIRE_MPI is set.
"""

import os
import sys
import tempfile

import console_page
import poprun

popscope, page = (os.path.abspath(argument) for argument in sys.argv[1:])
poprun.require(os.path.dirname(popscope))
os.environ.update(poprun.ENVIRONMENT)
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    wrong = console_page.run(page, popscope, "/usr")
    for command, shown, printed in wrong:
        print(f"$ {command}\n--- the page shows\n{shown}--- it prints\n{printed}")
    os.chdir("/")
sys.exit(1 if wrong else 0)
