"""`ggrep symbol`, `refs`, `expand`, `outline` and `tour`."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, request_fields
from ggrep.interfaces.cli.queries.query import PlanContext, Query, RepositoryQuery
from ggrep.interfaces.cli.queries.query_options import (
    AgentForm,
    AgentLines,
    AgentText,
    WorkspaceOptions,
    agent_view,
    wants_agent,
)
from ggrep.interfaces.cli.queries.search_options import (
    HitsOutput,
    IndexOptions,
    ReceiptOutput,
    TypedSearch,
)
from ggrep.interfaces.cli.queries.typed_targets import Finder, TypedTarget
from ggrep.model.filters import named_filters
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.messages import Ask
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.render.answer_json import answer_json
from ggrep.render.batches import Named, render_for_agent, render_named
from ggrep.render.printed import Rendered, hits_of, render_outline, render_tour

_Names: TypeAlias = Annotated[
    list[str],
    Argument(
        "Names such as charge or Payment.charge, or the text of a string with its quotes, such as"
        " '\"/login\"'. Arguments that are written as paths (./src, src/, /abs) limit the search to"
        " these paths.",
        metavar="NAME...",
    ),
]
_INSIDE = Flag("--in", "Search only this directory or file.")
_FILTER = Flag(
    "--filter",
    f"Search only files that match {named_filters('kind', 'corpus')}; negate with a leading -.",
    takes="filter",
)

_BYTES = Flag("--max-bytes --budget", judged=True)
_CURSOR = Flag(
    "--cursor", "Show the next page; the value is next_cursor in the JSON of the previous page."
)


class SymbolOptions(Struct, frozen=True):
    """Options that select the definitions to show."""

    title: ClassVar = "Definitions"
    of: ClassVar = (SymbolRequest,)

    limit: Annotated[int | None, Flag("-m --max", judged=True)] = None
    inside: Annotated[str | None, _INSIDE] = None
    filters: Annotated[tuple[str, ...], _FILTER] = ()
    cursor: Annotated[str | None, _CURSOR] = None


class ReferencesOptions(Struct, frozen=True):
    """Options that select the occurrences to show."""

    title: ClassVar = "Mentions"
    of: ClassVar = (ReferencesRequest,)

    limit: Annotated[int | None, Flag("-m --max", judged=True)] = None
    inside: Annotated[str | None, _INSIDE] = None
    strings: Annotated[bool, Flag("--strings", "Also show occurrences in strings.")] = False
    comments: Annotated[
        bool, Flag("--comments", "Also show occurrences in comments and documents.")
    ] = False
    filters: Annotated[tuple[str, ...], _FILTER] = ()
    cursor: Annotated[str | None, _CURSOR] = None


class ExpandOptions(Struct, frozen=True):
    """Amount of code to show around a place."""

    title: ClassVar = "Extent"
    of: ClassVar = (ExpandRequest,)

    boundary: Annotated[str | None, Flag("--boundary", "Amount of code to show")] = None
    focus: Annotated[str, Flag("--focus")] = ""
    tests: Annotated[
        bool | None, Flag("--no-tests", "Replace tests inside of source files with one-line notes.")
    ] = None
    max_bytes: Annotated[int | None, _BYTES] = None


def symbol(
    names: _Names,
    wanted: SymbolOptions,
    output: HitsOutput,
    agent: AgentText,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    """Show the definitions of names, and their implementations."""
    return _of_names(SymbolRequest, names, wanted, output, agent, asking, members)


def references(
    names: _Names,
    wanted: ReferencesOptions,
    output: HitsOutput,
    agent: AgentText,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    """Show the usages of names, and the code that handles events or routes with these names."""
    return _of_names(ReferencesRequest, names, wanted, output, agent, asking, members)


def _of_names(
    kind: type[SymbolRequest | ReferencesRequest],
    names: list[str],
    wanted: SymbolOptions | ReferencesOptions,
    output: HitsOutput,
    agent: AgentText,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    typed, fields = names_of(names, wanted.inside), request_fields(kind, wanted, asking)
    if members.files:
        requests = [kind(name, **fields) for name in typed.names]
        return _of_workspace(typed, requests, output, asking, members, view)
    members.refuse_without_file()

    def find(finder: Finder) -> list[TypedTarget]:
        return [TypedTarget(finder.place(asking.repo, typed.path))]

    def planned(site: PlanContext) -> Plan:
        messages = (Ask(kind(name, site.keys[0], **fields)) for name in typed.names)
        return Plan(tuple(messages), partial(_printed, typed.names, view, site))

    return RepositoryQuery(asking, output, find, planned)


def expand(
    targets: Annotated[
        list[str],
        Argument(
            "Paths, path:line, path:line-line, names, or row_id values of hits; in a workspace"
            " also alias:path.",
            metavar="TARGET...",
        ),
    ],
    extent: ExpandOptions,
    output: Output,
    agent: AgentLines,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    """Show the code of definitions, lines or files."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    given, typed = request_fields(ExpandRequest, extent, asking), tuple(dict.fromkeys(targets))
    if members.files:
        requests = [ExpandRequest(target, **given) for target in typed]
        shown = HitsOutput(output.json, output.plain)
        return _of_workspace(TypedNames(typed, None), requests, shown, asking, members, view)
    members.refuse_without_file()

    def find(finder: Finder) -> list[TypedTarget]:
        return [finder.target(target, asking.repo) for target in typed]

    def planned(site: PlanContext) -> Plan:
        messages = tuple(Ask(ExpandRequest(key, **given)) for key in site.keys)
        return Plan(messages, partial(_printed, typed, view, site, whole=True))

    return RepositoryQuery(asking, output, find, planned)


class TypedNames(Struct, frozen=True):
    """The typed names, and the typed path that limits the search."""

    names: tuple[str, ...]
    path: str | None


def names_of(typed: Sequence[str], inside: str | None) -> TypedNames:
    """Return the typed names, and the path that is among them or follows `--in`.

    A word is a path only because of its form: `.`, `./src`, `../lib`, `/abs` or `src/`. Names have
    other forms. The only exception: if no name is typed, absolute paths that do not exist are names
    of routes, such as `/login`.
    """
    paths = [text for text in typed if _is_path(text)]
    names = tuple(text for text in typed if not _is_path(text))
    if not names and all(text[:1] == "/" and not Path(text).exists() for text in paths):
        names, paths = tuple(paths), []
    every = [*([] if inside is None else [inside]), *paths]
    if not names:
        raise UsageError("the name is missing")
    if len(every) > 1:
        raise UsageError(f"use only one path, not {' and '.join(every)}")
    return TypedNames(tuple(dict.fromkeys(names)), every[0] if every else None)


def _is_path(text: str) -> bool:
    if text in {".", ".."} or text.startswith(("./", "../", "/")):
        return True
    return text.endswith("/") and not text.startswith("operator")


def _printed(
    typed: Sequence[str],
    agent: AgentView | None,
    site: PlanContext,
    answers: Answers,
    *,
    whole: bool = False,
) -> Rendered:
    named = [Named(asked, answer) for asked, answer in zip(typed, answers, strict=True)]
    if agent is not None:
        rendered = render_for_agent(named, agent)
    else:
        rendered = render_named(named, site.root, replace(site.view, whole=whole))
    notes = rendered.err
    for each in named if len(named) > 1 else ():
        if not hits_of(each.answer) and Path(site.view.cwd or ".", each.asked).exists():
            asked = sanitise_line(each.asked)
            notes += f"{asked} was read as a name; to search only in this path: --in {asked}\n"
    return replace(rendered, err=notes)


def _of_workspace(
    typed: TypedNames,
    requests: "Sequence[SymbolRequest | ReferencesRequest | ExpandRequest]",
    output: HitsOutput,
    asking: IndexOptions,
    members: WorkspaceOptions,
    view: AgentView | None,
) -> Query:
    from ggrep.interfaces.cli.queries.workspace_names import in_workspace

    printed = ReceiptOutput(output.json, output.plain, output.exit_status)
    paths = () if typed.path is None else (typed.path,)
    search = TypedSearch(typed.names[0], paths, asking=asking, output=printed)
    return in_workspace(search, members, requests, view)


class OutlineOptions(Struct, frozen=True):
    """Amount of an outline to show."""

    title: ClassVar = "Extent"
    of: ClassVar = (OutlineRequest,)

    depth: Annotated[int | None, Flag("--depth", judged=True)] = None
    max_bytes: Annotated[int | None, _BYTES] = None


class TourOptions(Struct, frozen=True):
    """Amount of a tour to show."""

    title: ClassVar = "Extent"
    of: ClassVar = (TourRequest,)

    max_bytes: Annotated[int | None, _BYTES] = None


def outline(
    shape: OutlineOptions,
    output: Output,
    agent: AgentForm,
    asking: IndexOptions,
    paths: Annotated[
        list[str] | None,
        Argument("Files, folders, or path:line; default: the current folder.", metavar="PATH..."),
    ] = None,
) -> Query:
    """Show the definitions in files or folders, as a tree with line ranges."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    fields = request_fields(OutlineRequest, shape, asking)

    def find(finder: Finder) -> list[TypedTarget]:
        return [finder.folder_or_target(path, asking.repo) for path in paths or ["."]]

    def planned(site: PlanContext) -> Plan:
        def printed(answers: Answers) -> Rendered:
            if for_agents:
                return Rendered(agent_text(answer_json(answers[0])) + "\n", "")
            return render_outline(answers[0], site.root, site.view)

        return Plan((Ask(OutlineRequest(site.keys, **fields)),), printed)

    return RepositoryQuery(asking, output, find, planned)


def tour(
    room: TourOptions,
    output: Output,
    agent: AgentForm,
    asking: IndexOptions,
    path: Annotated[str | None, Argument("The repository, or a path in it.")] = None,
) -> Query:
    """Describe a repository: purpose, layout, entry points, and how to build and test it."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    message = Ask(TourRequest(**request_fields(TourRequest, room, asking)))

    def find(finder: Finder) -> list[TypedTarget]:
        return [TypedTarget(finder.place(asking.repo, path))]

    def planned(site: PlanContext) -> Plan:
        def printed(answers: Answers) -> Rendered:
            if for_agents:
                return Rendered(agent_text(answer_json(answers[0])) + "\n", "")
            return render_tour(answers[0], site.root, site.view)

        return Plan((message,), printed)

    return RepositoryQuery(asking, output, find, planned)
