"""`ggrep symbol`, `ggrep refs` and `ggrep expand`: from a name or a place to the next."""

from pathlib import Path
from typing import Annotated, Final, cast

import typer

from ggrep.cli.answering import (
    Manner,
    Question,
    answered,
    chosen_place,
    reach,
    view_of,
)
from ggrep.cli.options import YesOption
from ggrep.cli.profiles import ProfileOption
from ggrep.cli.targets import target_of
from ggrep.cli.terminal import open_terminal
from ggrep.domain.filters import Filter, keys_told, parse_filter
from ggrep.domain.navigation import Boundary, ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.errors import InvalidRequest
from ggrep.render.slate_answer import render_expansion, render_references, render_symbol

DEFAULT_DEFINITIONS: Final = 20
DEFAULT_MENTIONS: Final = 100
DEFAULT_EXPAND_BYTES: Final = 16_384
_BOUNDARIES: Final = ("auto", "chunk", "definition", "container", "file")

_Name = Annotated[str, typer.Argument(help="A name, or container.name.")]
_Path = Annotated[str | None, typer.Argument(help="Only below this directory, or in this file.")]
_Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", help=f"{keys_told('kind', 'corpus')}; negate with a leading -."),
]
_Deterministic = Annotated[
    bool, typer.Option("--deterministic", help="Equal bytes for equal state.")
]
_Sync = Annotated[bool, typer.Option("--sync", help="Update the index first.")]
_Offline = Annotated[
    bool, typer.Option("--offline", help="Read the index here; ask and start no daemon.")
]
_ExitStatus = Annotated[
    bool, typer.Option("--exit-status", help="Exit 1 when nothing was found, as grep does.")
]
_Timeout = Annotated[int, typer.Option("--timeout-ms", help="Deadline; 0: configured.")]
_Encoder = Annotated[
    str | None, typer.Option("--encoder", help="Of the index made with this encoder.")
]
_Json = Annotated[bool, typer.Option("--json", help="One JSON document.")]
_Plain = Annotated[bool, typer.Option("--plain", help="No colour.")]
_Repo = Annotated[Path | None, typer.Option("--repo", help="In this repository.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("symbol")(symbol)
    app.command("refs")(references)
    app.command("references", hidden=True)(references)
    app.command("expand")(expand)


def symbol(
    name: _Name,
    path: _Path = None,
    limit: Annotated[
        int, typer.Option("-m", "--max", help="Most definitions; 0: as many as may be.")
    ] = DEFAULT_DEFINITIONS,
    filters: _Filters = None,
    deterministic: _Deterministic = False,
    sync: _Sync = False,
    offline: _Offline = False,
    yes: YesOption = False,
    exit_status: _ExitStatus = False,
    timeout_ms: _Timeout = 0,
    encoder: _Encoder = None,
    profile: ProfileOption = None,
    json: _Json = False,
    plain: _Plain = False,
    repo: _Repo = None,
) -> int:
    """Show where a name is defined."""
    terminal = open_terminal(plain=plain)
    _require_natural(limit, "-m")
    _require_natural(timeout_ms, "--timeout-ms")
    place = chosen_place(repo, None if path is None else Path(path))
    reached = reach(place, terminal, {"encoder": encoder, "profile": profile})
    request = SymbolRequest(
        name=name,
        scope=reached.scope,
        filters=_filters(filters),
        limit=limit,
        deterministic=deterministic,
        timeout_ms=timeout_ms,
    )
    question = Question(
        ask=lambda asking, watch: asking.symbol(request, watch),
        read=lambda engine: engine.symbol(request),
    )
    response = answered(question, reached, terminal, Manner(sync, offline, yes))
    rendered = render_symbol(response, reached.root, view_of(terminal, json=json))
    terminal.write_answer(rendered.out, rendered.err, json=json)
    return 1 if exit_status and not rendered.hits else 0


def references(
    name: _Name,
    path: _Path = None,
    strings: Annotated[bool, typer.Option("--strings", help="Inside of strings too.")] = False,
    comments: Annotated[
        bool, typer.Option("--comments", help="Inside of comments and documents too.")
    ] = False,
    limit: Annotated[
        int, typer.Option("-m", "--max", help="Most places; 0: as many as may be.")
    ] = DEFAULT_MENTIONS,
    filters: _Filters = None,
    deterministic: _Deterministic = False,
    sync: _Sync = False,
    offline: _Offline = False,
    yes: YesOption = False,
    exit_status: _ExitStatus = False,
    timeout_ms: _Timeout = 0,
    encoder: _Encoder = None,
    profile: ProfileOption = None,
    json: _Json = False,
    plain: _Plain = False,
    repo: _Repo = None,
) -> int:
    """Show where a name is used."""
    terminal = open_terminal(plain=plain)
    _require_natural(limit, "-m")
    _require_natural(timeout_ms, "--timeout-ms")
    place = chosen_place(repo, None if path is None else Path(path))
    reached = reach(place, terminal, {"encoder": encoder, "profile": profile})
    request = ReferencesRequest(
        name=name,
        scope=reached.scope,
        filters=_filters(filters),
        strings=strings,
        comments=comments,
        limit=limit,
        deterministic=deterministic,
        timeout_ms=timeout_ms,
    )
    question = Question(
        ask=lambda asking, watch: asking.references(request, watch),
        read=lambda engine: engine.references(request),
    )
    response = answered(question, reached, terminal, Manner(sync, offline, yes))
    rendered = render_references(response, reached.root, view_of(terminal, json=json))
    terminal.write_answer(rendered.out, rendered.err, json=json)
    return 1 if exit_status and not rendered.hits else 0


def expand(
    target: Annotated[str, typer.Argument(help="path, path:line, path:line-line or a row id.")],
    boundary: Annotated[
        str, typer.Option("--boundary", help="auto, chunk, definition, container or file.")
    ] = "auto",
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", help="Of the text shown.")
    ] = DEFAULT_EXPAND_BYTES,
    deterministic: _Deterministic = False,
    sync: _Sync = False,
    offline: _Offline = False,
    yes: YesOption = False,
    timeout_ms: _Timeout = 0,
    encoder: _Encoder = None,
    profile: ProfileOption = None,
    json: _Json = False,
    plain: _Plain = False,
    repo: _Repo = None,
) -> int:
    """Show what stands around a place."""
    terminal = open_terminal(plain=plain)
    _require_natural(timeout_ms, "--timeout-ms")
    if boundary not in _BOUNDARIES:
        known = ", ".join(_BOUNDARIES)
        raise InvalidRequest(f"--boundary: unknown {boundary!r}; use one of {known}")
    if max_bytes < 1:
        raise InvalidRequest(f"--max-bytes: {max_bytes} is nothing to show")
    wanted = target_of(target, repo)
    reached = reach(wanted.place, terminal, {"encoder": encoder, "profile": profile})
    request = ExpandRequest(
        target=wanted.key(reached.scope),
        boundary=cast("Boundary", boundary),
        max_bytes=max_bytes,
        deterministic=deterministic,
        timeout_ms=timeout_ms,
    )
    question = Question(
        ask=lambda asking, watch: asking.expand(request, watch),
        read=lambda engine: engine.expand(request),
    )
    response = answered(question, reached, terminal, Manner(sync, offline, yes))
    view = view_of(terminal, json=json, whole=True)
    rendered = render_expansion(response, reached.root, view)
    terminal.write_answer(rendered.out, rendered.err, json=json)
    return 0


def _filters(texts: list[str] | None) -> tuple[Filter, ...]:
    try:
        return tuple(parse_filter(text) for text in texts or ())
    except InvalidRequest as error:
        raise InvalidRequest(f"--filter: {error}") from error


def _require_natural(value: int, flag: str) -> None:
    if value < 0:
        raise InvalidRequest(f"{flag}: {value} is negative")
