"""Publish edit after edit and say in the system-call trace how far that is."""

import os
import sys
from contextlib import suppress
from pathlib import Path


def main(root: str, home: str) -> None:
    """Mark the begin of each publish and its acknowledgement."""
    from ggrep.index.store import verify
    from ggrep.index.store.lean_import import leave_out_remote_client
    from ggrep.index.sync import syncer
    from tests.crash.power_trace import ACKNOWLEDGED, BEGINS
    from tests.crash.power_trial import ASK, EDITS, by_name_and_size, engine_over
    from tests.fakes.repos import InProcessPool, answer, write_tree

    leave_out_remote_client()
    syncer.IndexPool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    verify._signature = by_name_and_size
    for edit in EDITS:
        write_tree(Path(root), edit)
        mark(BEGINS)
        engine_over(Path(root), Path(home)).sync()
        mark(ACKNOWLEDGED)
        answer(engine_over(Path(root), Path(home)), ASK)


def mark(name: str) -> None:
    with suppress(FileNotFoundError):
        os.open(name, os.O_RDONLY)


if __name__ == "__main__":
    main(*sys.argv[1:])
