"""`python -m ggrep` is the `ggrep` command."""

import sys

from ggrep.entry import main

if __name__ == "__main__":
    sys.exit(main())
