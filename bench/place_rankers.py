"""What finds places in a folder and is none of ggrep, to measure it against."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from bench import semble_lexical
from bench.reference_bm25 import ReferenceBm25
from bench.semble_lexical import SembleLexical
from ggrep.index.store.view import SnapshotView
from ggrep.interfaces.evaluation.visible_lines import LineRange
from ggrep.search.query.segments import open_segments

REFERENCE: Final = "BM25 with boosts over the same chunks"
SEMBLE: Final = "semble {}without its model"
RG: Final = "rg with the two rarest words"
_AROUND: Final = 10
"""Lines that are read around one that `rg` prints."""


class PlaceRanker(Protocol):
    """What finds places in a folder."""

    def ranges(self, question: str, limit: int = ...) -> list[LineRange]:
        """Return the best places, the best first."""


def rankers_of(root: Path, view: SnapshotView) -> dict[str, PlaceRanker | None]:
    """Return the rankers over a folder that is indexed; None for what is not installed."""
    chunks = ReferenceBm25(chunks_of(root, view))
    version = semble_lexical.version()
    return {
        REFERENCE: chunks,
        SEMBLE.format(f"{version} " if version else ""): SembleLexical(root) if version else None,
        RG: RarestWords(root, chunks) if shutil.which("rg") else None,
    }


def chunks_of(root: Path, view: SnapshotView) -> Iterator[tuple[LineRange, str]]:
    """Yield the chunks of a folder with their texts; header chunks repeat others."""
    for segment in open_segments(view):
        image = segment.image
        for file in np.flatnonzero(segment.visible_files).tolist():
            path = image.path(file)
            text = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
            for row in segment.rows_of(file):
                if not image.row_anchors[row]:
                    first, last = image.lines(row)
                    yield LineRange(path, first, last), "\n".join(text[first - 1 : last])


class RarestWords:
    """`rg` with the two words of a question that the fewest chunks hold, as one reads its output.

    Files with both words come first, then by path; lines that lie near are read at once.
    """

    def __init__(self, root: Path, chunks: ReferenceBm25) -> None:
        self._root = root
        self._chunks = chunks

    def ranges(self, question: str, limit: int = 10) -> list[LineRange]:
        """Return the first places with a line that holds either word."""
        lines = [
            (path, number, word)
            for word in self._chunks.rarest(question, 2)
            for path, number in self._lines(word)
        ]
        words: dict[str, set[str]] = {}
        for path, _, word in lines:
            words.setdefault(path, set()).add(word)
        ordered = sorted({(-len(words[path]), path, number) for path, number, _ in lines})
        found: list[LineRange] = []
        for _, path, number in ordered:
            first, last = max(1, number - _AROUND), number + _AROUND
            if found and found[-1].path == path and first <= found[-1].last:
                found[-1] = LineRange(path, found[-1].first, last)
            elif len(found) < limit:
                found.append(LineRange(path, first, last))
            else:
                break
        return found

    def _lines(self, word: str) -> Iterator[tuple[str, int]]:
        command = ["rg", "-n", "-i", "-F", "--null", "--no-heading", "-e", word, "."]
        printed = subprocess.run(command, cwd=self._root, capture_output=True, check=False).stdout
        for line in printed.decode("utf-8", "replace").splitlines():
            path, separator, rest = line.partition("\0")
            if separator:
                yield path.removeprefix("./"), int(rest.partition(":")[0])
