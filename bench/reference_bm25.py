"""A plain lexical ranker to measure against: BM25 over windows of lines, with the usual boosts.

Windows of 40 lines that overlap by half; words of identifiers and the identifiers whole; the path's
words stand in every window, three times; stop words are no words of a question; tests count half.
A file is as good as its best window. It knows nothing of ggrep's ranking.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import Final

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
    """The windows of a folder's sources, ready to be asked."""

    def __init__(self, root: Path) -> None:
        self._files: list[str] = []
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if _is_asked(path, name):
                self._add(name, path.read_text(encoding="utf-8", errors="replace"))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def search(self, question: str, limit: int = 10) -> list[str]:
        """Return the best files, ties in the order of their paths."""
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(_words(question)):
            found = [] if _STOP.fullmatch(word) else self._postings.get(word, [])
            weight = log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for window, times in found:
                size = K1 * (1 - B + B * self._lengths[window] / self._mean)
                scores[window] += weight * times * (K1 + 1) / (times + size)
        best: dict[str, float] = {}
        for window, score in scores.items():
            name = self._files[window]
            factor = TEST_FACTOR if traits_of(name) & TEST else 1.0
            best[name] = max(best.get(name, 0.0), score * factor)
        return sorted(best, key=lambda name: (-best[name], name))[:limit]

    def _add(self, name: str, text: str) -> None:
        lines = text.splitlines()
        of_path = list(_words(name)) * PATH_TIMES
        for start in range(0, max(1, len(lines) - STEP), STEP):
            words = Counter([*_words("\n".join(lines[start : start + WINDOW])), *of_path])
            window = len(self._files)
            self._files.append(name)
            self._lengths.append(words.total())
            for word, times in words.items():
                self._postings[word].append((window, times))


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
