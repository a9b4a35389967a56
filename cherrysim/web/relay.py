"""Games that several phones follow: each hears of every change that another one makes.

A history is a list of marks, one for each change, undo included, with the text that the last one led to. Of
two histories one of which begins the other, the longer wins; others are a fork, which people decide. Nothing
is kept here but the latest: after a restart the phones send it again.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from cherrysim.flowers import Refused

MOST_GAMES, MOST_FOLLOWERS, MOST_MARKS = 32, 64, 4000
PATIENCE = 25.0
"""Seconds until somebody who waits for a change is told that there was none."""

_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")
_MARKS = re.compile(rf"(?:[a-z0-9]{{4}}){{0,{MOST_MARKS}}}")


@dataclass(frozen=True)
class History:
    """Marks of four letters each, one after the other, and the text they led to."""

    marks: str = ""
    text: str = ""

    def to_json(self) -> dict[str, str]:
        return {"marks": self.marks, "text": self.text}


@dataclass
class _Game:
    now: History
    given_up: str | None = None  # the marks that lost a fork
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def becomes(self, history: History) -> None:
        self.now = history
        self.changed.set()
        self.changed = asyncio.Event()


class Relay:
    """The games that are followed, the latest used last."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, _Game] = OrderedDict()
        self._followers = 0

    async def follow(self, document: Any, patience: float = PATIENCE) -> dict[str, Any]:
        """What a phone that has this history is to know: a longer one, a fork, or after a while that there
        is nothing new (`same`)."""
        name, own, replacing = _followed(document)
        game = self._game(name, own)
        if (
            replacing is not None and replacing == game.now.marks
        ):  # the fork was decided, by somebody who saw this one
            game.given_up = replacing
            game.becomes(own)
        if found := self._news(game, own):
            return found
        if self._followers >= MOST_FOLLOWERS:
            return {"kind": "same"}
        self._followers += 1
        try:
            async with asyncio.timeout(patience):
                await game.changed.wait()
        except TimeoutError:
            return {"kind": "same"}
        finally:
            self._followers -= 1
        return self._news(game, own) or {"kind": "same"}

    def _game(self, name: str, own: History) -> _Game:
        game = self._games.setdefault(name, _Game(own))
        self._games.move_to_end(name)
        while len(self._games) > MOST_GAMES:
            self._games.popitem(last=False)
        return game

    def _news(self, game: _Game, own: History) -> dict[str, Any] | None:
        """What there is to say at once; a longer history than the known one becomes that."""
        now = game.now
        if own.marks == now.marks:
            return None
        if own.marks.startswith(now.marks):
            game.becomes(own)
            return None
        ours = now.marks.startswith(own.marks) or own.marks == game.given_up
        kind = "newer" if ours else "fork"
        return {"kind": kind} | now.to_json()


def _followed(document: Any) -> tuple[str, History, str | None]:
    """The name of a game, the history a phone has, and the marks of the one that it is to replace."""
    if not isinstance(document, dict) or not set(document) <= {"game", "marks", "text", "replacing"}:
        raise Refused("a game is followed by its name, marks and text; something else came; send these")
    name, marks, text = (document.get(part, "") for part in ("game", "marks", "text"))
    replacing = document.get("replacing")
    if not all(isinstance(part, str) for part in (name, marks, text, replacing or "")):
        raise Refused("a name, marks and a text are text; one of them is not; correct it")
    if not _NAME.fullmatch(name) or not _MARKS.fullmatch(marks):
        raise Refused(f"a game has a name and at most {MOST_MARKS} marks; these are none; start a new game")
    return name, History(marks, text), replacing
