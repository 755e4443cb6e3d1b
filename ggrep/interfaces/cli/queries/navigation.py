"""`ggrep symbol`, `ggrep refs` and `ggrep expand`: definitions, usages, surrounding code."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias

from ggrep.base.errors import GgrepError, InvalidRequest, UsageError
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.agent_options import MORE, AgentText, wants_agent
from ggrep.interfaces.cli.queries.batches import Batch, answered_each, names_of
from ggrep.interfaces.cli.queries.federation_options import Members
from ggrep.interfaces.cli.queries.one_answer import Reached, chosen_place, reach, view_of
from ggrep.interfaces.cli.queries.search_options import Asking, Found, Kept, Typed
from ggrep.interfaces.cli.queries.typed_targets import target_of
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.filters import keys_told
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.render.batches import Followed, Named, found_in, render_for_agent, render_named

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
)

_CURSOR = Flag("--cursor", "Show what follows: next_cursor of a JSON answer.", of=SymbolRequest)


@dataclass(frozen=True, slots=True)
class Definitions:
    """Which definitions are shown."""

    title: ClassVar = "Definitions"

    limit: Annotated[int | None, Flag("-m --max", of=SymbolRequest, judged=True)] = None
    inside: Annotated[str | None, _INSIDE] = None
    filters: Annotated[tuple[str, ...], _FILTER] = ()
    cursor: Annotated[str | None, _CURSOR] = None


@dataclass(frozen=True, slots=True)
class Mentions:
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


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is shown around a place."""

    title: ClassVar = "Extent"

    boundary: Annotated[str | None, Flag("--boundary", "How much to show", of=ExpandRequest)] = None
    max_bytes: Annotated[int | None, Flag("--max-bytes", of=ExpandRequest, judged=True)] = None


def symbol(
    names: _Names,
    wanted: Definitions,
    output: Found,
    agent: AgentText,
    asking: Asking,
    members: Members,
) -> int:
    """Show where names are defined."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    printing = printing_of(output, agent)
    typed, given = names_of(names, wanted.inside), said(SymbolRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import symbol_in_workspace

        asked = typed_of(typed.names, typed.path, output, asking, printing)
        return symbol_in_workspace(terminal, asked, members, SymbolRequest(asked.query, **given))
    members.refuse_without_file()
    reached = reach(chosen_place(asking.repo, typed.path), terminal, asking.overrides)
    batch = Batch(
        [SymbolRequest(name, reached.scope, **given) for name in typed.names],
        ask=lambda daemon, request, watch: daemon.symbol(request, watch),
        read=lambda engine, request: engine.symbol(request),
    )
    answers = answered_each(batch, reached, terminal, asking)
    return _written(terminal, reached, typed.names, answers, printing)


def references(
    names: _Names,
    wanted: Mentions,
    output: Found,
    agent: AgentText,
    asking: Asking,
    members: Members,
) -> int:
    """Show where names are used."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    printing = printing_of(output, agent)
    typed, given = names_of(names, wanted.inside), said(ReferencesRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import references_in_workspace

        asked = typed_of(typed.names, typed.path, output, asking, printing)
        request = ReferencesRequest(asked.query, **given)
        return references_in_workspace(terminal, asked, members, request)
    members.refuse_without_file()
    reached = reach(chosen_place(asking.repo, typed.path), terminal, asking.overrides)
    batch = Batch(
        [ReferencesRequest(name, reached.scope, **given) for name in typed.names],
        ask=lambda daemon, request, watch: daemon.references(request, watch),
        read=lambda engine, request: engine.references(request),
    )
    answers = answered_each(batch, reached, terminal, asking)
    return _written(terminal, reached, typed.names, answers, printing)


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
    agent: AgentText,
    asking: Asking,
    members: Members,
) -> int:
    """Show the code around places."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    printing = printing_of(output, agent)
    given = said(ExpandRequest, extent, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import expand_in_workspace

        asked = typed_of(targets, None, Found(output.json, output.plain), asking, printing)
        return expand_in_workspace(terminal, asked, members, ExpandRequest(asked.query, **given))
    members.refuse_without_file()
    wanted = [target_of(target, asking.repo) for target in dict.fromkeys(targets)]
    places = [reach(target.place, terminal, asking.overrides) for target in wanted]
    if len({place.root for place in places}) > 1:
        roots = " and ".join(sorted({sanitise_line(place.root.name) for place in places}))
        raise InvalidRequest(f"these places lie in {roots}; give those of one repository")
    batch = Batch(
        [
            ExpandRequest(target.key(place.scope), **given)
            for target, place in zip(wanted, places, strict=True)
        ],
        ask=lambda daemon, request, watch: daemon.expand(request, watch),
        read=lambda engine, request: engine.expand(request),
    )
    answers = answered_each(batch, places[0], terminal, asking)
    typed = list(dict.fromkeys(targets))
    return _written(terminal, places[0], typed, answers, replace(printing, whole=True))


@dataclass(frozen=True, slots=True)
class Printing:
    """How answers are printed.

    Attributes:
        budget: most bytes of a text for agents; None for people.
        empty_fails: the exit status says that nothing was found.
        whole: no line is cut to the terminal's width.
    """

    json: bool
    budget: int | None
    empty_fails: bool
    whole: bool = False


def printing_of(output: Output, agent: AgentText) -> Printing:
    """Return how answers are printed.

    Raises:
        InvalidRequest: there is no such format.
        UsageError: flags that do not go together.
    """
    budget = (agent.budget or 0) if wants_agent(agent, json=output.json) else None
    return Printing(output.json, budget, isinstance(output, Found) and output.exit_status)


def typed_of(
    asked: Sequence[str],
    path: str | None,
    output: Found,
    asking: Asking,
    printing: Printing,
) -> Typed:
    """Return a question about a workspace as a typed search of it.

    Raises:
        UsageError: several things are asked about at once, or a flag is of one repository.
    """
    if asking.profile is not None:
        raise UsageError("--profile and --workspace cannot go together")
    if printing.budget is not None:
        raise UsageError("--format agent and --workspace cannot go together; --json can")
    one, *more = dict.fromkeys(asked)
    if more:
        raise UsageError("with --workspace one name or place at a time")
    kept = Kept(output.json, output.plain, output.exit_status)
    return Typed(one, path, asking=asking, output=kept)


def _written(
    terminal: Terminal,
    reached: Reached,
    typed: Sequence[str],
    answers: Sequence[Followed | GgrepError],
    printing: Printing,
) -> int:
    """Write answers, in the order of what was asked for; return the exit status."""
    named = [Named(asked, answer) for asked, answer in zip(typed, answers, strict=True)]
    if printing.budget is None:
        view = view_of(terminal, json=printing.json, whole=printing.whole)
        rendered = render_named(named, reached.root, view)
    else:
        rendered = render_for_agent(named, printing.budget, MORE)
    terminal.write_answer(rendered.out, rendered.err, json=printing.json)
    for one in named:
        if len(named) > 1 and not found_in(one.answer) and Path(one.asked).exists():
            terminal.tell(f"{one.asked} was taken for a name; to search in it: --in {one.asked}")
    return rendered.exit_status or (1 if printing.empty_fails and not rendered.hits else 0)
