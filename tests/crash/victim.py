"""Run scenarios' writes and have each killed by the kernel at a fault point or a durable step.

Reads lines of JSON: scenario, root, home, `point` or `step`, its name or number, and which
occurrence. A process of its own does each, forked after LanceDB is loaded and before it is used;
the answer is how that ended: 0 when it got through, else the signal's number below zero.
"""

import os
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import NoReturn

from ggrep.base import durable, stable_json
from ggrep.index.store.lean_import import import_lancedb, leave_out_remote_client
from ggrep.index.sync import syncer
from tests.crash.faults import Death, recorded
from tests.crash.scenarios import SCENARIOS
from tests.fakes.repos import InProcessPool


def serve() -> None:
    """Fork a victim for each line."""
    leave_out_remote_client()
    syncer.IndexPool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    # Each victim is spared the import; lancedb starts its threads again after a fork.
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
    import_lancedb()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os._exit(_failures(stable_json.loads(line.encode())))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)  # noqa: T201


def _failures(order: list[str]) -> int:
    try:
        write(*order)
    except BaseException:  # noqa: BLE001 - the parent must not be left by two
        traceback.print_exc()
        return 1
    return 0


def write(scenario: str, root: str, home: str, kind: str, what: str, occurrence: str) -> None:
    """Never return, unless the write does not come that far."""
    act = SCENARIOS[scenario].act
    if kind == "point":
        with durable.watched(_killer(what, int(occurrence))):
            act(Path(root), Path(home))
    else:
        Death.__init__ = _die  # type: ignore[assignment] # no unwinding
        with recorded(die_at=int(what)):
            act(Path(root), Path(home))


def _killer(point: str, occurrence: int) -> durable.Hook:
    left = [occurrence]

    def hook(reached: str) -> None:
        if reached == point:
            left[0] -= 1
            if left[0] == 0:
                _die()

    return hook


def _die(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError  # a killed process does not go on


if __name__ == "__main__":
    serve()
