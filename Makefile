# Every target sets up .venv first, by itself and only when needed: Python 3.11 or newer with pip is all it asks for.
# PYTHON=python3.12 picks the interpreter. Where uv is installed it does the set-up, faster; UV= leaves it out.

PYTHON ?= python3
UV ?= uv

.PHONY: help setup ask bench test test-slow check clean

help:
	@echo "make ask        should I draw again? a real bag, its answer and out/ask.svg"
	@echo "make bench      how fast cherrysim is on this machine"
	@echo "make test       the tests"
	@echo "make test-slow  the long tests that make test leaves out"
	@echo "make check      lint, format and types"
	@echo "make clean      removes .venv, out and caches"

ask: setup
	@mkdir -p out
	.venv/bin/cherrysim ask --players 4 --seen "P9 Y8 L7 D10 W6 B2" --hand PYY --draws-used 1 --plot out/ask.svg --force

bench: setup
	.venv/bin/cherrysim bench --quick

test: setup
	.venv/bin/python -m pytest -n 2 --dist loadfile

test-slow: setup
	.venv/bin/python -m pytest -m slow

check: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

clean:
	rm -rf .venv out build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# .venv/ready is written last and holds what the set-up depends on. Without it, in a folder that was moved, or for
# another Python than the one asked for by name, .venv is built from nothing; a failed update leaves a sound one in use.
wanted = { pwd -P; cat pyproject.toml constraints.txt; }
version = import sys; print(sys.version)
asked = $(if $(filter file,$(origin PYTHON)),.venv/bin/python,$(PYTHON))
install = install -c constraints.txt -e '.[test,dev]'

setup:
	@set -e; sound=false; \
	if found=$$(.venv/bin/python -c '$(version)' 2>/dev/null) && test -x .venv/bin/cherrysim && \
	   test "$$found" = "$$($(asked) -c '$(version)' 2>/dev/null)" && \
	   test "$$(head -n 1 .venv/ready 2>/dev/null)" = "$$(pwd -P)"; then sound=true; fi; \
	if $$sound && $(wanted) | cmp -s - .venv/ready; then exit 0; fi; \
	version=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))' \
	    2>/dev/null) || { echo "cherrysim needs Python 3.11 or newer; $(PYTHON) is $${version:-missing};" \
	    "name another: make test PYTHON=python3.12" >&2; exit 1; }; \
	if $$sound; then mv .venv/ready .venv/last; else rm -rf .venv; hash -r; fi; \
	if $(UV) --version >/dev/null 2>&1 && echo "Setting up .venv with Python $$version and uv" && \
	   { $$sound || $(UV) venv -q --no-project --python $(PYTHON) .venv; } && \
	   $(UV) pip $(install) -q --python .venv/bin/python; then :; else \
	    echo "Setting up .venv with Python $$version and pip, about a minute"; \
	    $$sound || { $(PYTHON) -m venv --clear .venv || $(PYTHON) -m venv --clear --without-pip .venv; } >/dev/null; \
	    if .venv/bin/python -m pip --version >/dev/null 2>&1; then pip=".venv/bin/python -m pip"; \
	    else pip="$(PYTHON) -m pip --python .venv/bin/python"; fi; \
	    $$pip --disable-pip-version-check --no-input -qq $(install) || \
	        { if $$sound; then mv .venv/last .venv/ready; fi; exit 1; }; \
	fi; \
	$(wanted) > .venv/ready; rm -f .venv/last; \
	echo "Ready"
