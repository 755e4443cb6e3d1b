"""`ggrep symbol`, `ggrep refs` and `ggrep expand`: definitions, usages, surrounding code."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.agent_options import AgentLines, AgentText, agent_view
from ggrep.interfaces.cli.queries.asked import Finder, Meant, Pending, Spot
from ggrep.interfaces.cli.queries.asked_each import Answers, AskedEach
from ggrep.interfaces.cli.queries.batches import Names, names_of
from ggrep.interfaces.cli.queries.federation_options import Members
from ggrep.interfaces.cli.queries.search_options import Asking, Found, Kept, Typed
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.model.answer_view import ViewOptions
from ggrep.model.filters import keys_told
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.message_types import Ask
from ggrep.render.agent_text import AgentView
from ggrep.render.batches import Named, found_in, render_for_agent, render_named
from ggrep.render.printed import Rendered

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
    output: Found,
    agent: AgentText,
    asking: Asking,
    members: Members,
) -> Pending:
    """Show where names are defined."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    typed, given = names_of(names, wanted.inside), said(SymbolRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import in_workspace, symbol_way

        ways = [symbol_way(SymbolRequest(name, **given)) for name in typed.names]
        asked = typed_of(typed.names, typed.path, output, asking)
        return in_workspace(asked, members, ways, view)
    members.refuse_without_file()

    def about(name: str, spot: Spot) -> Ask[Any]:
        return Ask(SymbolRequest(name, spot.scope, **given))

    return _of_names(typed, asking, output, view, about)


def references(
    names: _Names,
    wanted: Mentions,
    output: Found,
    agent: AgentText,
    asking: Asking,
    members: Members,
) -> Pending:
    """Show where names are used."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    typed, given = names_of(names, wanted.inside), said(ReferencesRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import in_workspace, references_way

        ways = [references_way(ReferencesRequest(name, **given)) for name in typed.names]
        asked = typed_of(typed.names, typed.path, output, asking)
        return in_workspace(asked, members, ways, view)
    members.refuse_without_file()

    def about(name: str, spot: Spot) -> Ask[Any]:
        return Ask(ReferencesRequest(name, spot.scope, **given))

    return _of_names(typed, asking, output, view, about)


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
    asking: Asking,
    members: Members,
) -> Pending:
    """Show the code around places."""
    asking.check()
    view = agent_view(agent, json=output.json, stats=members.stats)
    given, typed = said(ExpandRequest, extent, asking), tuple(dict.fromkeys(targets))
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import expand_way, in_workspace

        ways = [expand_way(ExpandRequest(target, **given)) for target in typed]
        asked = typed_of(typed, None, Found(output.json, output.plain), asking)
        return in_workspace(asked, members, ways, view)
    members.refuse_without_file()

    def around(target: Target, spot: Spot) -> Ask[Any]:
        return Ask(ExpandRequest(target.key(spot.scope), **given))

    def find(finder: Finder) -> list[Meant]:
        wanted = [finder.target(target, asking.repo) for target in typed]
        return [(target.place, partial(around, target)) for target in wanted]

    return AskedEach(asking, output, find, partial(_printed, typed, view, whole=True))


def _of_names(
    typed: Names,
    asking: Asking,
    output: Found,
    agent: AgentView | None,
    about: Callable[[str, Spot], Ask[Any]],
) -> AskedEach:
    """Return questions about names; `about` makes the message of one."""

    def find(finder: Finder) -> list[Meant]:
        place = finder.place(asking.repo, typed.path)
        return [(place, partial(about, name)) for name in typed.names]

    return AskedEach(asking, output, find, partial(_printed, typed.names, agent))


def _printed(
    typed: Sequence[str],
    agent: AgentView | None,
    answers: Answers,
    root: Path,
    view: ViewOptions,
    *,
    whole: bool = False,
) -> Rendered:
    """Return answers in print, in the order of what was asked for.

    Args:
        typed: what was asked for.
        agent: how an agent is shown them; None for people.
        answers: to each.
        root: of the repository.
        view: how to print.
        whole: no line is cut to the terminal's width.
    """
    named = [Named(asked, answer) for asked, answer in zip(typed, answers, strict=True)]
    if agent is not None:
        rendered = render_for_agent(named, agent)
    else:
        rendered = render_named(named, root, replace(view, whole=whole))
    return replace(rendered, err=rendered.err + "".join(_taken_for_names(named, view.cwd)))


def _taken_for_names(named: Sequence[Named], cwd: str) -> Iterator[str]:
    """Yield a line for each of several names that nothing has, and that is a path here."""
    for one in named if len(named) > 1 else ():
        if not found_in(one.answer) and Path(cwd or ".", one.asked).exists():
            asked = sanitise_line(one.asked)
            yield f"{asked} was taken for a name; to search in it: --in {asked}\n"


def typed_of(
    asked: Sequence[str],
    path: str | None,
    output: Found,
    asking: Asking,
) -> Typed:
    """Return questions about a workspace as a typed search of it."""
    kept = Kept(output.json, output.plain, output.exit_status)
    return Typed(asked[0], () if path is None else (path,), asking=asking, output=kept)
