"""Answers about names over a workspace, and their JSON.

The fields of one repository's answer, each place with the repository it lies in, beside what every
answer of a workspace says of its repositories.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from ggrep.base.errors import GgrepError
from ggrep.base.formats import REFERENCES_SCHEMA, SYMBOL_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.federation.envelope import (
    Envelope,
    WorkspaceAnswer,
    envelope_json,
    failed_json,
    path_cleaner,
    shown_repos,
)
from ggrep.federation.name_merging import RepoDefinedAt, RepoDefinition, RepoReference
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.render.answer_json import paged_json

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import (
        AttendedJson,
        FederatedErrorJson,
    )
    from ggrep.model.schemas.federated_names import (
        FederatedReferencesJson,
        FederatedSymbolJson,
    )


class FederatedSymbol(WorkspaceAnswer, frozen=True):
    """Definitions of a name in a workspace."""

    asked: SymbolRequest
    definitions: tuple[RepoDefinition, ...] = ()
    total: int = 0
    suggestions: tuple[str, ...] = ()
    next_cursor: str = ""

    def to_json(self) -> "FederatedSymbolJson | FederatedErrorJson":
        """Return the answer, or its failure with all that is known of the repositories."""
        if self.attendance.error is not None:
            return failed_names_json(self.attendance, self.attendance.error)
        names = _aliases(self.attendance)
        return {
            "schema_version": SYMBOL_SCHEMA,
            "ok": True,
            "format": "symbol",
            **names_json(self.attendance, (one.repo_id for one in self.definitions)),
            "name": self.asked.name,
            "limits": {"max_symbols": self.asked.limit},
            "definitions": [_placed(one, names[one.repo_id]) for one in self.definitions],
            "total": self.total,
            "suggestions": list(self.suggestions),
            **paged_json(self.next_cursor),
        }


class FederatedReferences(WorkspaceAnswer, frozen=True):
    """Usages of a name in a workspace.

    Attributes:
        files: the number of files with a shown occurrence.
        mentions: occurrences in files whose syntax was not read, `mention_files`.
        defining: repositories that define the name, in the container that was asked for.
    """

    asked: ReferencesRequest
    references: tuple[RepoReference, ...] = ()
    totals: tuple[tuple[str, int], ...] = ()
    files: int = 0
    mentions: int = 0
    mention_files: int = 0
    defining: tuple[RepoId, ...] = ()
    defined: tuple[RepoDefinedAt, ...] = ()
    next_cursor: str = ""

    def to_json(self) -> "FederatedReferencesJson | FederatedErrorJson":
        """Return the answer, or its failure with all that is known of the repositories."""
        if self.attendance.error is not None:
            return failed_names_json(self.attendance, self.attendance.error)
        names = _aliases(self.attendance)
        used = (one.repo_id for one in self.references)
        defined = (one.repo_id for one in self.defined)
        return {
            "schema_version": REFERENCES_SCHEMA,
            "ok": True,
            "format": "references",
            **names_json(self.attendance, (*used, *defined, *self.defining)),
            "name": self.asked.name,
            "limits": {
                "max_references": self.asked.limit,
                "strings": self.asked.strings,
                "comments": self.asked.comments,
            },
            "references": [_placed(one, names[one.repo_id]) for one in self.references],
            "totals": dict(self.totals),
            "files": self.files,
            "mentions": self.mentions,
            "mention_files": self.mention_files,
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


def names_json(envelope: Envelope, shown: Iterable[RepoId] = ()) -> "AttendedJson":
    """Return what the answer says of its repositories; `shown` are those of its places."""
    return envelope_json(envelope, shown_repos(envelope, shown))


def failed_names_json(envelope: Envelope, error: GgrepError) -> "FederatedErrorJson":
    """Return the failure, with all that is known of the repositories."""
    return failed_json(names_json(envelope), error, path_cleaner(envelope))


def _aliases(envelope: Envelope) -> dict[RepoId, str | None]:
    return {repo.repo_id: repo.alias for repo in envelope.workspace.repos}
