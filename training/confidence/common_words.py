"""Counts how common words are in programs in general, for `ggrep/search/query/common_words.txt`.

    python -m training.confidence.common_words FOLDER    of the repositories of `fit` in FOLDER

FOLDER is what `python -m training.changes build` writes. Every repository counts alike: a word's
share is the mean, over the repositories, of the share of their pieces of 40 lines that hold it. Its
weight is the logarithm of one over that, in tenths of the weight of a word without an entry.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from ggrep.base import stable_json
from ggrep.index.lexical.tokens import is_unspaced, word_terms, words
from ggrep.search.query.common_words import FULL, TABLE, table_text

_LINES: Final = 40
_LEAST: Final = 3e-3
"""Share of a word that weighs as much as one without an entry."""
_REPOS: Final = 4
"""Repositories that hold a word with an entry, at least."""
_MOST_BYTES: Final = 1 << 18

_terms = cache(word_terms)


def main(arguments: Sequence[str]) -> int:
    """Write the table."""
    folder = Path(arguments[0]).resolve()
    repos = stable_json.loads((folder / "repos.json").read_bytes())
    fit = sorted(name for name, repo in repos.items() if repo["part"] == "fit")
    weights = weighed([shares(texts_of(folder / "sources" / name)) for name in fit])
    TABLE.write_text(table_text(weights), encoding="utf-8")
    sys.stderr.write(f"{len(weights)} words of {len(fit)} repositories\n")
    return 0


def texts_of(sources: Path) -> Iterator[str]:
    """Yield the texts of a repository; large files are mostly generated."""
    for path in sorted(sources.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MOST_BYTES:
            data = path.read_bytes()
            if b"\0" not in data:
                yield data.decode(errors="replace")


def shares(texts: Iterable[str]) -> dict[str, float]:
    """Return the share of the pieces of texts that hold each term."""
    pieces, counts = 0, Counter[str]()
    for text in texts:
        lines = text.splitlines()
        for start in range(0, len(lines), _LINES):
            pieces += 1
            counts.update(_terms_of("\n".join(lines[start : start + _LINES])))
    return {term: count / pieces for term, count in counts.items()}


def weighed(repos: Sequence[dict[str, float]]) -> dict[str, int]:
    """Return the weights of the words with an entry, from 0 to below FULL."""
    held: dict[str, list[float]] = {}
    for repo in repos:
        for term, share in repo.items():
            held.setdefault(term, []).append(share)
    weights = {
        term: round(FULL * math.log(sum(each) / len(repos)) / math.log(_LEAST))
        for term, each in held.items()
        if len(each) >= _REPOS
    }
    return {term: weight for term, weight in weights.items() if weight < FULL}


def _terms_of(text: str) -> set[str]:
    spoken = {word for word in words(text) if len(word) > 1 and not is_unspaced(word)}
    return {term for word in spoken for term in _terms(word)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
