"""Telling whether a process that a file names still runs, though its number was given anew."""

import os
from pathlib import Path

_START_FIELD = 19
"""Place of the start time among the fields behind the command in `/proc/PID/stat`."""


def start_ticks(pid: int) -> int | None:
    """Return when a process began, in clock ticks since the machine did; None without it."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The command stands in parentheses and may itself hold some, and blanks.
    fields = text[text.rindex(b")") + 1 :].split()
    state = fields[0]
    return None if state in {b"Z", b"X"} else int(fields[_START_FIELD])


def is_stopped(pid: int) -> bool:
    """Return whether a process runs no more until somebody lets it go on."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return text[text.rindex(b")") + 1 :].split()[0] in {b"T", b"t"}


def is_running(pid: int, started: int) -> bool:
    """Return whether the process of that number is the one that began then."""
    return pid > 0 and start_ticks(pid) == started


def own_start_ticks() -> int:
    """Return when this process began."""
    return start_ticks(os.getpid()) or 0
