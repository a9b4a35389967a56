"""Every run has a fresh cache of compiled kernels, draws without a screen and repeats the same examples."""

import gc
import os
import signal
import tempfile

from hypothesis import settings

# Here, not in a fixture: test modules import the kernels before any fixture runs. Processes that run tests
# side by side share the cache of the one that started them.
_kernel_cache = None
if "PYTEST_XDIST_WORKER" not in os.environ:
    _kernel_cache = tempfile.TemporaryDirectory(prefix="cherrysim-tests-")
    os.environ["CHERRYSIM_CACHE_DIR"] = _kernel_cache.name
os.environ["MPLBACKEND"] = "Agg"

# A run in the background may be told to ignore Ctrl-C; what the tests start and interrupt must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling makes millions of objects, nearly all of which stay: fewer looks for garbage save a tenth of it.
gc.set_threshold(100_000, 20, 100)

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_unconfigure() -> None:
    if _kernel_cache:
        _kernel_cache.cleanup()
