"""A sync in a process of its own, and what it took: `python -m tests.hostile.measured ROOT HOME`.

Prints one JSON document: how the sync ended, the longest that one file took to be cut, and the
most memory that this process and its largest child ever held.
"""

import resource
import sys
import time
from pathlib import Path

from ggrep import stable_json
from ggrep.chunking.pool import ParsePool
from ggrep.domain.chunk import ChunkedFile
from ggrep.domain.source import FileText
from ggrep.engine.engine import Engine
from ggrep.errors import GgrepError
from ggrep.home import Home

SECONDS: dict[str, float] = {}
PROBLEMS: dict[str, str | None] = {}


class TimedPool(ParsePool):
    """Notes how long each file took."""

    def _chunk(self, file: FileText) -> ChunkedFile | None:
        began = time.monotonic()
        chunked = super()._chunk(file)
        SECONDS[file.path_key] = round(time.monotonic() - began, 3)
        PROBLEMS[file.path_key] = chunked.problem if chunked else "put off"
        return chunked


def main(root: str, home: str, timeout_ms: str) -> None:
    """Sync once and print what happened; an error that is none of ours ends in a traceback."""
    from ggrep.sync import syncer

    syncer.ParsePool = TimedPool  # type: ignore[misc] # the only seam there is
    flags = {"parse_workers": 2, "parse_timeout_ms": int(timeout_ms)}
    began = time.monotonic()
    skipped: dict[str, str] = {}
    try:
        report = Engine(Path(root), Home(Path(home)), flags=flags).sync(allow_degraded=True)
    except GgrepError as error:
        ended = type(error).__name__
    else:
        ended = "published" if report.published else "nothing"
        skipped = {skip.path_key: skip.reason for skip in report.skipped}
    document = {
        "ended": ended,
        "seconds": round(time.monotonic() - began, 2),
        "parses": SECONDS,
        "problems": {key: problem for key, problem in PROBLEMS.items() if problem},
        "skipped": skipped,
        "own_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "child_bytes": 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
    }
    sys.stdout.buffer.write(stable_json.dumps(document))


if __name__ == "__main__":
    main(*sys.argv[1:])
