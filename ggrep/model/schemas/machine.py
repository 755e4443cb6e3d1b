"""What ggrep stands on, on a machine."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from ggrep.model.schemas.constraints import DocumentJson, Named


class MachineCheckJson(TypedDict):
    """One thing that was looked at."""

    name: Named
    """What it is about: `build`, `settings`, `encoder`, `home`, `room`, `parsers`, `watcher`,
    `files`, `daemons`, `index` or `agents`; more may come.
    """
    state: Literal["ok", "warning", "problem"]
    """Whether something is wrong."""
    message: str
    """What was seen, one line for people."""
    mend: str | None
    """A command, or what to do; null where nothing has to be done."""


class MachineJson(DocumentJson):
    """What `ggrep doctor --json` prints."""

    ok: bool
    """Whether there is no problem."""
    checks: Sequence[MachineCheckJson]
    """In the order in which they were looked at."""
