"""Reports of `ggrep workspace doctor`, `gc` and `watch`."""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import fields

from ggrep.base.ids import RepoId
from ggrep.model.constraints import Count, Moment, Named, RepoSet, Versioned, WorkspacePath, named
from ggrep.model.corpus import Corpus

Component: TypeAlias = Literal["embedding", "lexical", "schema"]
"""Components in which the indexes of two repositories can differ."""

ChangeKind: TypeAlias = Literal[
    "daemon_started",
    "daemon_ended",
    "daemon_failed",
    "index_changed",
    "manifest_written",
    "workspace_changed",
    "workspace_wrong",
]
"""Changes that `ggrep workspace watch` reports."""

OrphanReason: TypeAlias = Literal["workspace_gone", "other_repositories", "no_manifest"]


class Finding(Struct, frozen=True, rename="camel"):
    """A problem of a workspace or of a repository, and its fix."""

    code: Named
    """Stable name of the finding."""
    message: str
    """Text on a single line."""
    hint: str | None = None
    """Fix: a command, or for `merge_unsaid` a line for the workspace file."""
    repo_id: RepoId | None = None
    """The repository that the finding concerns."""
    modes: tuple[Corpus, ...] = ()
    """Corpora that the finding concerns; empty for all corpora."""
    needed: bool = True
    """Whether something has to be done."""


class DoctorCohort(Struct, frozen=True, rename="camel"):
    """Repositories whose ranked lists for a corpus are comparable."""

    cohort_key: str | None
    """Key that its members share for this corpus."""
    compatibility_key: str | None
    """Key that its members share for all corpora."""
    repo_ids: tuple[RepoId, ...]
    """Members of the cohort."""
    asked: bool
    """Whether a search queries these repositories by default."""
    differs: tuple[Component, ...]
    """Components that differ from the cohort that is queried by default."""


class DoctorCohorts(Struct, frozen=True, rename="camel"):
    """Cohorts of each corpus; cohorts that are queried by default come first."""

    code: tuple[DoctorCohort, ...]
    """Cohorts of the corpus."""
    prose: tuple[DoctorCohort, ...]
    """Cohorts of the corpus."""
    extracted_prose: tuple[DoctorCohort, ...]
    """Cohorts of the corpus."""
    records: tuple[DoctorCohort, ...]
    """Cohorts of the corpus."""

    def by_corpus(self) -> tuple[tuple[Corpus, tuple[DoctorCohort, ...]], ...]:
        """Return the cohorts of each corpus."""
        return tuple((Corpus(each.encode_name), getattr(self, each.name)) for each in fields(self))


class Doctor(Versioned, frozen=True, kw_only=True, rename="camel"):
    """The result of `ggrep workspace doctor`."""

    ok: bool
    """Whether nothing has to be done."""
    workspace_path: WorkspacePath
    repo_set_id: RepoSet
    findings: tuple[Finding, ...]
    """Findings by repository; findings about the workspace come first."""
    cohorts: DoctorCohorts


class Orphan(Struct, frozen=True, rename="camel"):
    """A cache directory that no workspace uses."""

    path: Named
    """Absolute path of the directory."""
    repo_set_id: RepoSet
    reason: OrphanReason
    """Reason why no workspace uses the directory."""
    workspace_path: str | None
    """Workspace file that the directory was created for."""
    modified_at: Moment
    """Time of the directory's newest file, RFC 3339."""
    files: Count
    """Number of files in the directory."""
    size_bytes: Count
    """Bytes of the directory's files."""


@named("workspace_collection")
class OrphansReport(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep workspace gc`."""

    dry_run: bool
    """Whether nothing was deleted."""
    candidates: tuple[Orphan, ...] = ()
    """Directories that no workspace uses."""
    deleted: tuple[Orphan, ...] = ()
    """Candidates that were deleted."""
    limit_reached: bool = False
    """Whether there were more candidates than a run deletes."""
