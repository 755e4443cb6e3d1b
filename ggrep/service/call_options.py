"""Keyword options of a query. Each name is a field of the request.

`path` alone is not: a path below the root, or an absolute one, becomes the request's `scope`.
"""

import os
from collections.abc import Sequence
from typing import TypeAlias, TypedDict

from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.navigation import Boundary
from ggrep.model.request import Backend, Find, SnippetMode
from ggrep.model.slate import SessionRequest

AnyPath: TypeAlias = str | os.PathLike[str]
Filters: TypeAlias = Sequence[Filter | str]
"""Written as on the command line: `lang:python`, `-path:tests/**`."""


class CommonOptions(TypedDict, total=False):
    """Options of every query to one repository.

    Attributes:
        path: only below this directory, or in this file.
        deterministic: equal bytes for equal state; only an index answers.
        timeout_ms: end to end; 0, the default, for the configured bound.
    """

    path: AnyPath
    filters: Filters
    deterministic: bool
    timeout_ms: int


class SymbolOptions(CommonOptions, total=False):
    """Of `symbol`.

    Attributes:
        limit: most definitions, 20 by default; 0 for as many as may be.
        cursor: `next_cursor` of an answer, to go on behind it.
    """

    limit: int
    cursor: str


class ReferencesOptions(CommonOptions, total=False):
    """Of `references`.

    Attributes:
        limit: most places, 100 by default; 0 for as many as may be.
        strings: inside of strings too.
        comments: inside of comments and documents too.
        cursor: as of `symbol`.
    """

    limit: int
    strings: bool
    comments: bool
    cursor: str


class ExpandOptions(TypedDict, total=False):
    """Of `expand`; see `ExpandRequest`."""

    boundary: Boundary
    max_bytes: int
    deterministic: bool
    timeout_ms: int


class OutlineOptions(TypedDict, total=False):
    """Of `outline`; see `OutlineRequest`."""

    depth: int
    max_bytes: int
    deterministic: bool
    timeout_ms: int


class TourOptions(TypedDict, total=False):
    """Of `tour`; see `TourRequest`."""

    max_bytes: int
    deterministic: bool
    timeout_ms: int


class QueryOptions(TypedDict, total=False):
    """Options of every search; see `SearchRequest`. Words stand for enum members."""

    mode: Mode | str
    corpora: Sequence[Corpus | str]
    filters: Filters
    find: Find | str
    vectors: bool
    backend: Backend | str
    keep_weak: bool
    deterministic: bool
    timeout_ms: int


class HitOptions(QueryOptions, total=False):
    """Further options of a list of hits; `limit` is 10 by default, `per_file` 3."""

    limit: int
    per_file: int
    snippet: SnippetMode | str
    include_anchors: bool
    explain: bool
    ignore_case: bool
    whole_words: bool
    lines_before: int
    lines_after: int
    list_files: bool


class SearchOptions(HitOptions, total=False):
    """Of `search`."""

    path: AnyPath


class ShapeOptions(TypedDict, total=False):
    """Options for the form of a slate; see `SlateRequest` and `Budgets`."""

    level: int
    anchors: bool
    graph: bool
    total_bytes: int
    file_bytes: int
    files: int
    evidence_per_file: int
    of_text: bool


class SlateOptions(QueryOptions, ShapeOptions, total=False):
    """Of `slate`. `session`: to go on from earlier ones; see `SessionRequest`."""

    path: AnyPath
    session: SessionRequest
