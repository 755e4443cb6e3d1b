"""Ties: rows of equal scores come in one order, whatever the store looks like."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ggrep.model.corpus import CORPORA
from ggrep.search.query.best_rows import best_rows
from ggrep.search.query.order import ordered_candidates
from ggrep.search.query.segments import SearchableSegment


class Row(NamedTuple):
    """A row of a segment: its file, where it begins, and what tells equal places apart."""

    file: int
    line: int = 1
    row_id: bytes = b"r"


def ordered(*segments: tuple[list[bytes], list[Row]], most: int) -> list[tuple[int, int]]:
    """Return segment and row of the first `most` of rows that all score the same."""
    images = [image(paths, rows) for paths, rows in segments]
    ones = [np.ones(len(rows)) for _, rows in segments]
    scores: Any = [
        SimpleNamespace(
            rows=np.arange(len(item)),
            files=image.row_files.astype(np.int64),
            corpora=image.row_corpora,
            total=item,
            lexical=item,
        )
        for image, item in zip(images, ones, strict=True)
    ]
    none: Any = None
    kept = [SearchableSegment(image, none, none, none, none, none, none) for image in images]
    best = [best_rows(each, item > 0.0) for each, item in zip(scores, ones, strict=True)]
    result, _ = ordered_candidates(kept, scores, best, CORPORA, most=most)
    return [(candidate.segment, candidate.row) for candidate in result]


def image(paths: list[bytes], rows: list[Row]) -> Any:
    return SimpleNamespace(
        files=len(paths),
        files_by_path=np.arange(len(paths), dtype=np.uint32),
        path_bytes=lambda file: paths[file],
        row_files=np.array([row.file for row in rows], dtype=np.uint32),
        row_corpora=np.zeros(len(rows), dtype=np.uint8),
        lines=lambda row: (rows[row].line, rows[row].line),
        row_id=lambda row: rows[row].row_id,
    )


def test_equal_scores_fall_to_path_then_line_then_row_id() -> None:
    """Each of them says something to a reader; where a row lies on disk does not."""
    first = ([b"b", b"c"], [Row(0, 7), Row(1)])
    second = ([b"a", b"b"], [Row(0, 9), Row(1, 7, b"q"), Row(1, 2)])

    assert ordered(first, second, most=9) == [(1, 0), (1, 2), (1, 1), (0, 0), (0, 1)]


def test_rows_that_nothing_else_tells_apart_keep_the_order_of_the_store() -> None:
    """Two roots may hold one file: without a last word an answer would depend on the sort."""
    twins = ([b"a", b"a"], [Row(0), Row(1)])

    assert ordered(twins, twins, most=9) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_files_of_one_path_in_several_roots_are_looked_at_together() -> None:
    """The first place goes to the first line, which may stand in the last of those files."""
    rows = [Row(0, 9), Row(1, 5), Row(2, 1), Row(3)]
    result = ordered(([b"a", b"a", b"a", b"b"], rows), most=1)

    assert result == [(0, 2)]
