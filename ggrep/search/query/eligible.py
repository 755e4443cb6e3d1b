"""Selects the rows that may be shown, by corpus, scope, filters and kind of chunk."""

import fnmatch
import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import repeat
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.cache import CacheKey
from ggrep.base.clock import Deadline
from ggrep.base.scripts import folded, nfc
from ggrep.config.languages import language_named
from ggrep.model.corpus import CORPORA, CORPUS_WORDS
from ggrep.model.files import TEST
from ggrep.model.filters import Filter, is_below, keys_of_scope
from ggrep.model.request import SearchRequest
from ggrep.parse.languages.inner_tests import TEST_WORDS, inner_tests, is_inside
from ggrep.search.query.segments import SearchableSegment

Mask = npt.NDArray[np.bool_]
_FILES_AT_ONCE = 4096
"""Paths tested between two checks of the deadline."""


def eligible_rows(segment: SearchableSegment, request: SearchRequest, deadline: Deadline) -> Mask:
    """Return bool (rows,): the visible rows that the request allows.

    Raises:
        DeadlineExceeded: time ran out.
    """
    deadline.check("filtering")
    image = segment.image
    mask = segment.visible_rows.copy()
    # A file that contains only blanks has lines to match, but no chunk except its header.
    if not request.include_anchors and not request.is_exact:
        mask &= image.row_anchors == 0
    if len(request.corpora) < len(CORPORA):
        wanted = np.array([corpus in request.corpora for corpus in CORPORA])
        mask &= wanted[image.row_corpora]
    if request.scope:
        mask &= _in_scope(segment, request.scope)[image.row_files]
    for filters in (request.filters, request.within):
        for key in dict.fromkeys(item.key for item in filters):
            mask &= _by_key(segment, [item for item in filters if item.key == key], deadline)
    return mask


def _in_scope(segment: SearchableSegment, scope: str) -> Mask:
    """Return bool (files,): the files in a scope, including files below its directories."""
    image, order = segment.image, segment.image.files_by_path
    if not scope.isascii():  # the stored path may have another Unicode normal form
        keys = list(map(nfc, keys_of_scope(scope)))
        paths = map(nfc, image.paths())
        return np.fromiter((any(is_below(path, key) for key in keys) for path in paths), np.bool_)
    mask = np.zeros(image.files, dtype=np.bool_)

    def path_at(place: int) -> bytes:
        return image.path_bytes(int(order[place]))

    for key in map(str.encode, keys_of_scope(scope)):
        for low, high in ((key, key + b"\0"), (key + b"/", key + b"0")):  # ASCII: "0" follows "/"
            start = bisect_left(range(image.files), low, key=path_at)
            end = bisect_left(range(image.files), high, lo=start, key=path_at)
            mask[order[start:end]] = True
    return mask


def _by_key(segment: SearchableSegment, filters: list[Filter], deadline: Deadline) -> Mask:
    """Return the rows that match any positive filter, if there is one, and no negated filter."""
    positive = [_rows(segment, item, deadline) for item in filters if not item.negated]
    mask = (
        np.logical_or.reduce(positive) if positive else np.ones(segment.image.rows, dtype=np.bool_)
    )
    for item in filters:
        if item.negated:
            mask = mask & ~_rows(segment, item, deadline)
    return mask


def _rows(segment: SearchableSegment, item: Filter, deadline: Deadline) -> Mask:
    image, value = segment.image, folded(item.value)
    match item.key:
        case "corpus":
            mask: Mask = image.row_corpora == CORPORA.index(CORPUS_WORDS[item.value])
        case "kind":
            mask = np.array([name == value for name in image.types] or [False])[image.row_types]
        case "test":
            mask = test_rows(segment, deadline) == (value == "true")
        case _:
            mask = _files(segment, item.key, value, deadline)[image.row_files]
    return mask


_TEST_ROWS: Final = CacheKey[Mask]()


def test_rows(segment: SearchableSegment, deadline: Deadline) -> Mask:
    """Return bool (rows,): the rows of test files, and those inside tests of source files.

    Source files that contain a word such as `pytest` are read once for each open segment.

    Raises:
        DeadlineExceeded: time ran out.
    """
    if (kept := segment.derived.get(_TEST_ROWS)) is not None:
        return kept
    image = segment.image
    languages = image.arrays["file_languages"].view(np.uint16)
    of_files = (image.file_traits & TEST) != 0
    mask = of_files[image.row_files]
    for place, language in enumerate(image.languages):
        wanted = np.zeros(image.files, dtype=np.bool_)
        for word in TEST_WORDS.get(language, ()):
            wanted[image.row_files[segment.rows_with(word)]] = True
        for file in np.flatnonzero(wanted & (languages == place) & ~of_files).tolist():
            deadline.check("looking for tests")
            rows = segment.rows_of(file)
            mask[rows.start : rows.stop] = inner_test_rows(segment, file, language)
    return segment.derived.keep(_TEST_ROWS, mask)


def inner_test_rows(segment: SearchableSegment, file: int, language: str) -> Mask:
    """Return bool (rows of the file,): the rows inside tests of a source file."""
    rows, image = segment.rows_of(file), segment.image
    tiles = segment.texts.tiles(rows)
    header = tiles.pop(0)[1] if image.row_anchors[rows[0]] else b""
    text = b"".join((header, *(part for tile in tiles for part in tile)))
    ranges = inner_tests(text.decode(errors="replace"), language)
    if not ranges:
        return np.zeros(len(rows), dtype=np.bool_)
    begins, ends = image.row_lines(rows.start, rows.stop)
    return np.array(list(map(is_inside, repeat(ranges), begins.tolist(), ends.tolist())))


def _files(segment: SearchableSegment, key: str, value: str, deadline: Deadline) -> Mask:
    """Return bool (files,): the files that match a filter on files."""
    image = segment.image
    match key:
        case "lang":
            places = image.arrays["file_languages"].view(np.uint16)
            wanted = language_named(value)
            mask: Mask = np.array([name == wanted for name in image.languages] or [False])[places]
        case "ext":
            ending = "." + value.lstrip(".")
            mask = _by_path(segment, lambda path: path.endswith(ending), deadline)
        case "path":
            mask = _by_path(segment, path_test(value), deadline)
        case _:
            raise NotImplementedError(f"the filter key {key} does not apply to files")
    return mask


_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_WILD: Final = re.compile(r"[*?\[]")


def path_test(pattern: str) -> Callable[[str], bool]:
    """Return a `path:` filter (glob, directory or file) as a predicate on case-folded paths.

    A backslash makes the next character literal, as in git.
    """
    if not _WILD.search(_ESCAPED.sub("", pattern)):
        scope = _ESCAPED.sub(r"\1", pattern).strip("/")
        return lambda path: is_below(path, scope)
    plain = _ESCAPED.sub(lambda at: f"[{at[1]}]" if at[1] in "*?[" else at[1], pattern)
    compiled = re.compile(fnmatch.translate(plain))
    return lambda path: compiled.match(path) is not None


def _by_path(segment: SearchableSegment, test: Callable[[str], bool], deadline: Deadline) -> Mask:
    """Return bool (files,): the files whose case-folded path satisfies the predicate."""
    image = segment.image
    mask = np.zeros(image.files, dtype=np.bool_)
    for start in range(0, image.files, _FILES_AT_ONCE):
        deadline.check("filtering")
        for file in range(start, min(start + _FILES_AT_ONCE, image.files)):
            mask[file] = test(folded(image.path(file)))
    return mask
