"""The four corpora of a federated answer, the three quota buckets, the five intents."""

from enum import Enum


class Corpus(Enum):
    """The list of a federated response that a chunk belongs to; the value is its JSON key."""

    CODE = "code"
    PROSE = "prose"
    EXTRACTED_PROSE = "extractedProse"
    RECORDS = "records"


class Bucket(Enum):
    """What quotas are dealt to."""

    CODE = "code"
    DOCS = "docs"
    GRAPH = "graph"


class Mode(Enum):
    """The intent of a query: how its hits are shared among the buckets."""

    BALANCED = "balanced"
    DISCOVERY = "discovery"
    IMPLEMENTATION = "implementation"
    PLANNING = "planning"
    DEBUG = "debug"


CORPORA = tuple(Corpus)
"""All corpora, in the order every list of them is written in."""

CORPUS_WORDS = {
    "code": Corpus.CODE,
    "prose": Corpus.PROSE,
    "extracted-prose": Corpus.EXTRACTED_PROSE,
    "records": Corpus.RECORDS,
}
"""What users type after `--corpus`, and in a request's `search.mode`."""


def bucket_of(corpus: Corpus) -> Bucket:
    """Return the quota bucket that chunks of `corpus` count towards."""
    match corpus:
        case Corpus.CODE:
            return Bucket.CODE
        case Corpus.EXTRACTED_PROSE:
            return Bucket.GRAPH
        case Corpus.PROSE | Corpus.RECORDS:
            return Bucket.DOCS
