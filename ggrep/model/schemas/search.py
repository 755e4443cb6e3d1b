"""The answer to a search of one repository."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, NotRequired, TypedDict

from ggrep.model.confidence import Confidence
from ggrep.model.constraints import (
    Code,
    Count,
    Held,
    Keywords,
    Named,
    Positive,
    Sha256,
    may_grow,
)
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.request import SnippetMode
from ggrep.model.schemas.answer import AnswerJson, ScanJson

QUERY_KINDS: Final = ("phrase", "symbol", "path", "error", "question", "words")
"""What a query may read as."""


class SearchLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_results: Count
    """Most hits."""
    per_file: Count
    """Most hits of one file; 0 for no bound."""
    snippet: Annotated[str, SnippetMode]
    """How much text each hit carries."""


class SearchTimingsJson(TypedDict):
    """Milliseconds of each stage; absent in deterministic mode."""

    admission: Count
    """Waiting to be let in."""
    snapshot_read: Count
    """Pinning the snapshot."""
    retrieve: Count
    """Scoring."""
    rank: Count
    """Ordering and cutting."""
    format: Count
    """Reading the snippets."""


@may_grow
class TermJson(TypedDict):
    """A word that was scored."""

    term: str
    """The word, as indexed."""
    chunks: Count
    """Visible chunks that hold it."""


@may_grow
class AdmissionJson(TypedDict):
    """How the question was let in."""

    queued: bool
    """It had to wait."""
    waited_ms: Count
    """How long, milliseconds."""
    in_flight: Count
    """Questions that were being answered."""
    queue_depth: Count
    """Questions that waited."""


@may_grow
class ExplainJson(TypedDict):
    """How the answer came about; present when the request asked to explain.

    Open: more may be told later.
    """

    kind: Annotated[str, QUERY_KINDS]
    """Kind of the query, which some weights follow."""
    rules: Sequence[str]
    """What was done because of how the query reads."""
    terms: Sequence[TermJson]
    """Words that were scored."""
    quotas: Mapping[str, Count]
    """Hits dealt to each bucket; empty in balanced mode."""
    candidate_mix: Mapping[str, Count]
    """Scored chunks by corpus, before any cut."""
    returned_mix: Mapping[str, Count]
    """Hits of the answer by corpus."""
    cuts: Mapping[str, Count]
    """Hits passed over, by why: their file had its share, or the answer is weak."""
    confidence: Mapping[str, float]
    """What the confidence was judged by: the most `evidence` of the best ten files, the shares
    `stem` and `found` of what the query spells, the `weight` of its words, the share `unknown` of
    them.
    """
    weights: Mapping[str, float]
    """The blend in force."""
    segments: Count
    """Segments that were read."""
    admission: NotRequired[AdmissionJson]
    """How a daemon let the question in; absent without one."""


class ExtentJson(TypedDict):
    """Lines of a file."""

    start_line: Positive
    """The first, 1-based."""
    end_line: Positive
    """The last, inclusive."""


class HitLineJson(TypedDict):
    """A line that matches, or a line of context."""

    line: Positive
    """Number of the line, 1-based."""
    text: str
    """The line without its end, free of control characters; of a long line the part around its
    first match.
    """
    columns: Sequence[Annotated[Sequence[Positive], Held(least=2, most=2)]]
    """The 1-based bytes of the line at which each match begins and behind which it ends;
    none for a line of context.
    """
    cut: NotRequired[Literal[True]]
    """Present where `text` is not the whole line."""


class FileMatchesJson(TypedDict):
    """A file with lines that match."""

    path: str
    """Path below the repository's root, with forward slashes."""
    lines: Count
    """How many match."""


class MatchesJson(TypedDict):
    """Everything that matches a text or expression, shown or not."""

    lines: Count
    """Lines that match."""
    files: Count
    """Files that have any."""
    by_file: NotRequired[Sequence[FileMatchesJson]]
    """All of these files, where the request lists them."""


class HitJson(TypedDict):
    """One chunk."""

    row_id: Sha256
    """Equal wherever the same text stands at the same place of the same path."""
    path: str
    """Path below the repository's root, with forward slashes."""
    start_line: Positive
    """First line of the chunk, 1-based."""
    end_line: Positive
    """Last line of the chunk, 1-based, inclusive."""
    score: float
    """What the list is ordered by; comparable within one answer."""
    lexical_score: float
    """What breaks ties of the score: its share from words alone."""
    corpus: Annotated[str, Corpus]
    """Which list of a federated answer the chunk belongs to."""
    chunk_type: Code
    """What the chunk is: function, method, class, section, diagram, block and so on."""
    name: str
    """The definition's or heading's own name; empty for blocks."""
    qualified_name: str
    """The name behind its parents, joined with dots; empty when the name is."""
    signature: str
    """The definition's head on one line; empty for what has none."""
    breadcrumb: Sequence[str]
    """Enclosing definitions or headings, outermost first, without the name."""
    language: str
    """Lower-case name such as python or markdown; text when unknown."""
    is_anchor: bool
    """The chunk is the file's header chunk."""
    content: str
    """The snippet, free of control characters; empty when none was asked for."""
    content_start_line: Positive
    """Line of the snippet's first line, 1-based."""
    hidden_lines: Count
    """Lines of the chunk below the snippet."""
    lines: NotRequired[Sequence[HitLineJson]]
    """Where lines are matched: the first of the chunk's lines that match, and the context that was
    asked for, in the order of the file.
    """
    matching_lines: NotRequired[Count]
    """How many lines of the chunk match; present with `lines`."""
    definition: NotRequired[ExtentJson]
    """All of the definition, where the chunk is only a part of it."""
    encoding: NotRequired[Named]
    """What the file was written in, where that is not UTF-8, as `cp1252` or `shift_jis_2004`; the
    text of the answer is UTF-8.
    """
    explain: NotRequired[
        Annotated[
            Mapping[str, float | str],
            Keywords(
                {
                    "additionalProperties": {"type": "number"},
                    "properties": {
                        "rule": {
                            "description": "By the list's order, by a place dealt to its bucket, or"
                            " by one that no bucket used.",
                            "enum": ["best", "quota", "fill"],
                        }
                    },
                    "required": ["rule"],
                }
            ),
        ]
    ]
    """Parts of the score by name, and the `rule` that chose the hit; present when the request asked
    to explain.
    """


class SearchMoreJson(TypedDict):
    """What not every answer to a search says."""

    matches: NotRequired[MatchesJson]
    """Present where lines are matched, for a text or an expression."""
    partial: NotRequired[Literal["scan"]]
    """Present where the first index is not there yet and a quick scan of the work tree answered."""
    scan: NotRequired[ScanJson]
    timings_ms: NotRequired[SearchTimingsJson]
    explain: NotRequired[ExplainJson]


class SearchJson(AnswerJson, SearchMoreJson):
    """What a search of one repository returns."""

    mode: Annotated[str, Mode]
    """The intent that hits were shared out by."""
    confidence: Annotated[str, Confidence]
    """How well the best hits fit the query: `weak` answers are shortened, and one without any
    strong match shows three hits at most.
    """
    limits: SearchLimitsJson
    results: Sequence[HitJson]
    """Hits, best first."""
