"""Every run starts from a fresh cache of compiled kernels, draws without a screen and repeats the same examples."""

import os
import tempfile

from hypothesis import settings

# Set before any test module is imported: the kernels read the folder's name at import.
_kernel_cache = tempfile.TemporaryDirectory(prefix="cherrysim-tests-")
os.environ["CHERRYSIM_CACHE_DIR"] = _kernel_cache.name
os.environ["MPLBACKEND"] = "Agg"

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_unconfigure() -> None:
    _kernel_cache.cleanup()
