"""`ggrep slate`, and `ggrep search --format slate`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

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
from ggrep.cli.search_flags import (
    SearchFlags,
    WorkspaceFlags,
    existing_path,
    given_fields,
    refuse_workspace_flags,
    request_of,
)
from ggrep.cli.slate_flags import (
    SessionFlags,
    SlateFlags,
    graph_form,
    level_of_snippet,
    slate_fields,
    slate_request_of,
)
from ggrep.cli.targets import target_of
from ggrep.cli.terminal import Terminal, open_terminal
from ggrep.cli.usage import require_place
from ggrep.config.profiles import apply_to_slate
from ggrep.domain.filters import keys_told
from ggrep.domain.request import SnippetMode
from ggrep.errors import UsageError
from ggrep.public.places import Place
from ggrep.render.hits import HitView
from ggrep.render.slate_answer import render_graph, render_slate

_WHOLE_CHUNKS: Final = 3


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("slate")(slate)


def slate(
    query: Annotated[str, typer.Argument(help="What to do or to know, in words or names.")],
    path: Annotated[
        str | None, typer.Argument(help="Only what is below this directory, or in this file.")
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            "--level",
            help="0: paths; 1: short evidence; 2: long; 3: whole chunks. [default: 1]",
        ),
    ] = None,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", help="Of the slate as JSON; 0: the level's.")
    ] = 0,
    file_bytes: Annotated[
        int, typer.Option("--file-bytes", help="Of one file of it; 0: the level's.")
    ] = 0,
    max_files: Annotated[int, typer.Option("--max-files", help="Most files; 0: 20.")] = 0,
    evidence: Annotated[int, typer.Option("--evidence", help="Most places of one file; 0: 3.")] = 0,
    no_anchors: Annotated[
        bool, typer.Option("--no-anchors", help="Leave out files' opening lines.")
    ] = False,
    no_graph: Annotated[
        bool, typer.Option("--no-graph", help="Leave out how the files hang together.")
    ] = False,
    graph: Annotated[
        str | None, typer.Option("--graph", help="Print the graph alone, as dot or mermaid.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", help="new, or the token of the slate before.")
    ] = None,
    op: Annotated[
        str | None,
        typer.Option("--op", help="start, refine or expand. [default: as the rest implies]"),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", help="File or path:line to open further; repeatable."),
    ] = None,
    delta_only: Annotated[
        bool, typer.Option("--delta-only", help="Leave out files that the session showed.")
    ] = False,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode", help="Intent: balanced, discovery, implementation, planning or debug."
        ),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="all, code, prose, extracted-prose or records; repeatable."),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", help=f"{keys_told()}; negate with a leading -."),
    ] = None,
    keep_weak: Annotated[
        bool, typer.Option("--keep-weak", help="Show all of a weak answer.")
    ] = False,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Equal bytes for equal state.")
    ] = False,
    sync: Annotated[bool, typer.Option("--sync", help="Update the index first.")] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Read the index here; ask and start no daemon.")
    ] = False,
    yes: YesOption = False,
    exit_status: Annotated[
        bool, typer.Option("--exit-status", help="Exit 1 when nothing was found, as grep does.")
    ] = False,
    timeout_ms: Annotated[int, typer.Option("--timeout-ms", help="Deadline; 0: configured.")] = 0,
    encoder: Annotated[
        str | None, typer.Option("--encoder", help="Encoder instead of the configured one.")
    ] = None,
    profile: ProfileOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colour.")] = False,
    repo: Annotated[Path | None, typer.Option("--repo", help="Of this repository.")] = None,
    workspace: Annotated[
        list[Path] | None,
        typer.Option("--workspace", help="Of all repositories of a workspace file."),
    ] = None,
    select: Annotated[list[str] | None, typer.Option("--select", help="Also this repo.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="None but this repo.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Repos with this tag.")] = None,
    repo_filter: Annotated[
        list[str] | None, typer.Option("--repo-filter", help="Repos matching this glob.")
    ] = None,
    merge: Annotated[
        str | None, typer.Option("--merge", help="How repositories are weighed, as of a search.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--federated-strict", help="Fail when any repo fails.")
    ] = False,
) -> int:
    """Gather what a question needs: files by section, with evidence, in a budget."""
    terminal = open_terminal(plain=plain)
    searched = SearchFlags(
        query=query,
        top=(),
        per_file=None,
        modes=(mode,) if mode else (),
        snippets=(),
        corpus=tuple(corpus or ()),
        filters=tuple(filters or ()),
        backend="auto",
        anchors=False,
        deterministic=deterministic,
        explain=False,
        keep_weak=keep_weak,
        timeout_ms=timeout_ms,
    )
    flags = SlateFlags(
        level=level,
        max_bytes=max_bytes,
        file_bytes=file_bytes,
        max_files=max_files,
        evidence=evidence,
        anchors=not no_anchors,
        graph=not no_graph,
        form=graph_form(graph),
        session=SessionFlags(session, op, tuple(target or ()), delta_only),
    )
    if graph is not None and json:
        raise UsageError("--graph and --json cannot go together; JSON has the graph")
    given = WorkspaceFlags(
        files=tuple(workspace or ()),
        repo=repo,
        path=path,
        select=tuple(select or ()),
        only=tuple(only or ()),
        tags=tuple(tag or ()),
        repo_filter=tuple(repo_filter or ()),
        merge=merge,
        strict=strict,
        encoder=encoder,
        sync=sync,
        offline=offline,
        yes=yes,
    )
    if given.files:
        if profile is not None:
            raise UsageError("--profile and --workspace cannot go together")
        return _of_workspace(terminal, searched, given, flags, json=json, exit_status=exit_status)
    refuse_workspace_flags(given)
    require_place("slate", searched.query, path)
    asked = _Asked(
        searched,
        flags,
        chosen_place(repo, existing_path(path)),
        {"encoder": encoder, "profile": profile},
        Manner(sync, offline, yes),
    )
    return _print(asked, terminal, json=json, exit_status=exit_status)


@dataclass(frozen=True, slots=True)
class Shown:
    """What was typed of a search beside its flags.

    Attributes:
        view: how hits would be shown.
        profile: of the repository's file; None for the one in force.
    """

    view: HitView
    profile: str | None
    json: bool
    exit_status: bool


def search_as_slate(
    terminal: Terminal,
    searched: SearchFlags,
    given: WorkspaceFlags,
    flags: SlateFlags,
    shown: Shown,
) -> int:
    """Answer what was typed as a search by a slate; return the exit status.

    Raises:
        UsageError: a flag was given that a slate does not heed.
    """
    _refuse_flags_of_hits(searched, given, shown.view)
    snippet = request_of(searched, scope="").snippet
    level = level_of_snippet(snippet) if flags.level is None else flags.level
    if given.files:
        if shown.profile is not None:
            raise UsageError("--profile and --workspace cannot go together")
        manner = {"json": shown.json, "exit_status": shown.exit_status}
        return _of_workspace(terminal, searched, given, replace(flags, level=level), **manner)
    refuse_workspace_flags(given)
    require_place("search", searched.query, given.path)
    asked = _Asked(
        searched,
        replace(flags, level=level),
        chosen_place(given.repo, existing_path(given.path)),
        {"encoder": given.encoder, "profile": shown.profile},
        Manner(given.sync, given.offline, given.strict_sync, given.yes),
    )
    return _print(asked, terminal, json=shown.json, exit_status=shown.exit_status)


def _of_workspace(
    terminal: Terminal,
    searched: SearchFlags,
    given: WorkspaceFlags,
    flags: SlateFlags,
    *,
    json: bool,
    exit_status: bool,
) -> int:
    from ggrep.cli.workspace_slate import slate_workspace

    return slate_workspace(terminal, searched, given, flags, json=json, exit_status=exit_status)


def _refuse_flags_of_hits(searched: SearchFlags, given: WorkspaceFlags, view: HitView) -> None:
    heeded_by_hits = {
        "--receipt": given.receipt is not None,
        "-m (--max-files bounds a slate)": bool(searched.top),
        "--per-file": searched.per_file is not None,
        "--compact (--level 0 shows paths)": view.compact,
        "--scores": view.scores,
        "--explain": view.explain,
    }
    named = [flag for flag, typed in heeded_by_hits.items() if typed]
    if named:
        raise UsageError(f"{', '.join(named)}: not with --format slate")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A slate as it was asked for.

    Attributes:
        overrides: settings that were named by flags.
    """

    searched: SearchFlags
    flags: SlateFlags
    place: Place
    overrides: Mapping[str, object]
    manner: Manner


def _print(asked: _Asked, terminal: Terminal, *, json: bool, exit_status: bool) -> int:
    """Ask, and write the answer; return the exit status."""
    search = request_of(asked.searched, scope="")
    reached = reach(asked.place, terminal, asked.overrides)

    def resolve(typed: str) -> str:
        target = target_of(typed, reached.root)
        return target.key(target.place.scope)

    scoped = replace(search, scope=reached.scope, snippet=SnippetMode.DEFAULT)
    typed = given_fields(asked.searched) | slate_fields(asked.flags)
    request = apply_to_slate(
        slate_request_of(asked.flags, scoped, resolve=resolve), typed, reached.meeting.profile
    )
    question = Question(
        ask=lambda asking, watch: asking.slate(request, watch),
        read=lambda engine: engine.slate(request),
        early=True,
    )
    response = answered(question, reached, terminal, asked.manner)
    view = view_of(terminal, json=json, whole=request.level == _WHOLE_CHUNKS)
    if asked.flags.form is not None:
        rendered = render_graph(response, asked.flags.form, view)
    else:
        rendered = render_slate(response, reached.root, view)
    terminal.write_answer(rendered.out, rendered.err, json=json)
    return 1 if exit_status and not rendered.hits else 0
