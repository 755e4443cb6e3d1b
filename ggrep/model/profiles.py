"""Profiles, and the index of each."""

from typing import Annotated, Literal

from msgspec import Struct

from ggrep.model.constraints import Count, Positive, Versioned


class ProfileBudgets(Struct, frozen=True):
    """Bounds of a store of its own; null for the others."""

    max_bytes_indexed: Positive
    """Most bytes of files that only the profile includes."""
    max_file_size_bytes: Positive
    """Larger files are skipped."""
    max_store_bytes: Positive
    """A publish that would make the store larger is refused."""


class ProfileReport(Struct, frozen=True):
    """One profile."""

    name: str | None
    """What `--profile` takes; null where no profile is named."""
    in_force: bool
    """Whether questions are asked under it here and now."""
    kind: Annotated[str, ("own_store", "view", "none")]
    """`own_store`: it indexes more, in a store of its own. `view`: it narrows answers of the store
    that is there. `none`: the repository under no profile.
    """
    store_id: str
    """Name of the store that it answers from; several may share one."""
    state: Literal["indexed", "no_index", "unreadable"]
    """What there is of that store."""
    snapshot_id: str | None = None
    """The active snapshot; null without an index."""
    files: Count = 0
    """Files of that snapshot."""
    chunks: Count = 0
    """Chunks of that snapshot."""
    degraded: bool = False
    """Whether that snapshot left something out that should be in it."""
    budgets: ProfileBudgets | None = None


class ProfilesReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep profiles --json` prints."""

    repo_id: str
    """Name of the repository, whatever its configuration."""
    profiles: tuple[ProfileReport, ...]
    """By name; first the nameless one, where the repository's file chooses none."""
