"""A sync in a process of its own, and what it took: `measured ROOT HOME CPU_MS`.

`CPU_MS` is the processor time that one file may take. Prints one JSON document: how the sync ended,
which files were not cut as their language wants, the processor time of the processes that parse,
and the most memory that this process and its largest child ever held.
"""

import resource
import sys
from functools import partial
from pathlib import Path

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.parse.languages.chunk_limits import Allowance
from ggrep.parse.workers.parse_pool import Terms
from ggrep.search.engine.engine import Engine


def main(root: str, home: str, cpu_ms: str) -> None:
    """Sync once and print what happened; an error that is none of ours ends in a traceback."""
    from ggrep.index.sync import syncer

    allowance = Allowance(int(cpu_ms), mib_ms=0)
    syncer.Terms = partial(Terms, allowance)  # type: ignore[misc] # the only seam there is
    skipped: dict[str, str] = {}
    problems: dict[str, str] = {}
    try:
        engine = Engine(Path(root), Home(Path(home)), flags={"parse_workers": 2})
        report = engine.sync()
    except GgrepError as error:
        ended = type(error).__name__
    else:
        ended = "published" if report.published else "nothing"
        skipped = {skip.path_key: skip.reason for skip in report.skipped}
        problems = {problem.path_key: problem.message for problem in report.degraded}
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    document = {
        "ended": ended,
        "problems": problems,
        "skipped": skipped,
        "own_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "child_bytes": 1024 * children.ru_maxrss,
        "child_cpu_s": round(children.ru_utime + children.ru_stime, 2),
    }
    sys.stdout.buffer.write(stable_json.dumps(document))


if __name__ == "__main__":
    main(*sys.argv[1:])
