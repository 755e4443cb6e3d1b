"""Requests and answers: definitions and usages of a name, and the code around a place."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import (
    PAIRS,
    ChunkType,
    Code,
    Count,
    LanguageName,
    Positive,
    RepoPath,
    Sha256,
)
from ggrep.model.field_meta import (
    MOST_FILTERS,
    MOST_ITEMS,
    MOST_PATH_BYTES,
    Field,
    WireBounds,
)
from ggrep.model.filters import Filter
from ggrep.model.request import (
    FILTERS,
    SCOPE,
    Deterministic,
    MaxBytes,
    Request,
    TimeoutMs,
)
from ggrep.model.response import Answer

MentionKind: TypeAlias = Literal["usage", "string", "comment"]
UseRole: TypeAlias = Literal["call", "write", "read", "receiver", "import"]
Relation: TypeAlias = Literal["definition", "implementation"]
Boundary: TypeAlias = Literal["auto", "lines", "chunk", "definition", "container", "file"]

MOST_TOKEN_BYTES: Final = 512 * 1024
"""Longest cursor."""

_Name: TypeAlias = Annotated[
    str,
    Field("name", "A name, or `container.name` with dots, `::`, `#` or `/`.", least=1),
    WireBounds(512),
]
_Scope: TypeAlias = Annotated[str, Field("scope", SCOPE), WireBounds(MOST_PATH_BYTES)]
_Filters: TypeAlias = Annotated[
    tuple[Filter, ...], Field("filter", FILTERS), WireBounds(MOST_FILTERS)
]
_Cursor: TypeAlias = Annotated[
    str,
    Field("cursor", "`next_cursor` of an answer: return what follows it."),
    WireBounds(MOST_TOKEN_BYTES),
]


class SymbolRequest(Request["SymbolResponse"], frozen=True):
    """Where is a name defined?

    Attributes:
        scope: a path key; empty for the whole root.
    """

    name: _Name
    scope: _Scope = ""
    filters: _Filters = ()
    limit: Annotated[
        int, Field("limit", "Most definitions; 0 for the maximum.", most=MOST_ITEMS)
    ] = 20
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0
    cursor: _Cursor = ""


class Definition(Struct, frozen=True):
    """One definition."""

    row_id: Sha256
    """Names the chunk that holds it; what `expand` takes."""
    path: RepoPath
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


class SymbolResponse(Answer, frozen=True):
    """The answer to a SymbolRequest; without `next_cursor` it is the last page."""

    request: SymbolRequest
    definitions: tuple[Definition, ...]
    """Definitions: exact spelling first, then sources before tests, then path and line."""
    total: Count
    """How many there are, shown or not."""
    suggestions: tuple[str, ...]
    """Names that are spelt nearly so, where nothing was found."""
    next_cursor: str = ""


class ReferencesRequest(Request["ReferencesResponse"], frozen=True):
    """Where is a name used? Of a qualified name uses that say another container are left out."""

    name: _Name
    scope: _Scope = ""
    filters: _Filters = ()
    strings: Annotated[bool, Field("strings", "Also return occurrences in string literals.")] = (
        False
    )
    comments: Annotated[
        bool, Field("comments", "Also return occurrences in comments and documents.")
    ] = False
    limit: Annotated[
        int, Field("limit", "Most occurrences; 0 for the maximum.", most=MOST_ITEMS)
    ] = 100
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0
    cursor: _Cursor = ""


class Reference(Struct, frozen=True):
    """One mention."""

    row_id: Sha256
    """Names the chunk that holds it; what `expand` takes."""
    path: RepoPath
    line: Positive
    """Line of the name, 1-based."""
    column: Positive
    """Column of its first character, 1-based, in characters."""
    kind: MentionKind
    """Where it stands: in code, in a string literal, or in a comment or document."""
    container: str
    """Qualified name of the definition that it stands in; empty at the top."""
    language: LanguageName
    content: str
    """The line it stands in, free of control characters and cut to a bound."""
    role: UseRole = "read"
    """What it does with the name; `receiver` says whose methods follow."""
    test: bool = False
    """It stands in a test, be that a file or a part of a source file."""
    guess: bool = False
    """Of a qualified name: nothing says that it is of that container."""


class DefinedAt(Struct, frozen=True):
    """A definition of the name."""

    path: RepoPath
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
    relation: Relation = "definition"
    """What it is to the container that was asked for."""
    guess: bool = False
    """No type says that it implements the container."""


class ReferencesResponse(Answer, frozen=True):
    """The answer to a ReferencesRequest; without `next_cursor` it is the last page."""

    request: ReferencesRequest
    references: tuple[Reference, ...]
    """Mentions by path, line and column; sources before tests."""
    totals: Annotated[
        tuple[tuple[Annotated[str, ("usage", "string", "comment", "definition")], Count], ...],
        PAIRS,
    ]
    """Mentions of each kind, shown or not; `definition` counts what was left out as such."""
    files: Count
    """How many files hold any that is shown."""
    next_cursor: str = ""
    defined: tuple[DefinedAt, ...] = ()
    """The first definitions, those that were asked for before what implements them."""


class ExpandRequest(Request["ExpandResponse"], frozen=True):
    """Which code surrounds a place?"""

    target: Annotated[
        str,
        Field(
            "target",
            "`path:line`, `path:line-line`, `path`, a place as compilers print it, a row_id or its"
            " first 7 digits, or a name as an outline prints it.",
            least=1,
        ),
        WireBounds(MOST_PATH_BYTES),
    ]
    boundary: Annotated[
        Boundary,
        Field("boundary", "How much to return; by default the definition around a place."),
    ] = "auto"
    max_bytes: MaxBytes = 16_384
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0


class Neighbour(Struct, frozen=True):
    """A chunk of the same file that is not part of the text."""

    side: Literal["before", "after"]
    """On which side of the text it stands."""
    row_id: Sha256
    """Names the chunk; what `expand` takes."""
    start_line: Positive
    """Its first line, 1-based."""
    end_line: Positive
    """Its last line, inclusive."""
    chunk_type: ChunkType
    name: str
    """The definition's or heading's own name; empty for blocks."""
    signature: str
    """The definition's head on one line; empty for what has none."""


class ExpandResponse(Answer, frozen=True):
    """The answer to an ExpandRequest."""

    request: ExpandRequest
    path: RepoPath
    language: LanguageName
    boundary: Boundary
    """What the text is."""
    start_line: Positive
    """First line of the text, 1-based."""
    end_line: Positive
    """Last line of the text, inclusive."""
    breadcrumb: tuple[str, ...]
    """Enclosing definitions or headings, outermost first."""
    content: str
    """The lines, free of control characters, cut to the bytes asked for."""
    hidden_lines: Count
    """Lines of the boundary that were cut."""
    file_lines: Count
    """Lines of the whole file."""
    neighbours: tuple[Neighbour, ...]
    """The next chunks on both sides, by line."""
