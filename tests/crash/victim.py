"""Run one scenario's write and be killed by the kernel at a fault point or a durable step.

Arguments: scenario, root, home, `point` or `step`, its name or number, and which occurrence.
Prints `acknowledged` when it got through.
"""

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from ggrep import faults
from tests.crash.faults import Death, recorded
from tests.crash.scenarios import SCENARIOS
from tests.fakes.repos import InProcessPool


def main(scenario: str, root: str, home: str, kind: str, what: str, occurrence: str) -> None:
    """Never return, unless the write does not come that far."""
    from ggrep.store.lean_import import leave_out_remote_client
    from ggrep.sync import syncer

    leave_out_remote_client()
    syncer.ParsePool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    act = SCENARIOS[scenario].act
    if kind == "point":
        with faults.watched(_killer(what, int(occurrence))):
            act(Path(root), Path(home))
    else:
        Death.__init__ = _die  # type: ignore[assignment] # no unwinding
        with recorded(die_at=int(what)):
            act(Path(root), Path(home))
    print("acknowledged", flush=True)  # noqa: T201 - how the parent hears of it


def _killer(point: str, occurrence: int) -> faults.Hook:
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
    main(*sys.argv[1:])
