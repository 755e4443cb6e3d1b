"""The lexical half of the package `semble` to measure against, where it is installed.

Its own walk, chunks, BM25 and boosts by path and definition, driven as its index drives them, with
all weight on words (`alpha` 0). A stand-in takes its model's place, which only a model hub gives: a
vector of one number, the same for every text, of weight nothing. A file is as good as its best
chunk. `pip install semble` beside ggrep is all it needs; no other part of ggrep asks for it.
"""

import importlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ggrep.interfaces.evaluation.visible_lines import LineRange

CHUNKS_PER_FILE: Final = 5
"""How many chunks are asked for each file wanted: several chunks of one file may lead."""


def version() -> str | None:
    """Return the version of the package, or None where it is not installed."""
    try:
        return importlib.metadata.version("semble")
    except importlib.metadata.PackageNotFoundError:
        return None


class SembleLexical:
    """The chunks of a folder's sources, ready to be asked."""

    def __init__(self, root: Path) -> None:
        create = _module("semble.index.create")
        root = root.resolve()
        self._bm25, self._vectors, self._chunks, _ = create.create_index_from_path(
            root, _StandIn(), display_root=root
        )

    def search(self, question: str, limit: int = 10) -> list[str]:
        """Return the best files, in the order of their best chunks."""
        found = self.ranges(question, limit * CHUNKS_PER_FILE)
        return list(dict.fromkeys(each.path for each in found))[:limit]

    def ranges(self, question: str, limit: int = 10) -> list[LineRange]:
        """Return the best chunks."""
        found = _module("semble.search").search(
            question,
            _StandIn(),
            self._vectors,
            self._bm25,
            self._chunks,
            top_k=limit,
            alpha=0.0,
        )
        chunks = [each.chunk for each in found]
        return [
            LineRange(Path(each.file_path).as_posix(), each.start_line, each.end_line)
            for each in chunks
        ]


class _StandIn:
    dim = 1

    def encode(self, texts: Sequence[str], **_: object) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), dtype=np.float32)


def _module(name: str) -> ModuleType:
    return importlib.import_module(name)
