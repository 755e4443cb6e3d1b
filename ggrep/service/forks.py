"""Tells whether LanceDB can work in this process: it does not survive a fork.

Its threads are not there in the child, which would wait for them for ever.
"""

import os
import sys

from ggrep.base.errors import Forked

_BEFORE_FORK: list[bool] = []
"""Of this process: whether LanceDB was loaded in the one that it was forked from."""


def _note_fork() -> None:
    _BEFORE_FORK.append("lancedb" in sys.modules)


os.register_at_fork(after_in_child=_note_fork)


def require_working_database() -> None:
    """Raise unless an index can be read in this process.

    Raises:
        Forked: LanceDB was at work in the process that this one was forked from.
    """
    if any(_BEFORE_FORK):
        raise Forked(
            "this process was forked from one that reads indexes and cannot read an index itself;"
            " use a daemon, or start processes with spawn"
        )
