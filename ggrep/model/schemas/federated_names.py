"""Definitions, usages and surrounding code over a workspace."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Held, RepoId, RepoName, extends
from ggrep.model.navigation import DefinedAt, Definition, ExpandResponse, Reference
from ggrep.model.response import own_field
from ggrep.model.schemas.answers import (
    ExpansionJson,
    PagedJson,
    ReferencesLimitsJson,
    SymbolLimitsJson,
)
from ggrep.model.schemas.failure import FailureJson
from ggrep.model.schemas.federated import AttendedJson, FederatedErrorJson


class InRepoJson(TypedDict):
    """Where a place lies."""

    repoId: RepoName
    repoAlias: str | None
    """Its short name in the workspace; null when it has none."""


@extends(Definition)
class RepoDefinitionJson(InRepoJson):
    """One definition in one of the repositories."""


@extends(DefinedAt)
class RepoDefinedAtJson(InRepoJson):
    """A definition of the name in one of the repositories."""


@extends(Reference)
class RepoReferenceJson(InRepoJson):
    """One mention in one of the repositories."""

    tie: NotRequired[Literal["import", "guess"]]
    """How it belongs to a definition in another repository: its file imports something of that
    one, or nothing but the name says so. Absent in a repository that defines the name itself, and
    where none does.
    """


class NamesAnswerJson(DocumentJson, AttendedJson, PagedJson):
    """What answers about names over a workspace have in common."""

    ok: Literal[True]
    """Whether there is an answer."""
    name: str
    """The name that was looked for."""


@extends(ExpandResponse, own_field)
class FederatedExpandJson(DocumentJson, AttendedJson, ExpansionJson, InRepoJson):
    """What stands around a place of one of the repositories, as it was indexed."""

    ok: Literal[True]
    """Whether there is an answer."""
    format: Literal["expand"]


class FederatedSymbolJson(NamesAnswerJson):
    """Where a name is defined in a workspace, as one store over all its files would say."""

    format: Literal["symbol"]
    limits: SymbolLimitsJson
    definitions: Sequence[RepoDefinitionJson]
    """Exact spelling first, then sources before tests, then path, line and repository."""
    total: Count
    """How many there are, shown or not."""
    suggestions: Sequence[str]
    """Names that are spelt nearly so, where nothing was found in any repository."""


class FederatedReferencesJson(NamesAnswerJson):
    """Where a name is mentioned in a workspace, as one store over all its files would say."""

    format: Literal["references"]
    limits: ReferencesLimitsJson
    references: Sequence[RepoReferenceJson]
    """Mentions by path, repository, line and column; sources before tests."""
    totals: Mapping[Annotated[str, ("usage", "string", "comment", "definition")], Count]
    """Mentions of each kind, shown or not; `definition` counts what was left out as such."""
    files: Count
    """How many files hold any that is shown."""
    definedIn: Annotated[Sequence[RepoId], Held(unique=True)]
    """Repositories that define the name, in the container that was asked for."""
    defined: Sequence[RepoDefinedAtJson]
    """The first definitions, those that were asked for before what implements them."""


class FederatedAnswersJson(TypedDict):
    """Answers over a workspace to several questions of one kind, in the order of asking."""

    schema_version: Literal[1]
    """Version of this document."""
    answers: Sequence[
        FederatedSymbolJson
        | FederatedReferencesJson
        | FederatedExpandJson
        | FederatedErrorJson
        | FailureJson
    ]
    """One each; a failure where a question has none."""
