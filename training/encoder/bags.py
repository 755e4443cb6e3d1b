"""Pairs as matrices: each text a bag of the vocabulary's features.

Text is split by `ggrep.index.embedding.features`, as the encoder splits it, so that training and
use see the same.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import sparse

from ggrep.index.embedding.features import features, text_words
from training.encoder.pairs import read_pairs

Bag: TypeAlias = dict[str, int]
"""Feature to how often it stands in a text."""

_LEAST_QUERY: Final = 2
_LEAST_TEXT: Final = 6
"""Features that a side of a pair has at least; less says nothing to learn from."""
_LEAST_PACKAGES: Final = 3
"""Packages that use a feature at least: names of one project alone teach nothing about others."""
_MOST_PER_PACKAGE: Final = 50
"""Texts of one package that count towards a feature's frequency, on the mean."""
_LONGEST_FEATURE: Final = 24


class BaggedPair(Struct, frozen=True):
    """A pair as bags, with what it is."""

    query: Bag
    text: Bag
    kind: str
    language: str


class PackageBags(Struct, frozen=True):
    """The pairs of one package."""

    name: str
    pairs: tuple[BaggedPair, ...]


class Vocabulary(Struct, frozen=True):
    """The features that a model knows.

    Attributes:
        words: sorted.
        texts: int64 (V,): how many of the pairs' texts hold each.
        total: texts in all.
    """

    words: tuple[str, ...]
    texts: npt.NDArray[np.int64]
    total: int

    @property
    def idf(self) -> npt.NDArray[np.float32]:
        """Return float32 (V,): ln(1 + texts / texts that hold it)."""
        values: npt.NDArray[np.float32] = np.log1p(self.total / self.texts).astype(np.float32)
        return values


class Pairs(Struct, frozen=True):
    """Pairs as counts of features.

    Attributes:
        queries: float32 CSR (n, V); `texts` of the same shape.
        packages: int64 (n,): place in `names`.
        kinds: of each pair.
    """

    queries: sparse.csr_matrix
    texts: sparse.csr_matrix
    packages: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.str_]
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.packages)


def bag_of(text: str) -> Bag:
    """Return the features of a text and how often each stands there."""
    found: Counter[str] = Counter()
    for word in text_words(text):
        found.update(features(word))
    return dict(found)


def bagged(folder: Path, jobs: int) -> list[PackageBags]:
    """Return the pairs of every file of a folder, by the files' names.

    Raises:
        UsageError: a line is no pair.
    """
    paths = sorted(folder.glob("*.jsonl"))
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(_bagged_file, paths, chunksize=4))


def vocabulary_of(packages: Sequence[PackageBags], size: int) -> Vocabulary:
    """Return the `size` features that most texts hold, no package counting without bound."""
    texts: Counter[str] = Counter()
    users: Counter[str] = Counter()
    for package in packages:
        seen: set[str] = set()
        for pair in package.pairs:
            texts.update(pair.query.keys())
            texts.update(pair.text.keys())
            seen |= pair.query.keys() | pair.text.keys()
        users.update(seen)

    def rank(word: str) -> tuple[int, str]:
        return -min(texts[word], _MOST_PER_PACKAGE * users[word]), word

    known = [w for w in texts if users[w] >= _LEAST_PACKAGES and len(w) <= _LONGEST_FEATURE]
    words = tuple(sorted(sorted(known, key=rank)[:size]))
    total = 2 * sum(len(package.pairs) for package in packages)
    return Vocabulary(words, np.array([texts[word] for word in words], dtype=np.int64), total)


def pairs_of(packages: Sequence[PackageBags], vocabulary: Vocabulary) -> Pairs:
    """Return all pairs as matrices over the vocabulary."""
    places = {word: place for place, word in enumerate(vocabulary.words)}
    every = [pair for package in packages for pair in package.pairs]
    return Pairs(
        queries=matrix_of((pair.query for pair in every), places),
        texts=matrix_of((pair.text for pair in every), places),
        packages=np.repeat(np.arange(len(packages)), [len(each.pairs) for each in packages]),
        kinds=np.array([pair.kind for pair in every], dtype=np.str_),
        names=tuple(package.name for package in packages),
    )


def matrix_of(bags: Iterable[Bag], places: dict[str, int]) -> sparse.csr_matrix:
    """Return float32 CSR (bags, V) of counts; features without a place are left out."""
    columns: list[int] = []
    counts: list[int] = []
    bounds = [0]
    for bag in bags:
        for word, count in bag.items():
            if (place := places.get(word)) is not None:
                columns.append(place)
                counts.append(count)
        bounds.append(len(columns))
    values = np.array(counts, dtype=np.float32)
    shape = (len(bounds) - 1, len(places))
    return sparse.csr_matrix((values, np.array(columns, np.int32), np.array(bounds)), shape=shape)


def _bagged_file(path: Path) -> PackageBags:
    found = []
    for pair in read_pairs(path):
        query, text = bag_of(pair.query), bag_of(pair.text)
        if len(query) >= _LEAST_QUERY and len(text) >= _LEAST_TEXT:
            found.append(BaggedPair(query, text, pair.kind, pair.language))
    return PackageBags(path.stem, tuple(found))
