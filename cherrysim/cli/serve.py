"""The command `serve`: the page at the table."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

import click

from cherrysim.cli import options as take
from cherrysim.cli.options import JSON, Command


@click.command(cls=Command)
@click.option(
    "--port", type=take.whole(0, 65535), default=8010, help="Where it listens (default: 8010; 0: any)."
)
@click.option("--lan", is_flag=True, help="For phones in the same network too, by a link with a token.")
@JSON
def serve(port: int, lan: bool, as_json: bool) -> str:
    """The page at the table: tap what came out, see whether to draw.

    Ctrl-C ends it. Open pages keep their turn and go on when it runs again.

    \b
      cherrysim serve
      cherrysim serve --lan
    """
    from cherrysim.web.server import opened
    from cherrysim.web.server import serve as answer

    door = opened(port, lan)
    if as_json:
        print(json.dumps({"url": door.here, "phones": door.phones, "port": door.port}), flush=True)
    else:
        _say(door.here, door.phones, lan)
    answer(door)
    return ""


def _say(here: str, phones: str | None, lan: bool) -> None:
    """Where the page is, with the code for phones where it can be shown."""
    print(f"The page is at {here}")
    if lan and phones is None:
        print("This machine is in no network: phones cannot reach it.")
    elif phones:
        print(f"On a phone      {phones}")
        if sys.stdout.isatty():
            from cherrysim.web.server import code_text

            with suppress(UnicodeEncodeError):
                print(code_text(phones))
        print("Whoever has the link can use the page.")
    print("Ctrl-C ends it.", flush=True)
