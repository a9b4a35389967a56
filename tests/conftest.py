"""Every run has a fresh cache of compiled kernels, draws without a screen and repeats the same examples."""

import os
import tempfile

from hypothesis import settings

# Here, not in a fixture: test modules import the kernels before any fixture runs.
_kernel_cache = tempfile.TemporaryDirectory(prefix="cherrysim-tests-")
os.environ["CHERRYSIM_CACHE_DIR"] = _kernel_cache.name
os.environ["MPLBACKEND"] = "Agg"

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_unconfigure() -> None:
    _kernel_cache.cleanup()
