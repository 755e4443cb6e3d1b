"""`ggrep symbol`, `ggrep refs` and `ggrep expand`: definitions, usages, surrounding code."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.federation_options import Members
from ggrep.interfaces.cli.queries.one_answer import Question, answered, chosen_place, reach, view_of
from ggrep.interfaces.cli.queries.search_options import Asking, Found, Kept, Typed
from ggrep.interfaces.cli.queries.typed_targets import target_of
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.filters import keys_told
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.render.printed import Rendered
from ggrep.render.slate_answer import render_expansion, render_references, render_symbol

_Name: TypeAlias = Annotated[str, Argument("A name, or container.name.")]
_Path: TypeAlias = Annotated[str | None, Argument("Search only this directory or file.")]
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
    filters: Annotated[tuple[str, ...], _FILTER] = ()
    cursor: Annotated[str | None, _CURSOR] = None


@dataclass(frozen=True, slots=True)
class Mentions:
    """Which occurrences are shown."""

    title: ClassVar = "Mentions"

    limit: Annotated[int | None, Flag("-m --max", of=ReferencesRequest, judged=True)] = None
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
    name: _Name,
    wanted: Definitions,
    output: Found,
    asking: Asking,
    members: Members,
    path: _Path = None,
) -> int:
    """Show where a name is defined."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    given = said(SymbolRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import symbol_in_workspace

        typed = typed_of(name, path, output, asking)
        return symbol_in_workspace(terminal, typed, members, SymbolRequest(name, **given))
    members.refuse_without_file()
    reached = reach(chosen_place(asking.repo, path), terminal, asking.overrides)
    request = SymbolRequest(name, reached.scope, **given)
    question = Question(
        ask=lambda daemon, watch: daemon.symbol(request, watch),
        read=lambda engine: engine.symbol(request),
    )
    response = answered(question, reached, terminal, asking)
    rendered = render_symbol(response, reached.root, view_of(terminal, json=output.json))
    return _written(terminal, rendered, output)


def references(
    name: _Name,
    wanted: Mentions,
    output: Found,
    asking: Asking,
    members: Members,
    path: _Path = None,
) -> int:
    """Show where a name is used."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    given = said(ReferencesRequest, wanted, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import references_in_workspace

        typed = typed_of(name, path, output, asking)
        return references_in_workspace(terminal, typed, members, ReferencesRequest(name, **given))
    members.refuse_without_file()
    reached = reach(chosen_place(asking.repo, path), terminal, asking.overrides)
    request = ReferencesRequest(name, reached.scope, **given)
    question = Question(
        ask=lambda daemon, watch: daemon.references(request, watch),
        read=lambda engine: engine.references(request),
    )
    response = answered(question, reached, terminal, asking)
    rendered = render_references(response, reached.root, view_of(terminal, json=output.json))
    return _written(terminal, rendered, output)


def expand(
    target: Annotated[
        str, Argument("A path, path:line, path:line-line or row id; alias:path in a workspace.")
    ],
    extent: Extent,
    output: Output,
    asking: Asking,
    members: Members,
) -> int:
    """Show the code around a place."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    given = said(ExpandRequest, extent, asking)
    if members.files:
        from ggrep.interfaces.cli.queries.workspace_names import expand_in_workspace

        typed = typed_of(target, None, Found(output.json, output.plain), asking)
        return expand_in_workspace(terminal, typed, members, ExpandRequest(target, **given))
    members.refuse_without_file()
    wanted = target_of(target, asking.repo)
    reached = reach(wanted.place, terminal, asking.overrides)
    request = ExpandRequest(wanted.key(reached.scope), **given)
    question = Question(
        ask=lambda daemon, watch: daemon.expand(request, watch),
        read=lambda engine: engine.expand(request),
    )
    response = answered(question, reached, terminal, asking)
    view = view_of(terminal, json=output.json, whole=True)
    rendered = render_expansion(response, reached.root, view)
    terminal.write_answer(rendered.out, rendered.err, json=output.json)
    return 0


def typed_of(query: str, path: str | None, output: Found, asking: Asking) -> Typed:
    """Return a question about a workspace as a typed search of it."""
    if asking.profile is not None:
        raise UsageError("--profile and --workspace cannot go together")
    kept = Kept(output.json, output.plain, output.exit_status)
    return Typed(query, path, asking=asking, output=kept)


def _written(terminal: Terminal, rendered: Rendered, output: Found) -> int:
    """Write an answer; return the exit status."""
    terminal.write_answer(rendered.out, rendered.err, json=output.json)
    return 1 if output.exit_status and not rendered.hits else 0
