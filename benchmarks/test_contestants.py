"""The contestants of `cherrysim bench` one by one under pytest-benchmark, to compare versions of the code.

A call does as many items as its `extra_info` says, so calls of different contestants are not to be compared.
"""

import time

import pytest

from cherrysim.bench.cases import KINDS

CONTESTANTS = [
    pytest.param(each, id=f"{case.name}: {each.name}")
    for kind in KINDS.values()
    for case in kind()
    for each in case.contestants
]


@pytest.mark.benchmark(timer=time.thread_time)
@pytest.mark.parametrize("contestant", CONTESTANTS)
def test_speed(benchmark, contestant):
    benchmark.extra_info["items"] = contestant.items
    benchmark(contestant.run)
