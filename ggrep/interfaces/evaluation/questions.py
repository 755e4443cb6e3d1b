"""Queries and answers of suites and checks: plain values that worker processes receive and send."""

from pathlib import Path

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.evaluation.visible_lines import ShownSlate
from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Bucket, Corpus, Mode
from ggrep.model.filters import parse_filter
from ggrep.model.request import SearchRequest, SnippetMode

DEFAULT_LIMIT = 30
"""Default number of hits: enough for ten files with three hits each."""

DEFAULT_PER_FILE = 3


class QueriedPath(Struct, frozen=True):
    """The repository or the workspace that is queried.

    Attributes:
        path: path of the directory, or of the workspace file.
        alone: whether to query the directory itself instead of the repository that contains it.
    """

    path: Path
    is_workspace: bool = False
    alone: bool = False


class CaseQuery(Struct, frozen=True):
    """One query with its options.

    Attributes:
        corpora: values of `--corpus`; none for all corpora.
        filters: values of `--filter`.
        slates: sizes in bytes of the slates to request; 0 for the default size.
        searched: whether to search; otherwise there is at least one slate.
    """

    id: str
    query: str
    limit: int = DEFAULT_LIMIT
    per_file: int = DEFAULT_PER_FILE
    mode: str = Mode.BALANCED.value
    corpora: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    slates: tuple[int, ...] = ()
    searched: bool = True


class CaseHit(Struct, frozen=True):
    """One hit of an answer.

    Attributes:
        file: path key; in a workspace it begins with the repository's alias and a slash.
        section: the bucket of the hit's chunk: code, docs or graph.
    """

    file: str
    start_line: int
    end_line: int
    score: float
    section: str
    kind: str
    name: str
    qualified_name: str


class Answer(Struct, frozen=True):
    """The answer to one query.

    Attributes:
        confidence: confidence of the answer; None if the answer has no confidence.
        elapsed_ms: duration of the query.
        error: why the query failed; empty if it succeeded.
        slates: the requested slates, in the order of the query's `slates`.
    """

    id: str
    hits: tuple[CaseHit, ...] = ()
    confidence: str | None = None
    elapsed_ms: float = 0.0
    error: str = ""
    slates: tuple[ShownSlate, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Return the distinct files, in the order of their first hit."""
        return tuple(dict.fromkeys(hit.file for hit in self.hits))

    @property
    def named(self) -> tuple[str, ...]:
        """Return the files of the hits; without a search, the files of the first slate."""
        if self.hits or not self.slates:
            return self.files
        return tuple(each.path for each in self.slates[0].files)


def request_of(question: CaseQuery, *, scope: str = "") -> SearchRequest:
    """Return the search request for a query."""
    return SearchRequest(
        query=question.query,
        limit=question.limit,
        per_file=question.per_file,
        mode=mode_of(question.mode),
        corpora=CORPORA
        if not question.corpora
        else tuple(c for c in CORPORA if c in {corpus_of(word) for word in question.corpora}),
        scope=scope,
        filters=tuple(parse_filter(text) for text in question.filters),
        snippet=SnippetMode.NONE,
        deterministic=True,
    )


def mode_of(word: str) -> Mode:
    """Return the mode with this name."""
    for mode in Mode:
        if mode.value == word:
            return mode
    known = ", ".join(mode.value for mode in Mode)
    raise InvalidRequest(f"unknown mode {word!r}; use one of {known}")


def corpus_of(word: str) -> Corpus:
    """Return the corpus with this name."""
    if word not in CORPUS_WORDS:
        raise InvalidRequest(f"unknown corpus {word!r}; use one of {', '.join(CORPUS_WORDS)}")
    return CORPUS_WORDS[word]


SECTIONS = tuple(bucket.value for bucket in Bucket)
"""Sections of hits."""
