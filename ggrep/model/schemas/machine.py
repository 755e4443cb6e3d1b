"""Checks and setup of an installation, and the output of `ggrep install` and `ggrep uninstall`."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from ggrep.model.constraints import DocumentJson, Named


class AgentFileJson(TypedDict):
    """What became of one file."""

    client: str
    """Its name, as it is typed."""
    path: str
    """Of the file, absolute."""
    outcome: Annotated[
        str,
        (
            "written",
            "unchanged",
            "differs",
            "removed",
            "absent",
            "changed",
            "kept",
            "refused",
            "manual",
        ),
    ]
    """`differs`: an entry of our name says something else and was left. `changed`: ours was changed
    since, and was left. `kept`: another client needs it. `refused`: the file was not touched.
    `manual`: the user edits the file, as one in YAML.
    """
    message: str
    """Why it was left or refused, or the lines to add or remove; empty otherwise."""
    diff: str
    """A unified diff of what was changed, or would be; empty for nothing."""


class InstallationJson(DocumentJson):
    """What `ggrep install --json` and `ggrep uninstall --json` print."""

    scope: Literal["user", "project"]
    """Whose files are meant."""
    project: str | None
    """Root of the project; null for the user's own files."""
    dry_run: bool
    """Whether nothing was written."""
    files: Sequence[AgentFileJson]
    """By client, in the order of `ggrep install --list`."""


class ClientFileJson(TypedDict):
    """One file of a client."""

    path: str
    """Of the file, absolute."""
    state: Annotated[str, ("installed", "absent", "differs", "refused")]
    """`differs`: what stands there under our name is not what would be written."""
    message: str
    """Why it cannot be edited; empty otherwise."""


class ClientJson(TypedDict):
    """One client."""

    client: str
    """Its name, as it is typed."""
    title: str
    """Its name, as its makers write it."""
    is_there: bool
    """Whether its program or its configuration was found."""
    installed: bool
    """Whether our entry is in its first file."""
    files: Sequence[ClientFileJson]
    """Those that it would be written into."""


class ClientsJson(DocumentJson):
    """What `ggrep install --list --json` prints."""

    scope: Literal["user", "project"]
    """Whose files are meant."""
    project: str | None
    """Root of the project; null for the user's own files."""
    clients: Sequence[ClientJson]
    """In the order that is always theirs."""


class SnippetJson(TypedDict):
    """What would be written into one file."""

    client: str
    """Its name, as it is typed."""
    path: str
    """Of the file, absolute."""
    text: str
    """As it stands in a file of its own."""


class SnippetsJson(DocumentJson):
    """What `ggrep install --print-config --json` prints."""

    snippets: Sequence[SnippetJson]
    """By client."""


AgentsJson: TypeAlias = InstallationJson | ClientsJson | SnippetsJson
"""What `ggrep install` and `ggrep uninstall` print."""


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
