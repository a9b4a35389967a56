"""How strong `learned` is, as a report: who it beats, who cannot get in, what its value is worth, what it has
learned.

    python -m cherrysim.strength --out reports

Every number is measured anew from the shipped weights; `contests` plays, `checks` holds the value against
games, exact ends and long rollouts, `habits` says in a player's words what came of it.
"""
