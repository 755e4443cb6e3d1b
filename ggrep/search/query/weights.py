"""The weights of the score, all in one place.

They are fitted to the aggregate of a public retrieval benchmark of 20 repositories by
`python3 dev.py fit`; docs/quality.md has their results, there and on repositories that the fit did
not use.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import formats
from ggrep.index.lexical.bm25 import FieldWeights
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.files import DECLARATION, EXAMPLE, MACHINE_WRITTEN, TEST, VENDORED
from ggrep.search.query.kinds import QueryKind

RANKING_REVISION = formats.RANKING_REVISION


class Weights(Struct, frozen=True):
    """How the parts of a score are blended.

    Attributes:
        fields: of body, name, crumb and doc, in the layout's order.
        spelling: factor of a term that is a word as spelt, relative to its stem.
        text: weight of the chunk's lexical evidence.
        file: weight of its file's lexical evidence, over all the file's visible chunks.
        path: weight of query words in directory and file names.
        stem: weight of the share of the file's stem that the query spells.
        symbol: weight of definitions of names in the query.
        location: weight of a file's fit to a path in the query.
        verbatim: weight of containing the query word for word.
        definition: factor of chunks that define something.
        further: factor of every chunk of a file but its best.
        passage: 1, or 0 to leave out the factor of the chunk as an answer by itself.
        wordless: lexical evidence that every chunk has for that factor.
        function: by how much that factor prefers functions and methods.
        name: by how much it prefers chunks whose names spell the whole query.
        dense: factor of the encoder's `Fusion` weights; 0 leaves them out.
        priors: 1, or 0 to leave out the factors of paths and corpora.
        learned: 1, or 0 to leave out the learned correction.
        kinds: 1, or 0 to weigh every kind of query alike.
    """

    k1: float = 2.0
    fields: tuple[FieldWeights, ...] = (
        FieldWeights(1.0, 0.6),
        FieldWeights(2.0, 0.5),
        FieldWeights(2.0, 0.3),
        FieldWeights(1.0, 0.5),
    )
    spelling: float = 0.6
    text: float = 0.5
    file: float = 1.5
    path: float = 1.0
    stem: float = 0.25
    symbol: float = 1.0
    location: float = 1.0
    verbatim: float = 1.0
    definition: float = 1.2
    further: float = 0.75
    passage: int = 1
    wordless: float = 0.04
    function: float = 0.5
    name: float = 0.5
    dense: float = 1.0
    priors: int = 1
    learned: int = 1
    kinds: int = 1


class Fusion(Struct, frozen=True):
    """The weights of one encoder's cosines, scaled so that `floor` is 0 and 1 stays 1.

    Attributes:
        row: weight of the chunk's cosine.
        file: weight of the best cosine of its file's visible chunks, without header chunks.
        floor: cosines up to it do not count.
    """

    row: float
    file: float
    floor: float


FUSION: dict[str, Fusion] = {
    "none": Fusion(0.0, 0.0, 0.0),
    "hashed": Fusion(0.2, 0.2, 0.0),
    "static": Fusion(0.2, 1.0, 0.2),
    "sentence-transformers": Fusion(0.5, 2.0, 0.1),
}
"""By the encoder's name. A file's best chunk counts, and not the sum over its chunks as for words:
every chunk is a little similar to any question, so sums would favour long files."""


KIND_WEIGHTS: dict[QueryKind, dict[str, float]] = {
    QueryKind.SYMBOL: {"symbol": 2.0, "stem": 1.0, "dense": 0.5, "passage": 0},
    QueryKind.PATH: {"path": 1.5, "location": 3.0, "symbol": 0.5, "passage": 0},
    QueryKind.PHRASE: {"text": 1.0, "file": 0.75, "passage": 0},
    QueryKind.ERROR: {
        "text": 1.5,
        "file": 0.5,
        "path": 0.25,
        "stem": 0.1,
        "symbol": 0.5,
        "verbatim": 2.0,
        "passage": 0,
    },
    QueryKind.QUESTION: {},
    QueryKind.WORDS: {},
}
"""Weights that differ for a kind of query.

A query that is a name wants its definition, most likely in a file of that name; similarity hardly
matters. One that is a path wants the file. A message occurs in one place: the rest of its file
matters little, and the exception in it is defined elsewhere.
"""


def weights_for(kind: QueryKind, base: Weights) -> Weights:
    """Return `base` adjusted for `kind`; a part switched off stays off."""
    if not base.kinds:
        return base
    other: dict[str, Any] = {
        name: value for name, value in KIND_WEIGHTS[kind].items() if getattr(base, name)
    }
    return replace(base, **other)


TRAIT_FACTORS: dict[int, float] = {
    TEST: 0.4,
    EXAMPLE: 0.75,
    VENDORED: 0.7,
    MACHINE_WRITTEN: 0.7,
    DECLARATION: 0.8,
}
"""Factors of files by their traits; that of tests does not apply if the query mentions tests."""

_BALANCED: dict[Corpus, float] = {
    Corpus.CODE: 1.0,
    Corpus.PROSE: 0.6,
    Corpus.EXTRACTED_PROSE: 0.6,
    Corpus.RECORDS: 0.5,
}

CORPUS_FACTORS: dict[Mode, dict[Corpus, float]] = {
    Mode.BALANCED: _BALANCED,
    Mode.DEBUG: _BALANCED,
    Mode.DISCOVERY: {
        Corpus.CODE: 1.0,
        Corpus.PROSE: 1.0,
        Corpus.EXTRACTED_PROSE: 1.05,
        Corpus.RECORDS: 0.8,
    },
    Mode.IMPLEMENTATION: {
        Corpus.CODE: 1.0,
        Corpus.PROSE: 0.65,
        Corpus.EXTRACTED_PROSE: 0.9,
        Corpus.RECORDS: 0.6,
    },
    Mode.PLANNING: {
        Corpus.CODE: 1.0,
        Corpus.PROSE: 1.15,
        Corpus.EXTRACTED_PROSE: 1.1,
        Corpus.RECORDS: 1.0,
    },
}
"""Factors of a chunk's corpus by mode. The usual factors are also best for debugging: higher ones
for prose and records ranked the files that fixes change lower."""

NAMED_TEST = 0.6
"""Factor of a test that defines a name in the query: little lower than other code."""

DEFAULT_WEIGHTS = Weights()
