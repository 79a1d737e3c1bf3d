#!/usr/bin/env python3
"""The commands in the ```console blocks of pages print what the pages show.

    console_pages_test.py POPSCOPE VENV PAGE...

VENV is the environment that scripts/setup --python makes; without it the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import os
import pathlib
import sys
import tempfile

import console_page
import tensorboard_server

popscope, venv, *pages = (pathlib.Path(argument).absolute() for argument in sys.argv[1:])
tensorboard_server.need(venv / "bin" / "python3", "scripts/setup --python makes it")
wrong = 0
for page in pages:
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for command, shown, printed in console_page.run(page, popscope, venv):
            wrong += 1
            print(f"{page.name}: $ {command}\n--- the page shows\n{shown}--- it prints\n{printed}")
sys.exit(1 if wrong else 0)
