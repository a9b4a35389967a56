"""A page's server as tests start it: a process of its own, at a port that was free."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent


class Server:
    """A running `cherrysim serve`; its token, if it has one, stands before every path."""

    def __init__(self, *options: str, port: int = 0, state: Path | None = None, patience: float = 0) -> None:
        hurry = f"from cherrysim.web.connection import Connection as C; C.patience = {patience}\n"
        start = f"{hurry if patience else ''}from cherrysim.cli import main; import sys; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", start, "serve", "--json", "--port", str(port), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=os.environ | ({"XDG_STATE_HOME": str(state)} if state else {}),
        )
        self.said = json.loads(self.process.stdout.readline() or b"{}")
        self.port = self.said.get("port", 0)
        self.path = urlsplit(self.said.get("url", "")).path

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, host: str = ""
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of an answer; `path` is below the token."""
        line = http.client.HTTPConnection(host or "127.0.0.1", self.port, timeout=20)
        kind = {"Content-Type": "application/json"} if method == "POST" else {}
        line.request(
            method,
            self.path + path,
            json.dumps(body) if isinstance(body, dict | list) else body,
            kind | (headers or {}),
        )
        answer = line.getresponse()
        content = answer.read()
        line.close()
        return answer.status, content, {name.lower(): value for name, value in answer.getheaders()}

    def ask(self, **asked: Any) -> dict[str, Any]:
        """The document for a question."""
        status, content, _ = self.request("POST", "ask", asked)
        assert status == 200, content
        return json.loads(content)

    def line(self, data: bytes = b"") -> socket.socket:
        """A bare connection on which some bytes were sent."""
        found = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        found.sendall(data)
        return found

    def memory(self) -> int:
        """Bytes of memory in use."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def stop(self) -> tuple[int, str, float]:
        """Exit code, what was said on stderr and the seconds it took to end after Ctrl-C."""
        pressed = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            _, err = self.process.communicate(timeout=10)
        finally:
            self.process.kill()
        return self.process.returncode, err.decode(), time.monotonic() - pressed


@contextmanager
def running(*options: str, **settings: Any) -> Iterator[Server]:
    """A server while it is needed."""
    server = Server(*options, **settings)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
