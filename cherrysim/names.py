"""Names of players: what somebody may be called, and how a name fits into a column or a line of a record.

Two spellings of one name that Unicode counts as equal (an accent typed apart or not) are one name: all names
are kept in the composed form NFC.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from cherrysim.flowers import Refused, shown

LONGEST_NAME = 60
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}  # controls, halves of characters, separators of lines and paragraphs
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # turn the words that follow round
_UNSEEN = {"Cf", "Mn", "Me", "Zs"}
_BARE = re.compile(r"[^\s\"#:;,|]([^\"#:;,|]*[^\s\"#:;,|])?")


def name_of(text: Any) -> str:
    r"""A name in its composed form; raises `Refused` for what no player can be called.

    >>> name_of("Zoe\u0308") == "Zo\u00eb"
    True
    """
    if not isinstance(text, str):
        raise Refused(f"{shown(text)} is not a name; a name is text; write it in quotes")
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(f"a name of {len(name)} characters; it has 1 to {LONGEST_NAME}; choose another")
    kinds = {unicodedata.category(character) for character in name}
    if kinds & _UNPRINTABLE or {unicodedata.bidirectional(character) for character in name} & _TURNING:
        raise Refused(
            f"the name {shown(name)} holds a control character; a name is one line of text; leave it out"
        )
    if kinds <= _UNSEEN:
        raise Refused(f"the name {shown(name)} shows nothing; a name is to be seen; choose another")
    return name


def names_of(texts: Sequence[Any]) -> tuple[str, ...]:
    """All players' names, no two alike."""
    names = tuple(map(name_of, texts))
    for seat, name in enumerate(names):
        if name in names[:seat]:
            raise Refused(f"two players are called {name}; each has a name of their own; rename one")
    return names


def fitted(name: str, width: int) -> str:
    """A name cut or padded to so many columns of a terminal, wide and combining characters counted as shown.

    >>> fitted("Ann", 5), fitted("Bartholomew", 5)
    ('Ann  ', 'Bart~')
    """
    if _columns(name) > width:
        while _columns(name) >= width:
            name = name[:-1]
        name += "~"
    return name + " " * (width - _columns(name))


def _columns(text: str) -> int:
    return sum(
        0
        if unicodedata.category(character) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def quoted(name: str) -> str:
    """A name as a record writes it: in quotes where a sign of the record's own is in it."""
    return name if _BARE.fullmatch(name) and "->" not in name else json.dumps(name, ensure_ascii=False)


def unquoted(text: str) -> str:
    """The name that a record writes so."""
    text = text.strip()
    if not text.startswith('"'):
        return name_of(text)
    try:
        return name_of(json.loads(text))
    except json.JSONDecodeError:
        raise Refused(f'{shown(text)} is no name in quotes; write "Ann", a quote inside as \\"') from None
