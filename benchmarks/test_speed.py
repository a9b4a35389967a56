"""The contestants of `cherrysim bench` one by one under pytest-benchmark, to compare versions of the code."""

import pytest

from cherrysim.bench.cases import KINDS

CONTESTANTS = [
    pytest.param(case, each, id=f"{case.name}: {each.name}")
    for kind in KINDS.values()
    for case in kind()
    for each in case.contestants
]


@pytest.mark.parametrize(("case", "contestant"), CONTESTANTS)
def test_speed(benchmark, case, contestant):
    benchmark.group = case.name
    benchmark.extra_info["items"] = contestant.items
    benchmark(contestant.run)
