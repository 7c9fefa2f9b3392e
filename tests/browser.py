"""Pages in a real browser, without a screen, where one is installed."""

import html
import json
import os
import re
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from ce_dynamics.views.scene.page import command, find_browser

CHROMIUM = find_browser()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to show pages in")

BUDGETS = 20_000, 60_000, 180_000
"""Clock time of a page before its picture is taken [ms]; it runs ahead where the machine is busy."""
DRIVER = "GL Driver Message"
"""Messages of the browser, not of the page: they report a busy renderer."""
PATIENCE = 300
"""For the slowest machine [s]."""

ASKING = """<pre id="answer" hidden></pre><script type="module">
const ce = await window.ce.ready;
const answer = await (async () => {{ {script} }})();
document.getElementById("answer").textContent = JSON.stringify(answer ?? null);
</script></body>"""


def answer(page: str, script: str, folder: Path, picture: Path | None = None, size: str = "1000,700") -> Any:
    """Run the body of an asynchronous function in a page (HTML) and return its answer.

    ``ce`` is the page's interface for scripts.  The folder is for the page and the browser's own files.  A
    path for a picture returns that of the page, as the script leaves it, instead of an answer.  A page that
    writes to the console fails.
    """
    assert CHROMIUM is not None
    file = folder / "page.html"
    file.write_text(page.replace("</body>", ASKING.format(script=script)), "utf-8")
    wanted = "--dump-dom" if picture is None else f"--screenshot={picture}"
    environment = {**os.environ, "HOME": str(folder)}
    trouble = "the page did not answer in time"
    for budget in BUDGETS:
        profile = folder / f"profile-{budget}"  # a browser that died leaves its own locked
        more = ["--enable-logging=stderr", f"--window-size={size}", wanted, file.as_uri()]
        shown = [*command(CHROMIUM, profile, budget), *more]
        done = subprocess.run(shown, capture_output=True, text=True, timeout=PATIENCE, env=environment)
        said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line and DRIVER not in line]
        assert not said, "\n".join(said)
        if picture is not None:
            assert picture.stat().st_size > 0
            return None
        found = re.search(r'<pre id="answer"[^>]*>(.*?)</pre>', done.stdout, re.DOTALL)
        if found is None:
            trouble = f"no page: {done.stderr[-2000:]}"
        elif found[1]:
            return json.loads(html.unescape(found[1]))
    raise AssertionError(trouble)


def answer_in_time(page: str, script: str, folder: Path, size: str = "1000,700") -> Any:
    """Return what a script answers as `answer` does, but by the machine's clock: the page posts it here."""
    assert CHROMIUM is not None
    answers: Queue[bytes] = Queue()

    class Post(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answers.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Post) as server:
        Thread(target=server.handle_request, daemon=True).start()
        sent = '{ method: "POST", mode: "no-cors", body: JSON.stringify(answer) }'
        post = f'fetch("http://127.0.0.1:{server.server_port}", {sent});'
        file = folder / "page.html"
        asked = ASKING.format(script=script).replace("</script></body>", f"{post}</script></body>")
        file.write_text(page.replace("</body>", asked), "utf-8")
        shown = [part for part in command(CHROMIUM, folder / "profile", 0) if "virtual-time" not in part]
        # a port keeps it from ending at once
        shown += ["--remote-debugging-port=0", f"--window-size={size}", file.as_uri()]
        with subprocess.Popen(shown, stderr=subprocess.DEVNULL) as browser:
            try:
                return json.loads(answers.get(timeout=PATIENCE))
            finally:
                browser.terminate()
