"""The checks of an installation, and the steps that set it up."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from ggrep.model.constraints import DocumentJson, Named
from ggrep.model.schemas.agents import AgentFileJson


class MachineCheckJson(TypedDict):
    """One thing that was looked at."""

    name: Named
    """What it is about: `build`, `settings`, `encoder`, `torch`, `home`, `room`, `parsers`,
    `watcher`, `files`, `daemons`, `index` or `agents`; more may come.
    """
    state: Literal["ok", "warning", "problem"]
    """Whether something is wrong."""
    message: str
    """What was seen, one line for people."""
    mend: str | None
    """A command, or what to do; null where nothing has to be done."""


class MachineChecksJson(DocumentJson):
    """What `ggrep doctor --json` prints."""

    ok: bool
    """Whether there is no problem."""
    checks: Sequence[MachineCheckJson]
    """In the order in which they were looked at."""


class SetupStepJson(TypedDict):
    """One thing that `ggrep setup` offers."""

    step: Named
    """`shell`, `agents` or `index`; more may come."""
    outcome: Literal["done", "nothing", "planned", "declined", "failed"]
    """`nothing`: nothing had to be done. `planned`: it was a dry run. `declined`: by the person at
    the terminal.
    """
    message: str
    """What was done, is to be done or failed, one line for people."""
    files: Sequence[AgentFileJson]
    """Those that were written, or would be."""


class SetupJson(DocumentJson):
    """What `ggrep setup --json` prints."""

    ok: bool
    """Whether nothing failed."""
    dry_run: bool
    """Whether nothing was done."""
    steps: Sequence[SetupStepJson]
    """In the order in which they are done."""


MachineJson: TypeAlias = MachineChecksJson | SetupJson
"""The documents that `ggrep doctor` and `ggrep setup` print."""
