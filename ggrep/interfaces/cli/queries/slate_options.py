"""The options of a slate, and the request built from them."""

from collections.abc import Callable
from typing import Annotated, ClassVar, Final, cast, get_args

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Flag, request_fields
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.slate import (
    MAX_LEVEL,
    NEW_SESSION,
    Budgets,
    SessionOp,
    SessionRequest,
    SlateRequest,
)
from ggrep.render.slate_text import GraphForm

LEVEL_OF_SNIPPET: Final = {
    SnippetMode.NONE: 0,
    SnippetMode.SHORT: 1,
    SnippetMode.LONG: 2,
    SnippetMode.FULL: 3,
}
"""The level that shows as much as a snippet mode; the default mode has no level."""


class SlateBounds(Struct, frozen=True):
    """Level and budgets of a slate."""

    title: ClassVar = "Slate"
    of: ClassVar = (SlateRequest, Budgets)

    level: Annotated[int | None, Flag("--level")] = None
    total_bytes: Annotated[
        int,
        Flag(
            "--max-bytes",
            "Maximum bytes of the slate as JSON; 0 for the default of the slate's level.",
            judged=True,
        ),
    ] = 0
    files: Annotated[int, Flag("--max-files", judged=True)] = 0
    of_text: Annotated[bool, Flag("--of-text")] = False


class SlateFormat(SlateBounds, frozen=True):
    """Output format of a search, with the bounds of a slate."""

    form: Annotated[
        str,
        Flag(
            "--format",
            "Output format: text, slate (files by section) or agent (compact lines for programs).",
            words=("text", "slate", "agent"),
        ),
    ] = "text"


class SlateOptions(SlateBounds, frozen=True):
    """Options for the content of a slate."""

    total_bytes: Annotated[
        int,
        Flag(
            "--max-bytes --budget",
            "Maximum bytes of the slate's JSON or, with --format agent, of its text; 0 for the"
            " default of the slate's level.",
            judged=True,
        ),
    ] = 0
    files: Annotated[int, Flag("--max-files -m --max", judged=True)] = 0
    file_bytes: Annotated[int, Flag("--file-bytes", judged=True)] = 0
    evidence_per_file: Annotated[int, Flag("--evidence", judged=True)] = 0
    anchors: Annotated[bool | None, Flag("--no-anchors", "Omit the opening lines of files.")] = None
    graph: Annotated[
        bool | None, Flag("--no-graph", "Omit the graph of how files are related.")
    ] = None
    form: Annotated[
        str | None,
        Flag("--graph", "Print only the graph, as dot or mermaid.", words=get_args(GraphForm)),
    ] = None

    @property
    def graph_form(self) -> GraphForm | None:
        """Return the format of the graph if only the graph is printed."""
        return cast("GraphForm | None", self.form)


class SessionOptions(Struct, frozen=True):
    """Options that continue a slate session."""

    title: ClassVar = "Session"

    token: Annotated[
        str | None,
        Flag(
            "--session",
            f"Token of the previous answer, to continue its session; `{NEW_SESSION}` starts a"
            " session.",
        ),
    ] = None
    op: Annotated[
        str | None,
        Flag(
            "--op",
            "Session operation: start, refine or expand. [default: implied by the other flags]",
            words=get_args(SessionOp),
        ),
    ] = None
    targets: Annotated[
        tuple[str, ...], Flag("--target", "Show more of this file or path:line; repeatable.")
    ] = ()
    delta_only: Annotated[
        bool, Flag("--delta-only", "Omit files that the session has already shown.")
    ] = False


NO_SESSION: Final = SessionOptions()
"""Options of a slate without a session."""


def slate_request_of(
    shape: SlateBounds,
    search: SearchRequest,
    session: SessionOptions = NO_SESSION,
    *,
    resolve: Callable[[str], str] = lambda target: target,
) -> SlateRequest:
    """Return the slate's request; `resolve` converts a session's typed target to a path key."""
    fields = request_fields(SlateRequest, shape)
    if not 0 <= fields.get("level", 0) <= MAX_LEVEL:
        raise UsageError(f"--level: {fields['level']} must be 0, 1, 2 or {MAX_LEVEL}")
    if isinstance(shape, SlateOptions) and shape.form is not None and shape.graph is False:
        raise UsageError("--graph and --no-graph cannot go together")
    return SlateRequest(
        search=search,
        budgets=Budgets(**request_fields(Budgets, shape)),
        session=_session(session, resolve),
        **fields,
    )


def wants_slate(flags: SlateFormat) -> bool:
    """Return whether a search should return a slate."""
    form = flags.form
    if flags != SlateFormat(form=form) and form != "slate":
        raise UsageError(
            "--level, --max-bytes, --of-text and --max-files: allowed only with --format slate"
        )
    return form == "slate"


def slate_fields(shape: SlateBounds) -> frozenset[str]:
    """Return the names of the request's fields that were typed; these override a profile."""
    budgets = {name for name, value in request_fields(Budgets, shape).items() if value}
    drawn = {"graph"} if isinstance(shape, SlateOptions) and shape.form is not None else set[str]()
    return frozenset({*request_fields(SlateRequest, shape), *budgets, *drawn})


def _session(flags: SessionOptions, resolve: Callable[[str], str]) -> SessionRequest | None:
    if flags.token is None:
        if flags.op is not None or flags.targets or flags.delta_only:
            raise UsageError("--op, --target and --delta-only: allowed only with --session")
        return None
    token = "" if flags.token == NEW_SESSION else flags.token
    if not token and flags.token != NEW_SESSION:
        raise UsageError(f"--session: must not be empty; use a token, or {NEW_SESSION}")
    implied = "expand" if flags.targets else "refine" if token else "start"
    op = flags.op or implied
    if (op == "start") is bool(token):
        raise UsageError(f"--op {op}: requires --session {'new' if token else 'TOKEN'}")
    if (op == "expand") is not bool(flags.targets):
        raise UsageError(f"--op {op}: --op expand and --target must be used together")
    targets = tuple(resolve(target) for target in flags.targets)
    return SessionRequest(token, cast("SessionOp", op), targets, flags.delta_only)
