"""The universe of collections: failing is monotone, pairs are counted once."""

from math import comb, prod

import brute
import pytest

from cherrysim.flowers import Flowers
from cherrysim.hands import SETS, cards_of, colours_in, conditions, keeps, matches, universe
from cherrysim.rules import CARDS, Rules

OFFICIAL = universe(Rules())


def test_the_universe_holds_the_safe_collections_and_no_other():
    small = Rules(flowers=5)
    for rules in (
        Rules(),
        small,
        Rules(alike=2, different=6, flowers=7),
        Rules(alike=5, different=4, flowers=8),
    ):
        safe = [
            hand
            for hand in brute.all_hands(rules.flowers)
            if not brute.failed(hand, rules.alike, rules.different)
        ]
        assert sorted(safe) == sorted(universe(rules).hands)


def test_failing_is_monotone():
    for hand in brute.all_hands(7):
        if conditions(hand, Rules()):
            assert all(conditions((*hand[:c], hand[c] + 1, *hand[c + 1 :]), Rules()) for c in range(6))


def test_pairs_are_the_larger_safe_collections_with_their_ways():
    pairs = 0
    for i, hand in enumerate(OFFICIAL.hands):
        for extra, size in enumerate(OFFICIAL.larger(i), 1):
            for j, ways in size:
                larger = OFFICIAL.hands[j]
                assert sum(larger) == sum(hand) + extra
                assert Flowers(*hand) in Flowers(*larger)
                assert ways == prod(map(comb, larger, hand))
                pairs += 1
    assert pairs == 4678
    assert pairs == sum(
        Flowers(*small) in Flowers(*large)
        for small in OFFICIAL.hands
        for large in OFFICIAL.hands
        if small != large
    )


@pytest.mark.parametrize("colours", range(SETS))
def test_a_failure_keeps_two_of_different_colours_as_far_as_there_are(colours):
    present = [c for c in range(5) if colours >> c & 1]
    found = keeps(colours)
    assert len(found) == max(1, comb(len(present), 2))
    for pair in found:
        assert sum(pair) == min(2, len(present))
        assert max(pair) <= 1
        assert not pair[5]
        assert all(c in present for c in range(5) if pair[c])


def test_cards_of_this_game_only():
    hand = Flowers.parse("PPYYLLDD")
    assert cards_of(hand, Rules()) == ("shin_sumizome", "somei_yoshino", "kenrokuen_kumagai")
    assert cards_of(hand, Rules(cards=("kokonoe",))) == ("kokonoe",)
    assert cards_of(Flowers.parse("PPPYY"), Rules()) == ()
    assert cards_of(Flowers.parse("PPPYY"), Rules(alike=4)) == ("shin_sumizome",)
    assert cards_of(Flowers.parse("PPPB"), Rules(alike=5)) == ()
    assert all(matches(hand.counts, card.pattern) for card in CARDS.values())


def test_colours_are_bits_and_black_is_none():
    assert colours_in((1, 0, 2, 0, 0, 3)) == 0b00101
