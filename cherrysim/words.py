"""Words: results as text for a terminal of 80 columns, in plain ASCII, the verdict first.

Chances are said twice, "1 in 4 (23.7 %)": the first to act on, the second to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from cherrysim.flowers import COLOURS, LETTERS, Flowers, listed, number_of
from cherrysim.hands import why_failed
from cherrysim.rules import CARDS

if TYPE_CHECKING:
    from cherrysim.advice import Advice
    from cherrysim.chances import DrawOdds, PlanOdds, Position
    from cherrysim.explain import Explanation
    from cherrysim.sampled import SampledOdds
    from cherrysim.turn import Option

WIDTH = 79
LITTLE = Fraction(1, 50)
"""Giving up no more than this is about equal: one flower or point in fifty turns."""
_LONGEST_FRACTION = 30
_NO_BREAK = "\N{NO-BREAK SPACE}"
_PATTERNS = {"two_pairs": "two pairs", "four_colours": "four colours", "six_flowers": "six flowers"}


def percent(chance: Fraction, digits: int = 1) -> str:
    """A chance in percent, with more digits where it would look impossible or certain and is not.

    >>> percent(Fraction(22, 93)), percent(Fraction(1, 3000), 0), percent(Fraction(1))
    ('23.7 %', '0.03 %', '100 %')
    """
    if chance in (0, 1):
        return f"{chance * 100} %"
    for places in range(digits, 5):
        text = f"{float(100 * chance):.{places}f}"
        if 0 < float(text) < 100:
            return f"{text} %"
    return "under 0.0001 %" if chance < Fraction(1, 2) else "over 99.9999 %"


def one_in(chance: Fraction) -> str:
    """A chance as a few whole numbers: the simplest within 2 %, exact enough to act on.

    >>> [one_in(Fraction(n, 100)) for n in (0, 3, 24, 40, 76, 95, 100)]
    ['never', '1 in 33', '1 in 4', '2 in 5', '3 in 4', '19 in 20', 'always']
    """
    if chance in (0, 1):
        return "always" if chance else "never"
    if min(chance, 1 - chance) < Fraction(19, 200):
        n = round(1 / min(chance, 1 - chance))
        return f"1 in {n:,}" if 2 * chance < 1 else f"{n - 1:,} in {n:,}"
    simple = [Fraction(round(chance * n), n) for n in range(2, 11)]
    near = [f for f in simple if abs(f - chance) <= Fraction(1, 50)] or [
        min(simple, key=lambda f: abs(f - chance))
    ]
    return f"{near[0].numerator} in {near[0].denominator}"


def risk(chance: Fraction) -> str:
    """A chance both ways: `1 in 4 (23.7 %)`, `never`, `always`."""
    return one_in(chance) if chance in (0, 1) else f"{one_in(chance)} ({percent(chance)})"


def plan_odds(odds: PlanOdds) -> str:
    """The text of `cherrysim odds --plan`."""
    exact = f"Exact: {_fraction(odds.fail)}." if _fraction(odds.fail) else "Exact."
    return page(f"{_drawing(odds.plan)} {fails(odds.fail)}", *_draws(odds), exact)


def sampled_odds(odds: SampledOdds) -> str:
    """The text of `cherrysim odds --plan --method mc`."""
    failed, samples = sum(odds.failed), odds.samples
    low, high = (percent(Fraction(end), 2) for end in odds.interval)
    never = {0: "did not fail once", samples: "always failed"}.get(failed)
    stopped = " before it was interrupted" if odds.stopped else ""
    return page(
        f"{_drawing(odds.plan)} {never or fails(Fraction(failed, samples))} in {samples:,} simulations",
        *_draws(odds),
        f"Simulated, not exact: {samples:,} samples with seed {odds.seed}{stopped}. With 95 % confidence it "
        f"fails {low} to {high} of the time. Every sample starts from this position, draws as planned and "
        "ends with the plan or when it fails.",
    )


def _drawing(plan: Sequence[int]) -> str:
    return f"Drawing {', then '.join(map(str, plan))}"


def _draws(odds: PlanOdds | SampledOdds) -> tuple[str, str, str]:
    """Where a plan starts, a row for each of its draws, and whether the bag cuts it short."""
    rows = [("draw", "takes", "gets there", "fails at it", "", "fails once there", "")]
    for n, stage in enumerate(odds.stages, 1):
        there = ("-", "") if stage.fail_if_reached is None else _both(stage.fail_if_reached)
        rows.append((str(n), str(stage.draw), percent(stage.reach), *_both(stage.fail_at), *there))
    taken, planned = sum(stage.draw for stage in odds.stages), sum(odds.plan)
    ends = f"The bag ends the plan after {taken} of its {planned} flowers." if taken < planned else ""
    return _position(odds.at, changed=True), in_columns(rows, "<>>>>>>"), ends


def draw_odds(odds: DrawOdds) -> str:
    """The text of `cherrysim odds` without a plan."""
    rows = [("draw", "fails", "", "exactly")]
    rows += [(str(n), *_both(fail), _fraction(fail)) for n, fail in enumerate(odds.rows, 1)]
    more = " more" if odds.at.hand.total else ""
    return page(
        f"How often a draw fails, by how many{more} it takes",
        _position(odds.at, changed=True),
        in_columns(rows, "<>><"),
        "In several draws these flowers fail as often, but you may stop in between."
        if odds.at.draws_left > 1
        else "",
    )


def advice(advice: Advice) -> str:
    """The text of `cherrysim ask`."""
    return page(
        _verdict(advice),
        " ".join(_reasons(advice)),
        _position(advice.at, front=advice.value == "front"),
        in_columns(_choices(advice), "<>>><"),
        "Exact, not simulated. " + " ".join(f"{said[0].upper()}{said[1:]}." for said in advice.assumptions),
    )


def then(advice: Advice, option: Option) -> str:
    """What follows a draw, with its chances: `stop 58 %, draw 1 more 18 %, fails 24 %`."""
    return ", ".join(
        _followed(advice, option) + ([f"fails {percent(option.fail, 0)}"] if option.fail else [])
    )


def explanation(explained: Explanation) -> str:
    """The text of `cherrysim explain`."""
    hand, rules = explained.hand, explained.rules
    if explained.failed:
        why = why_failed(hand.counts, rules)
        return page(
            f"{hand} has failed: {why}{', black taking any colour' if hand.black else ''}",
            in_columns(
                [("keep", _kept(explained.keep)), ("hide", "nothing"), ("cards", "none after a failure")],
                "<<",
            ),
        )
    return page(
        f"{hand} is safe" if hand.total else "No flowers: safe", in_columns(_allowed(explained), "<<")
    )


def _kept(allowed: Sequence[Flowers]) -> str:
    if not allowed[0].total:
        return "nothing, as only blacks were collected; they go back"
    said = listed([kept.letters for kept in allowed], "or")
    return f"{said} in front; everything else goes back"


def _allowed(explained: Explanation) -> list[tuple[str, ...]]:
    hand, rules = explained.hand, explained.rules
    *colours, blacks = hand.counts
    different = min(sum(map(bool, colours)) + blacks, len(colours))
    included = ", black included" if blacks else ""
    hidden = [f"all {_name(letter)}" for letter in explained.hide]
    cards = [f"{CARDS[name].title} ({_PATTERNS[CARDS[name].pattern]})" for name in explained.cards]
    room = f"at most {explained.room} more this turn" if explained.room else "no more this turn"
    rows = [("size", f"{number_of(hand.total, 'flower')}; {room}")]
    rows.append(("most alike", f"{max(colours) + blacks}{included}; {rules.alike} fail"))
    if rules.different <= len(colours):
        rows.append(("different", f"{different}{included}; {rules.different} fail"))
    if explained.room:
        unsafe = [_name(letter) for letter in explained.next_fails]
        rows.append(("next flower", f"fails with {listed(unsafe, 'or')}" if unsafe else "cannot fail"))
    return [
        *rows,
        ("hide", listed([*hidden, "nothing"], "or")),
        ("cards", listed(cards, "or") if cards else "none"),
    ]


def _verdict(advice: Advice) -> str:
    if not advice.tied:
        return capital(_action(advice, advice.best))
    more = " more" if advice.at.hand.total else ""
    return f"{capital(choices([option.draw for option in advice.tied]))}{more}: equal, take the one you like"


def choices(draws: Sequence[int], stop: str = "stop", draw: str = "draw") -> str:
    """Choices (0: stop) in words.

    >>> choices([0]), choices([0, 1, 2]), choices([1, 2, 3])
    ('stop', 'stop, draw 1 or 2', 'draw 1, 2 or 3')
    """
    said = [str(n) if n else stop for n in draws]
    first = next((i for i, n in enumerate(draws) if n), None)
    if first is not None:
        said[first] = f"{draw} {said[first]}"
    return listed(said, "or")


def _reasons(advice: Advice) -> list[str]:
    """Why the best choice is the best, in sentences."""
    best, unit = advice.best, advice.unit
    draws = [option for option in advice.options if option.draw]
    if not draws:
        return [f"{capital(why_no_draw(advice.at))}. Worth {_worth(best.value)} {unit}."]
    if not best.draw:
        nearest = max(draws, key=lambda option: option.value)
        even = advice.break_even(nearest)
        pays = f"; it would pay below {risk(even)}" if even else ""
        cost = "" if nearest in advice.tied else f" and gives up {_gives_up(advice, nearest)} {unit}"
        said = [f"Drawing {nearest.draw} more {fails(nearest.fail)}{cost}{pays}."]
    else:
        more = f", {_worth(advice.advantage)} more than stopping" if advice.advantage else ""
        said = [f"It {fails(best.fail)} and is worth {_worth(best.value)} {unit} on average{more}."]
        even = advice.break_even(best)
        if even:
            said.append(f"Drawing {best.draw} pays as long as it fails less than {risk(even)}.")
    return said + _near(advice)


def _near(advice: Advice) -> list[str]:
    """A word on the choices that give up next to nothing."""
    gaps = {option: advice.best.value - option.value for option in advice.options}
    near = [
        option for option, gap in gaps.items() if gap <= LITTLE and option not in (advice.best, *advice.tied)
    ]
    if not near:
        return []
    who = choices([option.draw for option in near], "stopping", "drawing")
    most = small(max(gaps[option] for option in near))
    return [f"{capital(who)} gives up only {most} {advice.unit}: about equal, take the one you like."]


def _choices(advice: Advice) -> list[tuple[str, ...]]:
    """Every choice, the best first."""
    rows: list[tuple[str, ...]] = [("choice", "worth", "gives up", "fails at once", "then")]
    for option in sorted(advice.options, key=lambda option: -option.value):
        often, share = _both(option.fail) if option.draw else ("-", "")
        rows.append(
            (
                f"draw {option.draw}" if option.draw else "stop",
                _worth(option.value),
                _gives_up(advice, option),
                f"{often} {share:>7}",
                ", ".join(item.replace(" ", _NO_BREAK) for item in _followed(advice, option)),
            )
        )
    return rows


def _followed(advice: Advice, option: Option) -> list[str]:
    if not option.draw:
        return []
    chances = advice.then(option).items()
    return [f"{f'draw {n} more' if n else 'stop'} {percent(chance, 0)}" for n, chance in chances]


def _action(advice: Advice, option: Option) -> str:
    if not option.draw:
        return "stop"
    return f"draw {option.draw} more" if advice.at.hand.total else f"draw {option.draw}"


def fails(chance: Fraction) -> str:
    """How often something fails: `cannot fail`, `fails 1 in 4 (23.7 %)`."""
    if chance in (0, 1):
        return "always fails" if chance else "cannot fail"
    return f"fails {risk(chance)}"


def _gives_up(advice: Advice, option: Option) -> str:
    if option == advice.best:
        return "best"
    return "equal" if option in advice.tied else small(advice.best.value - option.value)


def why_no_draw(at: Position) -> str:
    """Why no draw is allowed, in words."""
    if not at.draws_left:
        used = "the only draw is" if at.rules.draws == 1 else f"all {at.rules.draws} draws are"
        return f"{used} used"
    if not at.belief.size:
        return "the bag is empty"
    return f"a turn allows {number_of(at.rules.flowers, 'flower')}"


def _position(at: Position, front: bool = False, changed: bool = False) -> str:
    """The position answered for, so that a slip in entering it is seen."""
    changes = f"rules changed: {at.rules.changes}" if changed and at.rules.changes else ""
    rows = [
        ("game", f"{at.rules.players} players", changes),
        ("hand", str(at.hand), _used(at)),
        ("bag", *_bag(at)),
    ]
    if front:
        rows.append(("front", str(at.front), number_of(at.front.total, "flower")))
    if max(len(flowers) for _, flowers, _ in rows) > WIDTH // 2:
        return in_columns([(name, ": ".join(filter(None, said))) for name, *said in rows], "<<")
    return in_columns(rows, "<<<")


def _used(at: Position) -> str:
    allowed = number_of(at.rules.draws, "draw")
    return f"{number_of(at.hand.total, 'flower')}, {at.draws_used} of {allowed} used"


def _bag(at: Position) -> tuple[str, str]:
    size = number_of(at.belief.size, "flower")
    hidden = at.belief.hidden
    if hidden and len(at.belief.pools) == 1:
        return str(at.bag), f"{size}; {hidden} of those listed {'is' if hidden == 1 else 'are'} not in it"
    if at.belief.known:
        return str(at.bag), size
    expected = zip(LETTERS, at.belief.expected(), strict=True)
    return " ".join(
        f"{k}{float(n):.1f}" for k, n in expected if n
    ), f"{size}, the mean of {at.belief.possible} possible bags"


def _both(chance: Fraction) -> tuple[str, str]:
    return (one_in(chance), "" if chance in (0, 1) else percent(chance))


def _fraction(chance: Fraction) -> str:
    text = str(chance)
    return text if len(text) <= _LONGEST_FRACTION else ""


def _worth(value: Fraction) -> str:
    return f"{float(value):.3f}"


def small(gap: Fraction) -> str:
    """A small number with three digits."""
    return f"{float(gap):.3f}" if gap >= Fraction(1, 100) else f"{float(gap):.2g}"


def _name(letter: str) -> str:
    return COLOURS[LETTERS.index(letter)].replace("_", " ")


def capital(text: str) -> str:
    """A text that opens with a capital letter."""
    return text[:1].upper() + text[1:]


def page(*blocks: str) -> str:
    """Paragraphs and tables, one empty line between them."""
    return "\n\n".join(
        block if "\n" in block else "\n".join(wrapped(block, WIDTH)) for block in blocks if block
    )


def in_columns(rows: Sequence[tuple[str, ...]], sides: str) -> str:
    """Rows in columns, each to the side its sign in `sides` points to; the last column is wrapped.

    Where the others leave the first too little room, what is longer stands on a line of its own.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    widths[0] = max(1, min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths[1:])))
    before = sum(widths) + 2 * len(widths)
    lines = []
    for *cells, last in rows:
        if len(cells[0]) > widths[0]:
            lines.append(cells[0])
            cells[0] = ""
        start = "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(cells, sides, widths, strict=False)
        )
        first, *more = wrapped(last, WIDTH - before) or [""]
        lines += [f"{start}  {first}", *(" " * before + line for line in more)]
    return "\n".join(line.rstrip() for line in lines)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width`, none of which breaks between a number and its percent sign."""
    lines: list[str] = []
    for word in text.replace(" %", f"{_NO_BREAK}%").split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [line.replace(_NO_BREAK, " ") for line in lines]
