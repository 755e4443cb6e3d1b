"""Requests and answers: definitions and usages of a name, and the code around a location."""

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
    MOST_BYTES,
    MOST_FILTERS,
    MOST_ITEMS,
    MOST_PATH_BYTES,
    MOST_QUERY_BYTES,
    Field,
    WireBounds,
)
from ggrep.model.filters import Filter
from ggrep.model.request import (
    FILTERS,
    SCOPE,
    Deterministic,
    Request,
    TimeoutMs,
)
from ggrep.model.response import Answer
from ggrep.model.written_names import is_quoted

MentionKind: TypeAlias = Literal["usage", "string", "comment"]
MENTION_KINDS: Final[tuple[MentionKind, ...]] = ("usage", "string", "comment")
UseRole: TypeAlias = Literal["call", "write", "read", "handles", "implements", "receiver", "import"]
Relation: TypeAlias = Literal["definition", "implementation"]
Boundary: TypeAlias = Literal["auto", "lines", "chunk", "definition", "container", "file"]

MOST_TOKEN_BYTES: Final = 512 * 1024
"""Maximum length of a cursor."""

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
    Field("cursor", "The `next_cursor` of an answer, to get the next page."),
    WireBounds(MOST_TOKEN_BYTES),
]


class SymbolRequest(Request["SymbolResponse"], frozen=True):
    """A request for the definitions of a name.

    Attributes:
        scope: path key of a directory or file; empty for the whole root.
    """

    name: _Name
    scope: _Scope = ""
    filters: _Filters = ()
    limit: Annotated[
        int, Field("limit", "Maximum number of definitions; 0 means 2,000.", most=MOST_ITEMS)
    ] = 20
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0
    cursor: _Cursor = ""


class Definition(Struct, frozen=True):
    """A definition of the requested name, with the id of its chunk."""

    row_id: Sha256
    """Id of the chunk with this location; `expand` accepts it as target."""
    path: RepoPath
    line: Positive
    """Line of the name, 1-based."""
    start_line: Positive
    """First line of the definition, including decorators and comments before it."""
    end_line: Positive
    """Last line of the definition, inclusive."""
    name: str
    """The name as it is written."""
    qualified_name: str
    """The parents' names and the name, joined with dots."""
    container: str
    """Qualified name of the enclosing definition; empty at the top."""
    kind: Code
    """Kind of the definition: function, method, class, interface, enum, typealias, module, constant
    or field.
    """
    language: str
    """Lower-case name such as python or markdown; text when unknown."""
    signature: str
    """Head of the definition on one line."""
    doc: str
    """Documentation of the definition, without comment marks; empty for none."""


class DefinedAt(Struct, frozen=True):
    """A definition of the requested name."""

    path: RepoPath
    start_line: Positive
    """First line of the definition, including decorators and comments before it."""
    end_line: Positive
    """Last line of the definition, inclusive."""
    kind: Code
    """Kind of the definition: function, method, class, constant and so on."""
    qualified_name: str
    """The names of the enclosing definitions and the name, joined with dots."""
    signature: str
    """Head of the definition on one line; for a constant or a field, with the value."""
    relation: Relation = "definition"
    """Relation to the requested container."""
    guess: bool = False
    """Whether the link to the container is a guess, because no type declares it."""


class OutsideName(Struct, frozen=True):
    """An import that shows where a name without a definition comes from."""

    package: str
    """Package, module, namespace or header that the import names."""
    path: RepoPath
    line: Positive
    """Line of the import, 1-based."""
    content: str
    """Text of that line."""
    guess: bool = False
    """Whether the file also imports all names of other packages."""


class SymbolResponse(Answer, frozen=True):
    """The answer to a SymbolRequest; without `next_cursor` it is the last page."""

    request: SymbolRequest
    definitions: tuple[Definition, ...]
    """Definitions: exact spelling first, then sources before tests, then path and line."""
    total: Count
    """Number of definitions, shown or not."""
    suggestions: tuple[str, ...]
    """Names with a similar spelling, when no definition was found."""
    next_cursor: str = ""
    implementations: tuple[DefinedAt, ...] = ()
    """Types that implement or extend the requested type, or their definitions of the requested
    method: sources before tests, then path and line; on the first page only.
    """
    implementations_total: Count = 0
    """Number of implementations, shown or not; above 300, and above the limit, there are more."""
    outside: tuple[OutsideName, ...] = ()
    """Imports that show where a name comes from that this repository does not define."""


class ReferencesRequest(Request["ReferencesResponse"], frozen=True):
    """A request for the usages of a name; a qualified name excludes usages of other containers."""

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
        int, Field("limit", "Maximum number of occurrences; 0 means 2,000.", most=MOST_ITEMS)
    ] = 100
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0
    cursor: _Cursor = ""

    @property
    def kinds(self) -> frozenset[MentionKind]:
        """Return the kinds of mentions to show; a quoted name includes strings."""
        strings = self.strings or is_quoted(self.name)
        wanted = {"usage": True, "string": strings, "comment": self.comments}
        return frozenset(kind for kind in MENTION_KINDS if wanted[kind])


class Reference(Struct, frozen=True):
    """An occurrence of the requested name that is not a definition."""

    row_id: Sha256
    """Id of the chunk with this location; `expand` accepts it as target."""
    path: RepoPath
    line: Positive
    """Line of the name, 1-based."""
    column: Positive
    """Column of the name's first character, 1-based, in characters."""
    kind: MentionKind
    """Context of the name: code, a string literal, or a comment or document."""
    container: str
    """Qualified name of the enclosing definition; empty at the top."""
    language: LanguageName
    content: str
    """Text of the line, free of control characters and cut to a bound."""
    role: UseRole = "read"
    """Use of the name. `handles`: a message, an event or a route that code is registered for;
    `implements`: a base of the type `container`; `receiver`: the type whose methods follow.
    """
    test: bool = False
    """Whether the occurrence is in a test: a test file, or the test part of a source file."""
    guess: bool = False
    """Whether the name's container is unknown; only for a qualified name."""


class ReferencesResponse(Answer, frozen=True):
    """The answer to a ReferencesRequest; without `next_cursor` it is the last page."""

    request: ReferencesRequest
    references: tuple[Reference, ...]
    """Mentions by path, line and column; sources before tests."""
    totals: Annotated[
        tuple[tuple[Annotated[str, ("usage", "string", "comment", "definition")], Count], ...],
        PAIRS,
    ]
    """Mentions of each kind in parsed files, shown or not; `definition` counts occurrences that are
    definitions, which are not shown. If `mentions` is not 0, the counts are lower bounds."""
    files: Count
    """Number of files with shown mentions."""
    mentions: Count = 0
    """Occurrences of any kind in further files, which were not parsed."""
    mention_files: Count = 0
    """Number of files with the occurrences in `mentions`."""
    next_cursor: str = ""
    defined: tuple[DefinedAt, ...] = ()
    """The first definitions; requested definitions come before implementations."""
    outside: tuple[OutsideName, ...] = ()
    """Imports that show where a name comes from that this repository does not define."""


class ExpandRequest(Request["ExpandResponse"], frozen=True):
    """A request for the code around a location."""

    target: Annotated[
        str,
        Field(
            "target",
            "`path:line`, `path:line-line`, `path`, a place as compilers print it, a row_id or its"
            " first 7 digits, or a name as an outline prints it, alone or as `path:name`.",
            least=1,
        ),
        WireBounds(MOST_PATH_BYTES),
    ]
    boundary: Annotated[
        Boundary,
        Field("boundary", "How much to return; by default the definition around a place."),
    ] = "auto"
    max_bytes: Annotated[
        int,
        Field(
            "maxBytes",
            "Maximum bytes of the text; 0 for 16,384 (4,096 with focus; no limit for line ranges).",
            most=MOST_BYTES,
        ),
        WireBounds(MOST_BYTES),
    ] = 0
    focus: Annotated[
        str,
        Field(
            "focus",
            "Words; if the code is long, show only lines that are relevant to these words.",
        ),
        WireBounds(MOST_QUERY_BYTES),
    ] = ""
    tests: Annotated[
        bool, Field("tests", "Show tests inside of source files; false folds them.")
    ] = True
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0


class Neighbour(Struct, frozen=True):
    """A chunk of the same file that is not part of the returned text."""

    side: Literal["before", "after"]
    """Whether the chunk is before or after the text."""
    row_id: Sha256
    """Id of the chunk; `expand` accepts it as target."""
    start_line: Positive
    """First line of the chunk, 1-based."""
    end_line: Positive
    """Last line of the chunk, 1-based, inclusive."""
    chunk_type: ChunkType
    name: str
    """Unqualified name of the definition or heading; empty for blocks."""
    signature: str
    """Head of the definition on one line; empty for none."""


class ExpandResponse(Answer, frozen=True):
    """The answer to an ExpandRequest."""

    request: ExpandRequest
    path: RepoPath
    language: LanguageName
    boundary: Boundary
    """Extent of the text."""
    start_line: Positive
    """First line of the text, 1-based."""
    end_line: Positive
    """Last line of the text, inclusive."""
    breadcrumb: tuple[str, ...]
    """Enclosing definitions or headings, outermost first."""
    content: str
    """Text, free of control characters and cut to the requested bytes. A folded range is one line
    with its numbers: `\u2026 12-40`.
    """
    hidden_lines: Count
    """Lines of the boundary that were cut or folded."""
    file_lines: Count
    """Number of lines of the file."""
    neighbours: tuple[Neighbour, ...]
    """The next chunks on both sides, by line."""
