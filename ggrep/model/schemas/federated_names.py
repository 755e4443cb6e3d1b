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
    """The repository of a location."""

    repoId: RepoName
    repoAlias: str | None
    """Short name of the repository; null for none."""


@extends(Definition)
class RepoDefinitionJson(InRepoJson):
    """A definition of the requested name, with its repository."""


@extends(DefinedAt)
class RepoDefinedAtJson(InRepoJson):
    """A definition of the requested name in one of the repositories."""


@extends(OutsideName)
class RepoOutsideNameJson(InRepoJson):
    """An import in one of the repositories that shows where a name comes from."""


@extends(Reference)
class RepoReferenceJson(InRepoJson):
    """An occurrence of the requested name, with its repository."""

    tie: NotRequired[Literal["import", "guess"]]
    """Relation to a definition in another repository: `import` if the file imports from that
    repository, `guess` if only the names are equal. Absent if the repository itself or no
    repository defines the name."""


class NamesAnswerJson(DocumentJson, AttendedJson, PagedJson):
    """The common part of answers about names over a workspace."""

    ok: Literal[True]
    """Whether there is an answer."""
    name: str
    """Requested name."""


@extends(ExpandResponse, own_field)
class FederatedExpandJson(DocumentJson, AttendedJson, ExpansionJson, InRepoJson):
    """The indexed code around a location in one of the repositories."""

    ok: Literal[True]
    """Whether there is an answer."""
    format: Literal["expand"]


class FederatedSymbolJson(NamesAnswerJson):
    """Definitions of a name in a workspace, in the order of a single store over all files."""

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
    """Mentions of a name in a workspace, in the order of a single store over all files."""

    format: Literal["references"]
    limits: ReferencesLimitsJson
    references: Sequence[RepoReferenceJson]
    """Mentions by path, repository, line and column; sources before tests."""
    totals: Mapping[Annotated[str, ("usage", "string", "comment", "definition")], Count]
    """Mentions of each kind in parsed files, shown or not; `definition` counts occurrences that are
    definitions, which are not shown. If `mentions` is not 0, the counts are lower bounds."""
    files: Count
    """Number of files with shown mentions."""
    mentions: Count
    """Occurrences of any kind in further files, which were not parsed."""
    mention_files: Count
    """Number of files with the occurrences in `mentions`."""
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
    """An answer or a failure for each request."""
