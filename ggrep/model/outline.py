"""Requests and answers: what a file or a folder defines, and what a repository is."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.answerable import Request
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import DETERMINISTIC, TIMEOUT
from ggrep.model.response import Admitted, Provenance
from ggrep.model.says import MOST_BYTES, MOST_ITEMS, MOST_MS, MOST_PATH_BYTES, Says, Sent

MOST_TARGETS = 32
"""Paths of one request."""

Reading: TypeAlias = Literal["syntax", "structure", "none"]

_MaxBytes: TypeAlias = Annotated[
    int, Says("maxBytes", "Most bytes of the text.", least=1, most=MOST_BYTES), Sent(MOST_BYTES)
]
_Deterministic: TypeAlias = Annotated[bool, Says("deterministic", DETERMINISTIC)]
_Timeout: TypeAlias = Annotated[int, Says("timeoutMs", TIMEOUT, most=MOST_MS)]


class OutlineRequest(Request["OutlineResponse"], frozen=True):
    """What do files or folders define?"""

    targets: Annotated[
        tuple[str, ...],
        Says(
            "path",
            "Files, folders, or `path:line` for the definition around a line; empty for the root.",
            most=MOST_TARGETS,
        ),
        Sent(MOST_TARGETS, each=(0, MOST_PATH_BYTES)),
    ] = ("",)
    depth: Annotated[
        int, Says("depth", "Levels that are shown; 0 for as many as fit.", most=MOST_ITEMS)
    ] = 0
    max_bytes: _MaxBytes = 4_096
    deterministic: _Deterministic = False
    timeout_ms: _Timeout = 0


LEAST_BYTES: Final = 100
"""Fewer may not hold a line of an outline or a tour."""


class OutlineEntry(Struct, frozen=True):
    """One definition, heading or key of a file.

    Attributes:
        depth: 0 at the top of the file.
        kind: `function`, `method`, `class`, `interface`, `enum`, `typealias`, `module`, `constant`,
            `field`, `section` and so on.
        name: several, with commas between them, where they are shown together.
        signature: its head from the name on; empty for what has none.
        start_line: 1-based, with what belongs in front of it; `end_line` is inclusive.
    """

    depth: int
    kind: str
    name: str
    signature: str
    start_line: int
    end_line: int


class ListedPath(Struct, frozen=True):
    """One file or subfolder of a folder.

    Attributes:
        depth: levels below the folder, 0 for what lies in it.
        name: its path below the folder that it is listed under.
        folder: it is one.
        files: of a subfolder, all below it; 1 for a file.
        lines: of all of them.
        language: of most of them.
        holds: of a file what it mainly defines, in source order.
        more: names of a file that are not shown.
    """

    depth: int
    name: str
    folder: bool
    files: int
    lines: int
    language: str
    holds: tuple[str, ...] = ()
    more: int = 0


class LeftOut(Struct, frozen=True):
    """How many of a kind had no place."""

    kind: str
    count: int


class PathOutline(Struct, frozen=True):
    """The outline of one file or folder.

    Attributes:
        path: below the root; empty for the root itself.
        folder: it is one, and `listed` says what is in it; else `entries` say it.
        language: of the file, or of most of the folder's files.
        files: of the folder, all below it; 1 for a file.
        lines: of the file, or of all of them.
        reading: how the file was read: by its syntax, by its headings, keys or other structure, or
            not at all.
        left_out: what had no place, most first.
    """

    path: str
    folder: bool
    language: str
    files: int
    lines: int
    reading: Reading
    entries: tuple[OutlineEntry, ...] = ()
    listed: tuple[ListedPath, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class OutlineResponse(Struct, frozen=True):
    """The answer to an OutlineRequest; one outline for each target, in their order."""

    request: OutlineRequest
    request_id: str
    query_fingerprint: str
    provenance: Provenance
    outlines: tuple[PathOutline, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None


class TourRequest(Request["TourResponse"], frozen=True):
    """What is this repository?"""

    max_bytes: _MaxBytes = 4_096
    deterministic: _Deterministic = False
    timeout_ms: _Timeout = 0


class TourLine(Struct, frozen=True):
    """One fact.

    Attributes:
        text: what is so; a quotation, a name or a count.
        path: of the file or folder that says so; empty for what all files say together.
        line: in that file, 1-based; 0 for the whole of it.
    """

    text: str
    path: str
    line: int = 0


class TourSection(Struct, frozen=True):
    """Facts of one kind.

    Attributes:
        kind: `about`, `languages`, `folders`, `entry_points`, `main_files`, `build_and_test`,
            `configuration`, `docs` or `tests`.
        left_out: facts that had no place.
    """

    kind: str
    lines: tuple[TourLine, ...]
    left_out: int = 0


class TourResponse(Struct, frozen=True):
    """The answer to a TourRequest. What is unknown has no section."""

    request: TourRequest
    request_id: str
    query_fingerprint: str
    provenance: Provenance
    sections: tuple[TourSection, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None
