"""The sync process: `python -m ggrep.daemon.sync_worker`, with messages as lines of JSON.

The process can be killed at any moment: the active snapshot stays valid. The process ends with all
its children at the end of standard input, and after some time without a job.
"""

import os
import sys
from pathlib import Path


def stand_apart() -> None:
    """Leave the start directory, so that it is not used for imports and can be unmounted.

    Python's `-m` puts the start directory first on the import path, so that a file there could be
    imported instead of a module.
    """
    here = Path.cwd().resolve()
    if here != Path(__file__).resolve().parents[2]:
        sys.path[:] = [path for path in sys.path if path and Path(path).resolve() != here]
    os.chdir("/")


if __name__ == "__main__":
    stand_apart()
    from ggrep.daemon.sync_work import main

    main(sys.argv[1:])
