"""The weights of the score, all in one place.

They are fitted to the aggregate of a public retrieval benchmark of 20 repositories by
`python3 dev.py fit`; what they reach, there and on repositories that a fit did not see, stands in
docs/quality.md.
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
        spelling: share of a term that only says how a word is spelt, beside its stem.
        text: share of the chunk's own lexical evidence.
        file: share of its file's lexical evidence, over all the file's visible chunks.
        path: share of query words in directory and file names.
        stem: share of the file's stem that the query spells.
        symbol: share of definitions of queried names.
        location: share of a path that the query spells.
        verbatim: for chunks that hold the query word for word.
        definition: factor of chunks that define something.
        further: factor of every chunk of a file but its best.
        passage: 1, or 0 to leave out the factor of the chunk as an answer by itself.
        wordless: lexical evidence that this factor grants every chunk.
        function: share by which it prefers functions and methods.
        name: share by which it prefers chunks whose names spell the whole query.
        dense: factor of what the encoder's `Fusion` adds; 0 leaves it out.
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
    """How one encoder's cosines are blended in.

    A cosine counts by how far it lies above `floor`, as a share of the way to 1.

    Attributes:
        row: share of the chunk's own.
        file: share of the best of its file's visible chunks, header chunks aside.
        floor: cosines up to it say nothing.
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
"""By the encoder's name. A file's best chunk counts rather than the sum over its chunks, as it is
for words: every chunk is a little like any question, so sums would favour long files."""


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
"""Where a kind of query is weighed otherwise.

A name wants its definition, most likely in a file that is called so, and hardly any likeness; a
path its file. A message stands in one place: what else its file
says matters little, and the exception's name is defined elsewhere.
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
"""Factors of what a path and a content say about their file, each of a set of traits that any of
them calls for; tests are spared when the query speaks of them."""

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
"""Factors of a chunk's corpus by intent. Who looks for a bug is served best by the usual ones:
sparing tests and other texts put the files that fixes change further down."""

NAMED_TEST = 0.6
"""Factor of a test that defines a name which the query spells: hardly behind what is shipped."""

DEFAULT_WEIGHTS = Weights()
