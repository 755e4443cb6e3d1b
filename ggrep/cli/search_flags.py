"""The flags of a search, and the request they make."""

from dataclasses import dataclass
from pathlib import Path

from ggrep.domain.corpus import CORPORA, CORPUS_WORDS, Corpus, Mode
from ggrep.domain.filters import Filter, parse_filter
from ggrep.domain.request import Backend, Find, SearchRequest, SnippetMode, compacted
from ggrep.errors import InvalidRequest, UsageError

DEFAULT_LIMIT = 10
DEFAULT_PER_FILE = 3
DEFAULT_CONCURRENCY = 4
DEFAULT_COHORT_POLICY = "default"


@dataclass(frozen=True, slots=True)
class SearchFlags:
    """What was typed, before it means anything.

    Attributes:
        top: every occurrence of `-m`, `--max` or `--top`.
        per_file: None where it was not given.
        modes: the intents that were asked for, by any spelling.
        snippets: the snippet depths that were asked for.
    """

    query: str
    top: tuple[int, ...]
    per_file: int | None
    modes: tuple[str, ...]
    snippets: tuple[str, ...]
    corpus: tuple[str, ...]
    filters: tuple[str, ...]
    backend: str
    anchors: bool
    deterministic: bool
    explain: bool
    keep_weak: bool
    timeout_ms: int
    find: str = Find.AUTO.value
    vectors: bool = True
    compact: bool = False


@dataclass(frozen=True, slots=True)
class ReceiptFlags:
    """Where a receipt is to be written.

    Attributes:
        force: whatever regular file is there.
    """

    path: Path
    force: bool


@dataclass(frozen=True, slots=True)
class WorkspaceFlags:
    """What was typed beside the search flags."""

    files: tuple[Path, ...] = ()
    repo: Path | None = None
    path: str | None = None
    select: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    repo_filter: tuple[str, ...] = ()
    include_disabled: bool = False
    merge: str | None = None
    rrf_k: int | None = None
    top_per_repo: int | None = None
    max_repos: int = 0
    fold: bool | None = None
    concurrency: int = DEFAULT_CONCURRENCY
    cohort: tuple[str, ...] = ()
    cohort_policy: str = DEFAULT_COHORT_POLICY
    allow_unsafe_mix: bool = False
    strict: bool = False
    stats: bool = False
    include_paths: bool = False
    encoder: str | None = None
    sync: bool = False
    strict_sync: bool = False
    offline: bool = False
    yes: bool = False
    receipt: ReceiptFlags | None = None


def refuse_workspace_flags(given: WorkspaceFlags) -> None:
    """Raise where a flag was given that only a workspace search heeds.

    Raises:
        UsageError: names the flags; a flag without effect would be a wrong answer in silence.
    """
    heeded = {
        "--select": given.select,
        "--only": given.only,
        "--tag": given.tags,
        "--repo-filter": given.repo_filter,
        "--include-disabled": given.include_disabled,
        "--merge": given.merge is not None,
        "--rrf-k": given.rrf_k is not None,
        "--top-per-repo": given.top_per_repo is not None,
        "--max-repos": given.max_repos,
        "--fold": given.fold is not None,
        "--concurrency": given.concurrency != DEFAULT_CONCURRENCY,
        "--cohort": given.cohort,
        "--cohort-policy": given.cohort_policy != DEFAULT_COHORT_POLICY,
        "--allow-unsafe-mix": given.allow_unsafe_mix,
        "--federated-strict": given.strict,
        "--stats": given.stats,
        "--debug-include-paths": given.include_paths,
    }
    named = [flag for flag, value in heeded.items() if value]
    if named:
        raise UsageError(f"{', '.join(named)}: only with --workspace")


def request_of(flags: SearchFlags, *, scope: str, least: int = 1) -> SearchRequest:
    """Return the request the flags ask for; fewer hits than `least` are refused.

    Raises:
        UsageError: flags that exclude each other.
        InvalidRequest: a value that means nothing; the message names flag and value.
    """
    if flags.timeout_ms < 0:
        raise InvalidRequest(f"--timeout-ms: {flags.timeout_ms} is negative")
    request = SearchRequest(
        query=flags.query,
        limit=limit_of(flags.top, least=least),
        per_file=DEFAULT_PER_FILE if flags.per_file is None else flags.per_file,
        mode=_mode(flags.modes),
        corpora=_corpora(flags.corpus),
        scope=scope,
        filters=tuple(_filter(text) for text in flags.filters),
        snippet=_snippet(flags.snippets),
        backend=_backend(flags.backend),
        include_anchors=flags.anchors,
        deterministic=flags.deterministic,
        explain=flags.explain,
        keep_weak=flags.keep_weak,
        find=_find(flags.find),
        vectors=flags.vectors,
        timeout_ms=flags.timeout_ms,
    )
    return compacted(request) if flags.compact else request


def given_fields(flags: SearchFlags) -> frozenset[str]:
    """Return the fields of the request that were typed and not left to a profile."""
    typed = {
        "limit": flags.top,
        "per_file": flags.compact or flags.per_file is not None,
        "mode": flags.modes,
        "snippet": flags.compact or flags.snippets,
        "include_anchors": flags.anchors,
    }
    return frozenset(name for name, given in typed.items() if given)


def limit_of(top: tuple[int, ...], *, least: int = 1) -> int:
    """Return the number of hits asked for.

    Raises:
        UsageError: it was given more than once, in whatever spelling.
        InvalidRequest: it is less than `least`.
    """
    if len(top) > 1:
        raise UsageError(
            "-m, --max and --top are one flag; give it once",
            code="ERR_FEDERATED_DUPLICATE_TOP_FLAG",
        )
    if top and top[0] < least:
        raise InvalidRequest(f"-m: {top[0]} hits is nothing to show; give at least {least}")
    return top[0] if top else DEFAULT_LIMIT


def existing_path(text: str | None) -> Path | None:
    """Return the positional PATH, if one was given."""
    return None if text is None else Path(text)


def _mode(modes: tuple[str, ...]) -> Mode:
    if len(set(modes)) > 1:
        raise UsageError(f"one intent at a time, not {' and '.join(sorted(set(modes)))}")
    try:
        return Mode(modes[0]) if modes else Mode.BALANCED
    except ValueError as error:
        if modes[0] in {"all", *CORPUS_WORDS}:
            raise InvalidRequest(f"--mode: {modes[0]!r} is a corpus; use --corpus") from error
        known = ", ".join(mode.value for mode in Mode)
        raise InvalidRequest(f"--mode: unknown {modes[0]!r}; use one of {known}") from error


def _corpora(words: tuple[str, ...]) -> tuple[Corpus, ...]:
    chosen = set()
    for word in words or ("all",):
        if word == "all":
            return CORPORA
        if word not in CORPUS_WORDS:
            known = ", ".join(["all", *CORPUS_WORDS])
            raise InvalidRequest(f"--corpus: unknown {word!r}; use one of {known}")
        chosen.add(CORPUS_WORDS[word])
    return tuple(corpus for corpus in CORPORA if corpus in chosen)


def _filter(text: str) -> Filter:
    try:
        return parse_filter(text)
    except InvalidRequest as error:
        raise InvalidRequest(f"--filter: {error}") from error


def _snippet(depths: tuple[str, ...]) -> SnippetMode:
    """Return the depth; the deepest asked for wins, as full says more than none."""
    for mode in (SnippetMode.FULL, SnippetMode.LONG, SnippetMode.SHORT, SnippetMode.NONE):
        if mode.value in depths:
            return mode
    return SnippetMode.DEFAULT


def _find(word: str) -> Find:
    try:
        return Find(word)
    except ValueError as error:
        known = ", ".join(find.value for find in Find)
        raise InvalidRequest(f"--find: unknown {word!r}; use one of {known}") from error


def _backend(word: str) -> Backend:
    try:
        return Backend(word)
    except ValueError as error:
        raise InvalidRequest(f"--backend: unknown {word!r}; use auto or exact") from error
