"""Which files a path in the query may mean."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.lexical.layout import PATH
from ggrep.lexical.tokens import word_terms, words
from ggrep.query.segments import SearchableSegment

_BELOW = 0.5
_ELSEWHERE = 0.5
"""Share of a file of that name in another place, which an absolute or moved path may mean."""


def location_shares(segment: SearchableSegment, paths: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return, per file, how well it fits one of the case-folded paths, 0 to 1.

    1 for the path or its end, half for files below a directory of that path, and half for a file
    of the same name elsewhere.
    """
    shares = np.zeros(segment.image.files, dtype=np.float64)
    for path in paths:
        for number in _named_alike(segment, path.rpartition("/")[2]):
            key = "/" + segment.image.path(number).casefold()
            shares[number] = max(shares[number], _share(key, path))
    return shares


def _named_alike(segment: SearchableSegment, name: str) -> list[int]:
    """Return the files whose paths hold all words of `name`: few enough to look at each."""
    found: npt.NDArray[np.uint32] | None = None
    for word in words(name):
        files = segment.file_postings.rows_with(word_terms(word)[0], range(PATH, PATH + 1))
        found = files if found is None else np.intersect1d(found, files, assume_unique=True)
    return [] if found is None else [int(number) for number in found]


def _share(key: str, path: str) -> float:
    if key.endswith("/" + path):
        return 1.0
    if f"/{path}/" in key:
        return _BELOW
    name = path.rpartition("/")[2]
    return _ELSEWHERE if "." in name and key.endswith("/" + name) else 0.0
