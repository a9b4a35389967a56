"""Policy `points` compiled and readable: every valuation and every choice of its games."""

import dataclasses
import itertools

import numpy as np
import pytest

from cherrysim.engine import after
from cherrysim.flowers import Refused
from cherrysim.kernels.acting import solve_valued
from cherrysim.moves import Draw, Stop
from cherrysim.points import Weights
from cherrysim.policy import Points, parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.simulate.logs import logged, steps_of
from cherrysim.table import COLLECT, Table

SET_UPS = [
    Rules.official(4),
    Rules.official(3, "pink"),
    Rules.official(2),
    Rules.official(4, "shin_sumizome,komatsu_otome,kokonoe"),
    Rules.official(2, "pink"),
    Rules.official(3, "sakuya_hime,somei_yoshino,kenrokuen_kumagai"),
    dataclasses.replace(Rules.official(3), alike=4, different=6, flowers=7, draws=2, ties="dense"),
    dataclasses.replace(
        Rules.official(2, "pink"), front_beyond_ten="linear", two_player_tie="both", empty_group="nothing"
    ),
]


def compiled_ends(table, policies):
    """What the kernel writes of every collection that the bag may give, and of every failure."""
    solver = arrays.solver(table.rules, policies)
    numbers = arrays.policies_array(policies)
    solve_valued(arrays.table_array(table), table.to_move, arrays.rules_array(table.rules), numbers, solver)
    return solver


def compare(rules, policy, seed, draws=0, within=1e-9):
    """Play one compiled game; the readable policy must value every turn and choose every move alike."""
    policies = [policy] * rules.players
    valued = policy.valued()
    events, _ = logged(rules, policies, seed, 0)
    table = Table.start(rules)
    compared = 0
    for move, drawn in steps_of(rules, events):
        if table.phase == COLLECT and not table.hand.total:
            found, solver = valued.valuation(table), compiled_ends(table, policies)
            np.testing.assert_allclose(solver.ends.keep, found.keep, rtol=0, atol=within)
            np.testing.assert_allclose(solver.ends.bust, found.bust, rtol=0, atol=within)
        if not isinstance(move, Draw | Stop) or draws > 0:
            draws -= isinstance(move, Draw | Stop)
            assert valued.choose(table) == move, table
            compared += 1
        table = after(table, move, drawn)
    assert table.over
    return compared


@pytest.mark.parametrize("i", range(len(SET_UPS)))
def test_every_valuation_and_choice_of_a_game(i: int) -> None:
    assert compare(SET_UPS[i], parse(("points", "points:risk=0.05")[i % 2]), seed=i, draws=3) > 20


@pytest.mark.slow
@pytest.mark.parametrize(("i", "seed"), list(itertools.product(range(len(SET_UPS)), range(10, 17))))
def test_every_valuation_and_choice_of_more_games(i: int, seed: int) -> None:
    name = ("points", "points:risk=0.05", "points:risk=-0.03")[seed % 3]
    assert compare(SET_UPS[i], parse(name), seed=seed) > 20


def test_another_weight_is_noticed() -> None:
    """The negative control: the readable policy with a weight changed by a hundredth."""
    other = Points(Weights(fronts=Weights().fronts - 0.01))
    table = Table.start(Rules())
    ends = compiled_ends(table, [Points()] * 4).ends
    assert np.abs(ends.keep - other.valued().valuation(table).keep).max() > 1e-3


def test_weights_of_a_file(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("fronts = 0.5\nrisk = 0.01\n")
    policy = parse(f"points:{file}")
    assert policy.model == Weights(fronts=0.5, risk=0.01)
    assert str(policy) == f"points:{file}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fronts = 2.0", "fronts is 2.0; it is a number from 0 to 1; choose one in between"),
        ("fronts = nan", "fronts is nan; it is a number from 0 to 1; choose one in between"),
        ("fronts = true", "fronts is True; it is a number from 0 to 1; choose one in between"),
        ("front = 1", "unknown weight 'front'; the weights are"),
    ],
)
def test_wrong_weights_are_refused(tmp_path, text, message) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(Refused, match=message.replace("(", r"\(")):
        parse(f"points:{file}")


@pytest.mark.parametrize(
    "text", ["points:", "points:risk=", "points:risk=a", "points:fronts=0.5", "points:x"]
)
def test_wrong_parameters_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="points takes risk=R"):
        parse(text)
