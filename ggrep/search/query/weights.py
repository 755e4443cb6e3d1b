"""All weights of the score.

The weights are fitted by `python3 dev.py fit` to the overall result of a public retrieval benchmark
of 20 repositories. docs/quality.md lists their results on this benchmark and on repositories that
the fit did not use.
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
    """The weights with which the parts of a score are blended.

    Attributes:
        fields: weights of body, name, crumb and doc, in the layout's order.
        spelling: factor of a term that is a word in the query's spelling, relative to the word's
            stem.
        text: weight of the chunk's lexical evidence.
        file: weight of its file's lexical evidence, over all the file's visible chunks.
        path: weight of query words in directory and file names.
        stem: weight of the share of the file's stem that the query spells.
        symbol: weight of definitions of names in the query.
        location: weight of a file's fit to a path in the query.
        verbatim: weight of containing the query word for word.
        definition: factor of chunks that define something.
        further: factor of every chunk of a file except its best chunk.
        passage: 1; 0 leaves out the factor for how good an answer the chunk alone is.
        wordless: added to each chunk's lexical evidence for the factor `passage`.
        function: by how much the factor `passage` prefers functions and methods.
        name: by how much the factor `passage` prefers chunks whose names spell the whole query.
        dense: factor of the encoder's `Fusion` weights; 0 leaves them out.
        priors: 1; 0 leaves out the factors of paths and corpora.
        learned: 1; 0 leaves out the learned correction.
        kinds: 1; 0 for the same weights for all kinds of queries.
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
        floor: cosines up to this value do not count.
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
"""The weights by the encoder's name.

A file's cosine is the cosine of its best chunk, and not a sum over its chunks as for words. Every
chunk is a little similar to any query, so sums would favour long files.
"""


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

The best answer to a name is its definition, which is often in a file of the same name; similarity
hardly matters. The best answer to a path is the file. A message occurs in one place: the rest of
the file matters little, and the exception in the message is defined elsewhere.
"""


def weights_for(kind: QueryKind, base: Weights) -> Weights:
    """Return `base` adjusted for a kind of query; parts with the weight 0 stay at 0."""
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
"""Factors of files by their traits; a query that mentions tests has no factor for tests."""

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
"""Factors of a chunk's corpus by mode.

The mode `debug` has the usual factors: with higher factors for prose and records, the files that
bug fixes change ranked lower.
"""

NAMED_TEST = 0.6
"""Factor of a test that defines a name in the query; between the factor of other tests and 1."""

DEFAULT_WEIGHTS = Weights()
