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
    """The result of `ggrep install` or `ggrep uninstall` for one configuration file."""

    client: str
    """Name of the client on the command line."""
    path: str
    """Absolute path of the file."""
    outcome: FileOutcome
    """`differs`: another entry has ggrep's name and was not changed. `changed`: ggrep's entry was
    edited by the user and was not changed. `kept`: another client needs the entry. `refused`: the
    file was not changed. `manual`: the user must edit the file, for example YAML."""
    message: str
    """Reason why the file was not changed, or the lines to add or remove; empty otherwise."""
    diff: str
    """Unified diff of the change or the planned change; empty for none."""


class Installation(Versioned, frozen=True, kw_only=True):
    """Output of `ggrep install --json` and `ggrep uninstall --json`."""

    scope: Literal["user", "project"]
    """Owner of the files: the user or the project."""
    project: str | None
    """Root of the project; null for the user's own files."""
    dry_run: bool
    """Whether nothing was written."""
    files: tuple[AgentFile, ...]
    """Files by client, in the order of `ggrep install --list`."""


class ClientFile(Struct, frozen=True):
    """A configuration file of a client, and the state of ggrep's entry in it."""

    path: str
    """Absolute path of the file."""
    state: Presence
    """`differs`: the entry with ggrep's name differs from the entry that ggrep would write."""
    message: str
    """Reason why the file cannot be edited; empty otherwise."""


@named("client")
class ListedClient(Struct, frozen=True):
    """A program that can use ggrep, and its configuration files."""

    client: str
    """Name of the client on the command line."""
    title: str
    """Name of the client, as its vendor writes it."""
    is_there: bool
    """Whether the client's program or configuration was found."""
    installed: bool
    """Whether the client's first file has ggrep's entry."""
    files: tuple[ClientFile, ...]
    """Files that ggrep's entry would be written into."""


class Clients(Versioned, frozen=True, kw_only=True):
    """Output of `ggrep install --list --json`."""

    scope: Literal["user", "project"]
    """Owner of the files: the user or the project."""
    project: str | None
    """Root of the project; null for the user's own files."""
    clients: tuple[ListedClient, ...]
    """Clients in a fixed order."""


class Snippet(Struct, frozen=True):
    """The text that would be written into a file."""

    client: str
    """Name of the client on the command line."""
    path: str
    """Absolute path of the file."""
    text: str
    """Text of the entry, as in a file without other entries."""


class Snippets(Versioned, frozen=True, kw_only=True):
    """Output of `ggrep install --print-config --json`."""

    snippets: tuple[Snippet, ...]
    """Texts by client."""


AgentsDocument: TypeAlias = Installation | Clients | Snippets
"""Output of `ggrep install` and `ggrep uninstall`."""


class MachineCheck(Struct, frozen=True):
    """One check of the installation."""

    name: Named
    """Subject of the check: `build`, `settings`, `encoder`, `torch`, `home`, `room`, `parsers`,
    `watcher`, `files`, `daemons`, `index` or `agents`; more may come.
    """
    state: Literal["ok", "warning", "problem"]
    """Result of the check."""
    message: str
    """Finding, on a single line."""
    mend: str | None
    """Command or step that helps; null if nothing is needed."""


class MachineChecks(Versioned, frozen=True, kw_only=True):
    """Output of `ggrep doctor --json`."""

    ok: bool
    """Whether no check found a problem."""
    checks: tuple[MachineCheck, ...]
    """Checks in the order in which they ran."""


class SetupStep(Struct, frozen=True):
    """One step that `ggrep setup` offers."""

    step: Named
    """Name of the step: `shell`, `agents` or `index`; more may come."""
    outcome: StepOutcome
    """`nothing`: nothing had to be done. `planned`: it was a dry run. `declined`: the person at the
    terminal declined.
    """
    message: str
    """Action that was done, is planned or failed, on a single line."""
    files: tuple[AgentFile, ...]
    """Files that were written or would be written."""


class SetupReport(Versioned, frozen=True, kw_only=True):
    """Output of `ggrep setup --json`."""

    ok: bool
    """Whether nothing failed."""
    dry_run: bool
    """Whether nothing was done."""
    steps: tuple[SetupStep, ...]
    """Steps in the order in which they are done."""


MachineDocument: TypeAlias = MachineChecks | SetupReport
"""Output of `ggrep doctor` and `ggrep setup`."""
