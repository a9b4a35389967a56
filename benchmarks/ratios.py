"""Ratios of peers to kernels, kept from version to version: has something become slower?

    python benchmarks/ratios.py             fails if a ratio is 20 % below the recorded one three times
    python benchmarks/ratios.py --record    adds today's to ratios.json

A ratio belongs to a processor: it is compared with the last one recorded on the same. It takes a minute; the
machine may be busy, as rivals take turns.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from statistics import median

from cherrysim.bench import QUICK_LEAST, QUICK_ROUNDS
from cherrysim.bench.cases import FLOOR, KINDS, OURS, Case
from cherrysim.bench.machine import machine
from cherrysim.bench.timing import interleaved

HISTORY = Path(__file__).with_name("ratios.json")
REPETITIONS = 3
FALLEN = 0.8
Ratios = dict[str, float]


def cases() -> list[Case]:
    """Every case that has rivals."""
    return [case for kind in ("draws", "odds", "turn") for case in KINDS[kind]()]


def measure(several: Sequence[Case]) -> Ratios:
    """How many times as much every rival costs, once."""
    ratios = {}
    for case in several:
        rounds = interleaved(case.contestants, QUICK_ROUNDS, QUICK_LEAST)
        for each in case.contestants:
            if each.name not in (OURS, FLOOR):
                ratios[f"{case.name}: {each.name}"] = round(rounds.ratio(each.name, OURS).median, 2)
    return ratios


def fallen(recorded: Ratios, repetitions: Sequence[Ratios]) -> list[str]:
    """The ratios that are more than 20 % below the recorded one in every repetition, in words."""
    found = []
    for name, before in recorded.items():
        now = [ratios[name] for ratios in repetitions if name in ratios]
        if now and max(now) < FALLEN * before:
            found.append(f"{name}: {before:g} x recorded, now at most {max(now):g} x")
    return found


def main(arguments: Sequence[str] | None = None, history: Path = HISTORY) -> int:
    parser = argparse.ArgumentParser(description="Compare today's ratios with the recorded ones.")
    parser.add_argument("--record", action="store_true", help="add today's ratios to the history")
    recording = parser.parse_args(arguments).record
    entries = json.loads(history.read_text()) if history.exists() else []
    here = machine()
    last = next((e for e in reversed(entries) if e["machine"]["processor"] == here["processor"]), None)
    if last is None and not recording:
        print(f"nothing is recorded for {here['processor']}; record it with --record", file=sys.stderr)
        return 2
    several = cases()
    repetitions = [measure(several) for _ in range(REPETITIONS)]
    if recording:
        ratios = {name: median(each[name] for each in repetitions) for name in repetitions[0]}
        entries.append({"date": date.today().isoformat(), "machine": here, "ratios": ratios})
        history.write_text(json.dumps(entries, indent=1) + "\n")
        print(f"recorded {len(ratios)} ratios for {here['processor']}")
        return 0
    slower = fallen(last["ratios"], repetitions)
    print("\n".join(slower) or f"{len(last['ratios'])} ratios hold, recorded on {last['date']}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
