"""`kernel`: how every function of this folder is compiled, and where the compiled code is kept.

numba's own disk cache does not see an edited helper in another file, follows whatever folder was set when
numba was first imported, raises when the folder cannot be written or a file is damaged, and can mix up two
processes that write at once. Here the folder's name is a digest of all that decides the compiled code, one
file holds one compiled signature and its checksum and is moved into place whole, and whatever goes wrong with
it costs a compilation.

The folder lies in CHERRYSIM_CACHE_DIR, else in XDG_CACHE_HOME/cherrysim, else in ~/.cache/cherrysim.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import time
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba.core import caching, config
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

_BLAS = "scipy.linalg.cython_blas"
UNUSED_DAYS = 30  # folders of other versions go when nobody has used them for so long

_said = set()
_announcing = False


def kernel(function):
    """The function compiled by numba on its first call, without the interpreter's lock and kept on disk.

    NUMBA_DISABLE_JIT=1 leaves it plain Python (integers wrap silently, as they do compiled),
    NUMBA_BOUNDSCHECK=1 compiles it with index checks. A function that closes over others' variables is
    compiled, but not kept.
    """
    if config.DISABLE_JIT:
        return _wrapping(function)
    dispatcher = numba.njit(nogil=True)(function)
    dispatcher._cache = KernelCache(function, None if function.__closure__ else FOLDER)
    return dispatcher


def announce():
    """From now on say on stderr when a compilation begins; for programs a person waits for."""
    global _announcing
    _announcing = True


def load_without_blas():
    """Load what numba needs for a first call, but not scipy, where it would look for linear algebra.

    Saves a fifth of the first answer. Only for programs that compile nothing but kernels: numba does not look
    for it a second time.
    """
    if _BLAS not in sys.modules:
        sys.modules[_BLAS] = None  # as if it were not installed
        try:
            cpu_target.target_context.refresh()
        finally:
            del sys.modules[_BLAS]


def _wrapping(function):
    @functools.wraps(function)
    def plain(*arguments):
        with np.errstate(over="ignore"):
            return function(*arguments)

    return plain


def _say_once(line):
    if line not in _said:
        _said.add(line)
        print(f"cherrysim: {line}", file=sys.stderr, flush=True)


class KernelCache(caching._Cache):
    """One function's compiled signatures on disk, in the shape numba's dispatchers ask for."""

    def __init__(self, function, folder):
        self._name = f"{Path(function.__code__.co_filename).stem}.{function.__name__}"
        self._folder = folder

    @property
    def cache_path(self):
        return self._folder and str(self._folder)

    def enable(self):
        self._folder = FOLDER

    def disable(self):
        self._folder = None

    def flush(self):
        for path in self._folder.glob(f"{self._name}-*.kernel") if self._folder else ():
            path.unlink(missing_ok=True)

    def load_overload(self, signature, target):
        """The compiled signature; None if there is none or its file is no longer what was written."""
        target.refresh()
        compiled = self._folder and self._read(self._path(signature, target.codegen()), target)
        if compiled is None and _announcing:
            _say_once(f"compiling, once; kept in {FOLDER}" if FOLDER else "compiling; not kept")
        return compiled

    def save_overload(self, signature, compiled):
        """Write the compiled signature, whole or not at all."""
        if self._folder is None or compiled.library.has_dynamic_globals:
            return
        try:
            content = dumps(compiled._reduce())
            _write(self._path(signature, compiled.codegen), hashlib.sha256(content).digest() + content)
        except OSError as error:
            self.disable()
            _say_once(
                f"compiled code is not kept: {error.strerror or error}; free space or set CHERRYSIM_CACHE_DIR"
            )

    def _path(self, signature, codegen):
        key = hashlib.sha256(repr((signature, codegen.magic_tuple())).encode()).hexdigest()
        return self._folder / f"{self._name}-{key[:32]}.kernel"

    def _read(self, path, target):
        try:
            content = path.read_bytes()
        except OSError:
            return None
        try:
            if hashlib.sha256(content[32:]).digest() != content[:32]:
                raise ValueError("damaged")
            return CompileResult._rebuild(target, *pickle.loads(content[32:]))
        except (
            Exception
        ):  # whatever a damaged file raises: it is deleted, and the caller compiles and writes it anew
            with contextlib.suppress(OSError):
                path.unlink()
            return None


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _digest():
    """Of everything that decides the compiled code but is not in numba's signature and processor."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag)
    switches = (
        config.BOUNDSCHECK,
        config.OPT,
        config.DEBUGINFO_DEFAULT,
        config.CPU_NAME,
        config.CPU_FEATURES,
    )
    digest = hashlib.sha256(repr((versions, switches)).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _root():
    """The folder of all versions; RuntimeError if the user has no home."""
    if chosen := os.environ.get("CHERRYSIM_CACHE_DIR"):
        return Path(chosen).absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "cherrysim"


def _folder():
    """This version's folder, proved writable; None, after a line on stderr, if there is no such place."""
    try:
        folder = _root() / f"kernels-{_digest()}"
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _prune(folder)
        os.utime(folder)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:
        _say_once(
            f"compiled code is not kept: {error}; set CHERRYSIM_CACHE_DIR to a folder that can be written"
        )
        return None
    return folder


def _prune(folder):
    """Delete the other versions' folders that nobody has used for UNUSED_DAYS."""
    for other in folder.parent.glob("kernels-*"):
        with contextlib.suppress(OSError):
            if other != folder and time.time() - other.stat().st_mtime > UNUSED_DAYS * 86400:
                shutil.rmtree(other, ignore_errors=True)


FOLDER = None if config.DISABLE_JIT else _folder()
