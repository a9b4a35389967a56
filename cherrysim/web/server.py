"""Listening: on this machine alone, or for phones in the same network by a link that cannot be guessed."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cherrysim.flowers import Refused

_DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Door:
    """Where the page is: on this machine, and for phones if they are let in."""

    listening: socket.socket
    token: str | None = None
    address: str | None = None

    @property
    def port(self) -> int:
        """The port really listened at."""
        return int(self.listening.getsockname()[1])

    @property
    def here(self) -> str:
        """The link for this machine."""
        return self._link("127.0.0.1")

    @property
    def phones(self) -> str | None:
        """The link for phones; none where they are not let in or this machine is in no network."""
        return self._link(self.address) if self.address else None

    def _link(self, host: str) -> str:
        return f"http://{host}:{self.port}/{f'{self.token}/' if self.token else ''}"


def opened(port: int, lan: bool) -> Door:
    """A door that is listened at from now on; `port` 0 is any free one.

    Raises `Refused` where the port is in use or not allowed.
    """
    # with the protocol named, asyncio sends small answers at once; without, each waits 40 ms for the last one
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere it would let a second program listen at the same port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("0.0.0.0" if lan else "127.0.0.1", port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise Refused(_why_not(port, error)) from None
    return Door(listening, kept_token(), own_address()) if lan else Door(listening)


def _why_not(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; one program listens at a port; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} is not allowed; ports from 1024 up are open to all; choose one with --port"
    return f"port {port} cannot be listened at: {(error.strerror or '').lower()}; choose another with --port"


def own_address() -> str | None:
    """This machine's address in its network; none where it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # kept for documentation: only the way out is looked up
        address = str(probe.getsockname()[0])
        return None if address.startswith("127.") else address
    return None


def kept_token() -> str:
    """The token of the link: that of the last start, if less than a day ago, so that phones find the page
    again after a restart; otherwise, or where it cannot be kept, a new one of 128 random bits."""
    token = secrets.token_urlsafe(16)
    with suppress(OSError, RuntimeError):
        state = Path(os.environ.get("XDG_STATE_HOME", ""))
        file = (state if state.is_absolute() else Path.home() / ".local" / "state") / "cherrysim" / "token"
        with suppress(OSError):
            about = file.stat()
            kept = file.read_text("ascii", "replace")
            fresh = not about.st_mode & 0o077 and time.time() - about.st_mtime < _DAY
            if fresh and re.fullmatch("[A-Za-z0-9_-]{22}", kept):
                os.utime(file)
                return kept
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept_file:
            kept_file.write(token)
    return token


def code_picture(link: str) -> bytes:
    """A link as a QR code, SVG."""
    import segno

    out = io.BytesIO()
    segno.make(link, micro=False).save(out, kind="svg", scale=6, light="white", xmldecl=False)
    return out.getvalue()


def code_text(link: str) -> str:
    """A link as a QR code for a terminal, in half blocks."""
    import segno

    out = io.StringIO()
    segno.make(link, micro=False).terminal(out, compact=True)
    return out.getvalue()


def serve(door: Door) -> None:
    """Answer until Ctrl-C, which comes out as `KeyboardInterrupt`."""
    import uvicorn

    from cherrysim.web.app import app
    from cherrysim.web.connection import Connection

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # Ctrl-C is the command line's

    config = uvicorn.Config(
        app(door.token, door.phones, code_picture(door.phones) if door.phones else b""),
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        proxy_headers=False,
        server_header=False,
        access_log=False,  # paths hold the token
        log_config=None,
        log_level="critical",  # failures of ours are told by the application, what strangers send is not news
    )
    asyncio.run(Server(config).serve([door.listening]))
