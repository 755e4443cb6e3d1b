"""The report of an index update, done or previewed."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from ggrep.model.constraints import Count, DocumentJson, StoreId, extends
from ggrep.model.schemas.failure import ErrorJson
from ggrep.model.source import SkippedFile
from ggrep.model.sync_report import SyncReport


class EligibleJson(TypedDict):
    """All files that would be indexed."""

    files: Count
    """How many."""
    bytes: Count
    """Their size, bytes."""


class LeftOutJson(TypedDict):
    """A file, or a directory with all below it, that a rule left out."""

    path_key: str
    """Path below the root; what is no visible character is escaped."""
    rule: str
    """The rule that left it out."""


class PreviewJson(DocumentJson):
    """What a sync would read."""

    store_id: StoreId
    """The repository's store."""
    dry_run: Literal[True]
    """Nothing was written."""
    eligible: EligibleJson
    files: Sequence[str]
    """Their paths below the root."""
    excluded: Mapping[str, Count]
    """Files left out by rule, counted for each rule."""
    left_out: Sequence[LeftOutJson]
    """The first 10000 of those, by name; a directory stands for all below it."""
    skipped: Sequence[SkippedFile]
    """Files that cannot be indexed."""


@extends(SyncReport)
class IndexedRepoJson(TypedDict):
    """A repository of a workspace that was updated."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[True]
    """It succeeded."""


class PreviewedRepoJson(PreviewJson):
    """A repository of a workspace that would be updated."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[True]
    """It succeeded."""


class FailedRepoJson(TypedDict):
    """It failed; the others went on."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[False]
    """It failed."""
    error: ErrorJson


class WorkspaceIndexJson(DocumentJson):
    """What `ggrep index --workspace` did, or would do, for each repository."""

    ok: bool
    """Every repository succeeded."""
    repos: Sequence[IndexedRepoJson | PreviewedRepoJson | FailedRepoJson]
    """One entry for each enabled repository, in the workspace's order."""


IndexReportJson: TypeAlias = SyncReport | PreviewJson | WorkspaceIndexJson
"""What an update of the index did, what it would do (--dry-run), or either for each repository of
a workspace.
"""
