"""`ggrep symbol`, `refs`, `expand`, `outline` and `tour`."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.query import Finder, Query, RepositoryQuery, Site
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
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.model.filters import keys_told
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
        "Names, each plain or as container.name. One that is written as a path (./src, src/,"
        " /abs) is where to search.",
        metavar="NAME...",
    ),
]
_INSIDE = Flag("--in", "Search only this directory or file.")
_FILTER = Flag(
    "--filter",
    f"Search only files that match {keys_told('kind', 'corpus')}; negate with a leading -.",
    of=SymbolRequest,
    takes="filter",
)

_CURSOR = Flag("--cursor", "Show what follows: next_cursor of a JSON answer.", of=SymbolRequest)


class Definitions(Struct, frozen=True):
    """Which definitions are shown."""

    title: ClassVar = "Definitions"

    limit: Annotated[int | None, Flag("-m --max", of=SymbolRequest, judged=True)] = None
    inside: Annotated[str | None, _INSIDE] = None
    filters: Annotated[tuple[str, ...], _FILTER] = ()
    cursor: Annotated[str | None, _CURSOR] = None


class Mentions(Struct, frozen=True):
    """Which occurrences are shown."""

    title: ClassVar = "Mentions"

    limit: Annotated[int | None, Flag("-m --max", of=ReferencesRequest, judged=True)] = None
    inside: Annotated[str | None, _INSIDE] = None
    strings: Annotated[
        bool, Flag("--strings", "Also show occurrences in strings.", of=ReferencesRequest)
    ] = False
    comments: Annotated[
        bool,
        Flag(
            "--comments", "Also show occurrences in comments and documents.", of=ReferencesRequest
        ),
    ] = False
    filters: Annotated[tuple[str, ...], _FILTER] = ()
    cursor: Annotated[str | None, _CURSOR] = None


class Extent(Struct, frozen=True):
    """How much is shown around a place."""

    title: ClassVar = "Extent"

    boundary: Annotated[
        str | None, Flag("--boundary", "Amount of code to show", of=ExpandRequest)
    ] = None
    max_bytes: Annotated[int | None, Flag("--max-bytes", of=ExpandRequest, judged=True)] = None


def symbol(
    names: _Names,
    wanted: Definitions,
    output: HitsOutput,
    agent: AgentText,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    """Show where names are defined."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    typed, given = names_of(names, wanted.inside), said(SymbolRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import in_workspace, symbol_way

        ways = [symbol_way(SymbolRequest(name, **given)) for name in typed.names]
        return in_workspace(_typed_of(typed, output, asking), members, ways, view)
    members.refuse_without_file()

    def planned(site: Site) -> Plan:
        messages = (Ask(SymbolRequest(name, site.keys[0], **given)) for name in typed.names)
        return Plan(tuple(messages), partial(_printed, typed.names, view, site))

    return RepositoryQuery(asking, output, partial(_scope, typed, asking), planned)


def references(
    names: _Names,
    wanted: Mentions,
    output: HitsOutput,
    agent: AgentText,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    """Show where names are used."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    typed, given = names_of(names, wanted.inside), said(ReferencesRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import in_workspace, references_way

        ways = [references_way(ReferencesRequest(name, **given)) for name in typed.names]
        return in_workspace(_typed_of(typed, output, asking), members, ways, view)
    members.refuse_without_file()

    def planned(site: Site) -> Plan:
        requests = (ReferencesRequest(name, site.keys[0], **given) for name in typed.names)
        return Plan(tuple(map(Ask, requests)), partial(_printed, typed.names, view, site))

    return RepositoryQuery(asking, output, partial(_scope, typed, asking), planned)


def expand(
    targets: Annotated[
        list[str],
        Argument(
            "Paths, path:line, path:line-line, row ids, or names; alias:path in a workspace.",
            metavar="TARGET...",
        ),
    ],
    extent: Extent,
    output: Output,
    agent: AgentLines,
    asking: IndexOptions,
    members: WorkspaceOptions,
) -> Query:
    """Show the code around places."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    given, typed = said(ExpandRequest, extent, asking), tuple(dict.fromkeys(targets))
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import expand_way, in_workspace

        ways = [expand_way(ExpandRequest(target, **given)) for target in typed]
        shown = HitsOutput(output.json, output.plain)
        return in_workspace(_typed_of(TypedNames(typed, None), shown, asking), members, ways, view)
    members.refuse_without_file()

    def find(finder: Finder) -> list[Target]:
        return [finder.target(target, asking.repo) for target in typed]

    def planned(site: Site) -> Plan:
        messages = tuple(Ask(ExpandRequest(key, **given)) for key in site.keys)
        return Plan(messages, partial(_printed, typed, view, site, whole=True))

    return RepositoryQuery(asking, output, find, planned)


class TypedNames(Struct, frozen=True):
    """The words behind a command that takes names.

    Attributes:
        path: which narrows; None for none.
    """

    names: tuple[str, ...]
    path: str | None


def names_of(typed: Sequence[str], inside: str | None) -> TypedNames:
    """Return names, and the path among them or behind `--in`.

    A path is told by its form alone: `.`, `./src`, `../lib`, `/abs` or `src/`. No name looks so,
    and what lies in the current directory does not change what a command means.

    Raises:
        UsageError: there is no name, or more than one path.
    """
    paths = [text for text in typed if _is_path(text)]
    names = tuple(text for text in typed if not _is_path(text))
    every = [*([] if inside is None else [inside]), *paths]
    if not names:
        raise UsageError("no name was given")
    if len(every) > 1:
        raise UsageError(f"give only one path, not {' and '.join(every)}")
    return TypedNames(tuple(dict.fromkeys(names)), every[0] if every else None)


def _is_path(text: str) -> bool:
    if text in {".", ".."} or text.startswith(("./", "../", "/")):
        return True
    return text.endswith("/") and not text.startswith("operator")


def _scope(typed: TypedNames, asking: IndexOptions, finder: Finder) -> list[Target]:
    """Return the place that names are looked for in."""
    return [Target(finder.place(asking.repo, typed.path))]


def _printed(
    typed: Sequence[str],
    agent: AgentView | None,
    site: Site,
    answers: Answers,
    *,
    whole: bool = False,
) -> Rendered:
    """Return answers in print, in the order of what was asked for.

    Args:
        typed: what was asked for.
        agent: how an agent is shown them; None for people.
        site: the repository, and how to print.
        answers: to each.
        whole: no line is cut to the terminal's width.
    """
    named = [Named(asked, answer) for asked, answer in zip(typed, answers, strict=True)]
    if agent is not None:
        rendered = render_for_agent(named, agent)
    else:
        rendered = render_named(named, site.root, replace(site.view, whole=whole))
    return replace(rendered, err=rendered.err + "".join(_taken_for_names(named, site.view.cwd)))


def _taken_for_names(named: Sequence[Named], cwd: str) -> Iterator[str]:
    """Yield a line for each of several names that nothing has, and that is a path here."""
    for each in named if len(named) > 1 else ():
        if not hits_of(each.answer) and Path(cwd or ".", each.asked).exists():
            asked = sanitise_line(each.asked)
            yield f"{asked} was taken for a name; to search in it: --in {asked}\n"


def _typed_of(typed: TypedNames, output: HitsOutput, asking: IndexOptions) -> TypedSearch:
    """Return questions about a workspace as a typed search of it."""
    kept = ReceiptOutput(output.json, output.plain, output.exit_status)
    paths = () if typed.path is None else (typed.path,)
    return TypedSearch(typed.names[0], paths, asking=asking, output=kept)


class OutlineOptions(Struct, frozen=True):
    """How much of an outline is shown."""

    title: ClassVar = "Extent"

    depth: Annotated[int | None, Flag("--depth", of=OutlineRequest, judged=True)] = None
    max_bytes: Annotated[int | None, Flag("--max-bytes", of=OutlineRequest, judged=True)] = None


class TourOptions(Struct, frozen=True):
    """How much of a tour is shown."""

    title: ClassVar = "Extent"

    max_bytes: Annotated[int | None, Flag("--max-bytes", of=TourRequest, judged=True)] = None


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
    """Show what files or folders define, as a tree with line ranges."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    given = said(OutlineRequest, shape, asking)

    def find(finder: Finder) -> list[Target]:
        return [finder.folder_or_target(path, asking.repo) for path in paths or ["."]]

    def planned(site: Site) -> Plan:
        def printed(answers: Answers) -> Rendered:
            if for_agents:
                return Rendered(agent_text(answer_json(answers[0])) + "\n", "")
            return render_outline(answers[0], site.root, site.view)

        return Plan((Ask(OutlineRequest(site.keys, **given)),), printed)

    return RepositoryQuery(asking, output, find, planned)


def tour(
    room: TourOptions,
    output: Output,
    agent: AgentForm,
    asking: IndexOptions,
    path: Annotated[str | None, Argument("The repository, or a path in it.")] = None,
) -> Query:
    """Show what a repository is: purpose, layout, entry points, how to build and test it."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    message = Ask(TourRequest(**said(TourRequest, room, asking)))

    def find(finder: Finder) -> list[Target]:
        return [Target(finder.place(asking.repo, path))]

    def planned(site: Site) -> Plan:
        def printed(answers: Answers) -> Rendered:
            if for_agents:
                return Rendered(agent_text(answer_json(answers[0])) + "\n", "")
            return render_tour(answers[0], site.root, site.view)

        return Plan((message,), printed)

    return RepositoryQuery(asking, output, find, planned)
