"""The last one or two flowers worked out, held against the endgame solved by backward induction."""

import random

import pytest

from cherrysim.coming import Coming, Endings
from cherrysim.endgame import solve_end
from cherrysim.flowers import Flowers
from cherrysim.rules import Rules
from cherrysim.table import Seat, Table


def between_turns(rules: Rules, left: int, seed: int) -> Table:
    """A table with so many flowers in the bag, the others dealt out at random."""
    rng = random.Random(seed)
    flowers = [c for c, n in enumerate(rules.counts.counts) for _ in range(n)]
    rng.shuffle(flowers)
    rows = [[0] * 6 for _ in range(2 * rules.players)]
    for c in flowers[left + rules.set_aside :]:
        behind = rules.players if rng.random() < 0.35 else 0
        rows[rng.randrange(rules.players) + behind][c] += 1
    fronts, behinds = rows[: rules.players], rows[rules.players :]
    seats = tuple(
        Seat(f"Seat {i}", Flowers(*front), behind=Flowers(*behind))
        for i, (front, behind) in enumerate(zip(fronts, behinds, strict=True))
    )
    return Table(rules, seats, to_move=rng.randrange(rules.players))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("left", [1, 2])
def test_shares_and_scores_are_those_of_the_solved_endgame(players, left):
    rules = Rules.official(players)
    for seed in range(12):
        table = between_turns(rules, left, seed)
        seats = table.seats
        coming = Coming(Endings(rules), [s.front.counts for s in seats], [s.behind.counts for s in seats])
        end = solve_end(table)
        hopes = coming.come(table.unseen.counts, left, table.to_move)
        assert hopes == pytest.approx([float(v) for v in (*end.shares, *end.scores)], abs=1e-12)
