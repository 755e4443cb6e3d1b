"""Definitions, usages and surrounding code."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from ggrep.model.constraints import Count, Positive
from ggrep.model.navigation import Boundary, DefinedAt, Definition, Neighbour, Reference
from ggrep.model.schemas.answer import AnswerJson, PagedJson, TimedJson
from ggrep.model.schemas.failure import FailureJson


class ExpandLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    boundary: Boundary
    """How far to go; `auto` is the definition around a place, or a whole file, if it fits."""
    max_expand_bytes: Count
    """Most bytes of the text."""


class ExpansionJson(TypedDict):
    """What stands around a place."""

    target: str
    """The place that was asked for."""
    limits: ExpandLimitsJson
    path: str
    """Path below the repository's root, with forward slashes."""
    language: str
    """Lower-case name such as python or markdown; text when unknown."""
    boundary: Boundary
    """What the text is."""
    start_line: Positive
    """First line of the text, 1-based."""
    end_line: Positive
    """Last line of the text, inclusive."""
    breadcrumb: Sequence[str]
    """Enclosing definitions or headings, outermost first."""
    content: str
    """The lines, free of control characters, cut to the bytes asked for."""
    hidden_lines: Count
    """Lines of the boundary that were cut."""
    file_lines: Count
    """Lines of the whole file."""
    neighbours: Sequence[Neighbour]
    """The next chunks on both sides, by line."""


class ExpandJson(AnswerJson, TimedJson, ExpansionJson):
    """What stands around a place of one repository, as it was indexed."""


class ReferencesLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_references: Count
    """Most mentions; 0 for as many as the caps allow."""
    strings: bool
    """Mentions inside of string literals are shown too."""
    comments: bool
    """Mentions inside of comments and documents are shown too."""


class ReferencesJson(AnswerJson, TimedJson, PagedJson):
    """Where a name is mentioned without being defined, in one repository."""

    name: str
    """The name that was looked for."""
    limits: ReferencesLimitsJson
    references: Sequence[Reference]
    """Mentions by path, line and column; sources before tests."""
    totals: Mapping[Annotated[str, ("usage", "string", "comment", "definition")], Count]
    """Mentions of each kind, shown or not; `definition` counts what was left out as such."""
    files: Count
    """How many files hold any that is shown."""
    defined: Sequence[DefinedAt]
    """The first definitions, those that were asked for before what implements them."""


class SymbolLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_symbols: Count
    """Most definitions; 0 for as many as the caps allow."""


class SymbolJson(AnswerJson, TimedJson, PagedJson):
    """Where a name is defined in one repository."""

    name: str
    """The name that was looked for."""
    limits: SymbolLimitsJson
    definitions: Sequence[Definition]
    """Definitions: exact spelling first, then sources before tests, then path and line."""
    total: Count
    """How many there are, shown or not."""
    suggestions: Sequence[str]
    """Names that are spelt nearly so, where nothing was found."""


class AnswersJson(TypedDict):
    """Answers to several questions of one kind, in the order they were asked in."""

    schema_version: Literal[1]
    """Version of this document."""
    answers: Sequence[SymbolJson | ReferencesJson | ExpandJson | FailureJson]
    """One each; a failure where a question has none."""
