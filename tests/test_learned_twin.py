"""Policy `learned` compiled and readable: every valuation and choice of its games, and what it may see."""

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from test_points import SET_UPS, compare, compiled_ends

from cherrysim import learned
from cherrysim.allowed import ONE
from cherrysim.engine import after
from cherrysim.flowers import Flowers, Refused
from cherrysim.hands import universe
from cherrysim.kernels import layout
from cherrysim.kernels import learned as compiled
from cherrysim.moves import Draw, Hide, Keep, Stop
from cherrysim.policy import Learned
from cherrysim.prospects import Valued
from cherrysim.rules import Rules
from cherrysim.simulate.arrays import table_array
from cherrysim.simulate.logs import logged, steps_of
from cherrysim.table import COLLECT, Bonus, Seat, Table, moved
from cherrysim.valuing import View

CLOSE = 1e-12
GAMES = [Rules.official(4, "pink"), Rules.official(3, "none"), *SET_UPS]
SHORT = [i for i, rules in enumerate(GAMES) if rules.alike == 3]


def moments(rules: Rules, seed: int) -> Iterator[tuple[Table, object, Table]]:
    """Every table of one game of `learned` with all that is known, the move made and the table after it."""
    events, _ = logged(rules, [Learned()] * rules.players, seed, 0)
    table = Table.start(rules)
    for move, drawn in steps_of(rules, events):
        new = after(table, move, drawn)
        yield table, move, new
        table = new


@pytest.mark.parametrize("i", SHORT)
def test_every_valuation_and_choice_of_a_game(i: int) -> None:
    assert compare(GAMES[i], Learned(), seed=i, draws=3, within=CLOSE) > 20


@pytest.mark.slow
@pytest.mark.parametrize(("i", "seed"), list(itertools.product(range(len(GAMES)), range(10, 16))))
def test_every_valuation_and_choice_of_more_games(i: int, seed: int) -> None:
    assert compare(GAMES[i], Learned(), seed=seed, draws=1000, within=CLOSE) > 20


def test_other_weights_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: what one flower in front weighs is off by a thousandth."""
    table = Table.start(Rules())
    ends = compiled_ends(table, [Learned()] * 4).ends
    rows = [list(row) for row in learned.rows(Rules(), "shares")]
    for row in rows:
        row[learned.FRONT_AT + 1] += 1e-3
    monkeypatch.setattr(learned, "rows", lambda *_: rows)
    assert np.abs(ends.keep - Learned().valued().valuation(table).keep).max() > 1e-5


def test_features_have_the_same_numbers() -> None:
    names = [name for name, value in vars(learned).items() if name.isupper() and type(value) is int]
    assert len(names) > 10
    assert [getattr(learned, name) for name in names] == [getattr(compiled, name) for name in names]


@pytest.mark.parametrize("i", range(3))
def test_both_see_the_same_after_every_display(i: int) -> None:
    rules = SET_UPS[i]
    features = np.zeros(compiled.SEEN, np.int64)
    screens = np.zeros((rules.players, 6), np.int64)
    displays = 0
    for table, move, new in moments(rules, seed=20 + i):
        if not isinstance(move, Hide | Keep) or new.phase != COLLECT or not new.bag_size:
            continue
        seat = table.to_move
        view = View.of(moved(new, to_move=seat))
        array = table_array(moved(new, to_move=seat))
        compiled.open_screens(array, seat, rules.players, screens)
        for s in range(rules.players):
            compiled.see(array, seat, s, np.array(view.pool), rules.players, screens, features)
            assert sorted(learned.seen(view, s)) == sorted(f for f in features if f != compiled.NOTHING)
        displays += 1
    assert displays > 8


def test_outlooks_of_a_turn_hold_its_valuation_and_add_up() -> None:
    rules = Rules.official(3, "shin_sumizome,komatsu_otome,kokonoe")
    valued = Valued(learned.LearnedModel(scores=True), learned.share, "of victory", shares=True)
    for table, _, _ in moments(rules, seed=3):
        if table.phase == COLLECT and not table.hand.total:
            own, valuation = table.to_move, Learned().valued().valuation(table)
            kept, failed = valued.outlooks(table)
            worth = dict(zip(universe(rules).hands, valuation.keep, strict=True))
            assert {hand: worth[hand] for hand in kept} == pytest.approx(
                {hand: rows[own] for hand, rows in kept.items()}, abs=CLOSE
            )
            assert [rows[own] for rows in failed] == pytest.approx(valuation.bust, abs=CLOSE)
            for rows in [*kept.values(), *failed]:
                assert sum(rows[:3]) == pytest.approx(1.0, abs=CLOSE)
                assert all(-60 < score < 150 for score in rows[3:6])
                assert sum(rows[6:9]) == pytest.approx(rows[9], abs=CLOSE)


ORDERS = [(1, 0, 2, 3, 4, 5), (0, 1, 3, 2, 4, 5), (1, 0, 3, 2, 4, 5)]


def exchanged(table: Table, order: tuple[int, ...]) -> Table:
    """The table with its colours renamed."""

    def renamed(flowers: Flowers) -> Flowers:
        return Flowers(*(flowers.counts[c] for c in order))

    seats = tuple(
        Seat(seat.name, renamed(seat.front), renamed(seat.behind), 0, seat.secret, renamed(seat.own_secret))
        for seat in table.seats
    )
    bonus = table.bonus and Bonus(table.bonus.card, renamed(table.bonus.drawn))
    hand = renamed(table.hand)
    return Table(table.rules, seats, table.to_move, hand, table.draws_used, table.phase, bonus)


@pytest.mark.parametrize(("i", "order"), list(enumerate(ORDERS)))
def test_like_colours_may_be_exchanged(i: int, order: tuple[int, ...]) -> None:
    """Ends that empty the bag are among them."""
    rules = [Rules.official(4), Rules.official(3, "pink"), Rules.official(2)][i]
    valued, hands = Learned().valued(), universe(rules).hands
    starts = [table for table, _, _ in moments(rules, seed=i) if not table.draws_used]
    assert starts[-1].bag_size <= rules.flowers
    for table in [*starts[:: len(starts) // 3], starts[-1]]:
        here, there = valued.valuation(table), valued.valuation(exchanged(table, order))
        worth = dict(zip(hands, there.keep, strict=True))
        mirrored = [worth[tuple(hand[c] for c in order)] for hand in hands]
        assert mirrored == pytest.approx(here.keep, abs=CLOSE)
        if i == 0 and table.bag_size > 30:  # warm and cool are no like colours
            there = valued.valuation(exchanged(table, (2, 3, 0, 1, 4, 5)))
            mirrored = [dict(zip(hands, there.keep, strict=True))[(*h[2:4], *h[:2], *h[4:])] for h in hands]
            assert mirrored != pytest.approx(here.keep, abs=1e-4)


def test_no_choice_depends_on_what_another_seat_alone_has_seen() -> None:
    valued, compared = Learned().valued(), 0
    for table, move, _ in moments(Rules.official(3), seed=8):
        others = [s for s in range(3) if s != table.to_move and table.seats[s].own_secret.total]
        if not others or (isinstance(move, Draw | Stop) and compared > 3):
            continue
        seats = list(table.seats)
        for s in others:  # any other flower of the pool
            own = seats[s].own_secret
            others = [ONE[c] for c in "BWDLYP" if ONE[c] in table.pool and ONE[c] not in own]
            gone = next(ONE[c] for c in "PYLDWB" if ONE[c] in own)
            if others:
                new = own - gone + others[0]
                seats[s] = Seat(seats[s].name, seats[s].front, seats[s].behind, own_secret=new)
        changed = moved(table, seats=tuple(seats), history=None)
        assert valued.choose(changed) == move
        assert np.array_equal(table_array(changed), table_array(table))
        compared += changed.pool != table.pool
    assert compared > 20


@pytest.mark.parametrize("i", range(3))
def test_arrays_of_tables_are_those_of_the_game(i: int) -> None:
    """Hidden flowers as they were dealt: what is displayed is then fingerprinted as by the game itself."""
    rules = SET_UPS[i]
    events, _ = logged(rules, [Learned()] * rules.players, 20 + i, 0)
    turns = iter([b for *_, kind, _, b in events if kind == layout.TURN])
    for table, _, _ in moments(rules, seed=20 + i):
        mover, pool = table.to_move, list(table.pool.counts)
        hidden = [
            c
            for s, seat in enumerate(table.seats)
            if s != mover
            for c, n in enumerate(seat.own_secret.counts)
            for _ in range(n)
        ]
        box = [c for c, n in enumerate(pool) for _ in range(n)][: rules.set_aside]
        for array in (table_array(table), table_array(table, [*hidden, *box])):
            assert array[: layout.HOLDING].sum(axis=0).tolist() == list(rules.counts.counts)
            assert array[layout.BAG].sum() == table.bag_size
            assert array.min() >= 0
            elsewhere = array[[layout.SECRET + s for s in range(rules.players) if s != mover]].sum(axis=0)
            assert (array[layout.BAG] + array[layout.BOX] + elsewhere).tolist() == list(table.unseen.counts)
        if not table.draws_used:
            found = 0
            for n in [*array[: layout.BAG].ravel().tolist(), *array[layout.SECRET :].ravel().tolist()]:
                found = (found * 31 + n) % 2147483647
            assert found == next(turns)


def test_flowers_that_cannot_be_hidden_are_refused() -> None:
    rules = Rules.official(2)
    with pytest.raises(Refused, match="2 colours of hidden flowers; 3 are hidden; give as many"):
        table_array(Table.start(rules), [0, 1])
    front = Seat("Ann", Flowers(pink=13))
    with pytest.raises(Refused, match="hidden flower 2 is pink; no more of these are unseen"):
        table_array(Table(rules, (front, Seat("Ben"))), [1, 0, 2])


def test_flowers_not_watched_lie_hidden_behind_their_screen() -> None:
    seats = (Seat("Ann", behind=Flowers(pink=1)), Seat("Ben", unseen_behind=2, secret=1), Seat("Cy"))
    table = Table(Rules.official(3), seats)
    array = table_array(table, random.Random(1).choices(range(6), k=3))
    assert array[layout.BEHIND + 1].sum() == array[layout.SECRET + 1].sum() == 3
    assert array[layout.BAG].sum() == table.bag_size
