"""Which files and rows a location in the query may refer to."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.index.lexical.layout import PATH
from ggrep.index.lexical.postings import Rows
from ggrep.index.lexical.tokens import word_terms, words
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.spelled_paths import Place

Shares = npt.NDArray[np.float64]

_WHOLE = 1.0
_END = 0.75
_BELOW = 0.5
_ELSEWHERE = 0.5
"""Share of a file of that name in another place, which an absolute or moved path may mean."""
_OTHER_LINES = 0.5
"""What is left of a share for rows that do not hold the line behind the path."""


def location_shares(segment: SearchableSegment, places: Sequence[Place]) -> Shares:
    """Return, per row, how well it fits one of the locations, 0 to 1.

    1 for rows of the file with that path, nearly so for one whose path ends with it, half for files
    below a directory of that path and for a file of the same name elsewhere; half of that for
    rows that do not hold the line.
    """
    image = segment.image
    shares = np.zeros(image.rows, dtype=np.float64)
    for place in places:
        for number in _named_alike(segment, place.path.rpartition("/")[2]):
            share = _share("/" + image.path(number).casefold(), place.path)
            start, end = int(image.file_rows[number]), int(image.file_rows[number + 1])
            if share and start < end:
                found = share * _holding(segment, start, end, place.line)
                np.maximum(shares[start:end], found, out=shares[start:end])
    return shares


def _holding(segment: SearchableSegment, start: int, end: int, line: int) -> Shares:
    """Return, for a file's rows, 1 where they hold the line (or there is none), else less."""
    if not line:
        return np.ones(end - start, dtype=np.float64)
    first, last = segment.image.row_lines(start, end)
    return np.where((first <= line) & (line <= last), 1.0, _OTHER_LINES)


def _named_alike(segment: SearchableSegment, name: str) -> list[int]:
    """Return the files whose paths hold all words of `name`: few enough to look at each."""
    found: Rows | None = None
    for word in words(name):
        files = segment.file_postings.rows_with(word_terms(word)[0], range(PATH, PATH + 1))
        found = files if found is None else np.intersect1d(found, files, assume_unique=True)
    return [] if found is None else [int(number) for number in found]


def _share(key: str, path: str) -> float:
    if key == "/" + path:
        return _WHOLE
    if key.endswith("/" + path):
        return _END
    if f"/{path}/" in key:
        return _BELOW
    name = path.rpartition("/")[2]
    return _ELSEWHERE if "." in name and key.endswith("/" + name) else 0.0
