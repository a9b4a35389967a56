"""The figures show the numbers of the results, legibly, and their files have the same bytes each time."""

import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy
import pytest
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import cherrysim
from cherrysim.advice import ask
from cherrysim.belief import Belief
from cherrysim.chances import position
from cherrysim.flowers import Flowers, Refused
from cherrysim.plots import action_map, failure_curves, points, save, shapes, stop_or_draw
from cherrysim.rules import Rules
from cherrysim.sampled import odds
from cherrysim.stats import Stated
from cherrysim.turn import Valuation, solve

AFTER_RETURN = (
    Belief.of(Flowers.parse("P7 Y2 L2 D1 W1 B1"), 3).draw(Flowers.parse("PPP")).put_back(Flowers.parse("PP"))
)
HUGE = Rules(
    flowers=12,
    draws=5,
    alike=4,
    different=6,
    counts=Flowers(*[10**9] * 6),
    front_table=(0, -300_000, 123_456, 10**6),
)
ADVICE = {
    "mid game": lambda: ask(hand="PYY", seen="P9 Y8 L7 D10 W6 B2"),
    "no flowers yet": ask,
    "nothing but stop": lambda: ask(bag="P3", hand="PYYL", draws_used=3),
    "nothing but a draw": lambda: ask(bag="P1"),
    "one flower left to draw": lambda: ask(hand="PPYYLLD"),
    "two players": lambda: ask(hand="PY", seen="P5 Y5", rules=Rules.official(2)),
    "many possible bags": lambda: ask(AFTER_RETURN, hand="P"),
    "equal draws": lambda: ask(bag="P5", hand="YY"),
    "only blacks": lambda: ask(bag="B6"),
    "always fails": lambda: ask(bag="B6", hand="PP"),
    "negative points": lambda: ask(hand="PYLD", value="front"),
    "huge numbers": lambda: ask(hand="PPPY", value="front", rules=HUGE),
}
CURVES = {
    "one hand": ["PYY"],
    "hands of all sizes": ["", "B", "PY", "PYY", "PYL", "PPYYLL", "PYLD", "PPYYLLD"],
    "equal hands": ["PY", "YL", "PL", "DW", "PYYL"],
}
MAPS = {
    "full bag": (Rules(),),
    "uneven bag": (Rules(), "P5 Y3 L9 D1 W4 B2"),
    "points": (Rules(), None, "front"),
    "two players": (Rules.official(2),),
    "only blacks": (Rules(), "B6"),
    "one draw": (Rules(draws=1),),
    "other limits": (Rules(draws=4, flowers=9, different=6), "P5 Y3 L9 D1 W4 B2"),
}


def words_of(figure):
    """Every text of a figure that is drawn, with its box in pixels; a token's letter counts as a text."""
    figure.draw_without_rendering()
    unseen = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent()) for text in texts if text not in unseen]


def illegible(figure):
    """What hinders reading: texts outside the figure, texts that overlap."""
    words = words_of(figure)
    assert len(words) > 5
    page = figure.bbox
    outside = [
        name
        for name, box in words
        if box.x0 < page.x0 - 0.5
        or box.y0 < page.y0 - 0.5
        or box.x1 > page.x1 + 0.5
        or box.y1 > page.y1 + 0.5
    ]
    crossing = [
        (a, b)
        for (a, one), (b, other) in combinations(words, 2)
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
    ]
    return outside, crossing


def test_numbers_beside_points_stand_right_of_the_line_at_0():
    ends = {"a": (-9.0, -8.0), "b": (-1.0, 1.0), "c": (2.0, 3.0)}
    axes = points({name: Stated(sum(e) / 2, 0.1, e, "fixed") for name, e in ends.items()}, ("T", "d"), "x")
    axes.figure.draw_without_rendering()
    line = axes.transData.transform((0, 0))[0]
    assert all(text.get_window_extent().x0 > line for text in axes.texts)
    assert [text.xy[0] for text in axes.texts] == [0, 1, 3]


@pytest.mark.parametrize("name", ADVICE)
def test_stop_or_draw_shows_the_numbers_of_the_advice(name):
    advice = ADVICE[name]()
    above, below = stop_or_draw(advice)
    points = [line for line in above.lines if line.get_marker() in ("o", "s")]
    assert [(int(p.get_xdata()[0]), float(p.get_ydata()[0])) for p in points] == [
        (option.draw, float(option.value)) for option in advice.options
    ]
    assert [bar.get_height() for bar in below.patches] == [float(option.fail) for option in advice.options]
    stop = advice.best.value if advice.options[0].draw else advice.options[0].value
    assert set(above.lines[0].get_ydata()) == {float(stop)}
    filled = [option.draw for option, p in zip(advice.options, points, strict=True) if p.get_markersize() > 7]
    assert filled == [option.draw for option in advice.tied or (advice.best,)]
    assert illegible(above.figure) == ([], [])
    words = words_of(above.figure)
    for point in points:
        (x, y), reach = above.transData.transform(point.get_xydata()[0]), point.get_markersize() / 2
        for said, box in words:
            near = Bbox.from_extents(x - reach, y - reach, x + reach, y + reach)
            assert not box.overlaps(near), (said, point.get_xydata())


def test_what_cannot_be_read_is_noticed():
    figure = stop_or_draw(ask(hand="PYY"))[0].figure
    figure.text(0.5, 0.5, "first")
    figure.text(0.51, 0.51, "second")
    figure.text(0.98, 0.5, "too far right")
    outside, crossing = illegible(figure)
    assert outside == ["too far right"]
    assert ("first", "second") in crossing


def test_the_title_gives_the_verdict_in_words():
    titles = {name: stop_or_draw(make())[0].figure.get_label() for name, make in ADVICE.items()}
    assert titles["no flowers yet"] == "Draw 2: this draw cannot fail"
    assert titles["nothing but stop"] == "Stop: all 3 draws are used"
    assert titles["equal draws"] == "Draw 1 or 2 more: equal, take the one you like"
    assert titles["one flower left to draw"] == "Stop: drawing 1 gives up 3.85 flowers"
    assert titles["only blacks"] == "Draw 1 or 2: equal, take the one you like"
    assert "no flowers in hand" in [text for text, _ in words_of(stop_or_draw(ask())[0].figure)]


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("dark", [False, True])
def test_curves_show_the_chances_and_name_every_hand_once(name, dark):
    found = [odds(hand=hand) for hand in CURVES[name]]
    axes = failure_curves(found, dark=dark)
    different = list(dict.fromkeys(one.rows for one in found))
    assert [[float(y) for y in line.get_ydata()] for line in axes.lines] == [
        [float(chance) for chance in rows] for rows in different
    ]
    assert len({(line.get_marker(), line.get_linestyle()) for line in axes.lines}) == len(different)
    assert illegible(axes.figure) == ([], [])
    inside = axes.get_window_extent()
    for box in axes.findobj(AnnotationBbox):
        assert box.get_window_extent().y0 >= inside.y1 - 1  # never over the data


def test_hands_from_different_bags_are_told_apart_by_their_bags():
    found = [odds(hand="PYY", bag=bag) for bag in ("P15 Y13 L11 D8 W12 B4", "P4 Y3 L5 D1 W2 B4", "P3 Y5")]
    axes = failure_curves(found)
    assert illegible(axes.figure) == ([], [])
    assert {" bag of 63", " bag of 19", " bag of 8"} <= {text for text, _ in words_of(axes.figure)}


def test_too_many_or_no_curves_are_refused():
    hands = ["", "P", "B", "PY", "PP", "PYY", "PYL", "PPYY", "PYLD"]
    for some in (hands, []):
        with pytest.raises(Refused, match="one figure shows 1 to 8"):
            failure_curves([odds(hand=hand) for hand in some])


def test_collections_have_20_shapes_that_hold_all_238():
    found = shapes(Rules())
    assert len(found) == 20
    assert sum(map(len, found.values())) == 238
    assert len(found[1, 1, 0, 0, 0, 1]) == 10


@pytest.mark.parametrize("name", MAPS)
def test_the_map_is_legible(name):
    axes = action_map(*MAPS[name])
    assert illegible(axes.figure) == ([], [])


def test_every_cell_of_the_map_says_the_best_choice_of_its_collection():
    axes = action_map(Rules())
    cells = {(round(t.get_position()[0], 1), int(t.get_position()[1])): t.get_text() for t in axes.texts}
    assert cells[1.0, 0] == "3 draws left: draw 2, 3.71 flowers"
    for row, hand in enumerate(shapes(Rules())):
        for column, left in enumerate((2, 1)):
            if not row:
                continue
            said = cells[column + 0.5, row]
            if sum(hand) < 3 - left:
                assert said == "–"
                continue
            advice = ask(hand=Flowers(*hand), draws_used=3 - left)
            choice = f"draw {advice.best.draw}" if advice.best.draw else "stop"
            gain = advice.advantage
            assert said.split(",")[0] == choice
            if gain is not None and abs(gain) > 0.01:
                assert said.endswith(f"{'gains' if gain > 0 else 'loses'} {abs(float(gain)):.2f}")


def test_an_uneven_bag_gives_the_range_over_the_colours_of_a_shape():
    bag = Flowers.parse("P5 Y3 L9 D1 W4 B2")
    axes = action_map(Rules(), bag)
    row = list(shapes(Rules())).index((2, 1, 0, 0, 0, 0))
    (said,) = (t.get_text() for t in axes.texts if t.get_position() == (0.5, row + 0.5))
    hands = [Flowers(*hand) for hand in shapes(Rules())[2, 1, 0, 0, 0, 0] if Flowers(*hand) in bag]
    found = [ask(bag - hand, hand=hand) for hand in hands]
    gains = sorted(float(advice.advantage) for advice in found)
    assert {advice.best.draw for advice in found} == {1, 2}
    assert said == f"draw 1 or 2, gains {gains[0]:.2f} to {gains[-1]:.2f}"


def test_a_map_takes_a_valuation_and_refuses_what_it_cannot_show():
    valuation = Valuation.card(Rules(), "somei_yoshino")
    best = solve(position(Rules(), Flowers()), valuation).best()
    said = f"3 draws left: draw {best.draw}, {float(best.value):.2f} chance"
    assert said in [t.get_text() for t in action_map(Rules(), value=valuation).texts]
    with pytest.raises(Refused, match="the value 'win'"):
        action_map(Rules(), value="win")
    with pytest.raises(Refused, match="the bag is empty"):
        action_map(Rules(), "-")


def test_a_figure_draws_on_given_axes():
    figure = Figure(figsize=(10, 8), layout="constrained")
    grid = figure.subplots(2, 2)
    assert stop_or_draw(ask(hand="PYY"), grid[:, 0]) == tuple(grid[:, 0])
    assert failure_curves([odds(hand="PYY"), odds()], grid[0, 1]) is grid[0, 1]
    assert action_map(Rules(), axes=grid[1, 1]) is grid[1, 1]
    with pytest.raises(Refused, match="1 axes"):
        stop_or_draw(ask(hand="PYY"), grid[:1, 0])


def test_results_plot_themselves():
    assert ask(hand="PYY").plot()[0].figure.get_label().startswith("Draw 1 more")
    assert odds(hand="PYY").plot().lines[0].get_ydata()[0] == float(odds(hand="PYY").rows[0])


WRITE = """
from cherrysim.advice import ask
from cherrysim.plots import action_map, failure_curves, save, stop_or_draw
from cherrysim.rules import Rules
from cherrysim.sampled import odds
save(stop_or_draw(ask(hand="PYY"))[0], "a.svg")
save(failure_curves([odds(hand=hand) for hand in ("", "PY", "PPYY")]), "b.svg")
save(action_map(Rules(), "P5 Y3 L9 D1 W4 B2", dark=True), "c.svg")
"""


def test_an_svg_has_the_same_bytes_in_every_process(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(cherrysim.__file__).parents[1]))
    monkeypatch.setenv("PYTHONHASHSEED", "2")
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\n")
    program = f"import sys\n{WRITE}\nassert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], cwd=there, check=True, timeout=60)
    monkeypatch.chdir(here)
    exec(WRITE, {})
    for name in ("a.svg", "b.svg", "c.svg"):
        assert (there / name).read_bytes() == (here / name).read_bytes()
    data = (here / "a.svg").read_bytes()
    assert b"<title>Draw 1 more: +0.69 flowers over stopping" in data
    assert b"<text" not in data  # outlines, so that no font of the machine matters
    assert b"<dc:date>" not in data


def test_figures_leave_the_style_of_others_alone():
    before = dict(matplotlib.rcParams)
    stop_or_draw(ask(hand="PYY"))
    with pytest.raises(Refused):
        failure_curves([])
    assert dict(matplotlib.rcParams) == before


def test_a_png_has_the_size_of_its_figure(tmp_path):
    save(stop_or_draw(ask(hand="PYY"), dark=True)[0].figure, tmp_path / "dark.png")
    from matplotlib.image import imread

    pixels = imread(tmp_path / "dark.png")
    assert pixels.shape[:2] == (450, 600)
    assert numpy.median(pixels[..., :3]) < 0.2


@pytest.mark.parametrize("name", ["figure", "figure.pdf", "figure.svg.gz", ".svg"])
def test_only_svg_and_png_are_written(tmp_path, name):
    with pytest.raises(
        Refused, match=r"does not end in \.svg or \.png; figures are written as these; rename it"
    ):
        save(Figure(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_overwritten_only_by_force(tmp_path):
    file = tmp_path / "figure.SVG"
    file.write_text("mine")
    figure = stop_or_draw(ask(hand="PYY"))[0].figure
    with pytest.raises(Refused, match="exists; nothing is overwritten"):
        save(figure, file)
    assert file.read_text() == "mine"
    save(figure, file, force=True)
    assert file.read_text().startswith("<?xml")


def test_the_published_figures_are_those_their_code_makes(tmp_path, monkeypatch):
    reports = Path(__file__).parents[1] / "reports"
    (code,) = re.findall(r"```python\n(.*?)```", (reports / "figures.md").read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    made = sorted(tmp_path.iterdir())
    assert [file.name for file in made] == ["best-choices.svg", "failure-curves.svg"]
    for file in made:
        published = (reports / file.name).read_bytes()
        # letters of another release of matplotlib may stand a hair elsewhere
        wanted = f"matplotlib=={matplotlib.__version__}\n" in (reports.parent / "constraints.txt").read_text()
        assert file.read_bytes() == published if wanted else len(published) > 1000
