#!/usr/bin/env python3
"""scripts/fetch_data against a server of our own: it resumes, verifies, and says what failed."""
import contextlib
import hashlib
import http.server
import importlib.machinery
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "fetch_data"
loader = importlib.machinery.SourceFileLoader("fetch_data", str(SCRIPT))
fetch_data = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_data", loader))
loader.exec_module(fetch_data)

CONTENT = bytes(range(256)) * 1000
MD5 = hashlib.md5(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    starts = []  # first byte of every answer

    def do_GET(self):
        match = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(match[1]) if match else 0
        Handler.starts.append(start)
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if match else 200)
        self.end_headers()
        self.wfile.write(CONTENT[start:])

    def log_message(self, *_):
        pass


class FetchData(unittest.TestCase):
    def setUp(self):
        Handler.starts = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.base = f"http://127.0.0.1:{server.server_port}"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.target = pathlib.Path(folder.name)

    def fetch(self, md5=MD5, bases=None):
        with contextlib.redirect_stdout(io.StringIO()):
            fetch_data.fetch(bases or (self.base,), "file.gz", md5, self.target)

    def test_downloads_once(self):
        self.fetch()
        self.fetch()
        self.assertEqual((self.target / "file.gz").read_bytes(), CONTENT)
        self.assertEqual(Handler.starts, [0])

    def test_goes_on_where_it_stopped(self):
        (self.target / "file.gz.part").write_bytes(CONTENT[:1234])
        self.fetch()
        self.assertEqual((self.target / "file.gz").read_bytes(), CONTENT)
        self.assertEqual(Handler.starts, [1234])

    def test_download_that_only_lacked_its_name_is_taken(self):
        (self.target / "file.gz.part").write_bytes(CONTENT)
        self.fetch()
        self.assertEqual((self.target / "file.gz").read_bytes(), CONTENT)

    def test_wrong_checksum_leaves_nothing(self):
        with self.assertRaisesRegex(fetch_data.Failed, "wrong checksum"):
            self.fetch(md5="0" * 32)
        self.assertEqual(list(self.target.iterdir()), [])

    def test_second_address_is_tried(self):
        self.fetch(bases=("http://127.0.0.1:1", self.base))
        self.assertEqual((self.target / "file.gz").read_bytes(), CONTENT)

    def test_offline_is_one_clear_line(self):
        with self.assertRaisesRegex(fetch_data.Failed, "cannot download file.gz .*127.0.0.1:1/file.gz"):
            self.fetch(bases=("http://127.0.0.1:1",))

    def test_unknown_set_is_one_clear_line(self):
        result = subprocess.run([sys.executable, SCRIPT, "--to", self.target, "cifar"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "scripts/fetch_data: unknown data set 'cifar'; there are mnist, fashion-mnist, digits\n")


if __name__ == "__main__":
    unittest.main()
