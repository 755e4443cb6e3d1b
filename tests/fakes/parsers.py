"""Commands that stand in for parse workers: late, hanging, killed, broken ones."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from ggrep.parse.languages.chunk_limits import Allowance
from ggrep.parse.workers.parse_pool import Terms

Command = tuple[str, ...]

SHORT = Terms(allowance=Allowance(base_ms=100), patience_ms=20)
"""Little patience, so that whoever is late is put off at once."""
LATE: Command = ("/bin/sh", "-c", "printf '\\000\\000\\000\\000'; exec sleep 1000")
"""Starts and then gets nothing done, as on a machine where others take all: it burns no time."""
DEAF: Command = ("/bin/sleep", "1000")
"""Never starts."""
ABSENT: Command = ("/nonexistent/worker",)
"""Cannot be started."""
KILLED: Command = ("/bin/sh", "-c", "printf '\\000\\000\\000\\000'; kill -9 $$")
"""Starts and is killed from outside, as by a machine short of memory."""
BROKEN: Command = ("/bin/sh", "-c", "printf '\\000\\000\\000\\000'; exit 1")
"""Starts and ends by itself."""

_SPIN = """
import os, sys
from {package} import {module} as worker
work = worker.{work}
def spin(path, *rest, **named):
    while path.startswith("hangs"):
        pass
    if path.startswith("crashes"):
        os._exit(1)
    return work(path, *rest, **named)
worker.{work} = spin
worker.main()
"""


def _spinning(package: str, module: str, work: str) -> Command:
    return sys.executable, "-c", _SPIN.format(package=package, module=module, work=work)


SPINNING: Command = _spinning("ggrep.parse.workers", "worker", "chunk_file")
"""A real worker, whose parser hangs over files called `hangs...` and crashes over `crashes...`."""
SPINNING_READER: Command = _spinning("ggrep.parse.workers", "worker", "mentions")
"""The same of those that look for names."""
SPINNING_INDEXER: Command = _spinning("ggrep.index.sync", "index_worker", "chunk_file")
"""The same of those that index."""

_SLOW = "import time; time.sleep(0.5); from ggrep.parse.workers.worker import main; main()"
SLOW_START: Command = (sys.executable, "-c", _SLOW)


def children() -> set[str]:
    """Return the processes that any thread of this one has started and not reaped."""
    results: set[str] = set()
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        # A thread may end between being listed and being read.
        with suppress(FileNotFoundError):
            results |= set((task / "children").read_text().split())
    return results
