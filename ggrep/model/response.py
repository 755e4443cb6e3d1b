"""The answer of one repository: hits, totals and origin."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.model.confidence import Confidence, TopFiles
from ggrep.model.constraints import (
    ChunkType,
    Commit,
    Count,
    LanguageName,
    Named,
    Positive,
    RepoPath,
    Sha256,
    hides,
    may_grow,
    named,
)
from ggrep.model.corpus import Corpus
from ggrep.model.limits import NOTHING_UNSEEN, LimitHit, Notice, Unseen
from ggrep.model.request import SearchRequest

_OTHERWISE: Final[Mapping[str, str | None]] = {
    "row_id": None,
    "path": None,
    "start_line": None,
    "end_line": None,
    "score": None,
    "definition": None,
    "chunk_type": "kind",
    "content_start_line": "contentStart",
}


class Extent(Struct, frozen=True):
    """Lines of a file."""

    start_line: Positive
    """First line, 1-based."""
    end_line: Positive
    """Last line, 1-based, inclusive."""


@hides("marks")
class HitLine(Struct, frozen=True, omit_defaults=True):
    """A line that matches, or a line of context."""

    line: Positive
    """Number of the line, 1-based."""
    text: str
    """The line without its end, free of control characters; of a long line the part around its
    first match.
    """
    columns: tuple[tuple[Positive, Positive], ...]
    """The 1-based bytes of the line at which each match begins and behind which it ends;
    none for a line of context.
    """
    marks: tuple[tuple[int, int], ...] = ()
    """Offsets of each match in `text`, in characters."""
    cut: Annotated[bool, (True,)] = False
    """Present when `text` is not the whole line."""


@hides("chunk_id", "components", "rule", "traits")
class Hit(Struct, frozen=True, omit_defaults=True):
    """One chunk."""

    row_id: Sha256
    """Id of the chunk; equal for the same text at the same place of the same path."""
    chunk_id: str
    path: RepoPath
    start_line: Positive
    """First line of the chunk, 1-based."""
    end_line: Positive
    """Last line of the chunk, 1-based, inclusive."""
    score: float
    """Score that orders the list; comparable within one answer."""
    lexical_score: float
    """Part of the score that comes from words; it breaks ties."""
    corpus: Annotated[Corpus, Corpus]
    """List of a federated answer that the chunk belongs to."""
    chunk_type: ChunkType
    name: str
    """The definition's or heading's own name; empty for blocks."""
    qualified_name: str
    """The name after those of its enclosing definitions, joined with dots; empty without a name."""
    signature: str
    """Head of the definition on one line; empty for none."""
    breadcrumb: tuple[str, ...]
    """Enclosing definitions or headings, outermost first, without the name."""
    language: LanguageName
    is_anchor: bool
    """Whether it is the file's header chunk."""
    content: str
    """Snippet, free of control characters; empty when none was requested."""
    content_start_line: Positive
    """Line of the snippet's first line, 1-based."""
    hidden_lines: Count
    """Lines of the chunk below the snippet."""
    components: tuple[tuple[str, float], ...] = ()
    """Parts of the score by name, when the request asked to explain."""
    rule: str = ""
    """Rule that chose the hit, as in `ggrep.model.corpus.Allocation`; only for explanations."""
    traits: int = 0
    """Traits of the file among `ggrep.model.files.READING`."""
    lines: tuple[HitLine, ...] = ()
    """First matching lines of the chunk with the requested context, in the order of the file;
    absent unless lines are matched.
    """
    matching_lines: Count = 0
    """Number of the chunk's matching lines; present with `lines`."""
    definition: Extent | None = None
    """Lines of the whole definition; present when the chunk is only a part of it."""
    encoding: Named = ""
    """Encoding of the file, as `cp1252` or `shift_jis_2004`; present when it is not UTF-8. The text
    of the answer is UTF-8.
    """


def federated_key(name: str) -> str | None:
    """Return the key of a Hit's field in an answer over a workspace; None for its own."""
    if name in _OTHERWISE:
        return _OTHERWISE[name]
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def shortened(hit: Hit, size: int) -> Hit:
    """Return the hit with at most `size` bytes of its content, cut between characters.

    Lines that are lost count as hidden, the cut one too when nothing of it is left.
    """
    content = hit.content.encode()[:size].decode(errors="ignore")
    lost = hit.content.count("\n") - content.count("\n") + (not content)
    return replace(hit, content=content, hidden_lines=hit.hidden_lines + lost)


@named("scan")
@hides("best")
class ScanFacts(Struct, frozen=True):
    """Extent of the scan; present where `partial` is `scan`."""

    files: Count
    """Files that were examined."""
    listed_files: Count | None
    """Maximum number of files to examine; null when not all were listed."""
    bytes_read: Count = field(name="bytes")
    """Bytes that were examined."""
    matching_files: Count
    """Examined files that may answer."""
    ranked_files: Count
    """The best of the matching files, which were ranked."""
    complete: bool
    """Whether all files could be examined in time."""
    best: tuple[str, ...] = ()
    """Paths of the best files that may answer, the best first."""


QUERY_KINDS: Final = ("phrase", "symbol", "path", "error", "question", "words")
"""Kinds of a query."""
Freshness: TypeAlias = Literal["current", "behind", "unknown"]
"""Whether an index is known to hold the present work tree; as old as the request."""


@named("git")
class GitState(Struct, frozen=True):
    """The work tree the snapshot was taken from; null outside git."""

    head_sha: Commit | None
    """Commit of HEAD; null before the first commit."""
    dirty: bool | None
    """Whether tracked files differed from HEAD; null when unknown."""
    untracked_included: bool
    """Whether files that git does not track are indexed as well."""


class Provenance(Struct, frozen=True):
    """The store and the snapshot that an answer came from.

    Attributes:
        degraded: the snapshot left out changes of files that could not be indexed.
        partial: the first index is being built; `indexed_files` of `eligible_files` are searchable.
        scan: facts of a scan that answered before the first snapshot; `snapshot_id` is then empty.
    """

    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    embed_config_fingerprint: str
    snapshot_id: str
    git: GitState | None
    degraded: bool
    partial: bool
    indexed_files: int
    eligible_files: int
    scan: ScanFacts | None = None


@may_grow
class Term(Struct, frozen=True):
    """A word that was scored."""

    term: str
    """The word, as indexed."""
    chunks: Count
    """Visible chunks with the word."""


@named("explain")
@may_grow
class Explanation(Struct, frozen=True):
    """Explanation of the answer; present when the request asked to explain.

    Open: keys may be added later.
    """

    kind: Annotated[str, QUERY_KINDS]
    """Kind of the query, which some weights follow."""
    rules: tuple[str, ...]
    """Rules that the form of the query triggered."""
    terms: tuple[Term, ...]
    """Words that were scored."""
    quotas: Mapping[str, Count]
    """Hits assigned to each bucket; empty in balanced mode."""
    candidate_mix: Mapping[str, Count]
    """Scored chunks by corpus, before any cut."""
    returned_mix: Mapping[str, Count]
    """Hits of the answer by corpus."""
    cuts: Mapping[str, Count]
    """Hits left out, by cause: the limit per file, or a weak answer."""
    confidence: Mapping[str, float]
    """Signals of the confidence: the most `evidence` of the best ten files, the shares `stem` and
    `found` of what the query spells, the `weight` of its words, the share `unknown` of them.
    """
    weights: Mapping[str, float]
    """Weights of the blend."""
    segments: Count
    """Segments that were read."""


@named("admission")
@may_grow
class Admitted(Struct, frozen=True):
    """Admission of the request."""

    queued: bool
    """Whether the request had to wait."""
    waited_ms: Count
    """Time that it waited, milliseconds."""
    in_flight: Count
    """Requests that were being answered."""
    queue_depth: Count
    """Requests that waited."""


class FileMatches(Struct, frozen=True):
    """A file with lines that match."""

    path: RepoPath
    lines: Count
    """Number of matching lines."""


@named("matches")
class MatchTotals(Struct, frozen=True, omit_defaults=True):
    """Everything that matches a text or expression, shown or not."""

    lines: Count
    """Number of matching lines."""
    files: Count
    """Number of files with matching lines."""
    by_file: tuple[FileMatches, ...] = ()
    """All files with matching lines, when the request lists them."""


class Answer(Struct, frozen=True, kw_only=True):
    """The common part of all answers of one repository.

    Attributes:
        timings_ms: stage to milliseconds; empty in deterministic mode.
        admitted: None in deterministic mode, and where requests need no admission.
    """

    request_id: str
    query_fingerprint: str
    provenance: Provenance
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None


def own_field(name: str) -> str | None:
    """Return the key of a field that only one kind of answer has; None for the common fields."""
    return None if name in {*Answer.__struct_fields__, "request", "next_cursor"} else name


class QueryResponse(Answer, frozen=True):
    """The answer to a SearchRequest; `matched` is None if no lines are matched."""

    request: SearchRequest
    confidence: Confidence
    hits: tuple[Hit, ...]
    segments: int = 0
    explanation: Explanation | None = None
    matched: MatchTotals | None = None


class PoolResponse(Struct, frozen=True):
    """The answer to a PoolRequest: lists in the repository's own order, best first.

    Attributes:
        blended: hits of all requested corpora in one list.
        corpora: one list for each requested corpus.
        leading: decides the confidence of a merged answer.
        matched: None if no lines are matched.
    """

    provenance: Provenance
    blended: tuple[Hit, ...]
    corpora: tuple[tuple[Corpus, tuple[Hit, ...]], ...]
    leading: TopFiles
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    matched: MatchTotals | None = None


class RepoDescription(Struct, frozen=True):
    """A repository as a coordinator must know it before a query.

    Attributes:
        snapshot_id: None before the first snapshot.
        embed_key: repositories with equal keys have comparable vectors.
        lexical_key: repositories with equal keys have term statistics that add up.
        schema_key: repositories with equal keys can be read by the same code.
        counts: visible chunks by corpus.
        has_vectors: a query is encoded before it is scored.
        notices: obstacles to good answers, whatever the query.
        moment: warnings of this moment, which deterministic answers leave out.
        answers_key: key of the settings and the ranking that affect answers and no index; empty
            when unknown.
        profile: name of the profile that narrows its hits and slates; empty for none.
    """

    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    snapshot_id: str | None
    degraded: bool
    embed_key: str
    lexical_key: str
    schema_key: str
    counts: tuple[tuple[Corpus, int], ...]
    has_vectors: bool = True
    freshness: Freshness = "unknown"
    notices: tuple[Notice, ...] = ()
    answers_key: str = ""
    moment: tuple[Notice, ...] = ()
    profile: str = ""
    unseen: Unseen = NOTHING_UNSEEN
