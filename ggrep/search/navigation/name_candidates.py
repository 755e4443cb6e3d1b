"""Which files may contain a name, by the index alone, and the order to read them in.

Postings hold words in lower case without the underscores around them, so a file found here may
turn out not to hold the name at all; none that holds it is missed.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.lexical.postings import Rows
from ggrep.index.lexical.tokens import whole_names, whole_terms, words
from ggrep.index.store.view import SnapshotView
from ggrep.model.files import TEST
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.model.written_names import (
    OPERATOR_LANGUAGES,
    declared_name,
    is_same_name,
    name_parts,
    name_readings,
    owners_of,
    requested_lasts,
    requested_spellings,
    word_pattern,
)
from ggrep.search.query.eligible import Mask, eligible_rows
from ggrep.search.query.row_reading import BATCH_ROWS, row_texts
from ggrep.search.query.segments import SearchableSegment

_DEFINING: Final = (
    r"(?:class|const|def\w{{0,20}}|enum|fn|fun|func|function|impl|interface|let|local|macro|module|"
    r"namespace|object|package|protocol|record|struct|sub|trait|type|typedef|union|val|var)"
    r"[ \t*&(]{{1,20}}(?:[\w.:<>~*]{{0,80}}[ \t.:*])?{name}"
    r"|{name}[\"']?[ \t]{{0,20}}[:=]{{1,3}}[ \t]{{0,20}}"
    r"(?:async|function|class|fn|\(|\w{{1,80}}[ \t]?=>)"
    r"|{name}[ \t]?(?:<[^>\n]{{0,80}}>)?\([^()\n]{{0,400}}\)[^;\n]{{0,200}}\{{"
    r"|(?:alias|attr|define)\w{{0,20}}[ \t(]{{1,20}}[^\n]{{0,200}}{name}"
)
_DECLARED: Final = (
    r"|[\w>*&\]][ \t*&]{{1,20}}{name}[ \t]{{0,8}}[;=(\[{{]|operator[ \t]{{0,8}}{name}"
)
_SET: Final = r"|[.\n][ \t]{{0,80}}[\"']?{name}[\"']?[ \t]{{0,20}}[?!]?[ \t]{{0,8}}(?::|=(?![=>]))"
_DEFINING_HERE: Final = {
    "python": r"(?:def|class|type)[ \t]+{name}",
    **dict.fromkeys(("c", "cpp"), _DEFINING + _DECLARED),
    **dict.fromkeys(("javascript", "typescript", "tsx"), _DEFINING + _SET),
}
"""How a definition that no chunk is named after may look: one inside of a small function.

Every repetition has a bound: the text is a stranger's.
"""


class AskedName(Struct, frozen=True):
    """A name as requested.

    Attributes:
        typed: what each file is searched for, as its language reads it.
        owners: what has to stand in front of it, outermost first, where every mark separates.
        last: what is looked for then.
    """

    typed: str
    owners: tuple[str, ...]
    last: str

    def spells(self, text: str) -> bool:
        """Return whether a text is the name, quoting aside, and in its letter case."""
        return any(is_same_name(text, last) for last in requested_lasts(self.typed))

    def owners_of(self, spelled: str) -> tuple[str, ...]:
        """Return what has to stand in front of a definition that is spelled so."""
        return owners_of(self.typed, spelled) if self.owners else ()


class NameFile(Struct, frozen=True):
    """A file that may contain the name.

    Attributes:
        segment: place of its segment in the snapshot.
        file: place in the segment.
        test: its path looks like that of a test.
        names: a chunk of it is named so.
    """

    segment: int
    file: int
    path: str
    test: bool
    names: bool


class Searched(Struct, frozen=True):
    """The segments of a snapshot, with the rows that a request allows.

    Attributes:
        eligible: for each segment, bool (rows,).
    """

    view: SnapshotView
    segments: tuple[SearchableSegment, ...]
    eligible: tuple[Mask, ...]


def split_name(name: str) -> AskedName:
    """Return the parts of a name: `a.b`, `a::b`, `a#b` and `a/b` are `b` of `a`."""
    *owners, last = name_parts(name)
    return AskedName(declared_name(name), tuple(owners), last)


def searched(
    view: SnapshotView,
    segments: tuple[SearchableSegment, ...],
    scope: str,
    filters: tuple[Filter, ...],
    deadline: Deadline,
) -> Searched:
    """Return the segments with the rows that scope and filters allow.

    Raises:
        DeadlineExceeded: time ran out.
    """
    request = SearchRequest("", scope=scope, filters=filters)
    eligible = tuple(eligible_rows(segment, request, deadline) for segment in segments)
    return Searched(view, segments, eligible)


def mentioning_files(held: Searched, asked: AskedName, deadline: Deadline) -> list[NameFile]:
    """Return the files that may contain a name, defining files first, then by path.

    Raises:
        DeadlineExceeded: time ran out.
    """
    found: list[NameFile] = []
    for place in range(len(held.segments)):
        deadline.check("looking up names")
        naming = set(_files_of(held, place, _naming_rows(held, place, asked)))
        body = _files_of(held, place, _body_rows(held, place, asked))
        signs = [] if words(asked.last) else _operator_files(held, place)
        found += _name_files(held, place, naming.union(body, signs), naming)
    return sorted(found, key=lambda file: (not file.names, file.path))


def defining_files(held: Searched, asked: AskedName, deadline: Deadline) -> list[NameFile]:
    """Return the files that may define a name: a chunk is named so, or the text looks like it.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    found: list[NameFile] = []
    for place, segment in enumerate(held.segments):
        deadline.check("looking up names")
        naming = set(_files_of(held, place, _naming_rows(held, place, asked)))
        rows = [row for row in _body_rows(held, place, asked).tolist() if held.eligible[place][row]]
        others = [row for row in rows if int(segment.image.row_files[row]) not in naming]
        hinted = _looking_so(held.view, segment, others, asked, deadline)
        found += _name_files(held, place, naming.union(hinted), naming)
    return sorted(found, key=lambda file: (not file.names, file.path))


def _naming_rows(held: Searched, place: int, asked: AskedName) -> Rows:
    """Return the rows of chunks that define a name, with any quoting."""
    postings = held.segments[place].row_postings
    terms = whole_names(requested_spellings(asked.typed))
    found = [postings.rows_with(term, range(SYMBOL, SYMBOL + 1)) for term in terms]
    return np.unique(np.concatenate(found)).astype(np.uint32)


def _operator_files(held: Searched, place: int) -> list[int]:
    """Return the files in languages with operators of their own: no posting holds one."""
    image = held.segments[place].image
    files = _files_of(held, place, np.flatnonzero(held.eligible[place]).astype(np.uint32))
    return [file for file in files if image.language(file) in OPERATOR_LANGUAGES]


def _body_rows(held: Searched, place: int, asked: AskedName) -> Rows:
    found: Rows | None = None
    for term in whole_terms(asked.last):
        rows = held.segments[place].rows_with(term)
        found = rows if found is None else np.intersect1d(found, rows, assume_unique=True)
    return np.empty(0, dtype=np.uint32) if found is None else found


def _files_of(held: Searched, place: int, rows: Rows) -> list[int]:
    kept = rows[held.eligible[place][rows]] if len(rows) else rows
    files: list[int] = np.unique(held.segments[place].image.row_files[kept]).tolist()
    return files


def _name_files(
    held: Searched, place: int, files: Iterable[int], naming: set[int]
) -> list[NameFile]:
    image = held.segments[place].image
    return [
        NameFile(
            place, file, image.path(file), bool(image.file_traits[file] & TEST), file in naming
        )
        for file in files
    ]


def _looking_so(
    view: SnapshotView,
    segment: SearchableSegment,
    rows: Sequence[int],
    asked: AskedName,
    deadline: Deadline,
) -> set[int]:
    """Return the files of those rows whose text looks like a definition."""
    found: set[int] = set()
    for start in range(0, len(rows), BATCH_ROWS):
        deadline.check("looking up names")
        batch = rows[start : start + BATCH_ROWS]
        for row, text in zip(batch, row_texts(view, segment, batch), strict=True):
            file = int(segment.image.row_files[row])
            if file not in found and _looks(asked.typed, segment.image.language(file)).search(text):
                found.add(file)
    return found


@lru_cache(256)
def _looks(typed: str, language: str) -> re.Pattern[str]:
    """Return the possible forms of a name's definition, in any letter case."""
    names = [
        word_pattern(reading.last, language, any_case=False).pattern
        for reading in name_readings(typed, language)
    ]
    whole = rf"(?:``?|r\#|[\"'(|])?(?:{'|'.join(names or ['(?!)'])})[`\"')|]{{0,2}}"
    return re.compile(_DEFINING_HERE.get(language, _DEFINING).format(name=whole), re.IGNORECASE)
