"""Commands that stand in for parse workers: late, hanging, killed, broken ones."""

import sys

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
import sys
from ggrep.parse.workers import worker
work = worker.{work}
def spin(path, *rest, **named):
    while path.startswith("hangs"):
        pass
    return work(path, *rest, **named)
worker.{work} = spin
worker.main()
"""
SPINNING: Command = (sys.executable, "-c", _SPIN.format(work="chunk_file"))
"""A real worker, whose parser hangs over files called `hangs...`."""
SPINNING_READER: Command = (sys.executable, "-c", _SPIN.format(work="mentions"))
"""The same of those that look for names."""

_SLOW = "import time; time.sleep(0.5); from ggrep.parse.workers.worker import main; main()"
SLOW_START: Command = (sys.executable, "-c", _SLOW)
