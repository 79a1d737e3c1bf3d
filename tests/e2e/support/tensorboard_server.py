"""The real TensorBoard, from the environment that scripts/setup --python makes, for the tests that need it."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

SKIPPED = 77  # exit code, as ctest is told
DEADLINE = 60  # seconds for TensorBoard to start, to load the log, to draw a page


def need(program, hint):
    """Ends the test as skipped, or as failed if POPSCOPE_REQUIRE_TENSORBOARD is set, where the program is missing."""
    if not pathlib.Path(program).exists():
        print(f"no {program}: {hint}")
        sys.exit(1 if os.environ.get("POPSCOPE_REQUIRE_TENSORBOARD") else SKIPPED)


def enter(venv):
    """Begins the test anew with the interpreter of the environment, for what is installed there."""
    if pathlib.Path(sys.prefix).resolve() != pathlib.Path(venv).resolve():
        os.execv(f"{venv}/bin/python", [f"{venv}/bin/python", *sys.argv])


def wait_for(probe, describe):
    """The first true answer of the probe, which is asked again and again; fails with describe() after a while."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        result = probe()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError("not in time: " + describe())


class Server:
    """TensorBoard on a log directory, on a free port of localhost; opened by scripts/tensorboard if that is given."""

    def __init__(self, venv, logdir, load_fast, script=None):
        self.log = tempfile.NamedTemporaryFile(mode="w+")
        program = pathlib.Path(venv) / "bin" / "tensorboard"
        command = [script, logdir] if script else [program, "--logdir", logdir, "--host", "127.0.0.1"]
        self.process = subprocess.Popen(
            [*command, "--port", "0", f"--load_fast={load_fast}", "--reload_interval", "1"],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.url = wait_for(self.find_url, self.output)

    def find_url(self):
        if self.process.poll() is not None:
            raise AssertionError("TensorBoard ended: " + self.output())
        found = re.search(r"TensorBoard \S+ at (http://\S+?)/? ", self.output())
        return found and found[1]

    def output(self):
        return pathlib.Path(self.log.name).read_text()

    def wait_for_tag(self, plugin, run):
        """Until the run has a tag of the plugin."""
        wait_for(lambda: self.json(f"plugin/{plugin}/tags").get(run), self.output)

    def get(self, route, **query):
        return self.ask(f"{route}?{urllib.parse.urlencode(query)}")

    def json(self, route, **query):
        return json.loads(self.get(route, **query))

    def post_json(self, route, body):
        return json.loads(self.ask(route, json.dumps(body), "application/json"))

    def post_form(self, route, **fields):
        return json.loads(self.ask(route, urllib.parse.urlencode(fields), "application/x-www-form-urlencoded"))

    def ask(self, route, body=None, kind=None):
        request = urllib.request.Request(f"{self.url}/data/{route}", body.encode() if body else None,
                                         {"Content-Type": kind} if kind else {})
        return urllib.request.urlopen(request, timeout=60).read()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
