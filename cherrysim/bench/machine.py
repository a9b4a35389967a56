"""What a measurement was made on: processor, system and versions, and nothing that names the machine."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import cherrysim
from cherrysim.blocks import cores

LIBRARIES = ("numpy", "numba", "llvmlite", "scipy", "icepool")


def machine() -> dict[str, str]:
    """Processor, system and the versions of everything that decides how fast it is; no host name."""
    found = {
        "processor": processor(),
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.machine()}",
    }
    found["python"] = platform.python_version()
    found["cherrysim"] = cherrysim.__version__
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def processor() -> str:
    """The processor's family as the maker and the compiler name it."""
    from llvmlite import binding

    try:
        told = re.search("^model name[\\s:]+(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        told = None
    maker = told[1] if told else platform.processor() or platform.machine()
    wide = next((name for name in ("avx512bw", "avx2", "sse2", "neon") if _has(name)), "")
    return " ".join(f"{maker}, {binding.get_host_cpu_name()}, {wide}".strip(", ").split())


def _has(feature: str) -> bool:
    from llvmlite import binding

    return bool(binding.get_host_cpu_features().get(feature))
