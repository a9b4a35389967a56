"""The figures of contests show their numbers, legibly."""

import pytest
from test_plots import illegible

from cherrysim.contest import Comparison, compare
from cherrysim.flowers import Refused
from cherrysim.plots import error_by_games, save, score_distribution, share_by_seat
from cherrysim.rules import Rules


@pytest.fixture(scope="module")
def contests() -> dict[str, Comparison]:
    return {
        "two": compare(["plan:3+2", "cautious:0.3"], precision=0.02),
        "three": compare(["plan:3+2", "cautious:0.3", "plan:2"], games=9000, rules=Rules.official(3, "pink")),
        "four": compare(["plan:3+2", "cautious:0.3", "plan:2", "random"], games=3000),
        "apart": compare(["kept", "random"], games=400),
        "equal": compare(["plan:8", "plan:8+1"], games=2000, rules=Rules.official(2)),
    }


@pytest.mark.parametrize(
    ("name", "dark"), [*((name, False) for name in ("two", "three", "four", "apart", "equal")), ("two", True)]
)
def test_figures_are_legible(contests: dict[str, Comparison], name: str, dark: bool) -> None:
    found = contests[name]
    for figure in (error_by_games, share_by_seat, score_distribution):
        axes = figure(found, dark=dark)
        panels = axes if isinstance(axes, tuple) else (axes,)
        assert illegible(panels[0].figure) == ([], [])
        for panel in panels:  # no point of a curve lies under the names
            names = panel.get_legend().get_window_extent()
            for curve in panel.lines:
                assert not any(names.contains(*panel.transData.transform(xy)) for xy in curve.get_xydata())


@pytest.mark.parametrize("name", ["two", "three"])
def test_the_error_curves_are_the_looks(contests: dict[str, Comparison], name: str) -> None:
    found = contests[name]
    curves = {line.get_label(): line for line in error_by_games(found).lines}
    for p, pair in enumerate(found.differences):
        curve = curves[f"{pair.a} - {pair.b}"]
        assert list(curve.get_xdata()) == [look.games for look in found.looks]
        for reach, look in zip(curve.get_ydata(), found.looks, strict=True):
            low, high = found.interval(look.shares[p])
            assert reach == pytest.approx(50 * (high - low))
    across = [line for line in error_by_games(found).lines if len(set(line.get_ydata())) == 1]
    assert len(across) == (found.precision is not None)


@pytest.mark.parametrize("name", ["two", "three", "four"])
def test_panels_show_the_share_of_every_policy_at_every_seat(
    contests: dict[str, Comparison], name: str
) -> None:
    found = contests[name]
    panels = share_by_seat(found)
    for axes, line_up in zip(panels, found.line_ups, strict=True):
        curves = {
            box.get_label(): (box.lines[0].get_ydata(), box.lines[2][0].get_segments())
            for box in axes.containers
        }
        for policy in line_up.results:
            values, bars = curves[f"{line_up.policies.count(policy)} {policy}"]
            for seat, results in enumerate(line_up.by_seat):
                share = results[policy].share
                assert values[seat] == share.value
                assert [y for _, y in bars[seat]] == pytest.approx(list(found.interval(share)))


def test_the_distribution_adds_up_to_all_but_the_rarest(contests: dict[str, Comparison]) -> None:
    found = contests["two"]
    axes = score_distribution(found)
    for name, stairs in zip(found.scores, axes.patches, strict=True):
        parts, edges, _ = stairs.get_data()
        assert 99 < sum(parts) <= 100 + 1e-9
        counts = found.scores[name]
        inside = sum(n for score, n in counts.items() if edges[3] <= score < edges[4])
        assert parts[3] == pytest.approx(100 * inside / sum(counts.values()))
    means = [line.get_xdata()[0] for line in axes.lines]
    assert means == [result.score.value for result in found.policies.values()]


def test_the_figure_of_a_result_is_share_by_seat(contests: dict[str, Comparison], tmp_path) -> None:
    axes = contests["two"].plot()
    assert axes[0].figure.get_label().startswith("plan:3+2 wins more: ")
    assert share_by_seat(contests["equal"])[0].figure.get_label().startswith("Too close to call: plan:8 and ")
    save(axes[0], tmp_path / "a.svg")
    save(contests["two"].plot()[0], tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    with pytest.raises(Refused, match="1 axes; the line-ups are 2"):
        contests["two"].plot(axes[:1])
