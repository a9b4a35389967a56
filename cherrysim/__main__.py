"""`python -m cherrysim` is the `cherrysim` command."""

import sys

from cherrysim.cli import main

if __name__ == "__main__":
    sys.exit(main())
