#!/usr/bin/env python3
"""The commands of docs/debugging.md print what the page shows.

    debugging_page_test.py POPSCOPE PAGE VENV

VENV is the environment that scripts/setup --python makes; without it the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import os
import pathlib
import sys
import tempfile

import console_page
import tensorboard_server

popscope, page, venv = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
tensorboard_server.need(venv / "bin" / "python3", "scripts/setup --python makes it")
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    wrong = console_page.run(page, popscope, venv)
for command, shown, printed in wrong:
    print(f"$ {command}\n--- the page shows\n{shown}--- it prints\n{printed}")
sys.exit(1 if wrong else 0)
