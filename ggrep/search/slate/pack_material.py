"""Reads the text of a slate: evidence, first lines of files, and lines around the best evidence."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.index.store.row_texts import RowDetails, ShownRow
from ggrep.model.line_numbers import (
    is_comment_fold,
    last_line,
    numbered_lines,
    without_fold_marks,
)
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.model.slate import Reason, Section
from ggrep.model.slate_material import PackMaterial, Pick, TextPiece
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.snippets import Snippet
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.reading.deciding import decisiveness
from ggrep.search.reading.folding import CODE_ALONE, COMMENTS_ALONE, SLATE, Folding, Source, folded
from ggrep.search.reading.question_words import Terms
from ggrep.search.slate.file_candidates import RelatedFiles
from ggrep.search.slate.file_rows import FileRows, ScoredRow, learned_factors, rows_of
from ggrep.search.slate.levels import Disclosure

_AROUND: Final = 2
"""Number of rows before and after the best evidence that may also be shown."""


class _Rows(Struct, frozen=True):
    """The rows of a chosen file, as row numbers in its segment, before their text is read."""

    pick: Pick
    evidence: tuple[ScoredRow, ...]
    anchor: int | None
    around: tuple[int, ...]
    more: int
    unread: int = 0

    def places(self) -> Iterable[int]:
        yield from (row.row for row in self.evidence)
        yield from self.around
        if self.anchor is not None:
            yield self.anchor


def materials(
    ranked: Ranked,
    picks: Sequence[Pick],
    beside: RelatedFiles | None,
    wanted: Disclosure,
    deadline: Deadline,
) -> tuple[PackMaterial, ...]:
    """Return the chosen files with their text, in the order of `picks`.

    Raises:
        DeadlineExceeded: time ran out.
        CorruptStore: a stored text does not match its row id.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    first = {pick.candidate.path: pick for pick in reversed(picks)}
    chosen_files = [pick.candidate for pick in picks]
    factors = learned_factors(ranked, chosen_files)
    matching = rows_of(ranked, chosen_files, wanted.evidence, beside, factors)
    chosen = [
        _rows(ranked, pick, rows, wanted, opens=first[pick.candidate.path] is pick)
        for pick, rows in zip(picks, matching, strict=True)
    ]
    chosen = _worth_reading(chosen, wanted.pieces)
    places: dict[int, set[int]] = {}
    for rows in chosen:
        places.setdefault(rows.pick.candidate.segment, set()).update(rows.places())
    records: dict[tuple[int, int], ShownRow] = {}
    for segment, offsets in sorted(places.items()):
        deadline.check("format")
        shown = shown_rows(ranked.view, ranked.segments[segment], list(offsets))
        records.update(((segment, row), record) for row, record in zip(offsets, shown, strict=True))
    deadline.check("format")
    return tuple(_material(ranked, rows, records, wanted) for rows in chosen)


def _rows(
    ranked: Ranked, pick: Pick, scored: FileRows, wanted: Disclosure, *, opens: bool
) -> _Rows:
    """Return the rows of a chosen file; `opens`: whether to show its first lines."""
    candidate = pick.candidate
    segment = ranked.segments[candidate.segment]
    image, owned = segment.image, segment.rows_of(candidate.file)
    telling = _with_lines(ranked, pick, scored.best)
    evidence = sorted(telling[: wanted.evidence], key=lambda row: (row.start_line, row.row))
    anchor = (
        owned[0] if opens and wanted.anchors and owned and image.row_anchors[owned[0]] else None
    )
    around: tuple[int, ...] = ()
    if wanted.neighbours and telling:
        near = range(telling[0].row - _AROUND, telling[0].row + _AROUND + 1)
        kept = {row.row for row in evidence}
        around = tuple(
            row for row in near if row in owned and row not in kept and not image.row_anchors[row]
        )
    more = max(scored.telling, len(telling)) - len(evidence)
    return _Rows(pick, tuple(evidence), anchor, around, more)


def _worth_reading(chosen: Sequence[_Rows], most: int) -> list[_Rows]:
    """Return the files with the rows to read: about `most` rows in all, by priority.

    The best row of each file and all rows of a requested file are always read. Rows of lower
    priority are hardly ever shown: of about 260 rows, a slate of 16 KB usually shows rows up to
    rank 32, and for nine of ten queries none after rank 53.
    """
    turns = []
    read: dict[int, set[int]] = {}
    for place, rows in enumerate(chosen):
        ordered = sorted(rows.evidence, key=lambda row: (-row.priority, row.start_line))
        least = len(ordered) if rows.pick.reason == "expand_target" else 1
        read[place] = {row.row for row in ordered[:least]}
        turns += [(-row.priority, place, row.row) for row in ordered[least:]]
    for _, place, row in sorted(turns)[: max(0, most - sum(map(len, read.values())))]:
        read[place].add(row)
    return [_of_those_read(rows, read[place]) for place, rows in enumerate(chosen)]


def _of_those_read(rows: _Rows, read: set[int]) -> _Rows:
    evidence = tuple(row for row in rows.evidence if row.row in read)
    unread = len(rows.evidence) - len(evidence)
    return replace(rows, evidence=evidence, more=rows.more + unread, unread=unread)


def _with_lines(
    ranked: Ranked, pick: Pick, telling: tuple[ScoredRow, ...]
) -> tuple[ScoredRow, ...]:
    """Return the rows with the requested lines, followed by the rows in `telling`.

    If no row of a requested file matches, return all of its rows in order.
    """
    if pick.reason != "expand_target":
        return telling
    candidate = pick.candidate
    segment = ranked.segments[candidate.segment]
    image, of_file = segment.image, segment.rows_of(candidate.file)
    total = ranked.scores[candidate.segment].at(np.arange(of_file.start, of_file.stop)).tolist()
    rows = [
        ScoredRow(row, score, score, *image.lines(row))
        for row, score in zip(of_file, total, strict=True)
        if not image.row_anchors[row]
    ]
    asked = [
        row for row in rows if any(row.start_line <= line <= row.end_line for line in pick.lines)
    ]
    kept = {row.row for row in asked}
    return (*asked, *(row for row in telling if row.row not in kept)) or tuple(rows)


def _material(
    ranked: Ranked,
    rows: _Rows,
    records: dict[tuple[int, int], ShownRow],
    wanted: Disclosure,
) -> PackMaterial:
    pick, candidate = rows.pick, rows.pick.candidate
    segment, image = candidate.segment, ranked.segments[candidate.segment].image
    terms = frozenset(ranked.query.terms)
    shaper = _Shaper(
        image.types, candidate.language, candidate.section, candidate.is_test, wanted, terms
    )

    def piece(row: ScoredRow, reason: Reason) -> TextPiece:
        return shaper.piece(row, records[segment, row.row], int(image.row_types[row.row]), reason)

    def beside(row: int, reason: Reason) -> TextPiece:
        return piece(ScoredRow(row, 0.0, 0.0, *image.lines(row)), reason)

    evidence = tuple(piece(row, pick.reason) for row in rows.evidence)
    anchor = None if rows.anchor is None else beside(rows.anchor, "anchor_for_context")
    best = max(rows.evidence, key=lambda row: row.score, default=None)
    neighbours: list[TextPiece] = []
    if best is not None:
        centre = records[segment, best.row]
        for row in rows.around:
            record = records[segment, row]
            if _belong_together(centre.details, record.details):
                neighbours.append(beside(row, "neighbour_context"))
    return PackMaterial(pick, anchor, evidence, tuple(neighbours), rows.more, rows.unread)


def _belong_together(centre: RowDetails, other: RowDetails) -> bool:
    """Return whether two chunks are in one definition or section, or one encloses the other."""
    local, its = centre.breadcrumb, other.breadcrumb
    if local == its:
        return bool(local) or centre.name == other.name
    return its == (*local, centre.name) or local == (*its, other.name)


def _sanitised(names: tuple[str, ...]) -> tuple[str, ...]:
    joined = "".join(names)
    plain = joined.isascii() and joined.isprintable()
    return names if plain else tuple(map(sanitise_line, names))


class _Shaper(Struct, frozen=True):
    types: Sequence[str]
    language: str
    section: Section
    is_test: bool
    wanted: Disclosure
    terms: Terms

    def piece(self, row: ScoredRow, record: ShownRow, kind: int, reason: Reason) -> TextPiece:
        details = record.details
        text = without_fold_marks(sanitise(record.text), row.start_line)
        extra = sanitise(details.extra)
        shown = self._snippet(text.rstrip("\n"), extra, row.start_line, reason)
        return TextPiece(
            row_id=record.row_id,
            chunk_id=record.chunk_id,
            start_line=row.start_line,
            end_line=row.end_line,
            score=row.score,
            chunk_type=self.types[kind],
            name=sanitise_line(details.name),
            breadcrumb=_sanitised(details.breadcrumb),
            signature=sanitise_line(details.signature),
            names=_sanitised(details.names),
            text=text,
            extra=extra,
            snippet=shown.text,
            snippet_start_line=row.start_line + shown.first_line,
            hidden_lines=shown.hidden_lines,
            reason=reason,
            priority=row.priority * decisiveness(shown.text, text.count("\n") + 1),
        )

    def _snippet(self, text: str, extra: str, first: int, reason: Reason) -> Snippet:
        """Return the lines to show; none if the level shows no lines.

        A diagram is shown as its relations, if they are known. A copyright notice at the top of a
        file is omitted.
        """
        if not self.wanted.lines:
            return Snippet("", 0, text.count("\n") + 1)
        if reason == "anchor_for_context":
            end = 0 if self.section is Section.DOCS else notice_end(text, self.language)
            shown = self._folded("\n".join(text.split("\n")[end:]), first + end, CODE_ALONE)
            return replace(shown, first_line=shown.first_line + end)
        if self.section is Section.DIAGRAMS and extra:
            return Snippet(extra, 0, 0)
        return self._folded(
            text, first, COMMENTS_ALONE if self.section is Section.CONFIG else SLATE
        )

    def _folded(self, text: str, first: int, form: Folding) -> Snippet:
        """Return a text to show; code is folded, and comments at its start and end are omitted."""
        if self.section is Section.DOCS or self.wanted.comments:
            return Snippet(text, 0, 0)
        source = Source(text.split("\n"), first, self.language, self.is_test)
        lines = folded(source, form, self.terms).split("\n")
        numbered = list(numbered_lines(lines, first))
        begin, end = 0, len(numbered)
        while begin < end and _says_nothing(*numbered[begin]):
            begin += 1
        while begin < end and _says_nothing(*numbered[end - 1]):
            end -= 1
        if begin == end:
            return Snippet(text, 0, 0)
        hidden = first + len(source.lines) - 1 - last_line(*numbered[end - 1])
        return Snippet("\n".join(lines[begin:end]), numbered[begin][0] - first, hidden)


def _says_nothing(number: int, line: str) -> bool:
    return not line.strip() or is_comment_fold(number, line)


_NOTICE: Final = re.compile(
    r"copyright|\u00a9|spdx-|@licen[cs]e\b|\blicen[cs]e:|\blicen[cs]ed (?:under|to)\b"
    r"|\bunder the .{0,60}\blicen[cs]e|\bsee (?:the )?(?:file )?licen[cs]e\b"
    r"|all rights reserved|permission (?:is hereby granted|to use)|redistribution and use",
    re.IGNORECASE,
)


def notice_end(text: str, language: str) -> int:
    """Return the first line after a copyright notice at the top of a source; 0 without a notice."""
    lines, hidden = text.split("\n"), bare_text(text, language).comment_lines
    code = (at for at, line in enumerate(lines) if line.strip() and at not in hidden)
    first = next(code, len(lines))
    return first if any(_NOTICE.search(line, 0, _LINE_CHARACTERS) for line in lines[:first]) else 0


_LINE_CHARACTERS: Final = 300
