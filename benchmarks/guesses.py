"""How the numbers of `cherrysim.kernels.guesses` are found.

    python benchmarks/guesses.py --games 2000 --seed 8

Games of `learned` of all sizes and sides give first draws and draws from one or two flowers, with the exact
value of every draw. Scores, sums of features times numbers, become chances by a softmax; the numbers are
those that lose least on average. Every second game is only there to tell the loss. Writes
cherrysim/data/fast.json, the record included; to be run anew when the weights of `learned` change.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.optimize import minimize

import cherrysim
from cherrysim.kernels.display import failed, pool_of, total
from cherrysim.kernels.fastshow import refresh
from cherrysim.kernels.fastturn import GUESSED, failing, look_one_draw, stopping
from cherrysim.kernels.game import BOX_KEY, FIRST_TURN_KEY, TO_KEEP, draw, end_turn, set_up
from cherrysim.kernels.guesses import FIRST_FEATURES, NEXT_FEATURES, see_first, see_next
from cherrysim.kernels.keyed import below, derive
from cherrysim.kernels.layout import BAG, BLACK, DRAWS, FLOWERS, MOST_TURNS, PLAYERS
from cherrysim.kernels.margins import STALE
from cherrysim.kernels.playing import keep, show, solve_ahead
from cherrysim.kernels.reference import code_of_hand
from cherrysim.kernels.turn import solve
from cherrysim.policy import Learned
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.weights import FOLDER

FIRST_DRAWS, NEXT_DRAWS = (1, 2, 3, 4), (0, 1, 2, 3, 4)
SHARPNESS, WEIGHT, MOST_LOSS = 200.0, 3e-5, 0.1
EXPLORED = 25
"""Of a hundred draws so many are of 1 to 3 flowers at random."""


@numba.njit
def watch(  # type: ignore[no-untyped-def]
    games, seed, rules, policies, fast, solver, quick, log, rows, first, then
):
    """Positions of games into (features, values, game) twice: of first and of next draws; how many each."""
    table, keys = np.zeros((16, 6), np.int64), np.empty(2, np.uint64)
    room = quick.rooms[0]
    n, m = 0, 0
    for game in range(games):
        key = derive(derive(seed, 0), game)
        set_up(table, rules, derive(key, BOX_KEY))
        turn = 0
        while turn < rules[MOST_TURNS] and total(table, BAG):
            seat = turn % rules[PLAYERS]
            log[0, 3] = seat
            keys[0] = derive(key, FIRST_TURN_KEY + turn)
            keys[1] = derive(keys[0], 63)
            solve_ahead(table, seat, rules, policies, solver)
            bag, drawn, lost = total(table, BAG), 0, False
            room.bag = bag
            only_blacks = table[BAG, BLACK] == bag
            for draws in range(rules[DRAWS]):
                most = min(rules[FLOWERS] - drawn, bag - drawn)
                if most == 0 or (only_blacks and draws == 1):
                    break
                h, left = room.index[code_of_hand(table, rules)], rules[DRAWS] - draws
                ends = solver.ends
                solve(solver.hands, solver.space, ends.keep, ends.bust, h, left, solver.value, solver.choice)
                features, values, number = first if draws == 0 else then
                size = 1 if only_blacks else solver.choice[h, left]
                if not only_blacks and (draws == 0 or (draws == 1 and drawn < 3 and bag > GUESSED)):
                    at = m if draws else n
                    for k in range(values.shape[1]):
                        values[at, k] = -1e9 if k > most else solver.space.options[k, left - 1]
                    values[at, 0] = ends.keep[h] if draws else -1e9
                    number[at] = game
                    if draws:
                        room.left = STALE
                        refresh(table, seat, rules, quick)
                        hand = quick.hands[h]
                        stop, lose = stopping(hand, rules, room), failing(hand, room)
                        look_one_draw(table, h, rules, quick)
                        see_next(table, stop, lose, rules, room)
                        m += 1
                    else:
                        for c in range(6):
                            room.tokens[c] = pool_of(table, seat, c, rules)
                        see_first(room)
                        n += 1
                    for i in range(features.shape[1]):
                        features[at, i] = room.seen[i]
                    if below(keys[1], 40 + draws, 100) < EXPLORED:
                        size = 1 + below(keys[1], 50 + draws, min(most, 3))
                if size == 0:
                    break
                draw(table, size, drawn, keys[0], log)
                drawn += size
                lost = failed(table, rules)
                if lost:
                    break
            if end_turn(table, seat, lost, rules, policies, keys, rows, log) == TO_KEEP:
                keep(table, seat, rules, policies, solver, log)
            else:
                show(table, seat, rules, policies, solver, keys, rows, log)
            turn += 1
    return n, m


def positions(players: int, cards: str, games: int, seed: int) -> list[tuple[Any, ...]]:
    """First draws, next draws: features, values [position, draw], number of the game."""
    rules = Rules.official(players, cards)
    exact, fast = [Learned()] * players, [Learned(fast=True)] * players
    rooms = [
        (np.zeros((games * 60, n)), np.zeros((games * 60, 5)), np.zeros(games * 60, np.int64))
        for n in (FIRST_FEATURES, NEXT_FEATURES)
    ]
    found = watch(
        games,
        np.uint64(seed),
        arrays.rules_array(rules),
        arrays.policies_array(exact),
        arrays.policies_array(fast),
        arrays.solver(rules, exact),
        arrays.solver(rules, fast).fast,
        arrays.no_log(),
        arrays.room(rules, 1),
        *rooms,
    )
    return [tuple(array[:n] for array in room) for room, n in zip(rooms, found, strict=True)]


def losses(values: Any) -> Any:
    """What every draw loses against the best; what cannot be drawn, and great losses, as `MOST_LOSS`."""
    return np.minimum(values.max(axis=1, keepdims=True) - values, MOST_LOSS)


def fit(features: Any, values: Any) -> Any:
    """Numbers [draw, feature] that lose least."""
    assert np.isfinite(features).all()
    loss = losses(values)
    middle, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    middle[0], scale[0] = 0.0, 1.0
    x = (features - middle) / scale
    shape = (values.shape[1], features.shape[1])

    def lost(flat: Any) -> tuple[float, Any]:
        numbers = flat.reshape(shape)
        chances = x @ numbers.T
        chances = np.exp(chances - chances.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mean = (chances * loss).sum(axis=1)
        slope = SHARPNESS / len(x) * (chances * (loss - mean[:, None])).T @ x
        return SHARPNESS * mean.mean() + WEIGHT * (flat**2).sum(), (slope + 2 * WEIGHT * numbers).ravel()

    found = minimize(lost, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    numbers = found.x.reshape(shape) / scale
    numbers[:, 0] -= numbers @ middle
    return numbers


def told(numbers: Any, features: Any, values: Any, seats: int) -> str:
    """What the guesses lose in words."""
    guessed = (features @ numbers.T + np.where(values < -1, -1e9, 0)).argmax(axis=1)
    loss = losses(values)[np.arange(len(values)), guessed].sum() / seats
    same = (guessed == values.argmax(axis=1)).mean()
    return f"{100 * loss:.3f} points of share a seat and game, {100 * same:.0f} % as solved"


def main() -> None:
    """Write the numbers and tell what they lose."""
    read = argparse.ArgumentParser()
    read.add_argument("--games", type=int, default=2000)
    read.add_argument("--seed", type=int, default=8)
    read.add_argument("--out", type=Path, default=FOLDER / "fast.json")
    asked = read.parse_args()
    found: dict[str, list[Any]] = {}
    lost: dict[str, list[str]] = {}
    for cards in ("blue", "pink"):
        for players in (4, 3, 2):
            name = f"{players} {cards}"
            for features, values, game in positions(players, cards, asked.games, asked.seed):
                learnt, told_by = game % 2 == 0, game % 2 == 1
                numbers = fit(features[learnt], values[learnt]).round(4)
                found.setdefault(name, []).append(numbers.tolist())
                seats = players * (asked.games // 2)
                lost.setdefault(name, []).append(told(numbers, features[told_by], values[told_by], seats))
            print(name, lost[name], flush=True)
    record = {
        "command": f"python benchmarks/guesses.py --games {asked.games} --seed {asked.seed}",
        "version": cherrysim.__version__,
        "lost": lost,
    }
    asked.out.write_text(json.dumps({"record": record, "numbers": found}, indent=None) + "\n", "utf-8")


if __name__ == "__main__":
    main()
