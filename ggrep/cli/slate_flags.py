"""The flags of a slate, and the request they make."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from ggrep.domain.request import SearchRequest, SnippetMode
from ggrep.domain.slate import Budgets, SessionOp, SessionRequest, SlateRequest
from ggrep.errors import InvalidRequest, UsageError
from ggrep.render.graph_text import GraphForm

FORMATS: Final = ("text", "slate")
NEW_SESSION: Final = "new"
DEFAULT_LEVEL: Final = 1
_OPS: Final = ("start", "refine", "expand")
_FORMS: Final[dict[str, GraphForm]] = {"dot": "dot", "mermaid": "mermaid"}
_LEVEL_OF_SNIPPET: Final = {
    SnippetMode.NONE: 0,
    SnippetMode.SHORT: 1,
    SnippetMode.LONG: 2,
    SnippetMode.FULL: 3,
}


@dataclass(frozen=True, slots=True)
class SessionFlags:
    """What was typed of a session.

    Attributes:
        session: `new`, or a token; None for none.
        op: None for what the others imply.
    """

    session: str | None = None
    op: str | None = None
    targets: tuple[str, ...] = ()
    delta_only: bool = False


@dataclass(frozen=True, slots=True)
class SlateFlags:
    """What was typed of a slate, before it means anything.

    Attributes:
        level: None for the default.
        form: what the graph alone is printed as; None for all of the slate.
    """

    level: int | None = None
    max_bytes: int = 0
    file_bytes: int = 0
    max_files: int = 0
    evidence: int = 0
    anchors: bool = True
    graph: bool = True
    form: GraphForm | None = None
    session: SessionFlags = SessionFlags()


def slate_request_of(
    flags: SlateFlags,
    search: SearchRequest,
    *,
    resolve: Callable[[str], str] = lambda target: target,
) -> SlateRequest:
    """Return the request the flags ask for.

    Args:
        flags: of the slate.
        search: the question.
        resolve: returns a session's target as the repository writes it.

    Raises:
        UsageError: flags that exclude each other, or lack one another.
        InvalidRequest: a value that means nothing; the message names flag and value.
    """
    _check(flags)
    level = DEFAULT_LEVEL if flags.level is None else flags.level
    if level not in _LEVEL_OF_SNIPPET.values():
        raise InvalidRequest(f"--level: {level} is not 0, 1, 2 or 3")
    return SlateRequest(
        search=search,
        level=level,
        budgets=Budgets(flags.max_bytes, flags.file_bytes, flags.max_files, flags.evidence),
        anchors=flags.anchors,
        graph=flags.graph,
        session=_session(flags.session, resolve),
    )


def wants_slate(form: str, flags: SlateFlags) -> bool:
    """Return whether a search is to be answered by a slate.

    Raises:
        InvalidRequest: there is no such format.
        UsageError: flags of a slate were given without it.
    """
    if form not in FORMATS:
        raise InvalidRequest(f"--format: unknown {form!r}; use text or slate")
    if form == "text" and flags != SlateFlags():
        raise UsageError("--level, --max-bytes and --max-files: only with --format slate")
    return form == "slate"


def graph_form(word: str | None) -> GraphForm | None:
    """Return what a graph is to be printed as; None where nothing was said.

    Raises:
        InvalidRequest: there is no such form.
    """
    if word is None or word in _FORMS:
        return None if word is None else _FORMS[word]
    raise InvalidRequest(f"--graph: unknown {word!r}; use dot or mermaid")


def slate_fields(flags: SlateFlags) -> frozenset[str]:
    """Return the fields of the request that were typed and not left to a profile."""
    typed = {
        "level": flags.level is not None,
        "anchors": not flags.anchors,
        "graph": not flags.graph or flags.form is not None,
        "total_bytes": flags.max_bytes,
        "file_bytes": flags.file_bytes,
        "files": flags.max_files,
        "evidence_per_file": flags.evidence,
    }
    return frozenset(name for name, given in typed.items() if given)


def level_of_snippet(snippet: SnippetMode) -> int | None:
    """Return the level that shows as much as a search's snippets; None for the usual ones."""
    return _LEVEL_OF_SNIPPET.get(snippet)


def _check(flags: SlateFlags) -> None:
    if flags.form is not None and not flags.graph:
        raise UsageError("--graph and --no-graph cannot go together")
    figures = {
        "--max-bytes": flags.max_bytes,
        "--file-bytes": flags.file_bytes,
        "--max-files": flags.max_files,
        "--evidence": flags.evidence,
    }
    for flag, value in figures.items():
        if value < 0:
            raise InvalidRequest(f"{flag}: {value} is negative")


def _session(flags: SessionFlags, resolve: Callable[[str], str]) -> SessionRequest | None:
    if flags.session is None:
        if flags.op is not None or flags.targets or flags.delta_only:
            raise UsageError("--op, --target and --delta-only: only with --session")
        return None
    token = "" if flags.session == NEW_SESSION else flags.session
    if not token and flags.session != NEW_SESSION:
        raise UsageError(f"--session: empty; give a token, or {NEW_SESSION}")
    implied = "expand" if flags.targets else "refine" if token else "start"
    op = flags.op or implied
    if op not in _OPS:
        raise InvalidRequest(f"--op: unknown {op!r}; use one of {', '.join(_OPS)}")
    if (op == "start") is bool(token):
        raise UsageError(f"--op {op}: {'--session new begins one' if token else 'give a token'}")
    if (op == "expand") is not bool(flags.targets):
        raise UsageError(f"--op {op}: --target says what to expand, and nothing else takes it")
    targets = tuple(resolve(target) for target in flags.targets)
    return SessionRequest(token, cast("SessionOp", op), targets, flags.delta_only)
