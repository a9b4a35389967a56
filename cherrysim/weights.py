"""Weights of policy `learned`: two small tables a number of players, with the record of how they were
learned.

A file is an .npz without pickles: `version`, `players`, `shares` and `scores` (a row for each of `KNOTS`
flowers left, a column for each feature of `kernels.learned`), `fit` and `record`, JSON as bytes. A checkpoint
of a run holds more arrays, which only the run reads. Between two knots weights lie on a straight line.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cherrysim.files import write_atomic
from cherrysim.flowers import Refused, read_json
from cherrysim.rules import CARDS, Rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 2
"""Of the features; weights of another version mean something else."""
KNOTS = (1, 3, 6, 10, 15, 22, 32, 50, 96)
"""Flowers left in the bag for which there are weights."""
FOLDER = Path(__file__).parent / "data"
MOST_BYTES = 1 << 24
MOST_WEIGHT = 40.0
"""In the logit of a share: six times what any games have taught, and powers of it are still numbers."""
_TABLES = ("shares", "scores", "fit")


@dataclass(frozen=True, slots=True)
class Weights:
    """What the games of so many players have taught; `shares` and `scores` are [knot, feature], scores in
    points; `fit` [stage, point of the grid] is what predicted shares have come to."""

    players: int
    shares: NDArray[Any]
    scores: NDArray[Any]
    fit: NDArray[Any]
    record: Mapping[str, Any]
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def row(self) -> tuple[float, ...]:
        """A seat's weights as the kernel `fill_learned` reads them."""
        return expanded(self.shares)


def shape() -> tuple[int, int]:
    """Knots and features of either table."""
    from cherrysim.kernels.learned import FEATURES

    return len(KNOTS), FEATURES


def unfitted() -> NDArray[Any]:
    """The fit of shares that come to just what they predict."""
    import numpy as np

    from cherrysim.kernels.learned import GRID, STAGES

    return np.tile(GRID, (STAGES, 1))


def places() -> tuple[NDArray[Any], NDArray[Any]]:
    """For every number of flowers left the knot below and how far it is from there to the next."""
    import numpy as np

    from cherrysim.kernels.learned import MOST_LEFT

    left = np.clip(np.arange(MOST_LEFT + 1), KNOTS[0], KNOTS[-1])
    knot = np.clip(np.searchsorted(KNOTS, left, side="right") - 1, 0, len(KNOTS) - 2)
    at = np.array(KNOTS)
    return knot, (left - at[knot]) / (at[knot + 1] - at[knot])


def expanded(table: NDArray[Any]) -> tuple[float, ...]:
    """A table for every number of flowers left, feature by feature, after an entry for the taste for risk."""
    import numpy as np

    from cherrysim.kernels.learned import LEFTS, MOST_LEFT, MOST_SIZES

    knot, part = places()
    rows = table[knot] + part[:, None] * (table[knot + 1] - table[knot])
    left = np.clip(np.arange(LEFTS) - MOST_SIZES, 0, MOST_LEFT)
    return (0.0, *rows[left].T.ravel().tolist())


def save(path: str | os.PathLike[str], weights: Weights, force: bool = False) -> None:
    """Write the file whole or not at all."""
    write_atomic(path, pack(weights), force)


def pack(weights: Weights) -> bytes:
    """What the file holds; equal weights give equal bytes."""
    import numpy as np

    record = np.frombuffer(json.dumps(dict(weights.record), sort_keys=True).encode(), np.uint8)
    out = io.BytesIO()
    np.savez_compressed(
        out,
        version=np.int64(VERSION),
        players=np.int64(weights.players),
        shares=weights.shares,
        scores=weights.scores,
        fit=weights.fit,
        record=record,
        **dict[str, Any](weights.state),
    )
    return out.getvalue()


def load(path: str | os.PathLike[str]) -> Weights:
    """The weights of a file; raises `Refused` unless it is whole, of this version and shape, and finite."""
    name = ascii(os.fsdecode(path)[-60:])
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise Refused(f"{name} cannot be read: {reason}; weights are an .npz file; check the name") from None
    return unpack(data, name)


def unpack(data: bytes, name: str) -> Weights:
    """The weights that the bytes of a file are; `name` says in a refusal which."""
    arrays = _arrays(data, name)
    _check(arrays, name)
    state = {
        key: array for key, array in arrays.items() if key not in (*_TABLES, "version", "players", "record")
    }
    shares, scores, fit = (arrays[key] for key in _TABLES)
    return Weights(int(arrays["players"]), shares, scores, fit, _record(arrays, name), state)


def _arrays(data: bytes, name: str) -> dict[str, NDArray[Any]]:
    import numpy as np

    try:
        if len(data) > MOST_BYTES:
            raise ValueError("it is too long")
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            if sum(part.file_size for part in parts.infolist()) > MOST_BYTES:
                raise ValueError("it is too long")
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {key: np.asarray(file[key]) for key in file.files}
    except Exception as error:  # whatever a damaged archive raises
        reason = " ".join(str(error).split())[:80].lower() or type(error).__name__
        raise Refused(
            f"{name} is no file of weights: {reason}; train writes them; name such a file"
        ) from None


def _check(arrays: Mapping[str, NDArray[Any]], name: str) -> None:
    import numpy as np

    missing = {"version", "players", "record", *_TABLES} - arrays.keys()
    if missing:
        raise Refused(
            f"{name} lacks {', '.join(sorted(missing))}; weights have all of these; train them anew"
        )
    whole = all(arrays[key].shape == () and arrays[key].dtype.kind == "i" for key in ("version", "players"))
    if not whole or arrays["version"] != VERSION:
        raise Refused(f"{name} is of another version; version {VERSION} is read; train anew")
    if not 2 <= arrays["players"] <= 4:
        raise Refused(f"{name} is for {arrays['players']} players; there are 2 to 4; train anew")
    for key in _TABLES:
        table = arrays[key]
        wanted = unfitted().shape if key == "fit" else shape()
        if table.shape != wanted or table.dtype.kind != "f":
            raise Refused(
                f"{key} in {name} has shape {table.shape} of {table.dtype}; it is {wanted} of numbers; "
                "train anew"
            )
    for key, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Refused(f"{key} in {name} holds numbers that are not finite; all must be; train anew")
    if (most := np.abs(arrays["shares"]).max()) > MOST_WEIGHT:
        raise Refused(
            f"shares in {name} hold a weight of {most:.3g}; at most {MOST_WEIGHT:g} is taken; train anew"
        )


def _record(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, Any]:
    with suppress(ValueError):
        record = read_json(arrays["record"].tobytes().decode())
        if isinstance(record, dict):
            return record
    raise Refused(f"the record in {name} is no JSON object; it says how weights were learned; train anew")


def side(rules: Rules) -> str:
    """The cards that weights were learned with which fit these rules best: pink where most cards are, else
    blue."""
    pink = sum(CARDS[name].side == "pink" for name in rules.cards)
    return "pink" if 2 * pink > len(rules.cards) else "blue"


@lru_cache(maxsize=8)
def _shipped(players: int, cards: str) -> Weights:
    return load(FOLDER / f"learned-{players}-{cards}.npz")


def shipped(rules: Rules) -> Weights:
    """The weights that come with the package for these rules, or the nearest to them; see `difference`."""
    return _shipped(rules.players, side(rules))


@lru_cache(maxsize=8)
def numbers(rules: Rules) -> tuple[float, ...]:
    """What the compiled game reads of `shipped`."""
    return shipped(rules).row()


@lru_cache(maxsize=8)
def fast_numbers(rules: Rules) -> tuple[float, ...]:
    """What `kernels.margins` reads of `shipped`: by flowers left, both weights of a colour in front as
    one."""
    import numpy as np

    from cherrysim.kernels import learned, margins
    from cherrysim.kernels.layout import MOST_PLAYERS

    features = np.array(numbers(rules)[1:]).reshape(learned.FEATURES, learned.LEFTS)
    features = features[:, learned.MOST_SIZES : learned.MOST_SIZES + learned.MOST_LEFT + 1].copy()
    for lead in range(rules.players - 1, MOST_PLAYERS - 1):  # over rivals that are not there
        for group in range(2):
            at = learned.APART_AT + (group * (MOST_PLAYERS - 1) + lead) * margins.STEP
            features[at : at + margins.STEP] = 0
    front = features[: learned.SUPPLY_AT].reshape(3, learned.LEVELS, 1, -1)
    supply = features[learned.SUPPLY_AT : learned.BLACK_AT].reshape(1, learned.LEVELS, learned.RICH, -1)
    flowers = (front + supply).reshape(margins.FLOWER_WEIGHTS, -1)
    rest = features[learned.BLACK_AT : learned.NOTHING]
    return (0.0, *np.concatenate((flowers, rest)).T.ravel().tolist())


@lru_cache(maxsize=8)
def guesses(rules: Rules) -> tuple[list[list[float]], list[list[float]]]:
    """Numbers [draw, feature] of first and of next draws that `kernels.guesses` reads, for these rules or the
    nearest to them."""
    numbers = json.loads((FOLDER / "fast.json").read_text("utf-8"))["numbers"]
    first, then = numbers[f"{rules.players} {side(rules)}"]
    return first, then


def difference(rules: Rules) -> str:
    """In words how these rules differ from those that `shipped` was learned for; empty where they do not.

    >>> difference(Rules())
    ''
    >>> difference(Rules(cards=()))
    'policy learned was trained on the official game of 4 with blue cards; these rules differ: cards none'
    """
    taught = Rules.official(rules.players, side(rules))
    if rules == taught:
        return ""
    changes = [f"cards {', '.join(rules.cards) or 'none'}"] if rules.cards != taught.cards else []
    changes += [rules.changes] if rules.changes else []
    return (
        f"policy learned was trained on the official game of {rules.players} with {side(rules)} cards; "
        f"these rules differ: {', '.join(changes)}"
    )
