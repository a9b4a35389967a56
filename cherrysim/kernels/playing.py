"""Turns of policies that value tables, by the policy's kind: `learned:fast` by margins, the others by
`worth`."""

from cherrysim.kernels.acting import carry_on as carry_on_valued
from cherrysim.kernels.acting import hide_valued, keep_valued, show_valued, solve_valued
from cherrysim.kernels.fastshow import carry_on_fast, hide_fast, show_fast
from cherrysim.kernels.fastturn import keep_fast, open_fast
from cherrysim.kernels.layout import FAST
from cherrysim.kernels.once import kernel


@kernel
def solve_ahead(table, seat, rules, policies, solver):
    """Before the first draw: solve the turn, or only that draw."""
    if policies[seat, 0] == FAST:
        open_fast(table, seat, rules, solver.fast, solver.sizes)
    else:
        solve_valued(table, seat, rules, policies, solver)


@kernel
def keep(table, seat, rules, policies, solver, log):
    """End a failed turn with the two flowers that are worth most."""
    if policies[seat, 0] == FAST:
        keep_fast(table, seat, rules, solver.fast, log)
    else:
        keep_valued(table, seat, rules, policies, solver, log)


@kernel
def show(table, seat, rules, policies, solver, keys, rows, log):
    """The display of a success, cards and all, that is worth most."""
    if policies[seat, 0] == FAST:
        show_fast(table, seat, rules, solver.fast, keys, rows, log)
    else:
        show_valued(table, seat, rules, policies, solver, keys, rows, log)


@kernel
def carry_on(table, seat, pattern, rules, policies, solver, keys, rows, log):
    """A card that draws, then the rest of the display as is best with what it brings."""
    if policies[seat, 0] == FAST:
        carry_on_fast(table, seat, pattern, rules, solver.fast, keys, rows, log)
    else:
        carry_on_valued(table, seat, pattern, rules, policies, solver, keys, rows, log)


@kernel
def hide(table, seat, rules, policies, solver, log):
    """The display when all that is left to choose is what to hide."""
    if policies[seat, 0] == FAST:
        hide_fast(table, seat, rules, solver.fast, log)
    else:
        hide_valued(table, seat, rules, policies, solver, log)
