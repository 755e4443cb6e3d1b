"""`python -m ggrep` is the `ggrep` command."""

import os
import sys


def _leave_the_current_directory() -> None:
    """Import modules from the installation, never from the current directory.

    `-m` puts the current directory first in `sys.path`, so a file there could replace a module.
    """
    try:
        here = os.path.realpath(os.curdir)
    except FileNotFoundError:  # it was deleted, and nothing lies in it
        sys.path[:] = [path for path in sys.path if path.startswith("/")]
        return
    sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != here]


if __name__ == "__main__":
    _leave_the_current_directory()
    from ggrep.interfaces.entry import console

    sys.exit(console())
