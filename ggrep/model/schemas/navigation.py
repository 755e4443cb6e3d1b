"""Definitions, usages and surrounding code."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from ggrep.model.navigation import Boundary, MentionKind, Relation, UseRole
from ggrep.model.schemas.answer import AnswerJson, PagedJson, TimedJson
from ggrep.model.schemas.constraints import Code, Count, Positive, Sha256
from ggrep.model.schemas.failure import FailureJson


class ExpandLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    boundary: Boundary
    """How far to go; `auto` is the definition around a place, or a whole file, if it fits."""
    max_expand_bytes: Count
    """Most bytes of the text."""


class NeighbourJson(TypedDict):
    """A chunk of the same file that is not part of the text."""

    side: Literal["before", "after"]
    """On which side of the text it stands."""
    row_id: Sha256
    """Names the chunk; what `expand` takes."""
    start_line: Positive
    """Its first line, 1-based."""
    end_line: Positive
    """Its last line, inclusive."""
    chunk_type: Code
    """What the chunk is: function, method, class, section, diagram, block and so on."""
    name: str
    """The definition's or heading's own name; empty for blocks."""
    signature: str
    """The definition's head on one line; empty for what has none."""


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
    neighbours: Sequence[NeighbourJson]
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


class ReferenceJson(TypedDict):
    """One mention."""

    row_id: Sha256
    """Names the chunk that holds it; what `expand` takes."""
    path: str
    """Path below the repository's root, with forward slashes."""
    line: Positive
    """Line of the name, 1-based."""
    column: Positive
    """Column of its first character, 1-based, in characters."""
    kind: MentionKind
    """Where it stands: in code, in a string literal, or in a comment or document."""
    container: str
    """Qualified name of the definition that it stands in; empty at the top."""
    language: str
    """Lower-case name such as python or markdown; text when unknown."""
    content: str
    """The line it stands in, free of control characters and cut to a bound."""
    role: UseRole
    """What it does with the name; `receiver` says whose methods follow."""
    test: bool
    """It stands in a test, be that a file or a part of a source file."""
    guess: bool
    """Of a qualified name: nothing says that it is of that container."""


class DefinedAtJson(TypedDict):
    """A definition of the name."""

    path: str
    """Path below the repository's root, with forward slashes."""
    start_line: Positive
    """First line of the definition, with what belongs in front of it."""
    end_line: Positive
    """Last line, inclusive."""
    kind: Code
    """What it is: function, method, class, constant and so on."""
    qualified_name: str
    """The name behind its parents, joined with dots."""
    signature: str
    """Its head on one line; of a constant or a field with the value."""
    relation: Relation
    """What it is to the container that was asked for."""
    guess: bool
    """No type says that it implements the container."""


class ReferencesJson(AnswerJson, TimedJson, PagedJson):
    """Where a name is mentioned without being defined, in one repository."""

    name: str
    """The name that was looked for."""
    limits: ReferencesLimitsJson
    references: Sequence[ReferenceJson]
    """Mentions by path, line and column; sources before tests."""
    totals: Mapping[Annotated[str, ("usage", "string", "comment", "definition")], Count]
    """Mentions of each kind, shown or not; `definition` counts what was left out as such."""
    files: Count
    """How many files hold any that is shown."""
    defined: Sequence[DefinedAtJson]
    """The first definitions, those that were asked for before what implements them."""


class SymbolLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_symbols: Count
    """Most definitions; 0 for as many as the caps allow."""


class DefinitionJson(TypedDict):
    """One definition."""

    row_id: Sha256
    """Names the chunk that holds it; what `expand` takes."""
    path: str
    """Path below the repository's root, with forward slashes."""
    line: Positive
    """Line of the name, 1-based."""
    start_line: Positive
    """First line of the definition, with what belongs in front of it."""
    end_line: Positive
    """Last line, inclusive."""
    name: str
    """The name as it is written."""
    qualified_name: str
    """The name behind its parents, joined with dots."""
    container: str
    """Qualified name of what encloses it; empty at the top."""
    kind: Code
    """What it is: function, method, class, interface, enum, typealias, module, constant or field.
    """
    language: str
    """Lower-case name such as python or go; text when unknown."""
    signature: str
    """Its head on one line."""
    doc: str
    """What documents it, without comment marks; empty when nothing does."""


class SymbolJson(AnswerJson, TimedJson, PagedJson):
    """Where a name is defined in one repository."""

    name: str
    """The name that was looked for."""
    limits: SymbolLimitsJson
    definitions: Sequence[DefinitionJson]
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
