"""Definitions, usages and surrounding code over a workspace."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Held, RepoId, RepoName, extends
from ggrep.model.navigation import (
    DefinedAt,
    Definition,
    ExpandResponse,
    OutsideName,
    Reference,
)
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
    """The repository of a place."""

    repoId: RepoName
    repoAlias: str | None
    """Short name of the repository; null for none."""


@extends(Definition)
class RepoDefinitionJson(InRepoJson):
    """One definition in one of the repositories."""


@extends(DefinedAt)
class RepoDefinedAtJson(InRepoJson):
    """A definition of the name in one of the repositories."""


@extends(OutsideName)
class RepoOutsideNameJson(InRepoJson):
    """An import in one of the repositories that shows where a name comes from."""


@extends(Reference)
class RepoReferenceJson(InRepoJson):
    """One mention in one of the repositories."""

    tie: NotRequired[Literal["import", "guess"]]
    """Tie to a definition in another repository: its file imports something of that one, or only
    the name says so. Absent in a repository that defines the name itself, and where none does.
    """


class NamesAnswerJson(DocumentJson, AttendedJson, PagedJson):
    """The common part of answers about names over a workspace."""

    ok: Literal[True]
    """Whether there is an answer."""
    name: str
    """Requested name."""


@extends(ExpandResponse, own_field)
class FederatedExpandJson(DocumentJson, AttendedJson, ExpansionJson, InRepoJson):
    """The code around a place of one of the repositories, as it was indexed."""

    ok: Literal[True]
    """Whether there is an answer."""
    format: Literal["expand"]


class FederatedSymbolJson(NamesAnswerJson):
    """Definitions of a name in a workspace, as one store over all its files would list them."""

    format: Literal["symbol"]
    limits: SymbolLimitsJson
    definitions: Sequence[RepoDefinitionJson]
    """Definitions: exact spelling first, then sources before tests, then path, line and repository.
    """
    total: Count
    """Number of definitions, shown or not."""
    suggestions: Sequence[str]
    """Names with a similar spelling, when no repository has a definition."""
    implementations: Sequence[RepoDefinedAtJson]
    """Types that implement or extend the requested type, or their definitions of the requested
    method: sources before tests, then path, repository and line; on the first page only.
    """
    implementations_total: Count
    """Number of implementations, shown or not; above 300, and above the limit, there are more."""
    outside: Sequence[RepoOutsideNameJson]
    """Imports that show where a name comes from that no repository defines."""


class FederatedReferencesJson(NamesAnswerJson):
    """Mentions of a name in a workspace, as one store over all its files would list them."""

    format: Literal["references"]
    limits: ReferencesLimitsJson
    references: Sequence[RepoReferenceJson]
    """Mentions by path, repository, line and column; sources before tests."""
    totals: Mapping[Annotated[str, ("usage", "string", "comment", "definition")], Count]
    """Mentions of each kind in files whose syntax was read, shown or not; `definition` counts those
    left out as definitions. While `mentions` is not 0 these are lower bounds.
    """
    files: Count
    """Number of files with shown mentions."""
    mentions: Count
    """Occurrences of any kind in files behind the page, whose syntax was not read."""
    mention_files: Count
    """Number of those files."""
    definedIn: Annotated[Sequence[RepoId], Held(unique=True)]
    """Repositories that define the name in the requested container."""
    defined: Sequence[RepoDefinedAtJson]
    """The first definitions; requested ones precede their implementations."""
    outside: Sequence[RepoOutsideNameJson]
    """Imports that show where a name comes from that no repository defines."""


class FederatedAnswersJson(TypedDict):
    """Answers over a workspace to several requests of one kind, in the order of requests."""

    schema_version: Literal[1]
    """Version of this shape; another number is another shape."""
    answers: Sequence[
        FederatedSymbolJson
        | FederatedReferencesJson
        | FederatedExpandJson
        | FederatedErrorJson
        | FailureJson
    ]
    """One answer for each request; a failure when it has none."""
