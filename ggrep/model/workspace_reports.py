"""Reports of `ggrep workspace doctor` and `ggrep workspace gc`."""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import fields

from ggrep.base.ids import RepoId
from ggrep.model.constraints import Count, Moment, Named, RepoSet, Versioned, WorkspacePath, named
from ggrep.model.corpus import Corpus

Component: TypeAlias = Literal["embedding", "lexical", "schema"]
"""What may differ between the indexes of two repositories."""

OrphanReason: TypeAlias = Literal["workspace_gone", "other_repositories", "no_manifest"]


class Finding(Struct, frozen=True, rename="camel"):
    """Something to know or to do."""

    code: Named
    """A word that stays."""
    message: str
    """One line for people."""
    hint: str | None = None
    """What to type: a command, or of `merge_unsaid` a line of the workspace file."""
    repo_id: RepoId | None = None
    """The repository it concerns."""
    modes: tuple[Corpus, ...] = ()
    """Corpora it concerns; empty for all."""
    needed: bool = True
    """Something has to be done."""


class DoctorCohort(Struct, frozen=True, rename="camel"):
    """Repositories whose lists compare."""

    cohort_key: str | None
    """What they have in common for this corpus."""
    compatibility_key: str | None
    """The same for all corpora."""
    repo_ids: tuple[RepoId, ...]
    """Its members."""
    asked: bool
    """A search asks these unless told otherwise."""
    differs: tuple[Component, ...]
    """By what from those that are asked."""


class DoctorCohorts(Struct, frozen=True, rename="camel"):
    """For each corpus, whose lists compare; those that are asked first."""

    code: tuple[DoctorCohort, ...]
    """Cohorts."""
    prose: tuple[DoctorCohort, ...]
    """Cohorts."""
    extracted_prose: tuple[DoctorCohort, ...]
    """Cohorts."""
    records: tuple[DoctorCohort, ...]
    """Cohorts."""

    def by_corpus(self) -> tuple[tuple[Corpus, tuple[DoctorCohort, ...]], ...]:
        """Return the cohorts of each corpus."""
        return tuple((Corpus(each.encode_name), getattr(self, each.name)) for each in fields(self))


class Doctor(Versioned, frozen=True, kw_only=True, rename="camel"):
    """What `ggrep workspace doctor` found."""

    ok: bool
    """Nothing has to be done."""
    workspace_path: WorkspacePath
    repo_set_id: RepoSet
    findings: tuple[Finding, ...]
    """By repository, those of the workspace first."""
    cohorts: DoctorCohorts


class Orphan(Struct, frozen=True, rename="camel"):
    """One directory that nobody claims."""

    path: Named
    """Absolute path."""
    repo_set_id: RepoSet
    reason: OrphanReason
    """Why nobody claims it."""
    workspace_path: str | None
    """The file that it was made for."""
    modified_at: Moment
    """Of its newest file, RFC 3339."""
    files: Count
    """How many files it holds."""
    size_bytes: Count
    """What they take."""


@named("workspace_collection")
class OrphansReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep workspace gc` found and did."""

    dry_run: bool
    """Nothing was touched."""
    candidates: tuple[Orphan, ...] = ()
    """Directories that nobody claims."""
    deleted: tuple[Orphan, ...] = ()
    """Those of them that are gone."""
    limit_reached: bool = False
    """There was more than one run deletes."""
