"""Beliefs against explicit bags updated by Bayes' rule, flower by flower."""

import random
from fractions import Fraction

import brute
import pytest

from cherrysim.advice import ask
from cherrysim.belief import Belief
from cherrysim.flowers import Flowers, Refused


def as_bags(belief):
    bags = dict(belief.bags())
    total = sum(bags.values())
    return {bag: Fraction(weight, total) for bag, weight in bags.items()}


def test_random_histories_equal_explicit_bags():
    rng = random.Random(5)
    for _ in range(25):
        pool = tuple(rng.randint(0, 4) for _ in range(6))
        if sum(pool) < 9:
            continue
        bags, belief, out = brute.boxes(pool, 2), Belief.of(Flowers(*pool), 2), [0] * 6
        for _ in range(6):
            step = rng.choice(["draw", "return", "secret"])
            real = rng.choice(list(bags))
            if step == "draw" and sum(real) > 2:
                c = rng.choice([c for c in range(6) if real[c]])
                bags = brute.history(bags, [("draw", tuple(int(i == c) for i in range(6)))])
                belief, out[c] = belief.draw(Flowers(*(int(i == c) for i in range(6)))), out[c] + 1
            elif step == "return" and sum(out):
                c = rng.choice([c for c in range(6) if out[c]])
                bags = brute.history(bags, [("return", tuple(int(i == c) for i in range(6)))])
                belief, out[c] = belief.put_back(Flowers(*(int(i == c) for i in range(6)))), out[c] - 1
            elif step == "secret" and sum(real) > 2:
                bags, belief = brute._blind_draw(bags), belief.draw_unseen()
        assert as_bags(belief) == {bag: p for bag, p in bags.items() if p}
        assert belief.size == sum(next(iter(bags)))
        assert belief.expected() == tuple(sum(p * bag[c] for bag, p in bags.items()) for c in range(6))


def test_equal_histories_give_equal_beliefs():
    start = Belief.of(Flowers.parse("P4 Y4 W2"), 2)
    one = start.draw(Flowers.parse("PPY")).put_back(Flowers.parse("PY"))
    two = (
        start.draw(Flowers.parse("P"))
        .draw(Flowers.parse("PY"))
        .put_back(Flowers.parse("Y"))
        .put_back(Flowers(pink=1))
    )
    assert one == two
    assert start.put_back(Flowers()) == start


def test_a_bag_of_hidden_tokens_alone_is_empty():
    belief = Belief.of(Flowers(pink=2), 2)
    assert (belief.size, belief.known, dict(belief.bags())) == (0, False, {(0,) * 6: 1})


def test_a_known_bag_stays_known():
    belief = Belief.of(Flowers.parse("P3 Y1"))
    assert belief.known
    assert belief.draw(Flowers(pink=1)).put_back(Flowers(pink=1)) == belief
    assert not Belief.of(Flowers.parse("P3 Y1"), 1).known


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda belief: belief.draw(Flowers(white=1)), "cannot be drawn"),
        (lambda belief: belief.draw(Flowers(pink=4)), "the bag has no more"),
        (lambda belief: belief.draw_unseen(4), "the bag has no more"),
        (lambda belief: belief.draw_unseen(-1), "counted from 0 up"),
        (lambda belief: Belief.of(Flowers(pink=2), 3), "not in the bag"),
        (lambda belief: Belief.of(Flowers(pink=2), -1), "-1 hidden tokens; they are counted from 0 up"),
        (lambda belief: Belief.of(Flowers(pink=2), True), "counted from 0 up"),
        (lambda belief: ask(hand="PY", set_aside=-1), "counted from 0 up"),
    ],
)
def test_impossible_events_are_refused(act, words):
    with pytest.raises(Refused, match=words):
        act(Belief.of(Flowers.parse("P3 Y1"), 1))
