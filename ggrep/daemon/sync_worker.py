"""The sync process: `python -m ggrep.daemon.sync_worker`, one JSON object a line each way.

It may be killed at any moment; the snapshot that was active stays. It ends when its standard
input does, with all it started, and when it had nothing to do for a while.
"""

import os
import sys
from pathlib import Path


def _stand_apart() -> None:
    """Leave the start directory: no modules must be imported from it, nor must it stay in use.

    `-m` puts it first; a file there that is named like a module would run.
    """
    here = Path.cwd().resolve()
    if here != Path(__file__).resolve().parents[2]:
        sys.path[:] = [path for path in sys.path if path and Path(path).resolve() != here]
    os.chdir("/")


if __name__ == "__main__":
    _stand_apart()
    from ggrep.daemon.sync_work import main

    main(sys.argv[1:])
