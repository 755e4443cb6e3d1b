"""A plain lexical ranker to measure against: BM25 over pieces of files, with the usual boosts.

Words of identifiers and the identifiers whole; the path's words stand in every piece, three times;
stop words are no words of a question; tests count half. It knows nothing of ggrep's ranking.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log
from pathlib import Path
from typing import Final

from ggrep.interfaces.evaluation.visible_lines import LineRange
from ggrep.model.files import TEST, traits_of
from ggrep.parse.languages.registry import language_of
from training.encoder.wanted import is_source

K1, B = 1.2, 0.75
WINDOW, STEP = 40, 20
PATH_TIMES: Final = 3
TEST_FACTOR: Final = 0.5
_MOST_BYTES: Final = 1_000_000
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STOP: Final = re.compile(
    r"a|an|and|are|as|at|be|but|by|can|do|does|for|from|has|have|how|i|if|in|into|is|it|its|not|of"
    r"|on|or|so|such|that|the|their|then|there|these|they|this|to|was|we|what|when|where|which|who"
    r"|why|will|with|you|should"
)


class ReferenceBm25:
    """Pieces of files with their texts, ready to be asked."""

    def __init__(self, pieces: Iterable[tuple[LineRange, str]]) -> None:
        self._pieces: list[LineRange] = []
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for lines, text in pieces:
            words = Counter([*_words(text), *(list(_words(lines.path)) * PATH_TIMES)])
            for word, times in words.items():
                self._postings[word].append((len(self._pieces), times))
            self._pieces.append(lines)
            self._lengths.append(words.total())
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def search(self, question: str, limit: int = 10) -> list[str]:
        """Return the best files, each as good as its best piece; ties in the order of paths."""
        ordered = self.ranges(question, len(self._pieces))
        return list(dict.fromkeys(each.path for each in ordered))[:limit]

    def ranges(self, question: str, limit: int = 10) -> list[LineRange]:
        """Return the best pieces, ties in the order of their paths and lines."""
        scores: dict[int, float] = defaultdict(float)
        for word in self._asked(question):
            found = self._postings[word]
            weight = log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for piece, times in found:
                size = K1 * (1 - B + B * self._lengths[piece] / self._mean)
                scores[piece] += weight * times * (K1 + 1) / (times + size)
        for piece in scores:
            scores[piece] *= TEST_FACTOR if traits_of(self._pieces[piece].path) & TEST else 1.0
        best = sorted(
            scores,
            key=lambda piece: (
                -scores[piece],
                self._pieces[piece].path,
                self._pieces[piece].first,
            ),
        )
        return [self._pieces[piece] for piece in best[:limit]]

    def rarest(self, question: str, number: int) -> list[str]:
        """Return the words of a question that the fewest pieces hold, of those that any holds."""
        return sorted(self._asked(question), key=lambda word: len(self._postings[word]))[:number]

    def _asked(self, question: str) -> list[str]:
        words = dict.fromkeys(_words(question))
        return [word for word in words if word in self._postings and not _STOP.fullmatch(word)]


def windows_of(root: Path) -> Iterator[tuple[LineRange, str]]:
    """Yield the sources of a folder as windows of 40 lines that overlap by half."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if _is_asked(path, name):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            for start in range(0, max(1, len(lines) - STEP), STEP):
                window = lines[start : start + WINDOW]
                yield LineRange(name, start + 1, start + len(window)), "\n".join(window)


def _is_asked(path: Path, name: str) -> bool:
    parts: Sequence[str] = name.split("/")
    known = is_source(tuple(parts)) or (
        bool(traits_of(name) & TEST) and language_of(parts[-1]) != "text"
    )
    return known and path.is_file() and path.stat().st_size <= _MOST_BYTES


def _words(text: str) -> Iterator[str]:
    for match in _IDENTIFIER.finditer(text):
        whole = match[0]
        parts = _PART.findall(whole)
        yield whole.lower()
        if len(parts) > 1:
            yield from (part.lower() for part in parts)
