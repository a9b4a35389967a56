"""The machine floor: the rules once more, compiled by numba over plain arrays, for what is needed by the
million.

Nothing here imports anything of ours from outside this folder, checks arguments or keeps state between calls.
"""
