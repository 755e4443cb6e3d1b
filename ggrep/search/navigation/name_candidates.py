"""Selects the files that may contain a name, from the index alone, in the order of reading.

Postings contain words in lower case, without leading and trailing underscores. A selected file
therefore does not always contain the name, but no file that contains the name is missed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.lexical.possible_definitions import (
    ANY_WORD,
    files_of_word,
    folded_words,
    possible_definitions,
)
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
    owners_of,
    requested_lasts,
    requested_spellings,
)
from ggrep.search.query.eligible import Mask, eligible_rows
from ggrep.search.query.row_reading import BATCH_ROWS, row_texts
from ggrep.search.query.segments import SearchableSegment

_HEADS: Final = (
    *("actor", "class", "enum", "extension", "impl", "interface", "mixin", "object", "protocol"),
    *("record", "struct", "trait"),
)
"""Words that begin a type."""
_HEAD: Final = (
    rf"\b(?:impl\b|(?:{'|'.join(_HEADS)})\b(?:[^{{}}]|{{[^{{}}]{{0,300}}}}){{0,2000}}?"
    r"(?:[(,:<>&|+=]|\b(?:extends|implements|private|protected|public|virtual|with)))"
    r"\s*(?:@\w+\s+|!|\\)?(?:\w+[.:\\]+)*"
)
"""The head of a type up to the name of a base; parameters and defaults in braces can precede it."""
_PYTHON_HEAD: Final = r"\bclass\s+\w+\s*(?:\[[^\n]{0,200}\])?\((?:[^:]|:(?!\s*\n)){0,2000}?"


class AskedName(Struct, frozen=True):
    """A name as requested.

    Attributes:
        typed: the whole name without keywords of a definition, such as `def`; the language of a
            file determines how the name is split.
        owners: the required qualifiers, outermost first, if the name is split at every separator.
        last: the last part of the name, if the name is split at every separator.
    """

    typed: str
    owners: tuple[str, ...]
    last: str

    def spells(self, text: str) -> bool:
        """Return whether a text is the name in the same letter case, with or without quotes."""
        return any(is_same_name(text, last) for last in requested_lasts(self.typed))

    def owners_of(self, spelled: str) -> tuple[str, ...]:
        """Return the required qualifiers of a definition with this spelling."""
        return owners_of(self.typed, spelled) if self.owners else ()


class NameFile(Struct, frozen=True):
    """A file that may contain the name.

    Attributes:
        segment: index of its segment in the snapshot.
        file: number of the file in the segment.
        test: whether its path looks like the path of a test.
        names: whether one of its chunks has the name.
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
    """Return the parts of a name: `a.b`, `a::b`, `a#b` and `a/b` mean `b` in `a`."""
    *owners, last = name_parts(name)
    return AskedName(declared_name(name), tuple(owners), last)


def searched(
    view: SnapshotView,
    segments: tuple[SearchableSegment, ...],
    scope: str,
    filters: tuple[Filter, ...],
    deadline: Deadline,
) -> Searched:
    """Return the segments, with the rows that scope and filters allow.

    Raises:
        DeadlineExceeded: time ran out.
    """
    request = SearchRequest("", scope=scope, filters=filters)
    eligible = tuple(eligible_rows(segment, request, deadline) for segment in segments)
    return Searched(view, segments, eligible)


def mentioning_files(content: Searched, asked: AskedName, deadline: Deadline) -> list[NameFile]:
    """Return the files that may contain a name; files with a chunk of that name come first.

    Raises:
        DeadlineExceeded: time ran out.
    """
    results: list[NameFile] = []
    for place in range(len(content.segments)):
        deadline.check("looking up names")
        naming = set(_files_of(content, place, _naming_rows(content, place, asked)))
        body = _files_of(content, place, _body_rows(content, place, asked))
        signs = [] if words(asked.last) else _operator_files(content, place)
        results += _name_files(content, place, naming.union(body, signs), naming)
    return sorted(results, key=lambda file: (not file.names, file.path))


def defining_files(content: Searched, asked: AskedName, deadline: Deadline) -> list[NameFile]:
    """Return the files that may define a name, by the names of chunks or by the form of lines.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files: list[NameFile] = []
    for place in range(len(content.segments)):
        deadline.check("looking up names")
        naming = set(_files_of(content, place, _naming_rows(content, place, asked)))
        possible = _possible_files(content, place, asked, deadline)
        files += _name_files(content, place, naming.union(possible), naming)
    return sorted(files, key=lambda file: (not file.names, file.path))


def _possible_files(
    content: Searched, place: int, asked: AskedName, deadline: Deadline
) -> list[int]:
    """Return the files with lines that have the form of a definition of the name."""
    parts = *folded_words(asked.last), ANY_WORD
    keys, rows = content.segments[place].image.definition_keys, _body_rows(content, place, asked)
    if keys is None:  # images of earlier builds do not contain these keys

        def may_define(text: str, language: str) -> bool:
            return not possible_definitions(text, language).isdisjoint(parts)

        return _files_by_text(content, place, rows, may_define, deadline)
    files: set[int] = set().union(*(files_of_word(keys, part).tolist() for part in parts))
    return sorted(files.intersection(_files_of(content, place, rows))) if files else []


def head_rows(content: Searched) -> list[Rows]:
    """Return, per segment, the rows that contain a keyword that begins a type."""
    return [
        np.unique(np.concatenate([segment.rows_with(word) for word in _HEADS]))
        for segment in content.segments
    ]


def extending_files(
    content: Searched, heads: Sequence[Rows], asked: AskedName, deadline: Deadline
) -> list[NameFile]:
    """Return the files with the head of a type that may name a certain base.

    Args:
        content: the snapshot's segments.
        heads: see `head_rows`.
        asked: the name of the base.
        deadline: checked before each batch of rows.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    base = rf"(?<!\w){re.escape(asked.last)}(?!\w)"
    python, other = re.compile(_PYTHON_HEAD + base), re.compile(_HEAD + base)

    def extends(text: str, language: str) -> bool:
        return (python if language == "python" else other).search(text) is not None

    files: list[NameFile] = []
    for place, rows in enumerate(heads):
        near = np.intersect1d(rows, _body_rows(content, place, asked), assume_unique=True)
        result = _files_by_text(content, place, near, extends, deadline)
        files += _name_files(content, place, result, set())
    return files


def rows_of_files(
    content: Searched, place: int, asked: AskedName, files: Sequence[int]
) -> list[int]:
    """Return the rows of some files, ascending, that may contain a name and may be shown."""
    rows = _body_rows(content, place, asked)
    if not words(asked.last):  # postings do not contain operators
        rows = np.arange(content.segments[place].image.rows, dtype=np.uint32)
    kept = content.eligible[place][rows] & np.isin(
        content.segments[place].image.row_files[rows], files
    )
    ascending: list[int] = rows[kept].tolist()
    return ascending


def _naming_rows(content: Searched, place: int, asked: AskedName) -> Rows:
    """Return the rows of chunks that define a name, with or without quotes."""
    postings = content.segments[place].row_postings
    terms = whole_names(requested_spellings(asked.typed))
    results = [postings.rows_with(term, range(SYMBOL, SYMBOL + 1)) for term in terms]
    return np.unique(np.concatenate(results)).astype(np.uint32)


def _operator_files(content: Searched, place: int) -> list[int]:
    """Return the files in languages with user-defined operators, which postings do not contain."""
    image = content.segments[place].image
    files = _files_of(content, place, np.flatnonzero(content.eligible[place]).astype(np.uint32))
    return [file for file in files if image.language(file) in OPERATOR_LANGUAGES]


def _body_rows(content: Searched, place: int, asked: AskedName) -> Rows:
    result: Rows | None = None
    for term in whole_terms(asked.last):
        rows = content.segments[place].rows_with(term)
        result = rows if result is None else np.intersect1d(result, rows, assume_unique=True)
    return np.empty(0, dtype=np.uint32) if result is None else result


def _files_of(content: Searched, place: int, rows: Rows) -> list[int]:
    kept = rows[content.eligible[place][rows]] if len(rows) else rows
    files: list[int] = np.unique(content.segments[place].image.row_files[kept]).tolist()
    return files


def _name_files(
    content: Searched, place: int, files: Iterable[int], naming: set[int]
) -> list[NameFile]:
    image = content.segments[place].image
    return [
        NameFile(
            place, file, image.path(file), bool(image.file_traits[file] & TEST), file in naming
        )
        for file in files
    ]


def _files_by_text(
    content: Searched,
    place: int,
    rows: Rows,
    fits: Callable[[str, str], bool],
    deadline: Deadline,
) -> list[int]:
    """Return the files with rows for which `fits` returns True."""
    segment, files = content.segments[place], set[int]()
    eligible: list[int] = rows[content.eligible[place][rows]].tolist()
    for start in range(0, len(eligible), BATCH_ROWS):
        deadline.check("looking up names")
        batch = eligible[start : start + BATCH_ROWS]
        for row, text in zip(batch, row_texts(content.view, segment, batch), strict=True):
            file = int(segment.image.row_files[row])
            if file not in files and fits(text, segment.image.language(file)):
                files.add(file)
    return sorted(files)
