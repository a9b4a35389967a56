"""cherrysim: exact odds and advice for The Legend of the Cherry Tree that Blossoms Every Ten Years.

- `ask`: stop or draw again, and how many; `odds`: how often a draw or a plan fails.
- `play`: whole games of policies; `compare`: which policy plays better, with errors.
- `Flowers`, `Rules`, `Table`, `Belief` (what may be in the bag): what a question is about.
- `Policy` (a way to play), `Valuation` (what the end of a turn is worth): what a player wants.
- `Estimate`: a number with its error; `Refused`: an input that is declined.

Files are read by `recordfile.read_record`, `recordfile.table_in` and `Rules.from_toml`; FILES.md shows them.
Every answer has `str()` and `.to_json()`, most have `.frame()` and `.plot()`. Names are loaded when they are
first used (PEP 562), so that a quick question stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cherrysim.advice import ask as ask
    from cherrysim.belief import Belief as Belief
    from cherrysim.contest import compare as compare
    from cherrysim.flowers import Flowers as Flowers
    from cherrysim.flowers import Refused as Refused
    from cherrysim.policy import Policy as Policy
    from cherrysim.rules import Rules as Rules
    from cherrysim.sampled import odds as odds
    from cherrysim.simulate import play as play
    from cherrysim.stats import Estimate as Estimate
    from cherrysim.table import Table as Table
    from cherrysim.turn import Valuation as Valuation

__version__ = "0.1.0"

_HOME = {  # for the interpreter what the imports above are for a type checker; a test holds the two together
    "Belief": "belief",
    "Estimate": "stats",
    "Flowers": "flowers",
    "Policy": "policy",
    "Refused": "flowers",
    "Rules": "rules",
    "Table": "table",
    "Valuation": "turn",
    "ask": "advice",
    "compare": "contest",
    "odds": "sampled",
    "play": "simulate",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
