"""Which rows may be shown: corpora, anchors, scope, filters; they never touch a score."""

import fnmatch
import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ggrep.domain.corpus import CORPORA, CORPUS_WORDS
from ggrep.domain.request import Filter, SearchRequest
from ggrep.domain.traits import TEST
from ggrep.errors import InvalidRequest
from ggrep.query.segments import SearchableSegment

Mask = npt.NDArray[np.bool_]

FILTER_KEYS = ("corpus", "ext", "kind", "lang", "path", "test")


def check_filters(filters: tuple[Filter, ...]) -> None:
    """Do nothing when every filter can be applied.

    Raises:
        InvalidRequest: names the filter and what is possible.
    """
    for item in filters:
        if item.key not in FILTER_KEYS:
            raise InvalidRequest(
                f"filter: unknown key {item.key!r}; use one of {', '.join(FILTER_KEYS)}"
            )
        if not item.value:
            raise InvalidRequest(f"filter: {item.key}: needs a value")
        if item.key == "corpus" and item.value not in CORPUS_WORDS:
            raise InvalidRequest(
                f"filter: corpus: unknown {item.value!r}; use one of {', '.join(CORPUS_WORDS)}"
            )
        if item.key == "test" and item.value not in {"true", "false"}:
            raise InvalidRequest(f"filter: test: {item.value!r} is neither true nor false")


def eligible_rows(segment: SearchableSegment, request: SearchRequest) -> Mask:
    """Return bool (rows,): the visible rows that the request lets through."""
    image = segment.image
    mask = segment.visible_rows.copy()
    if not request.include_anchors:
        mask &= image.row_anchors == 0
    if len(request.corpora) < len(CORPORA):
        wanted = np.array([corpus in request.corpora for corpus in CORPORA])
        mask &= wanted[image.row_corpora]
    if request.scope:
        mask &= _by_path(segment, lambda path: _within(path, request.scope))[image.row_files]
    for key in dict.fromkeys(item.key for item in request.filters):
        mask &= _by_key(segment, [item for item in request.filters if item.key == key])
    return mask


def _by_key(segment: SearchableSegment, filters: list[Filter]) -> Mask:
    """Return rows that any positive filter admits (all, if there is none) and no negated one."""
    positive = [_rows(segment, item) for item in filters if not item.negated]
    mask = (
        np.logical_or.reduce(positive) if positive else np.ones(segment.image.rows, dtype=np.bool_)
    )
    for item in filters:
        if item.negated:
            mask = mask & ~_rows(segment, item)
    return mask


def _rows(segment: SearchableSegment, item: Filter) -> Mask:
    image, value = segment.image, item.value.casefold()
    match item.key:
        case "corpus":
            mask: Mask = image.row_corpora == CORPORA.index(CORPUS_WORDS[item.value])
        case "kind":
            mask = np.array([name == value for name in image.types] or [False])[image.row_types]
        case _:
            mask = _files(segment, item.key, value)[image.row_files]
    return mask


def _files(segment: SearchableSegment, key: str, value: str) -> Mask:
    """Return bool (files,): the files that a filter about files lets through."""
    image = segment.image
    match key:
        case "test":
            mask: Mask = ((image.file_traits & TEST) != 0) == (value == "true")
        case "lang":
            places = image.arrays["file_languages"].view(np.uint16)
            mask = np.array([name == value for name in image.languages] or [False])[places]
        case "ext":
            ending = "." + value.lstrip(".")
            mask = _by_path(segment, lambda path: path.casefold().endswith(ending))
        case _:
            mask = _by_path(segment, _path_test(value))
    return mask


def _path_test(pattern: str) -> Callable[[str], bool]:
    """Return the test for `path:`: a glob when it has wildcards, else a directory or file."""
    if not any(character in pattern for character in "*?["):
        scope = pattern.strip("/")
        return lambda path: _within(path.casefold(), scope)
    compiled = re.compile(fnmatch.translate(pattern))
    return lambda path: compiled.match(path.casefold()) is not None


def _within(path: str, scope: str) -> bool:
    return path == scope or path.startswith(scope + "/")


def _by_path(segment: SearchableSegment, test: Callable[[str], bool]) -> Mask:
    image = segment.image
    found = (test(image.path(file)) for file in range(image.files))
    return np.fromiter(found, dtype=np.bool_, count=image.files)
