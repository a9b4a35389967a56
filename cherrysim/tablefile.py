"""Table files: a table from JSON or TOML, every key checked; `Table.to_json` writes them.

Only `seats` is required. Everything else has the default that a new game or a plain question would have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cherrysim.behind import Split
from cherrysim.flowers import Flowers, Refused, read_json, shown
from cherrysim.hands import conditions
from cherrysim.knowledge import belief
from cherrysim.moves import Drawn, Event, Returned, Secret
from cherrysim.rules import Rules, read_toml
from cherrysim.table import COLLECT, KEEP, Bonus, Seat, Table

KEYS = ("rules", "seats", "to_move", "hand", "draws_used", "phase", "bonus", "history", "splits", "bag")
SEAT_KEYS = ("name", "front", "behind", "unseen_behind", "secret")


def read_table(text: str) -> Table:
    """The table in a text of JSON or TOML; raises `Refused` with the reason.

    >>> table = read_table('{"seats": [{"front": "P3"}, {"name": "Ben"}], "hand": "PYY"}')
    >>> table.rules.players, table.seats[0].name, table.draws_used, table_of(table.to_json()) == table
    (2, 'Seat 0', 1, True)
    """
    return table_of(read_json(text) if text.lstrip().startswith("{") else read_toml(text))


def table_of(document: Any) -> Table:
    """The table in a document as JSON or TOML give it; keys that are missing or null have their defaults."""
    given = _object(document, KEYS, "the table")
    seats = tuple(_seat(seat, i) for i, seat in enumerate(_list(given.get("seats", []), "seats")))
    if not seats:
        raise Refused("a table without seats; it has one for each player; give seats")
    rules = Rules.from_mapping(_object(given.get("rules", {}), None, "rules"), len(seats))
    hand = _flowers(given.get("hand", "-"), "hand")
    failed = bool(conditions(hand.counts, rules))
    fields: dict[str, Any] = {
        "rules": rules,
        "seats": seats,
        "to_move": given.get("to_move", 0),
        "hand": hand,
        "draws_used": given.get("draws_used", 1 if hand.total else 0),
        "phase": given.get("phase", KEEP if failed else COLLECT),
        "bonus": _bonus(given["bonus"]) if "bonus" in given else None,
        "splits": _splits(given["splits"]) if "splits" in given else None,
    }
    events = history_of(given["history"], len(seats)) if "history" in given else None
    table = _with_history(fields, events)
    if "bag" in given:
        _check_bag(_flowers(given["bag"], "bag"), table)
    return table


def _with_history(fields: dict[str, Any], events: tuple[Event, ...] | None) -> Table:
    """The table with its history, which may also end before this turn's collection was drawn."""
    collected = fields["hand"] + (fields["bonus"].drawn if fields["bonus"] else Flowers())
    try:
        table = Table(**fields, history=events)
    except Refused:
        if events is None or not collected.total:
            raise
        without = Table(**fields)
        try:
            table = Table(**fields, history=(*events, Drawn(collected)))
        except Refused:
            table = without
        if table.history is None:
            raise
    belief(table)  # refuses draws that no hidden tokens make possible
    return table


def _seat(value: Any, seat: int) -> Seat:
    given = _object(value, SEAT_KEYS, f"seat {seat}")
    front, behind = (_flowers(given.get(key, "-"), f"{key} of seat {seat}") for key in ("front", "behind"))
    name = given.get("name", f"Seat {seat}")
    return Seat(name, front, behind, given.get("unseen_behind", 0), given.get("secret", 0))


def _bonus(value: Any) -> Bonus:
    given = _object(value, ("card", "drawn"), "bonus")
    return Bonus(given.get("card", ""), _flowers(given.get("drawn", "-"), "the bonus"))


def history_of(value: Any, players: int) -> tuple[Event, ...]:
    """The events of a history as JSON gives it, a list of `{"draw": flowers}`, `{"return": flowers}` and
    `{"secret": seat}`; raises `Refused` with the number of the entry that is none."""
    if not isinstance(value, list):
        raise Refused(
            'a history is a list of draws and returns; write it as [{"draw": "PPY"}, {"return": "P"}]'
        )
    events = []
    for number, entry in enumerate(value, 1):
        try:
            events.append(_event(entry, players))
        except Refused as refused:
            raise Refused(f"history entry {number}: {refused}") from None
    return tuple(events)


def _event(entry: Any, players: int) -> Event:
    kind: str = ""
    what: Any = None
    if isinstance(entry, Mapping) and len(entry) == 1:
        kind, what = next(iter(entry.items()))
    if kind == "draw":
        return Drawn(Flowers.of(what))
    if kind == "return":
        return Returned(Flowers.of(what))
    if kind != "secret":
        raise Refused(f'{shown(entry)} is no entry; one is draw, return or secret; write {{"draw": "PPY"}}')
    if type(what) is not int or not 0 <= what < players:
        raise Refused(f"seat {shown(what)}; seats are 0 to {players - 1}; correct the seat")
    return Secret(what)


def _splits(value: Any) -> tuple[Split | None, ...]:
    return tuple(None if split is None else _split(split) for split in _list(value, "splits"))


def _split(value: Any) -> Split:
    given = _object(value, ("warm", "cool"), "a split")
    warm, cool = given.get("warm", 0), given.get("cool", 0)
    for n in (warm, cool):
        if type(n) is not int or n < 0:
            raise Refused(f"a split has {shown(n)} wilds; it is a whole number from 0 up; correct it")
    return warm, cool


def _check_bag(bag: Flowers, table: Table) -> None:
    if bag != table.unseen:
        hidden = table.unseen.total - table.bag_size
        which = f" with the {hidden} hidden ones" if hidden else ""
        raise Refused(
            f"bag {bag}; the game's flowers less those on the table leave {table.unseen}{which}; "
            "correct one of them"
        )


def _flowers(value: Any, where: str) -> Flowers:
    try:
        return Flowers.of(value)
    except Refused as reason:
        raise Refused(f"{where}: {reason}") from None


def _list(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise Refused(f"{where} is {_kind(value)}; it is a list; write it in [ ]")
    return value


def _object(value: Any, keys: Sequence[str] | None, where: str) -> Mapping[str, Any]:
    """An object with no other keys than these; those that are null are left out."""
    if not isinstance(value, Mapping):
        raise Refused(f"{where} is {_kind(value)}; it is an object with keys; write it in {{ }}")
    for key in value:
        if keys is not None and key not in keys:
            raise Refused(
                f"unknown key {shown(key)} in {where}; the keys are {', '.join(keys)}; correct the name"
            )
    return {key: of for key, of in value.items() if of is not None}


def _kind(value: Any) -> str:
    kinds = {
        str: "text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "null" if value is None else "of another kind")
