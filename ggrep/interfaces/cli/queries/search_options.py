"""The options of a search, some of them shared with other commands, and the search's request."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import (
    EncoderFlag,
    Flag,
    Output,
    ProfileFlag,
    RepoFlag,
    Switch,
    YesFlag,
    one_of,
    request_fields,
    typed_flags,
)
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.filters import named_filters
from ggrep.model.request import SearchRequest, SnippetMode, compacted, with_exact_defaults

MOST_MATCHING: Final = 50
"""Default number of chunks with matching lines for a program."""

DeterministicFlag: TypeAlias = Annotated[
    bool, Flag("--deterministic", "Print the same bytes as long as the index does not change.")
]


def _intent(words: tuple[str, ...]) -> Mode:
    """Return the mode that the typed intent flags select."""
    if len(set(words)) > 1:
        raise UsageError(f"use only one intent, not {' and '.join(sorted(set(words)))}")
    if words[0] in {"all", *CORPUS_WORDS}:
        raise UsageError(f"--mode: {words[0]!r} is a corpus, not an intent; use --corpus")
    return Mode(one_of("--mode", words[0], tuple(mode.value for mode in Mode)))


def _deepest(words: tuple[str, ...]) -> SnippetMode:
    """Return the longest of the typed snippet modes."""
    depths = (SnippetMode.FULL, SnippetMode.LONG, SnippetMode.SHORT, SnippetMode.NONE)
    return next(depth for depth in depths if depth.value in words)


def _once(numbers: tuple[int, ...]) -> int:
    """Return the number of hits; only one of the three synonymous flags may be typed."""
    if len(numbers) > 1:
        raise UsageError(
            "-m, --max and --top are the same flag; use it once",
            code="ERR_FEDERATED_DUPLICATE_TOP_FLAG",
        )
    return numbers[0]


class QueryOptions(Struct, frozen=True):
    """Options of the query itself, and of the files to search."""

    title: ClassVar = "Query"
    of: ClassVar = (SearchRequest,)

    mode: Annotated[
        tuple[str, ...],
        Flag(
            "--mode",
            "Search with this intent",
            read=_intent,
            switches=(
                Switch("-d --discovery", "discovery", "Intent: a broad overview."),
                Switch("-i --implementation", "implementation", "Intent: code first."),
                Switch("-p --planning", "planning", "Intent: documents first."),
                Switch("-b --debug", "debug", "Intent: find the cause of a bug."),
            ),
        ),
    ] = ()
    corpora: Annotated[
        tuple[str, ...],
        Flag(
            "--corpus",
            "Search this corpus, repeatable: all, code, prose, extracted-prose (text of diagrams)"
            " or records (configuration and data).",
        ),
    ] = ()
    filters: Annotated[
        tuple[str, ...],
        Flag(
            "--filter",
            f"Search only files and chunks that match {named_filters()}; negate with a leading -.",
            takes="filter",
        ),
    ] = ()
    find: Annotated[str | None, Flag("--find", "How to interpret the query")] = None
    vectors: Annotated[
        bool | None, Flag("--no-vectors", "Rank by words and structure only, without vectors.")
    ] = None
    keep_weak: Annotated[
        bool, Flag("--keep-weak", "Show all hits, even if they are unlikely to answer the query.")
    ] = False


class HitOptions(Struct, frozen=True):
    """Selection of hits, and the amount of text that each hit shows."""

    title: ClassVar = "Hits"
    of: ClassVar = (SearchRequest,)

    limit: Annotated[
        tuple[int, ...], Flag("-m --max --top", "Return at most this many hits.", read=_once)
    ] = ()
    per_file: Annotated[int | None, Flag("--per-file", judged=True)] = None
    snippet: Annotated[
        tuple[str, ...],
        Flag(
            "",
            read=_deepest,
            switches=(
                Switch("--content", SnippetMode.FULL.value, "Show whole chunks."),
                Switch(
                    "--long-snippet", SnippetMode.LONG.value, "Show up to 24 lines of each hit."
                ),
                Switch(
                    "-s --short-snippet", SnippetMode.SHORT.value, "Show up to 8 lines of each hit."
                ),
                Switch("-n --no-snippet", SnippetMode.NONE.value, "Show no text."),
            ),
        ),
    ] = ()
    include_anchors: Annotated[
        bool, Flag("--anchors", "Also return the opening lines of files as hits.")
    ] = False
    compact: Annotated[
        bool, Flag("--compact", "Show only the best hit of each file, without text.")
    ] = False
    scores: Annotated[bool, Flag("--scores", "Show scores.")] = False
    explain: Annotated[bool, Flag("--explain", "Explain each score.")] = False
    backend: Annotated[
        str | None, Flag("--backend", "Vector backend; both values have the same effect")
    ] = None

    @property
    def whole(self) -> bool:
        """Return whether whole chunks are shown."""
        return SnippetMode.FULL.value in self.snippet


class LineOptions(Struct, frozen=True):
    """Matching and display of lines in a search for exact text."""

    title: ClassVar = "Exact text"
    of: ClassVar = (SearchRequest,)

    ignore_case: Annotated[
        bool,
        Flag("--ignore-case", "With -F, -E or quoted text: ignore letter case; short form: -i."),
    ] = False
    whole_words: Annotated[
        bool,
        Flag("--word-regexp", "With -F, -E or quoted text: match whole words; short form: -w."),
    ] = False
    lines_before: Annotated[
        int, Flag("--before-context", "Show N lines before each matching line; short form: -B.")
    ] = 0
    lines_after: Annotated[
        int, Flag("--after-context", "Show N lines after each matching line; short form: -A.")
    ] = 0
    files: Annotated[
        bool,
        Flag("--files-with-matches", "Print only the paths of matching files; short form: -l."),
    ] = False
    counts: Annotated[
        bool, Flag("--count", "Print the number of matching lines per file; short form: -c.")
    ] = False

    def apply(self, request: SearchRequest) -> SearchRequest:
        """Return the request with these options."""
        given = typed_flags(self)
        if given and not request.is_exact:
            raise UsageError(
                f"{' and '.join(given)}: allowed only with -F, -E or a text in double quotes:"
                f" ggrep -F {shlex.quote(request.query)}"
            )
        listed = self.files or self.counts
        return replace(request, list_files=True, snippet=SnippetMode.NONE) if listed else request


class IndexOptions(Struct, frozen=True):
    """The index to query, whether to update it or to use a daemon, and the timeout."""

    title: ClassVar = "Index and daemon"
    of: ClassVar = (SearchRequest,)

    repo: RepoFlag = None
    profile: ProfileFlag = None
    encoder: EncoderFlag = None
    sync: Annotated[bool, Flag("--sync", "Update the index first.")] = False
    strict_sync: Annotated[
        bool, Flag("--strict", "With --sync: fail when a file cannot be indexed correctly.")
    ] = False
    offline: Annotated[
        bool, Flag("--offline", "Read the index in this process, without a daemon.")
    ] = False
    yes: YesFlag = False
    deterministic: DeterministicFlag = False
    timeout_ms: Annotated[
        int,
        Flag(
            "--timeout-ms",
            "Give up after this many milliseconds; 0 for the configured timeout.",
            judged=True,
        ),
    ] = 0

    @property
    def overrides(self) -> dict[str, object]:
        """Return the settings that these options override, with their values."""
        return {"encoder": self.encoder, "profile": self.profile}

    def check(self) -> None:
        """Raise when options contradict each other."""
        if self.strict_sync and not self.sync:
            raise UsageError("--strict: allowed only with --sync")


class HitsOutput(Output, frozen=True):
    """Output options of commands whose answer may have no hits."""

    exit_status: Annotated[
        bool,
        Flag(
            "--exit-status",
            "Exit like grep: with 1 when there are no hits, with 2 on an error.",
        ),
    ] = False


class ReceiptOutput(HitsOutput, frozen=True):
    """Output options of a search, and of its receipt."""

    receipt: Annotated[
        Path | None,
        Flag("--receipt", "Write a receipt for `ggrep replay`; implies --deterministic."),
    ] = None
    force: Annotated[
        bool, Flag("--force", "Let --receipt overwrite a file that is not a receipt.")
    ] = False


class TypedSearch(Struct, frozen=True):
    """The query, paths and options of a typed search."""

    query: str
    paths: Sequence[str] = ()
    question: QueryOptions = field(default_factory=QueryOptions)
    hits: HitOptions = field(default_factory=HitOptions)
    asking: IndexOptions = field(default_factory=IndexOptions)
    output: ReceiptOutput = field(default_factory=ReceiptOutput)
    lines: LineOptions = field(default_factory=LineOptions)


def request_of(typed: TypedSearch, *, scope: str, least: int = 1) -> SearchRequest:
    """Return the request of a typed search; a limit below `least` is refused."""
    fields = request_fields(SearchRequest, typed.question, typed.hits, typed.asking, typed.lines)
    request = SearchRequest(typed.query, scope=scope, **fields)
    request = typed.lines.apply(with_exact_defaults(request, fields))
    if request.limit < least:
        message = f"-m must be at least {least}, is {request.limit}"
        raise UsageError(message)
    if typed.output.receipt is not None:
        # A replay must reproduce the answer's bytes.
        request = replace(request, deterministic=True)
    return compacted(request) if typed.hits.compact else request


def listing(request: SearchRequest, typed: TypedSearch) -> SearchRequest:
    """Return a request for a list of lines: an exact search without `-m` gets more hits."""
    if not request.is_exact or typed.hits.limit:
        return request
    return replace(request, limit=MOST_MATCHING)


def given_fields(typed: TypedSearch) -> frozenset[str]:
    """Return the names of the request's fields that were typed; these override a profile."""
    given = frozenset(request_fields(SearchRequest, typed.question, typed.hits))
    listed = typed.lines.files or typed.lines.counts
    return given | {"per_file", "snippet"} if typed.hits.compact or listed else given
