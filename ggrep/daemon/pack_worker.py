"""Packs segments: `python -m ggrep.daemon.pack_worker`.

The process reads a job as a JSON object from standard input, runs the job and ends. The process can
be killed at any moment: a pack gets its file name only when it is complete.
"""

import os
import sys
import time

_NICER = 10
_PATIENCE_MS = 1_000


def main() -> None:
    """Run the job from standard input."""
    os.nice(_NICER)
    from pathlib import Path

    from ggrep.base import stable_json
    from ggrep.base.clock import Deadline, SystemClock
    from ggrep.base.identifiers import IdSource
    from ggrep.base.ids import SegmentName
    from ggrep.base.locks import Patience
    from ggrep.base.stable_json import decode
    from ggrep.config.home import Home
    from ggrep.index.packs.pack_directory import Unpacked, make_packs

    job = stable_json.loads(sys.stdin.buffer.read())
    home, segments = decode(tuple[str, tuple[tuple[str, str, str], ...]], job, "job")
    clock = SystemClock()
    patience = Patience(Deadline.after(clock, _PATIENCE_MS), time.sleep, "others are packing")
    unpacked = [
        Unpacked(store_id, SegmentName(segment), digest) for store_id, segment, digest in segments
    ]
    make_packs(Home(Path(home)), unpacked, IdSource(clock), patience)


if __name__ == "__main__":
    main()
