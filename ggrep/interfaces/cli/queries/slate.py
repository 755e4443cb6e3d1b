"""`ggrep slate`, and `ggrep search --format slate`."""

from dataclasses import replace
from typing import Annotated, Final

from ggrep.base.errors import UsageError
from ggrep.config.profiles import apply_to_slate
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.queries.agent_options import AgentForm, wants_agent
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.one_answer import Question as Asked
from ggrep.interfaces.cli.queries.one_answer import answered, place_asked, reach, view_of
from ggrep.interfaces.cli.queries.search_options import (
    Asking,
    Found,
    Kept,
    Question,
    Typed,
    given_fields,
    request_of,
)
from ggrep.interfaces.cli.queries.slate_options import (
    ALONE,
    Bounds,
    Session,
    Shape,
    level_of_snippet,
    slate_fields,
    slate_request_of,
)
from ggrep.interfaces.cli.queries.typed_targets import target_of
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.request import SnippetMode
from ggrep.render.slate_answer import render_graph, render_slate, render_slate_for_agent
from ggrep.service.places import Place

_WHOLE_CHUNKS: Final = 3


def slate(
    query: Annotated[str, Argument("A task or question, in words or names.")],
    question: Question,
    shape: Shape,
    session: Session,
    output: Found,
    agent: AgentForm,
    asking: Asking,
    repositories: Repositories,
    path: Annotated[str | None, Argument("Gather only from this directory or file.")] = None,
) -> int:
    """Gather the files that answer a question: by section, with evidence, within a budget."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    kept = Kept(output.json, output.plain, output.exit_status)
    typed = Typed(query, path, question=question, asking=asking, output=kept)
    if shape.graph_form is not None and output.json:
        raise UsageError("--graph and --json cannot go together; JSON has the graph")
    for_agents = wants_agent(agent, json=output.json)
    if for_agents and (repositories.files or shape.form is not None):
        raise UsageError("--format agent: not with --workspace or --graph")
    if repositories.files:
        return _of_workspace(terminal, typed, shape, repositories, session)
    repositories.refuse_without_file()
    place = place_asked("slate", typed)
    return _print(terminal, typed, place, shape, session, for_agents=for_agents)


def search_as_slate(
    terminal: Terminal, typed: Typed, shape: Bounds, repositories: Repositories
) -> int:
    """Answer a typed search with a slate; return the exit status.

    Raises:
        UsageError: a flag was given that a slate does not heed.
    """
    _refuse_flags_of_hits(typed)
    if shape.level is None:
        snippet = request_of(typed, scope="").snippet
        shape = replace(shape, level=level_of_snippet(snippet))
    if repositories.files:
        return _of_workspace(terminal, typed, shape, repositories)
    repositories.refuse_without_file()
    return _print(terminal, typed, place_asked("search", typed), shape)


def _of_workspace(
    terminal: Terminal,
    typed: Typed,
    shape: Bounds,
    repositories: Repositories,
    session: Session = ALONE,
) -> int:
    if typed.asking.profile is not None:
        raise UsageError("--profile and --workspace cannot go together")
    from ggrep.interfaces.cli.queries.workspace_slate import slate_workspace

    return slate_workspace(terminal, typed, shape, repositories, session)


def _refuse_flags_of_hits(typed: Typed) -> None:
    heeded_by_hits = {
        "--receipt": typed.output.receipt is not None,
        "-m (--max-files bounds a slate)": bool(typed.hits.limit),
        "--per-file": typed.hits.per_file is not None,
        "--compact (--level 0 shows paths)": typed.hits.compact,
        "--scores": typed.hits.scores,
        "--explain": typed.hits.explain,
    }
    named = [flag for flag, is_typed in heeded_by_hits.items() if is_typed]
    if named:
        raise UsageError(f"{', '.join(named)}: not with --format slate")


def _print(
    terminal: Terminal,
    typed: Typed,
    place: Place,
    shape: Bounds,
    session: Session = ALONE,
    *,
    for_agents: bool = False,
) -> int:
    """Query, and print the answer; return the exit status."""
    search = request_of(typed, scope="")
    reached = reach(place, terminal, typed.asking.overrides)

    def resolve(word: str) -> str:
        target = target_of(word, reached.root)
        return target.key(target.place.scope)

    scoped = replace(search, scope=reached.scope, snippet=SnippetMode.DEFAULT)
    request = apply_to_slate(
        slate_request_of(shape, scoped, session, resolve=resolve),
        given_fields(typed) | slate_fields(shape),
        reached.address.profile,
    )
    asked = Asked(
        ask=lambda daemon, watch: daemon.slate(request, watch),
        read=lambda engine: engine.slate(request),
        early=True,
    )
    response = answered(asked, reached, terminal, typed.asking)
    view = view_of(terminal, json=typed.output.json, whole=request.level == _WHOLE_CHUNKS)
    form = shape.graph_form if isinstance(shape, Shape) else None
    if for_agents:
        rendered = render_slate_for_agent(response)
    elif form is not None:
        rendered = render_graph(response, form, view)
    else:
        rendered = render_slate(response, reached.root, view)
    terminal.write_answer(rendered.out, rendered.err, json=typed.output.json)
    return 1 if typed.output.exit_status and not rendered.hits else 0
