"""Processor time of this process and of all its child processes."""

import os
from pathlib import Path
from typing import Final

import psutil

_TASKS: Final = Path("/proc/self/task")


def cpu_ms() -> float:
    """Return milliseconds of CPU time: of this process, its finished and its running children.

    A child that ends between the two looks is missed or counted twice for a moment.
    """
    own = os.times()
    ended = own.user + own.system + own.children_user + own.children_system
    return 1000.0 * (ended + sum(_running_s(pid) for pid in _children()))


def _running_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0  # it ended: it is in our own times now
    return times.user + times.system + times.children_user + times.children_system


def _children() -> list[int]:
    """Return the running children, by pid.

    The kernel lists them for each thread; where it was built without that, all processes of the
    machine are gone through.
    """
    found: list[int] = []
    try:
        for task in sorted(_TASKS.iterdir()):
            found += [int(pid) for pid in _listed(task)]
    except FileNotFoundError:
        found = [child.pid for child in psutil.Process().children(recursive=True)]
    return sorted(found)


def _listed(task: Path) -> list[str]:
    try:
        return (task / "children").read_text("ascii").split()
    except FileNotFoundError:
        if not task.exists():
            return []  # the thread ended
        raise
    except ProcessLookupError:
        return []
