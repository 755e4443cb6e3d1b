"""Answers requests for the code around a place: a chunk, a definition, a container or a file."""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.index.store.definition_extents import Step, widened
from ggrep.model.files import TEST
from ggrep.model.limits import LimitHit
from ggrep.model.line_numbers import folded_range, numbered_lines, without_fold_marks
from ggrep.model.navigation import Boundary, ExpandRequest, ExpandResponse, Neighbour
from ggrep.model.request import Find, SearchRequest
from ggrep.model.sanitise import is_text, sanitise, sanitise_line
from ggrep.search.query.context import Context, Stages
from ggrep.search.query.file_text import file_text
from ggrep.search.query.finding import read_query
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.segments import SearchableSegment, open_segments
from ggrep.search.query.targets import ResolvedTarget, find_target
from ggrep.search.reading.deciding import SHORT, deciding_text
from ggrep.search.reading.folding import Fold, Source, with_folds

BOUNDARIES: Final[tuple[Boundary, ...]] = ("chunk", "definition", "container", "file")
"""The extents of text that a request can name, narrowest first."""


class Piece(Struct, frozen=True):
    """One chunk of a file.

    Attributes:
        first_line: 1-based, like `last_line`.
        name: name of the definition that begins in the chunk; empty if no definition begins there.
        breadcrumb: the enclosing definitions, outermost first.
    """

    row_id: str
    first_line: int
    last_line: int
    chunk_type: str
    name: str
    breadcrumb: tuple[str, ...]
    signature: str

    @property
    def trail(self) -> tuple[str, ...]:
        """Return the names of the enclosing definitions and of the definition that begins here."""
        return (*self.breadcrumb, self.name) if self.name else self.breadcrumb


class Reach(Struct, frozen=True):
    """The lines that a boundary, such as `definition`, includes.

    Attributes:
        first_line: 1-based, like `last_line`.
        trail: the definitions that enclose all of these lines, outermost first.
    """

    boundary: Boundary
    first_line: int
    last_line: int
    trail: tuple[str, ...]


def reaches_of(pieces: Sequence[Piece], first: int, last: int, lines: int) -> list[Reach]:
    """Return the lines that each boundary around some chunks includes, narrowest first.

    If no definition encloses the chunks, the boundary `definition` includes only the chunks. If no
    container encloses the chunks, the boundary `container` includes the whole file.

    Args:
        pieces: all chunks of the file, in source order; not empty.
        first: index of the first of the chunks.
        last: index of the last of the chunks.
        lines: number of lines of the file.
    """
    trail = pieces[first].trail
    for piece in pieces[first + 1 : last + 1]:
        trail = _common(trail, piece.trail)
    chunk = (first, last)
    definition = _widened(pieces, chunk, trail) if trail else chunk
    container = _widened(pieces, definition, trail[:-1]) if len(trail) > 1 else None
    whole = Reach("file", 1, max(lines, pieces[-1].last_line), ())
    outer = whole if container is None else _reach("container", pieces, container, trail[:-1])
    return [
        _reach("chunk", pieces, chunk, trail),
        _reach("definition" if trail else "chunk", pieces, definition, trail),
        outer,
        whole,
    ]


def _reach(
    boundary: Boundary, pieces: Sequence[Piece], span: tuple[int, int], trail: tuple[str, ...]
) -> Reach:
    last = max(piece.last_line for piece in pieces[span[0] : span[1] + 1])
    return Reach(boundary, pieces[span[0]].first_line, last, trail)


def _common(first: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    while length < min(len(first), len(other)) and first[length] == other[length]:
        length += 1
    return first[:length]


def _widened(
    pieces: Sequence[Piece], span: tuple[int, int], trail: tuple[str, ...]
) -> tuple[int, int]:
    return widened([Step(piece.trail, bool(piece.name)) for piece in pieces], span, trail)


MAX_EXPAND_BYTES: Final = 1 << 20
"""Maximum size of the text in one answer."""
USUAL_BYTES: Final = 16_384
FOCUS_BYTES: Final = 4_096
_NEIGHBOURS: Final = 3
"""Number of chunks that are named before and after the shown lines."""


def check_expand(request: ExpandRequest) -> None:
    """Raise unless the request is valid; needs no index.

    Raises:
        InvalidRequest: the message names the invalid field.
    """
    if not is_text(request.target) or "\0" in request.target or not request.target.strip():
        raise InvalidRequest(f"target: {request.target!r} is not a valid place")
    if not is_text(request.focus):
        raise InvalidRequest(f"focus: {request.focus!r} is not valid text")
    if request.boundary not in ("auto", "lines", *BOUNDARIES):
        known = ", ".join(("auto", "lines", *BOUNDARIES))
        raise InvalidRequest(f"boundary: unknown value {request.boundary!r}; use one of {known}")
    if request.max_bytes < 0:
        raise InvalidRequest(f"max_bytes: {request.max_bytes} is negative")
    if request.timeout_ms < 0:
        raise InvalidRequest(f"timeout_ms: {request.timeout_ms} is negative")


def expand(context: Context, request: ExpandRequest) -> ExpandResponse:
    """Return the text around a place, as indexed.

    Raises:
        InvalidRequest: the target names no place in this index, or several places.
        CorruptStore: a stored text does not match its row id.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        DeadlineExceeded: time ran out.
    """
    stages = Stages(context.clock)
    segments = open_segments(context.view)
    target = find_target(segments, request.target.strip(), context.deadline)
    clamped, clamps = _clamped(request, target)
    file = _read(context, segments[target.segment], target)
    shown = _shown(file, target, clamped, context.deadline)
    stages.end("expand")
    return ExpandResponse(
        request=clamped,
        path=file.path,
        language=file.language,
        boundary=shown.reach.boundary,
        start_line=shown.first_line,
        end_line=shown.last_line,
        breadcrumb=shown.reach.trail,
        content=shown.content,
        hidden_lines=shown.hidden_lines,
        file_lines=len(file.lines),
        neighbours=_neighbours(file.pieces, shown.first_line, shown.last_line),
        **context.head(
            asked_fingerprint("expand-1", clamped, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*clamps, *shown.limits),
            notices=(),
            spans=stages.spans,
            shown=(file.path,),
        ),
    )


class _File(Struct, frozen=True):
    """A file of which a part is to be shown.

    Attributes:
        lines: lines without line ends, sanitised.
        pieces: the chunks except the header chunk, in source order.
        rows: the row of each chunk.
    """

    path: str
    language: str
    is_test: bool
    lines: tuple[str, ...]
    pieces: tuple[Piece, ...]
    rows: tuple[int, ...]


class _Shown(Struct, frozen=True):
    """The shown part of a file.

    Attributes:
        reach: the lines of the boundary.
        hidden_lines: number of the boundary's lines that are not shown.
    """

    reach: Reach
    first_line: int
    last_line: int
    content: str
    hidden_lines: int
    limits: tuple[LimitHit, ...] = ()


def _clamped(
    request: ExpandRequest, target: ResolvedTarget
) -> tuple[ExpandRequest, tuple[LimitHit, ...]]:
    """Return the request with its byte limit, at most the maximum, or with the default limit."""
    if not request.max_bytes:
        usual = MAX_EXPAND_BYTES if target.is_range else USUAL_BYTES
        usual = FOCUS_BYTES if request.focus else usual
        return replace(request, max_bytes=usual), ()
    if request.max_bytes <= MAX_EXPAND_BYTES:
        return request, ()
    clamp = LimitHit("max_expand_bytes", MAX_EXPAND_BYTES, request.max_bytes)
    return replace(request, max_bytes=MAX_EXPAND_BYTES), (clamp,)


def _read(context: Context, segment: SearchableSegment, target: ResolvedTarget) -> _File:
    view, deadline, image = context.view, context.deadline, segment.image
    rows = [row for row in segment.rows_of(target.file) if not image.row_anchors[row]]
    text = without_fold_marks(sanitise(file_text(view, segment, target.file, deadline)), 1)
    contents = shown_rows(view, segment, rows)
    deadline.check("expanding")
    pieces = [
        Piece(
            row_id=shown.row_id,
            first_line=image.lines(row)[0],
            last_line=image.lines(row)[1],
            chunk_type=image.types[int(image.row_types[row])],
            name=sanitise_line(shown.details.name),
            breadcrumb=tuple(sanitise_line(part) for part in shown.details.breadcrumb),
            signature=sanitise_line(shown.details.signature),
        )
        for row, shown in zip(rows, contents, strict=True)
    ]
    return _File(
        path=sanitise_line(image.path(target.file)),
        language=image.language(target.file),
        is_test=bool(int(image.file_traits[target.file]) & TEST),
        lines=tuple(text.removesuffix("\n").split("\n")) if text else (),
        pieces=tuple(pieces),
        rows=tuple(rows),
    )


def _shown(
    file: _File, target: ResolvedTarget, request: ExpandRequest, deadline: Deadline
) -> _Shown:
    """Return the part of the file to show: the requested boundary, or the widest one that fits.

    Without a requested boundary, a line in a file is shown with at most the definition around it,
    because a reader of a method does not need the licence at the top of the file.
    """
    if not file.pieces:
        return _Shown(Reach("file", 1, 1, ()), 1, 1, "", 0)
    first = file.rows.index(target.row) if target.row in file.rows else 0
    last = first
    while last + 1 < len(file.rows) and file.pieces[last + 1].first_line <= target.last_line:
        last += 1
    reaches = reaches_of(file.pieces, first, last, len(file.lines))
    # A caller that names a first and a last line has seen the file and wants exactly these lines.
    if request.boundary == "lines" or (request.boundary == "auto" and target.is_range):
        last_line = min(target.last_line, len(file.lines))
        reach = Reach("lines", target.first_line, last_line, reaches[0].trail)
    elif request.boundary == "auto":
        asked = reaches if target.is_file else reaches[: BOUNDARIES.index("container")]
        fitting = [
            reach for reach in asked if request.focus or _size(file, reach) <= request.max_bytes
        ]
        reach = fitting[-1] if fitting else reaches[0]
    else:
        reach = reaches[BOUNDARIES.index(request.boundary)]
    if folded := _folded(file, reach, target, request, deadline):
        return folded
    size = _size(file, reach)
    if size > request.max_bytes:
        return _cut(file, reach, target.first_line, request.max_bytes, size)
    lines = file.lines[reach.first_line - 1 : reach.last_line]
    return _Shown(reach, reach.first_line, reach.last_line, "\n".join(lines), 0)


def _folded(
    file: _File, reach: Reach, target: ResolvedTarget, request: ExpandRequest, deadline: Deadline
) -> _Shown | None:
    """Return the part of the file with folded lines; None if not requested or if it does not fit.

    A short body is shown whole. With focus, tests are folded, unless the place is inside a test or
    the focus mentions tests.
    """
    if request.tests and not request.focus:
        return None
    lines = file.lines[reach.first_line - 1 : reach.last_line]
    source = Source(lines, reach.first_line, file.language, file.is_test)
    query = read_query(SearchRequest(request.focus, find=Find.CONCEPT)) if request.focus else None
    tests = [
        (max(low, reach.first_line), min(high, reach.last_line))
        for low, high in Source(file.lines, 1, file.language, file.is_test).tests
        if low <= reach.last_line and high >= reach.first_line
        if not low <= target.first_line <= high or target.is_file
    ]
    is_cut, size = False, _size(file, reach)
    if query is None or (len(lines) <= SHORT and size <= request.max_bytes):
        folds = () if request.tests else (Fold(low, high, "tests") for low, high in tests)
        shown = with_folds(source, folds)
    else:
        parts = [(piece.first_line, piece.last_line) for piece in file.pieces if piece.name]
        hidden = tests if not (request.tests and query.wants_tests) else []
        terms = frozenset(query.terms)
        shown, is_cut = deciding_text(source, terms, request.max_bytes, deadline, parts, hidden)
    numbered = list(numbered_lines(shown.split("\n"), reach.first_line))
    kept = sum(folded_range(number, line) is None for number, line in numbered)
    if not kept or len(shown.encode()) > request.max_bytes or shown == source.text:
        return None
    cut = LimitHit("max_expand_bytes", request.max_bytes, size, file.path)
    limits = (cut,) if is_cut else ()
    return _Shown(reach, reach.first_line, reach.last_line, shown, len(lines) - kept, limits)


def _size(file: _File, reach: Reach) -> int:
    lines = file.lines[reach.first_line - 1 : reach.last_line]
    return sum(len(line.encode()) for line in lines) + len(lines) - 1


def _cut(file: _File, reach: Reach, line: int, most: int, size: int) -> _Shown:
    """Return `line`, and as many lines of a boundary around it as fit into `most` bytes.

    The line below comes before the equally distant line above.
    """
    limit = LimitHit("max_expand_bytes", most, size, file.path)
    line = min(max(line, reach.first_line), reach.last_line)
    total = reach.last_line - reach.first_line + 1
    first = last = line
    left = most - len(file.lines[line - 1].encode())
    if left < 0:
        head = file.lines[line - 1].encode()[:most].decode(errors="ignore")
        return _Shown(reach, line, line, head, total - 1 + (not head), (limit,))
    sides = {"below": True, "above": True}
    while any(sides.values()):
        for side, step in (("below", last + 1), ("above", first - 1)):
            inside = reach.first_line <= step <= reach.last_line
            cost = len(file.lines[step - 1].encode()) + 1 if inside else left + 1
            sides[side] = sides[side] and cost <= left
            if sides[side]:
                left -= cost
                first, last = min(first, step), max(last, step)
    content = "\n".join(file.lines[first - 1 : last])
    return _Shown(reach, first, last, content, total - (last - first + 1), (limit,))


def _neighbours(pieces: Sequence[Piece], first: int, last: int) -> tuple[Neighbour, ...]:
    """Return the nearest chunks that end before some lines, and that begin after them."""
    before = [piece for piece in pieces if piece.last_line < first][-_NEIGHBOURS:]
    after = [piece for piece in pieces if piece.first_line > last][:_NEIGHBOURS]
    return (
        *(_neighbour("before", piece) for piece in before),
        *(_neighbour("after", piece) for piece in after),
    )


def _neighbour(side: Literal["before", "after"], piece: Piece) -> Neighbour:
    return Neighbour(
        side=side,
        row_id=piece.row_id,
        start_line=piece.first_line,
        end_line=piece.last_line,
        chunk_type=piece.chunk_type,
        name=piece.name,
        signature=piece.signature,
    )
