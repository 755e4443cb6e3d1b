"""Requests and answers: definitions and usages of a name, and the code around a place."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.filters import Filter
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import DETERMINISTIC, FILTERS, SCOPE, TIMEOUT
from ggrep.model.response import Admitted, Provenance
from ggrep.model.says import (
    MOST_BYTES,
    MOST_FILTERS,
    MOST_ITEMS,
    MOST_MS,
    MOST_PATH_BYTES,
    Says,
    Sent,
)

MentionKind: TypeAlias = Literal["usage", "string", "comment"]
UseRole: TypeAlias = Literal["call", "write", "read", "receiver", "import"]
Relation: TypeAlias = Literal["definition", "implementation"]
Boundary: TypeAlias = Literal["auto", "lines", "chunk", "definition", "container", "file"]

MOST_TOKEN_BYTES: Final = 512 * 1024
"""Longest cursor."""

_Name: TypeAlias = Annotated[
    str,
    Says("name", "A name, or `container.name` with dots, `::`, `#` or `/`.", least=1),
    Sent(512),
]
_Scope: TypeAlias = Annotated[str, Says("scope", SCOPE), Sent(MOST_PATH_BYTES)]
_Filters: TypeAlias = Annotated[tuple[Filter, ...], Says("filter", FILTERS), Sent(MOST_FILTERS)]
_Deterministic: TypeAlias = Annotated[bool, Says("deterministic", DETERMINISTIC)]
_Timeout: TypeAlias = Annotated[int, Says("timeoutMs", TIMEOUT, most=MOST_MS)]
_Cursor: TypeAlias = Annotated[
    str,
    Says("cursor", "`next_cursor` of an answer: return what follows it."),
    Sent(MOST_TOKEN_BYTES),
]


class SymbolRequest(Struct, frozen=True):
    """Where is a name defined?

    Attributes:
        scope: a path key; empty for the whole root.
    """

    name: _Name
    scope: _Scope = ""
    filters: _Filters = ()
    limit: Annotated[
        int, Says("limit", "Most definitions; 0 for the maximum.", most=MOST_ITEMS)
    ] = 20
    deterministic: _Deterministic = False
    timeout_ms: _Timeout = 0
    cursor: _Cursor = ""


class Definition(Struct, frozen=True):
    """One definition.

    Attributes:
        row_id: of the chunk that holds it; what `expand` takes.
        line: of the name, 1-based, as the others; `start_line` is that of its first line with
            what belongs in front of it.
        kind: `function`, `method`, `class`, `interface`, `enum`, `typealias`, `module`,
            `constant` or `field`.
        container: qualified name of what encloses it; empty at the top level.
        signature: its head on one line; of a constant or a field with the value.
        doc: its documentation without comment marks, truncated to a bound.
    """

    row_id: str
    path: str
    line: int
    start_line: int
    end_line: int
    name: str
    qualified_name: str
    container: str
    kind: str
    language: str
    signature: str
    doc: str


class SymbolResponse(Struct, frozen=True):
    """The answer to a SymbolRequest.

    Attributes:
        definitions: exact spelling first, then sources before tests, then path and line.
        total: how many there are, shown or not.
        suggestions: similarly spelled names, when nothing was found.
        next_cursor: what the next page is asked for by; empty on the last.
    """

    request: SymbolRequest
    request_id: str
    query_fingerprint: str
    provenance: Provenance
    definitions: tuple[Definition, ...]
    total: int
    suggestions: tuple[str, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None
    next_cursor: str = ""


class ReferencesRequest(Struct, frozen=True):
    """Where is a name used? Of a qualified name uses that say another container are left out."""

    name: _Name
    scope: _Scope = ""
    filters: _Filters = ()
    strings: Annotated[bool, Says("strings", "Also return occurrences in string literals.")] = False
    comments: Annotated[
        bool, Says("comments", "Also return occurrences in comments and documents.")
    ] = False
    limit: Annotated[
        int, Says("limit", "Most occurrences; 0 for the maximum.", most=MOST_ITEMS)
    ] = 100
    deterministic: _Deterministic = False
    timeout_ms: _Timeout = 0
    cursor: _Cursor = ""


class Reference(Struct, frozen=True):
    """One occurrence of a name other than its definition.

    Attributes:
        row_id: of the chunk that holds it.
        line: 1-based, as `column`, which counts characters.
        container: qualified name of the enclosing definition; empty at the top level.
        content: the line that holds it, truncated to a bound.
        role: what it does with the name.
        test: it stands in a test, be that a file or a part of a source file.
        guess: of a qualified name, nothing says that it is of that container.
    """

    row_id: str
    path: str
    line: int
    column: int
    kind: MentionKind
    container: str
    language: str
    content: str
    role: UseRole = "read"
    test: bool = False
    guess: bool = False


class DefinedAt(Struct, frozen=True):
    """A definition of the name that is used.

    Attributes:
        start_line: with what belongs in front of it.
        signature: its head on one line; of a constant or a field with the value.
        relation: what it is to the container that was asked for; without one all are definitions.
        guess: no type says that it implements the container.
    """

    path: str
    start_line: int
    end_line: int
    kind: str
    qualified_name: str
    signature: str
    relation: Relation = "definition"
    guess: bool = False


class ReferencesResponse(Struct, frozen=True):
    """The answer to a ReferencesRequest.

    Attributes:
        references: by path, line and column; usages in sources before those in tests.
        totals: occurrences by kind, shown or not; `definition` counts omitted definitions.
        files: the number of files with a shown occurrence.
        defined: the first definitions, those that were asked for before what implements them.
        next_cursor: as of a SymbolResponse.
    """

    request: ReferencesRequest
    request_id: str
    query_fingerprint: str
    provenance: Provenance
    references: tuple[Reference, ...]
    totals: tuple[tuple[str, int], ...]
    files: int
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None
    next_cursor: str = ""
    defined: tuple[DefinedAt, ...] = ()


class ExpandRequest(Struct, frozen=True):
    """Which code surrounds a place?"""

    target: Annotated[
        str,
        Says(
            "target",
            "`path:line`, `path:line-line`, `path`, a place as compilers print it, a row_id or its"
            " first 7 digits, or a name as an outline prints it.",
            least=1,
        ),
        Sent(MOST_PATH_BYTES),
    ]
    boundary: Annotated[
        Boundary,
        Says("boundary", "How much to return; by default the definition around a place."),
    ] = "auto"
    max_bytes: Annotated[
        int, Says("maxBytes", "Most bytes of the text.", least=1, most=MOST_BYTES), Sent(MOST_BYTES)
    ] = 16_384
    deterministic: _Deterministic = False
    timeout_ms: _Timeout = 0


class Neighbour(Struct, frozen=True):
    """A chunk of the same file that is not part of the text returned.

    Attributes:
        side: `before` or `after`.
    """

    side: Literal["before", "after"]
    row_id: str
    start_line: int
    end_line: int
    chunk_type: str
    name: str
    signature: str


class ExpandResponse(Struct, frozen=True):
    """The answer to an ExpandRequest.

    Attributes:
        boundary: what the text is: a chunk, a definition, its container or the file.
        content: the lines from `start_line` to `end_line`, cut to the bytes asked for.
        hidden_lines: lines of the boundary that were cut.
        file_lines: of the whole file.
        neighbours: the next few on both sides, by line.
    """

    request: ExpandRequest
    request_id: str
    query_fingerprint: str
    provenance: Provenance
    path: str
    language: str
    boundary: Boundary
    start_line: int
    end_line: int
    breadcrumb: tuple[str, ...]
    content: str
    hidden_lines: int
    file_lines: int
    neighbours: tuple[Neighbour, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None
