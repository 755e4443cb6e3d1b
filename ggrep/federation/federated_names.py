"""Answers about names over a workspace, and their JSON.

The fields of one repository's answer, each place with the repository it lies in, beside what every
answer of a workspace says of its repositories.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base.errors import GgrepError
from ggrep.base.formats import REFERENCES_SCHEMA, SYMBOL_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.federation.envelope import (
    Envelope,
    diagnostics_json,
    error_json,
    figures_json,
    limits_json,
    path_cleaner,
    repos_json,
    selection_json,
    shown_repos,
    snapshots_json,
)
from ggrep.federation.name_merging import RepoDefinedAt, RepoDefinition, RepoReference
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.render.answer_json import paged_json

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import (
        AttendedJson,
        FederatedErrorJson,
        NamedWorkspaceJson,
        WorkspaceMetaJson,
    )
    from ggrep.model.schemas.federated_names import (
        FederatedReferencesJson,
        FederatedSymbolJson,
    )


class FederatedSymbol(Struct, frozen=True):
    """Where a name is defined in a workspace.

    Attributes:
        attendance: what became of each repository.
        asked: after clamping.
        total: how many definitions there are, shown or not.
        suggestions: similarly spelled names, when nothing was found.
        next_cursor: what the next page is asked for by; empty on the last.
    """

    attendance: Envelope
    asked: SymbolRequest
    definitions: tuple[RepoDefinition, ...] = ()
    total: int = 0
    suggestions: tuple[str, ...] = ()
    next_cursor: str = ""

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.attendance.ok

    @property
    def exit_status(self) -> int:
        """Return the process status that goes with the answer."""
        return self.attendance.exit_status

    def to_json(self) -> "FederatedSymbolJson | FederatedErrorJson":
        """Return the answer, or its failure with all that is known of the repositories."""
        if self.attendance.error is not None:
            return failed_json(self.attendance, self.attendance.error)
        names = _aliases(self.attendance)
        return {
            "schema_version": SYMBOL_SCHEMA,
            "ok": True,
            "format": "symbol",
            **attended_json(self.attendance, (one.repo_id for one in self.definitions)),
            "name": self.asked.name,
            "limits": {"max_symbols": self.asked.limit},
            "definitions": [_placed(one, names[one.repo_id]) for one in self.definitions],
            "total": self.total,
            "suggestions": list(self.suggestions),
            **paged_json(self.next_cursor),
        }


class FederatedReferences(Struct, frozen=True):
    """Where a name is used in a workspace.

    Attributes:
        attendance: what became of each repository.
        asked: after clamping.
        totals: occurrences by kind, shown or not.
        files: the number of files with a shown occurrence.
        defining: repositories that define the name, in the container that was asked for.
        defined: the first definitions, as of one repository's answer.
        next_cursor: as of a FederatedSymbol.
    """

    attendance: Envelope
    asked: ReferencesRequest
    references: tuple[RepoReference, ...] = ()
    totals: tuple[tuple[str, int], ...] = ()
    files: int = 0
    defining: tuple[RepoId, ...] = ()
    defined: tuple[RepoDefinedAt, ...] = ()
    next_cursor: str = ""

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.attendance.ok

    @property
    def exit_status(self) -> int:
        """Return the process status that goes with the answer."""
        return self.attendance.exit_status

    def to_json(self) -> "FederatedReferencesJson | FederatedErrorJson":
        """Return the answer, or its failure with all that is known of the repositories."""
        if self.attendance.error is not None:
            return failed_json(self.attendance, self.attendance.error)
        names = _aliases(self.attendance)
        used = (one.repo_id for one in self.references)
        defined = (one.repo_id for one in self.defined)
        return {
            "schema_version": REFERENCES_SCHEMA,
            "ok": True,
            "format": "references",
            **attended_json(self.attendance, (*used, *defined, *self.defining)),
            "name": self.asked.name,
            "limits": {
                "max_references": self.asked.limit,
                "strings": self.asked.strings,
                "comments": self.asked.comments,
            },
            "references": [_placed(one, names[one.repo_id]) for one in self.references],
            "totals": dict(self.totals),
            "files": self.files,
            "definedIn": list(self.defining),
            "defined": [_placed(one, names[one.repo_id]) for one in self.defined],
            **paged_json(self.next_cursor),
        }


def _placed(one: RepoDefinition | RepoDefinedAt | RepoReference, alias: str | None) -> Any:  # noqa: ANN401 - the object of a place
    """Return a place with the repository that holds it, and how a usage is tied to it."""
    document = {**asdict(one.found), "repoId": one.repo_id, "repoAlias": alias}
    if isinstance(one, RepoReference) and one.tie is not None:
        document["tie"] = one.tie
    return document


def attended_json(attendance: Envelope, shown: Iterable[RepoId] = ()) -> "AttendedJson":
    """Return what every answer says of its repositories; `shown` are those that places are of."""
    clean, listed = path_cleaner(attendance), shown_repos(attendance, shown)
    return {
        "backend": "federated",
        "meta": _meta(attendance, listed),
        "repos": repos_json(attendance, clean, listed),
        "diagnostics": diagnostics_json(attendance.warnings, attendance.errors, clean),
        "limits_hit": limits_json(attendance.limits_hit, listed),
        **figures_json(attendance, listed),
    }


def failed_json(attendance: Envelope, error: GgrepError) -> "FederatedErrorJson":
    """Return why there is no answer, with all that is known of the repositories."""
    failed = error_json(error, path_cleaner(attendance))
    return {
        "schema_version": SYMBOL_SCHEMA,
        **attended_json(attendance),
        "ok": False,
        "code": failed["code"],
        "message": failed["message"],
        "error": failed,
    }


def _meta(attendance: Envelope, listed: frozenset[RepoId]) -> "WorkspaceMetaJson":
    workspace = attendance.workspace
    named: NamedWorkspaceJson = {"name": workspace.name, "workspaceId": workspace.repo_set_id}
    if attendance.request.include_paths:
        named["workspacePath"] = str(workspace.workspace_path)
    return {
        "repoSetId": workspace.repo_set_id,
        "manifestHash": attendance.manifest_hash,
        "workspace": named,
        "selection": selection_json(attendance, path_cleaner(attendance), listed),
        "snapshots": snapshots_json(attendance, listed),
        "ruledOut": len(attendance.reports) - len(listed),
    }


def _aliases(attendance: Envelope) -> dict[RepoId, str | None]:
    return {repo.repo_id: repo.alias for repo in attendance.workspace.repos}
