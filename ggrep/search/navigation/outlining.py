"""Answers requests for outlines, the definitions in a file or folder, from the snapshot alone."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.model.files import TEST
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.outline import (
    LEAST_BYTES,
    MOST_TARGETS,
    OutlineEntry,
    OutlineRequest,
    OutlineResponse,
    PathOutline,
    Reading,
    heading_line,
    kind_word,
    label_of,
    outline_lines,
    size_of,
)
from ggrep.model.sanitise import is_text, sanitise_line
from ggrep.parse.chunking.file_outline import MAX_OUTLINED, Outlined, is_outlined
from ggrep.parse.languages.inner_tests import LineRange, inner_tests
from ggrep.parse.languages.registry import is_unread
from ggrep.search.navigation.folder_outline import listed_folder
from ggrep.search.navigation.outline_choice import around, chosen, joined_fields
from ggrep.search.navigation.structure import structure_of
from ggrep.search.query.answerer import Answerer
from ggrep.search.query.context import Context, Stages
from ggrep.search.query.file_text import file_text
from ggrep.search.query.folders import Folder, root_folder
from ggrep.search.query.segments import SearchableSegment, open_segments
from ggrep.search.query.targets import ResolvedTarget, find_target

MAX_OUTLINE_BYTES: Final = 1 << 20
"""Maximum size of the text in one answer."""
_TAIL_BYTES: Final = 120
"""Bytes that are reserved for the line about omitted entries."""
_TROUBLE: Final = {
    "parse_exhausted": "parsing took too long; the outline comes from the index",
    "parse_crashed": "the file cannot be parsed; the outline comes from the index",
}


def check_outline(request: OutlineRequest) -> None:
    """Raise unless the request is valid; needs no index.

    Raises:
        InvalidRequest: the message names the invalid field.
    """
    if not 1 <= len(request.targets) <= MOST_TARGETS:
        raise InvalidRequest(f"path: {len(request.targets)} paths; 1 to {MOST_TARGETS} are allowed")
    for target in request.targets:
        if not is_text(target) or "\0" in target:
            raise InvalidRequest(f"path: {target!r} is not a valid path")
    if request.depth < 0:
        raise InvalidRequest(f"depth: {request.depth} is negative")
    if request.max_bytes < LEAST_BYTES:
        raise InvalidRequest(
            f"max_bytes: {request.max_bytes} is below the minimum of {LEAST_BYTES}"
        )
    if request.timeout_ms < 0:
        raise InvalidRequest(f"timeout_ms: {request.timeout_ms} is negative")


def outline(context: Context, request: OutlineRequest) -> OutlineResponse:
    """Return the outlines of files and folders.

    Args:
        context: the context of the answer; its deadline is checked before each target.
        request: the request with the targets.

    Raises:
        InvalidRequest: no target exists in this index.
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    stages = Stages(context.clock)
    limits: list[LimitHit] = []
    if request.max_bytes > MAX_OUTLINE_BYTES:
        limits.append(LimitHit("max_outline_bytes", MAX_OUTLINE_BYTES, request.max_bytes))
        request = replace(request, max_bytes=MAX_OUTLINE_BYTES)
    work = _Work(context, request, open_segments(context.view), limits)
    made = work.outlines()
    stages.end("outline")
    return OutlineResponse(
        request=request,
        outlines=tuple(made),
        **context.head(
            asked_fingerprint("outline-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=limits,
            notices=work.notices,
            spans=stages.spans,
            shown=[each.path for each in made if not each.folder],
        ),
    )


class _Folder(Struct, frozen=True):
    path: str
    folder: Folder


class _File(Struct, frozen=True):
    """A requested file, or a place in a file, with the definitions to show."""

    target: ResolvedTarget
    entries: tuple[OutlineEntry, ...]
    reading: Reading
    tests: Sequence[LineRange]


def _need(asked: _Folder | _File) -> tuple[bool, int]:
    """Return the sort key of a target: files by number of definitions, then folders."""
    return isinstance(asked, _Folder), 0 if isinstance(asked, _Folder) else len(asked.entries)


class _Work(Struct, frozen=True):
    """State shared by the outlines of one request."""

    context: Context
    request: OutlineRequest
    segments: tuple[SearchableSegment, ...]
    limits: list[LimitHit]
    notices: list[Notice] = field(default_factory=list)

    def outlines(self) -> list[PathOutline]:
        """Return each target's outline; large targets get the bytes that small targets leave."""
        asked = self._all_found()
        made: dict[int, PathOutline] = {}
        left = self.request.max_bytes
        for place in sorted(range(len(asked)), key=lambda place: (_need(asked[place]), place)):
            self.context.deadline.check("outlining")
            made[place] = self._outline(asked[place], left // (len(asked) - len(made)))
            left -= _size(made[place])
        return [made[place] for place in range(len(asked))]

    def _all_found(self) -> list[_Folder | _File]:
        """Return the targets' files and folders; add a notice for each missing target."""
        results: list[_Folder | _File] = []
        wrong: list[InvalidRequest] = []
        for target in self.request.targets:
            try:
                results.append(self._found(target))
            except InvalidRequest as error:
                wrong.append(error)
        if not results:
            raise wrong[0]
        self.notices.extend(Notice("no_such_place", str(error)) for error in wrong)
        return results

    def _found(self, typed: str) -> _Folder | _File:
        """Return the folder of a target, or its file with the definitions."""
        path = typed.strip().removeprefix("./").rstrip("/")
        path = "" if path == "." else path
        folder = root_folder(self.context.view).at(path)
        if folder is not None:
            return _Folder(path, folder)
        target = find_target(self.segments, path, self.context.deadline)
        segment, file = self.segments[target.segment], target.file
        text = file_text(self.context.view, segment, file, self.context.deadline)
        entries, reading = self._entries(segment, file, text)
        is_test = int(segment.image.file_traits[file]) & TEST
        tests = () if is_test else inner_tests(text, segment.image.language(file))
        if not target.is_file:
            entries = around(entries, target.first_line)
        return _File(target, tuple(entries), reading, tests)

    def _outline(self, asked: _Folder | _File, room: int) -> PathOutline:
        if isinstance(asked, _Folder):
            return self._of_folder(asked.path, asked.folder, room)
        return self._of_file(asked, room)

    def _of_folder(self, path: str, folder: Folder, room: int) -> PathOutline:
        made = PathOutline(
            path=sanitise_line(path),
            folder=True,
            language=folder.language,
            files=folder.count,
            lines=folder.lines,
            reading="structure",
        )
        view, deadline = self.context.view, self.context.deadline
        rest = room - size_of([heading_line(made, made.path)]) - _TAIL_BYTES
        result = listed_folder(view, folder, rest, self.request.depth, deadline)
        if result.left_out:
            self._cut(result.whole_bytes, made.path)
        return replace(made, listed=result.paths, left_out=result.left_out)

    def _of_file(self, asked: _File, room: int) -> PathOutline:
        target = asked.target
        segment = self.segments[target.segment]
        image = segment.image
        rows = segment.rows_of(target.file)
        made = PathOutline(
            path=sanitise_line(image.path(target.file)),
            folder=False,
            language=image.language(target.file),
            files=1,
            lines=int(image.row_lines(rows.start, rows.stop)[1].max(initial=0)),
            reading=asked.reading,
        )
        rest = room - size_of([heading_line(made, made.path)]) - _TAIL_BYTES
        result = chosen(asked.entries, rest, depth=self.request.depth, tests=asked.tests)
        if result.left_out:
            self._cut(result.whole_bytes, made.path)
        return replace(made, entries=result.entries, left_out=result.left_out)

    def _entries(
        self, segment: SearchableSegment, file: int, text: str
    ) -> tuple[list[OutlineEntry], Reading]:
        view, deadline = self.context.view, self.context.deadline
        path = segment.image.path(file)
        # Chunks do not contain the last line end, which some grammars need.
        data = f"{text}\n".encode()
        if is_outlined(path, data):
            result = self.context.occurrences.outline(path, data, deadline)
            if not isinstance(result, str):
                if len(result) >= MAX_OUTLINED:
                    key = sanitise_line(path)
                    self.limits.append(LimitHit("max_outlined", MAX_OUTLINED, None, key))
                return joined_fields([_entry(each) for each in result]), "syntax"
            self.notices.append(Notice(result, _TROUBLE[result], sanitise_line(path)))
        entries = structure_of(view, segment, file)
        language = segment.image.language(file)
        if not is_unread(language):
            return entries, "structure"
        message = f"there is no parser for {language}, so definitions are unknown"
        self.notices.append(Notice("unread_language", message, sanitise_line(path)))
        return entries, "structure" if entries else "none"

    def _cut(self, whole: int, path: str) -> None:
        if self.request.depth:
            self.limits.append(LimitHit("max_outline_depth", self.request.depth, None, path))
        if whole > self.request.max_bytes or not self.request.depth:
            self.limits.append(LimitHit("max_outline_bytes", self.request.max_bytes, whole, path))


def _entry(outlined: Outlined) -> OutlineEntry:
    name, head = sanitise_line(outlined.name), sanitise_line(outlined.signature)
    return OutlineEntry(
        depth=outlined.depth,
        kind=kind_word(outlined.kind, name, head),
        name=name,
        signature=label_of(name, head) if head else "",
        start_line=outlined.start_line,
        end_line=outlined.end_line,
    )


def _size(made: PathOutline) -> int:
    """Return the size of a printed outline in bytes, with the blank line after it."""
    return size_of([*outline_lines(made, made.path), ""])


OUTLINE: Final = Answerer(outline, check_outline)
