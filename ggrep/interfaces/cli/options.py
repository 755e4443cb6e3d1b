"""The groups of options that several commands take, each option declared once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.interfaces.cli.flags import Flag, Switch, one_of
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.filters import keys_told
from ggrep.model.request import SearchRequest, SnippetMode

DeterministicFlag: TypeAlias = Annotated[
    bool, Flag("--deterministic", "Print equal bytes for equal state.", of=SearchRequest)
]
EncoderFlag: TypeAlias = Annotated[
    str | None, Flag("--encoder", "Use this encoder instead of the configured one.")
]
ProfileFlag: TypeAlias = Annotated[
    str | None, Flag("--profile", "Use this profile of the repository's .ggrep.toml.")
]
YesFlag: TypeAlias = Annotated[
    bool, Flag("--yes -y", "Index a directory that is no repository, without asking.")
]

JsonFlag: TypeAlias = Annotated[bool, Flag("--json", "Print one JSON document.")]
PlainFlag: TypeAlias = Annotated[bool, Flag("--plain", "Print without colour and progress.")]
PathFlag: TypeAlias = Annotated[
    Path | None, Flag("--path -p", "Use the repository of this directory.")
]


def _intent(words: tuple[str, ...]) -> Mode:
    """Return the one intent that was asked for, in whatever spelling."""
    if len(set(words)) > 1:
        raise UsageError(f"one intent at a time, not {' and '.join(sorted(set(words)))}")
    if words[0] in {"all", *CORPUS_WORDS}:
        raise InvalidRequest(f"--mode: {words[0]!r} is a corpus; use --corpus")
    return Mode(one_of("--mode", words[0], tuple(mode.value for mode in Mode)))


def _deepest(words: tuple[str, ...]) -> SnippetMode:
    """Return the deepest of the snippets asked for, as full says more than none."""
    depths = (SnippetMode.FULL, SnippetMode.LONG, SnippetMode.SHORT, SnippetMode.NONE)
    return next(depth for depth in depths if depth.value in words)


def _once(numbers: tuple[int, ...]) -> int:
    """Return the number of hits, which has three spellings."""
    if len(numbers) > 1:
        raise UsageError(
            "-m, --max and --top are one flag; give it once",
            code="ERR_FEDERATED_DUPLICATE_TOP_FLAG",
        )
    return numbers[0]


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for, and in which files."""

    title: ClassVar = "What to look for"

    mode: Annotated[
        tuple[str, ...],
        Flag(
            "--mode",
            "Search with this intent",
            of=SearchRequest,
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
        tuple[str, ...], Flag("--corpus", "Search this corpus, repeatable", of=SearchRequest)
    ] = ()
    filters: Annotated[
        tuple[str, ...],
        Flag(
            "--filter",
            f"Search only files and chunks that match {keys_told()}; negate with a leading -.",
            of=SearchRequest,
        ),
    ] = ()
    find: Annotated[str | None, Flag("--find", "Look for the query as", of=SearchRequest)] = None
    vectors: Annotated[
        bool | None,
        Flag("--no-vectors", "Score by words and structure alone.", of=SearchRequest),
    ] = None
    keep_weak: Annotated[
        bool, Flag("--keep-weak", "Show all hits of a weak answer.", of=SearchRequest)
    ] = False


@dataclass(frozen=True, slots=True)
class Hits:
    """Which hits are shown, and how much of each.

    Attributes:
        limit: every occurrence of its flags.
        snippet: the depths that were asked for.
    """

    title: ClassVar = "Hits"

    limit: Annotated[
        tuple[int, ...], Flag("-m --max --top", "Most hits.", of=SearchRequest, read=_once)
    ] = ()
    per_file: Annotated[int | None, Flag("--per-file", of=SearchRequest)] = None
    snippet: Annotated[
        tuple[str, ...],
        Flag(
            "",
            of=SearchRequest,
            read=_deepest,
            switches=(
                Switch("-c --content", SnippetMode.FULL.value, "Show whole chunks."),
                Switch("-l --long-snippet", SnippetMode.LONG.value, "Show up to 24 lines."),
                Switch("-s --short-snippet", SnippetMode.SHORT.value, "Show up to 8 lines."),
                Switch("-n --no-snippet", SnippetMode.NONE.value, "Show no text."),
            ),
        ),
    ] = ()
    include_anchors: Annotated[
        bool, Flag("--anchors", "Show file headers too.", of=SearchRequest)
    ] = False
    compact: Annotated[
        bool, Flag("--compact", "Show each file once, by its path; in JSON without text.")
    ] = False
    scores: Annotated[bool, Flag("--scores", "Show scores.")] = False
    explain: Annotated[bool, Flag("--explain", "Show how scores came about.", of=SearchRequest)] = (
        False
    )
    backend: Annotated[
        str | None, Flag("--backend", "Either word means the same", of=SearchRequest)
    ] = None

    @property
    def whole(self) -> bool:
        """Return whether chunks are shown whole."""
        return SnippetMode.FULL.value in self.snippet


@dataclass(frozen=True, slots=True)
class Asking:
    """Which index answers, and how it is asked.

    Attributes:
        timeout_ms: 0 for the configured one.
        strict_sync: fail a sync where a file cannot be had as it should.
    """

    title: ClassVar = "Index and daemon"

    repo: Annotated[
        Path | None, Flag("--repo", "Ask this repository instead of the current one.")
    ] = None
    profile: ProfileFlag = None
    encoder: EncoderFlag = None
    sync: Annotated[bool, Flag("--sync", "Update the index first.")] = False
    strict_sync: Annotated[
        bool, Flag("--strict", "With --sync: fail when a file cannot be indexed as it should.")
    ] = False
    offline: Annotated[
        bool, Flag("--offline", "Read the index in this process; start and ask no daemon.")
    ] = False
    yes: YesFlag = False
    deterministic: DeterministicFlag = False
    timeout_ms: Annotated[
        int,
        Flag(
            "--timeout-ms",
            "Give up after so many milliseconds; 0 for the configured deadline.",
            of=SearchRequest,
            judged=True,
        ),
    ] = 0

    @property
    def overrides(self) -> dict[str, object]:
        """Return the settings that were named."""
        return {"encoder": self.encoder, "profile": self.profile}

    def check(self) -> None:
        """Raise where options contradict one another.

        Raises:
            UsageError: they do.
        """
        if self.strict_sync and not self.sync:
            raise UsageError("--strict: only with --sync")


@dataclass(frozen=True, slots=True)
class Output:
    """How an answer is printed."""

    title: ClassVar = "Output"

    json: JsonFlag = False
    plain: PlainFlag = False


@dataclass(frozen=True, slots=True)
class Found(Output):
    """How an answer is printed that may hold nothing."""

    exit_status: Annotated[
        bool, Flag("--exit-status", "Exit with 1 when nothing was found, as grep does.")
    ] = False


@dataclass(frozen=True, slots=True)
class Kept(Found):
    """How an answer is printed, and what is kept of it.

    Attributes:
        receipt: where a receipt is to be written.
        force: over whatever regular file is there.
    """

    receipt: Annotated[
        Path | None,
        Flag("--receipt", "Write a receipt for `ggrep replay`; implies --deterministic."),
    ] = None
    force: Annotated[bool, Flag("--force", "Let --receipt replace a file that is no receipt.")] = (
        False
    )
