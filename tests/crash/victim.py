"""Sync a tree and be killed by the kernel before the given durable step."""

import os
import signal
import sys
from pathlib import Path

from tests.crash.faults import Death, recorded
from tests.fakes.repos import InProcessPool, open_engine


def main(root: str, home: str, step: str) -> None:
    """Never return, unless there are fewer steps than that."""
    from ggrep.sync import syncer

    syncer.ParsePool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    with recorded(die_at=int(step)):
        try:
            open_engine(Path(root), Path(home), max_segments=2).sync()
        except Death:
            print("unwinding")  # noqa: T201 - must never be reached


def kill(self: Death, *_: object) -> None:
    """Die where the exception would have been raised: not even `finally` runs."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    Death.__init__ = kill  # type: ignore[method-assign] # no unwinding
    main(*sys.argv[1:])
