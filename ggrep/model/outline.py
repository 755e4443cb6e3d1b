"""Requests and answers: what a file or a folder defines, and what a repository is."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.answerable import Request
from ggrep.model.constraints import Code, Count, Positive
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
    """One definition, heading or key."""

    depth: Count
    """How deep it is nested; 0 at the top of the file."""
    kind: Code
    """What it is: function, method, class, struct, constant, field, section and so on."""
    name: str
    """Its name; several, with commas between them, where they are shown together."""
    signature: str
    """Its head from the name on; empty for what has none."""
    start_line: Positive
    """Its first line, with what belongs in front of it."""
    end_line: Positive
    """Its last line, inclusive."""


class ListedPath(Struct, frozen=True):
    """One file or subfolder of a folder."""

    depth: Count
    """Levels below the folder; 0 for what lies in it."""
    name: str
    """Its path below what it is listed under."""
    folder: bool
    """It is a subfolder."""
    files: Count
    """Files below a subfolder; 1 for a file."""
    lines: Count
    """Lines of all of them."""
    language: str
    """That of most of them."""
    holds: tuple[str, ...] = ()
    """What a file mainly defines, in source order."""
    more: Count = 0
    """Names of the file that are not shown."""


class PathOutline(Struct, frozen=True):
    """The outline of one file or folder."""

    path: str
    """Path below the repository's root; empty for the root."""
    folder: bool
    """It is a folder."""
    language: str
    """Of the file, or of most lines of the folder."""
    files: Count
    """Files below the folder; 1 for a file."""
    lines: Count
    """Lines of the file, or of all of them."""
    reading: Reading
    """By what the file was read: syntax, structure (headings, keys), or none."""
    entries: tuple[OutlineEntry, ...] = ()
    """Of a file, in source order."""
    listed: tuple[ListedPath, ...] = ()
    """Of a folder, in the order of paths."""
    left_out: Mapping[Code, Count] = {}
    """By kind, how many had no place."""


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


class TourFact(Struct, frozen=True):
    """One fact and where it stands."""

    text: str
    """What is so: a quotation, a name or a count."""
    path: str
    """The file or folder that says so; empty for what all files say together."""
    line: Count = 0
    """In that file; 0 for the whole of it."""


class TourSection(Struct, frozen=True):
    """Facts of one kind."""

    kind: Code
    """About, languages, folders, entry_points, main_files, build_and_test, configuration, docs or
    tests.
    """
    facts: tuple[TourFact, ...]
    left_out: Count = 0
    """Facts that had no place."""


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
