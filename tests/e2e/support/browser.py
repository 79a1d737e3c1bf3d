"""Chromium without a window, driven through its DevTools protocol."""

import base64
import json
import pathlib
import re
import subprocess
import tempfile
import urllib.request

import websocket

# TensorBoard's pages are made of shadow trees, which textContent and querySelectorAll do not look into.
DEEP = """
const elements = (root, visit) => {
  for (const element of root.querySelectorAll('*')) {
    visit(element);
    if (element.shadowRoot) elements(element.shadowRoot, visit);
  }
};
const find = (selector) => {
  const found = [];
  elements(document, (element) => {
    if (element.matches(selector) && element.checkVisibility()) found.push(element);
  });
  return found;
};
const visibleText = () => {
  const lines = [];
  elements(document.body, (element) => {
    if (['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(element.tagName) || !element.checkVisibility()) return;
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) lines.push(node.data.trim());
  });
  return lines;
};
"""


class Chromium:
    """One page; `problems` gathers what went wrong in it: exceptions, and requests that failed."""

    def __init__(self, program, width, height):
        # Processes of its own may still write there for a moment after it has ended.
        self.directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--window-size={width},{height}",
             f"--user-data-dir={self.directory.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.problems = []
        self.calls = 0
        self.socket = websocket.create_connection(self.find_page(), timeout=60)
        self.call("Runtime.enable")
        self.call("Network.enable")

    def find_page(self):
        for line in self.process.stderr:
            address = re.search(r"DevTools listening on ws://([^/]+)/", line)
            if address:
                pages = json.load(urllib.request.urlopen(f"http://{address[1]}/json"))
                return next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        raise AssertionError("Chromium did not start")

    def call(self, method, **parameters):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.calls:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        parameters = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
        if message["method"] == "Network.responseReceived" and parameters["response"]["status"] >= 400:
            self.problems.append(f"{parameters['response']['status']} {parameters['response']['url']}")

    def open(self, url):
        self.problems.clear()
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=f"(() => {{{DEEP} return {expression}; }})()",
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def visible_text(self):
        """The lines a person could see, those to be scrolled to included."""
        return self.evaluate("document.body ? visibleText() : []")

    def middle_of(self, selector):
        return self.evaluate(f"""find({json.dumps(selector)}).slice(0, 1).map((element) => {{
            const box = element.getBoundingClientRect();
            return {{x: box.x + box.width / 2, y: box.y + box.height / 2}};
        }})[0]""")

    def hover(self, selector):
        """Moves the mouse to the middle of the first such element."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **self.middle_of(selector))

    def click(self, selector, times=1):
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=count,
                          **self.middle_of(selector))

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, x=x, y=y)

    def press(self, key):
        """A key without a character, by its name, or Enter."""
        code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **(text if kind == "keyDown" else {}))

    def screenshot(self, path):
        picture = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def stop(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()
        self.directory.cleanup()
