"""Players on the readable engine: functions, reference policies, and the mistakes they can make."""

import random

import pytest

from cherrysim.engine import after, legal_moves
from cherrysim.flowers import Refused
from cherrysim.moves import Draw, Returned, Stop
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.simulate.logs import logged, steps_of
from cherrysim.table import Table
from cherrysim.tabletop import play_at_table, player


@pytest.mark.parametrize("name", ["plan:3+2", "cautious:0.3", "kept"])
def test_reference_players_choose_as_compiled_ones(name: str) -> None:
    rules = Rules.official(3, "none")
    players = [player(name) for _ in range(3)]
    events, _ = logged(rules, [parse(name)] * 3, 11, 0)
    table, turns = Table.start(rules), 0
    for move, drawn in steps_of(rules, events):
        assert players[table.to_move](table) == move
        turns += not table.hand.total
        table = after(table, move, drawn)
        if name == "kept" and turns > 4:
            return
    assert table.over


def test_anybody_can_play() -> None:
    rng, rules = random.Random(3), Rules.official(2, "pink")
    seen = []

    def mine(table: Table):
        assert table.to_move == 1
        assert not any(seat.own_secret.total for seat in table.seats)
        seen.append(table.phase)
        return rng.choice(legal_moves(table))

    *moments, (last, _) = play_at_table(rules, [player("random", 5), mine], seed=4)
    assert last.over
    assert {"collect", "display"} <= set(seen)
    assert any(isinstance(event, Returned) for event in last.history)
    again = play_at_table(rules, [player("random", 5), lambda table: Draw(1)], seed=4)
    assert next(again) == moments[0]


def test_mistakes_of_a_player_are_refused() -> None:
    with pytest.raises(Refused, match="draw 9 is 9 flowers; a turn allows 8"):
        list(play_at_table(Rules.official(2), [lambda table: Draw(9), lambda table: Stop()]))
    with pytest.raises(Refused, match="1 players; the rules are for 2"):
        list(play_at_table(Rules.official(2), [lambda table: Stop()]))
    with pytest.raises(Refused, match="plays compiled games only"):
        player("points:slip=0.5")
