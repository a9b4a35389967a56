"""What the page is told about a whole game: the table to show, what can be done, and the layers of advice.

Rulebook: "Turn Overview". `moment` is at once and exact, in plain Python; `advised` values every choice, by
the learned value or by games played on, as `cherrysim ask --table` does; `chances` are everybody's after each
turn.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cherrysim.flowers import NOTHING, Flowers, Refused
from cherrysim.front import front_points
from cherrysim.hands import conditions, universe
from cherrysim.knowledge import failing
from cherrysim.moves import Move
from cherrysim.records import Record, replay
from cherrysim.rules import CARDS, Rules
from cherrysim.table import COLLECT, KEEP, Seat, Table
from cherrysim.web.answers import chance
from cherrysim.web.writing import Written, begun, choices, parts_of, ready, written

if TYPE_CHECKING:
    from cherrysim.tableadvice import Choice, TableAdvice

LAYERS = ("instant", "deep")
Stopped = Callable[[], None]
"""Called now and then while a long answer is computed; raises where nobody waits for it any more."""


@lru_cache(maxsize=512)
def moment(text: str) -> dict[str, Any]:
    """The table of a game, and what can be done next; raises `Refused` where the text is no game.

    >>> found = moment("cherrysim record 1\\nplayers Ann, Ben\\ncards none\\n1. Ann: PYY")
    >>> found["turn"], found["hand"], found["fails"][0]["in"], found["choices"][0]["parts"]
    (1, 'PYY', [2, 9], ({'stop': True},))
    """
    found = written(text)
    table, missed = found.table, found.unwatched.behind if found.unwatched else 0
    hand = found.over or (found.told if found.unwatched else table.hand)
    return {
        "names": list(found.record.names),
        "cards": [CARDS[card].title for card in found.record.rules.cards],
        "turn": len(found.record.turns),
        "to_move": None if table.over else table.to_move,
        "phase": "over" if found.over else "missed" if missed else "end" if table.over else table.phase,
        "hand": hand.letters if hand.total else "",
        "conditions": list(conditions(table.hand.counts, table.rules)),
        "bonus": table.bonus.drawn.letters if table.bonus else "",
        "draws": [table.draws_used, table.rules.draws],
        "bag": list(_tappable(found).counts),
        "bag_size": table.bag_size - missed - (found.told.total if found.card or missed else 0),
        "taps": _taps(found),
        "may_end_draw": bool(hand.total) and not missed and _may_draw(table) and not found.line.endswith("|"),
        "missed": missed,
        "may_miss": found.may_miss,
        "awaited": found.awaited,
        "told": found.told.letters if found.told.total else "",
        "card": CARDS[found.card].title if found.card else None,
        "seats": [_seat(seat, table.rules) for seat in table.seats],
        "fails": [] if found.over or missed else [chance(p) for p in failing(table)[1:]],
        "choices": [
            {"parts": choice.parts, "lines": choice.lines, "key": choice.move and key(choice.move)}
            for choice in choices(found)
        ],
        "ended": found.record.ended,
        "score": _score(found),
        "advice": not table.over and found.whole,
    }


def _tappable(found: Written) -> Flowers:
    """What may come next out of the bag, as far as anybody at the table can know."""
    return found.table.unseen - found.told if found.told in found.table.unseen else NOTHING


def _taps(found: Written) -> int:
    """How many flowers may be tapped now: what is awaited, or a draw, where one too many can be told, too."""
    table = found.table
    if found.awaited:
        return found.awaited
    if table.over or found.over is not None or table.phase not in (COLLECT, KEEP) or "->" in found.line:
        return 0
    if found.line.endswith("|") and not _may_draw(table):
        return 0
    if found.unwatched:
        return min(table.rules.flowers, table.bag_size) - found.told.total - found.unwatched.behind
    return min(table.rules.flowers + 1 - table.hand.total, table.bag_size)


def _may_draw(table: Table) -> bool:
    """Whether one more draw may begin."""
    return table.phase == COLLECT and table.draws_used < table.rules.draws and table.bag_size > 0


def _seat(seat: Seat, rules: Rules) -> dict[str, Any]:
    return {
        "front": list(seat.front.counts),
        "behind": list(seat.all_behind.counts),
        "secret": seat.secret,
        "unseen": seat.unseen_behind,
        "points": front_points(seat.front, rules),
    }


def _score(found: Written) -> dict[str, Any] | None:
    """Every line of the score once all is known."""
    if not found.record.ended or found.awaited or any(seat.unknown for seat in found.table.seats):
        return None
    return found.table.score().to_json()


def key(move: Move) -> str:
    """A move in one word, the same for a choice and for its advice."""
    return repr(parts_of(move))


def advised(text: str, layer: str, value: str, stopped: Stopped) -> dict[str, Any]:
    """Every choice's worth by a layer: `instant`, or `deep`, which is what `ask --table` answers, if
    the rules allow that in good time."""
    if layer not in LAYERS or value not in ("win", "score"):
        raise Refused("a layer is instant or deep, a value win or score; something else came; choose one")
    found = written(text)
    if found.table.over:
        raise Refused("the game is over; nothing is left to decide; score the table")
    if layer == "instant":
        return _instant(found.table, value)
    key = found.table, value
    if key not in _kept:
        _kept[key] = _deep(found.table, value, stopped)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return _kept[key]


MOST_HANDS = 1000
"""Games are played on where a turn has so many safe collections at most (officially 238): with many more one
of them takes seconds, and nothing could stop it."""
MOST_KEPT = 64
_kept: OrderedDict[tuple[Table, str], dict[str, Any]] = OrderedDict()
"""Deep answers: whoever follows a game, or takes something back, asks again."""


def _deep(table: Table, value: str, stopped: Stopped) -> dict[str, Any]:
    from cherrysim import layers

    if len(universe(table.rules).hands) > MOST_HANDS:
        return _instant(table, value)
    playing = layers.Playing(threads=1)
    if layers.soon(table, playing):
        try:
            return _told(layers.solved(table, value, layers.SOON_TABLES))
        except Refused:
            pass
    return _told(layers.played(table, value, "truncated", playing, lambda games, part: stopped()))


def loaded(layer: str) -> None:
    """Load, or compile, what a layer needs."""
    advised(begun(["Ann", "Ben"], "blue"), layer, "win", lambda: None)


@lru_cache(maxsize=256)
def _instant(table: Table, value: str) -> dict[str, Any]:
    from cherrysim import layers
    from cherrysim.instant import ends_of_turn

    return _told(layers.estimated(table, value, ends_of_turn(table)))


def _told(advice: TableAdvice) -> dict[str, Any]:
    return {
        "method": advice.method,
        "value": advice.value,
        "games": advice.games,
        "best": key(advice.best.move),
        "options": [_option(advice, choice) for choice in advice.ranked],
        "taken": list(_taken_for_granted(advice)),
    }


def _taken_for_granted(advice: TableAdvice) -> Iterator[dict[str, Any]]:
    """What the advice takes for granted: for each a word, and what the page's sentence about it needs."""
    from cherrysim.weights import difference

    table = advice.table
    yield {"what": advice.method, "n": advice.games}
    if advice.method != "exact" and difference(table.rules):
        yield {"what": "taught"}
    if table.rules.changes:
        yield {"what": "changed", "rules": table.rules.changes}
    if table.rules.set_aside:
        yield {"what": "set_aside", "n": table.rules.set_aside}
    for i, seat in enumerate(table.seats):
        secret = seat.secret + (seat.own_secret.total if i != table.to_move else 0)
        for what, n in (("secret", secret), ("unseen", seat.unseen_behind)):
            if n:
                yield {"what": what, "n": n, "name": seat.name}


def _option(advice: TableAdvice, choice: Choice) -> dict[str, Any]:
    worth, gap = advice.worth(choice), choice.difference
    best = choice is advice.best
    return {
        "key": key(choice.move),
        "parts": parts_of(choice.move),
        "share": choice.share.mean,
        "score": choice.score.mean,
        "worth": worth.mean,
        "error": worth.standard_error,
        "reach": worth.reach,
        "gives_up": -gap.mean,
        "standing": "best" if best else "equal" if choice in advice.tied else "",
        "fail": chance(choice.fail),
    }


def chances(text: str, stopped: Stopped) -> list[list[float]]:
    """Everybody's share of the victory at the start and after every turn, by the learned value."""
    record = written(text).record
    found = []
    for turns in range(len(record.turns) + 1):
        stopped()
        table = replay(_first(record, turns))
        if table.hand.total:
            break
        found.append(_ended(table) if table.over else _shares(table))
    return found


def _first(record: Record, turns: int) -> Record:
    return record if turns == len(record.turns) else Record(record.rules, record.names, record.turns[:turns])


@lru_cache(maxsize=2048)
def _shares(table: Table) -> list[float]:
    from cherrysim.review.decisions import worth

    return list(worth(table))


def _ended(table: Table) -> list[float]:
    """The shares at the end; those of nobody while flowers behind a screen are not shown."""
    if any(seat.unknown for seat in table.seats):
        return []
    return [float(player.share) for player in table.score().players]


def start(document: Any) -> dict[str, Any]:
    """The text of a new game, or of a record from elsewhere as it is gone on with."""
    if isinstance(document, dict) and set(document) == {"record"}:
        return {"text": ready(document["record"])}
    if isinstance(document, dict) and set(document) == {"names", "cards"}:
        return {"text": begun(document["names"], document["cards"])}
    raise Refused("a game begins with names and cards, or with a record; something else came; send these")
