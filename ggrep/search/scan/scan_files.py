"""Scans a work tree for a query: at least a minimum of files, and more while there is time."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.ids import PathKey
from ggrep.base.scripts import folded, nfc
from ggrep.config.languages import language_named
from ggrep.config.settings import Settings
from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Corpus
from ggrep.model.files import TEST, traits_of
from ggrep.model.filters import Filter, is_below, keys_of_scope
from ggrep.model.request import SearchRequest
from ggrep.parse.languages.by_content import ENDINGS_OF_SEVERAL
from ggrep.parse.languages.inner_tests import TEST_WORDS
from ggrep.parse.languages.registry import corpus_of, language_of
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.priority_walk import PriorityWalk
from ggrep.parse.source.walk import apart_below
from ggrep.search.query.eligible import path_test
from ggrep.search.query.finding import read_query
from ggrep.search.query.line_matches import Pattern, match_lines
from ggrep.search.query.literal import pattern_of
from ggrep.search.query.text_runs import plain_text
from ggrep.search.query.understand import ParsedQuery
from ggrep.search.scan.scan_patterns import (
    FileCounts,
    ScanCounts,
    counts_for,
    needles_of,
    promise_of,
)

SCAN_MS: Final = 1_050.0
"""Time after the query at which the scan of a larger tree ends."""
LEAST_ENTRIES: Final = 32_768
LEAST_BYTES: Final = 256 << 20
"""Minimum number of files and directories, and of bytes, that a scan reads even after that time."""
_DECIDED_BY_PATH: Final = frozenset({"path", "ext", "test", "lang", "corpus"})
"""Filters that a path decides; other filters are applied to rows later (`eligible`)."""


class Tree(Struct, frozen=True):
    """The tree to scan.

    Attributes:
        root: the canonical path of the root.
        settings: the rules by which files are selected.
        apart: directories that are never entered.
        listing: waits for git's file listing of the root and returns it; None without git.
    """

    root: Path
    settings: Settings
    apart: Sequence[Path]
    listing: Callable[[], Listing | None]


class ScannedFiles(Struct, frozen=True):
    """The files found by the scan of a tree.

    Attributes:
        best: files that can contain an answer, the best first.
        ignore_files: the ignore files by which an entry was included or excluded.
        listed_files: upper bound of the number of files; None if the files were not listed.
        complete: whether the whole tree was scanned.
    """

    query: ParsedQuery
    seen: ScanCounts
    best: Sequence[FileCounts]
    ignore_files: Sequence[tuple[PathKey, bytes]]
    listed_files: int | None
    complete: bool


class PathEligibility:
    """Decides from a path whether the file can contain an answer. Rows are filtered again later."""

    def __init__(self, request: SearchRequest) -> None:
        self._scope = tuple(map(nfc, keys_of_scope(request.scope)))
        self._corpora = frozenset(request.corpora)
        self._all = len(self._corpora) == len(CORPORA)
        self._tests = [
            _any_of(filters, key)
            for filters in (request.filters, request.within)
            for key in dict.fromkeys(item.key for item in filters)
            if key in _DECIDED_BY_PATH
        ]

    def has(self, path: str) -> bool:
        """Return whether a file must be searched, according to its path."""
        if self._scope and not any(is_below(nfc(path), key) for key in self._scope):
            return False
        if not self._all and not _may_hold(path, self._corpora):
            return False
        return all(test(path) for test in self._tests)

    def leads(self, directory: bytes) -> bool:
        """Return whether a directory, with a trailing slash, can contain files in the scope."""
        scopes = [f"{key}/" for key in self._scope]
        path = nfc(os.fsdecode(directory))
        return not scopes or any(
            path.startswith(scope) or scope.startswith(path) for scope in scopes
        )


def _any_of(filters: tuple[Filter, ...], key: str) -> Callable[[str], bool]:
    """Return a predicate on paths: any positive filter of a key matches, and no negated filter."""
    of_key = [item for item in filters if item.key == key]
    admits = [_test(item) for item in of_key if not item.negated]
    refuses = [_test(item) for item in of_key if item.negated and key in {"path", "ext", "test"}]

    def passes(path: str) -> bool:
        admitted = not admits or any(test(path) for test in admits)
        return admitted and not any(test(path) for test in refuses)

    return passes


def _test(item: Filter) -> Callable[[str], bool]:
    value = folded(item.value)
    match item.key:
        case "test":
            tests = (value == "true") != item.negated
            return lambda path: _may_be_test(path, tests=tests) != item.negated
        case "ext":
            ending = "." + value.lstrip(".")
            return lambda path: folded(path).endswith(ending)
        case "path":
            inside = path_test(value)
            return lambda path: inside(folded(path))
        case "corpus":
            corpora = frozenset({CORPUS_WORDS[item.value]})
            return lambda path: _may_hold(path, corpora)
        case "lang":
            wanted = language_named(value)
            return lambda path: language_of(path) == wanted or _needs_content(path)
        case _:
            raise NotImplementedError(f"the filter {item.key} depends on more than a path")


def _needs_content(path: str) -> bool:
    """Return whether the path does not show the language, so that the file's text decides."""
    name = path.rpartition("/")[2]
    return "." not in name or name.casefold().endswith(ENDINGS_OF_SEVERAL)


def _may_be_test(path: str, *, tests: bool) -> bool:
    """Return whether a file may have test rows; without `tests`, whether it may have other rows."""
    is_test = bool(traits_of(path) & TEST)
    return is_test == tests or (tests and language_of(path) in TEST_WORDS)


def _may_hold(path: str, corpora: frozenset[Corpus]) -> bool:
    """Return whether a file can have chunks of some corpora; documents can contain diagrams."""
    return Corpus.EXTRACTED_PROSE in corpora or corpus_of(path) in corpora


def scan_tree(
    tree: Tree, request: SearchRequest, deadline: Deadline, asked_ms: float
) -> ScannedFiles:
    """Return the files of a tree that can contain an answer.

    The order of the files depends only on the tree and the query. The scan reads at least
    `LEAST_ENTRIES` or `LEAST_BYTES`, unless half of the request's time passes earlier.

    Args:
        tree: the tree to scan.
        request: the search request.
        deadline: the deadline of the request.
        asked_ms: when the query was sent, on the deadline's clock.

    Raises:
        InvalidRequest: the query is invalid, or the root cannot be read.
        Cancelled: the request was cancelled.
    """
    time = Deadline(deadline.clock, asked_ms + SCAN_MS)
    latest = Deadline.after(deadline.clock, deadline.remaining_ms() / 2)
    query, wanted = read_query(request), PathEligibility(request)
    needles, pattern = needles_of(query), pattern_of(request)
    listing = tree.listing()
    listed = _listed(listing, wanted)
    promise = promise_of(listed or (), needles)
    walk = PriorityWalk(
        tree.root,
        tree.settings,
        listing,
        apart_below(tree.root, tree.apart),
        promise=lambda path: promise.get(path, 0.0),
        leads=wanted.leads,
    )
    seen, complete, unread = counts_for(query, needles), True, 0
    for visited in walk.visited():
        deadline.check("the scan")
        enough = walk.entries >= LEAST_ENTRIES or seen.bytes_read >= LEAST_BYTES
        if latest.remaining_ms() <= 0.0 or (enough and time.remaining_ms() <= 0.0):
            complete = False
            break
        if visited is not None and wanted.has(visited.file.path_key):
            data = visited.read()
            if data is None:
                unread += 1
                continue
            matched = None if pattern is None else _matches(data, pattern, deadline)
            seen.count(visited.file, data, matched=matched)
    total = seen.files + unread if complete else None if listed is None else len(listed)
    best = seen.best(query)
    return ScannedFiles(query, seen, best, walk.ignore_files, total, complete)


def _listed(listing: Listing | None, wanted: PathEligibility) -> list[bytes] | None:
    if listing is None:
        return None
    paths = (*listing.tracked, *listing.untracked)
    return [path for path in paths if wanted.has(os.fsdecode(path))]


def _matches(data: bytes, pattern: Pattern, deadline: Deadline) -> bool:
    return next(match_lines(plain_text(data), pattern, deadline), None) is not None
