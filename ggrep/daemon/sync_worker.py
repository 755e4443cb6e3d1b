"""The sync process: `python -m ggrep.daemon.sync_worker`, one JSON object a line each way.

It may be killed at any moment: the active snapshot stays. It ends, with all its children, at the
end of its standard input, and after some time without a job.
"""

import os
import sys
from pathlib import Path


def stand_apart() -> None:
    """Leave the start directory, so that no module is imported from it and it is not kept in use.

    `-m` puts it first in the search path: a file there that is named like a module would run.
    """
    here = Path.cwd().resolve()
    if here != Path(__file__).resolve().parents[2]:
        sys.path[:] = [path for path in sys.path if path and Path(path).resolve() != here]
    os.chdir("/")


if __name__ == "__main__":
    stand_apart()
    from ggrep.daemon.sync_work import main

    main(sys.argv[1:])
