"""Checks and setup of an installation, and the output of `ggrep install` and `ggrep uninstall`."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import Named, Versioned, named

FileOutcome: TypeAlias = Literal[
    "written", "unchanged", "differs", "removed", "absent", "changed", "kept", "refused", "manual"
]
StepOutcome: TypeAlias = Literal["done", "nothing", "planned", "declined", "failed"]
Presence: TypeAlias = Literal["installed", "absent", "differs", "refused"]


class AgentFile(Struct, frozen=True):
    """What became of one file."""

    client: str
    """Its name, as it is typed."""
    path: str
    """Of the file, absolute."""
    outcome: FileOutcome
    """`differs`: an entry of our name says something else and was left. `changed`: ours was changed
    since, and was left. `kept`: another client needs it. `refused`: the file was not touched.
    `manual`: the user edits the file, as one in YAML.
    """
    message: str
    """Why it was left or refused, or the lines to add or remove; empty otherwise."""
    diff: str
    """A unified diff of what was changed, or would be; empty for nothing."""


class Installation(Versioned, frozen=True, kw_only=True):
    """What `ggrep install --json` and `ggrep uninstall --json` print."""

    scope: Literal["user", "project"]
    """Whose files are meant."""
    project: str | None
    """Root of the project; null for the user's own files."""
    dry_run: bool
    """Whether nothing was written."""
    files: tuple[AgentFile, ...]
    """By client, in the order of `ggrep install --list`."""


class ClientFile(Struct, frozen=True):
    """One file of a client."""

    path: str
    """Of the file, absolute."""
    state: Presence
    """`differs`: what stands there under our name is not what would be written."""
    message: str
    """Why it cannot be edited; empty otherwise."""


@named("client")
class ListedClient(Struct, frozen=True):
    """One client."""

    client: str
    """Its name, as it is typed."""
    title: str
    """Its name, as its makers write it."""
    is_there: bool
    """Whether its program or its configuration was found."""
    installed: bool
    """Whether our entry is in its first file."""
    files: tuple[ClientFile, ...]
    """Those that it would be written into."""


class Clients(Versioned, frozen=True, kw_only=True):
    """What `ggrep install --list --json` prints."""

    scope: Literal["user", "project"]
    """Whose files are meant."""
    project: str | None
    """Root of the project; null for the user's own files."""
    clients: tuple[ListedClient, ...]
    """In the order that is always theirs."""


class Snippet(Struct, frozen=True):
    """What would be written into one file."""

    client: str
    """Its name, as it is typed."""
    path: str
    """Of the file, absolute."""
    text: str
    """As it stands in a file of its own."""


class Snippets(Versioned, frozen=True, kw_only=True):
    """What `ggrep install --print-config --json` prints."""

    snippets: tuple[Snippet, ...]
    """By client."""


AgentsDocument: TypeAlias = Installation | Clients | Snippets
"""What `ggrep install` and `ggrep uninstall` print."""


class MachineCheck(Struct, frozen=True):
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


class MachineChecks(Versioned, frozen=True, kw_only=True):
    """What `ggrep doctor --json` prints."""

    ok: bool
    """Whether there is no problem."""
    checks: tuple[MachineCheck, ...]
    """In the order in which they were looked at."""


class SetupStep(Struct, frozen=True):
    """One thing that `ggrep setup` offers."""

    step: Named
    """`shell`, `agents` or `index`; more may come."""
    outcome: StepOutcome
    """`nothing`: nothing had to be done. `planned`: it was a dry run. `declined`: by the person at
    the terminal.
    """
    message: str
    """What was done, is to be done or failed, one line for people."""
    files: tuple[AgentFile, ...]
    """Those that were written, or would be."""


class SetupReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep setup --json` prints."""

    ok: bool
    """Whether nothing failed."""
    dry_run: bool
    """Whether nothing was done."""
    steps: tuple[SetupStep, ...]
    """In the order in which they are done."""


MachineDocument: TypeAlias = MachineChecks | SetupReport
"""The documents that `ggrep doctor` and `ggrep setup` print."""
