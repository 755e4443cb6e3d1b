"""`ggrep slate`, and `ggrep search --format slate`."""

from pathlib import Path
from typing import Annotated, Final

from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.config.profiles import apply_to_slate
from ggrep.interfaces.cli.parsing.flags import Argument, refuse
from ggrep.interfaces.cli.queries.agent_options import AgentForm, wants_agent
from ggrep.interfaces.cli.queries.asked import Asked, Finder, Meant, Pending, Printing, Spot
from ggrep.interfaces.cli.queries.federation_options import Repositories
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
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SnippetMode
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.protocol.wire.message_types import Ask
from ggrep.render.printed import Rendered
from ggrep.render.slate_answer import render_graph, render_slate, render_slate_for_agent

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
    path: Annotated[
        list[str] | None, Argument("Gather only from these directories and files.")
    ] = None,
) -> Pending:
    """Gather the files that answer a question: by section, with evidence, within a budget."""
    asking.check()
    kept = Kept(output.json, output.plain, output.exit_status)
    typed = Typed(query, path or (), question=question, asking=asking, output=kept)
    if shape.graph_form is not None and output.json:
        raise UsageError("--graph and --json cannot go together; JSON has the graph")
    for_agents = wants_agent(agent, json=output.json)
    if for_agents:
        refuse({"--graph": shape.form is not None, "--stats": repositories.stats}, "--format agent")
    if repositories.files:
        return _of_workspace(typed, shape, repositories, session, for_agents=for_agents)
    repositories.refuse_without_file()
    return _of_one("slate", typed, shape, session, for_agents=for_agents)


def search_as_slate(typed: Typed, shape: Bounds, repositories: Repositories) -> Pending:
    """Return what answers a typed search with a slate.

    Raises:
        UsageError: a flag was given that a slate does not heed.
    """
    _refuse_flags_of_hits(typed)
    if shape.level is None:
        snippet = request_of(typed, scope="").snippet
        shape = replace(shape, level=level_of_snippet(snippet))
    if repositories.files:
        return _of_workspace(typed, shape, repositories)
    repositories.refuse_without_file()
    return _of_one("search", typed, shape)


def _of_workspace(
    typed: Typed,
    shape: Bounds,
    repositories: Repositories,
    session: Session = ALONE,
    *,
    for_agents: bool = False,
) -> Pending:
    from ggrep.interfaces.cli.queries.workspace_slate import WorkspaceSlate

    return WorkspaceSlate(typed, shape, repositories, session, for_agents)


def _refuse_flags_of_hits(typed: Typed) -> None:
    heeded_by_hits = {
        "--receipt": typed.output.receipt is not None,
        "-m (--max-files bounds a slate)": bool(typed.hits.limit),
        "--per-file": typed.hits.per_file is not None,
        "--compact (--level 0 shows paths)": typed.hits.compact,
        "--scores": typed.hits.scores,
        "--explain": typed.hits.explain,
    }
    refuse(heeded_by_hits, "--format slate")


def _of_one(
    command: str,
    typed: Typed,
    shape: Bounds,
    session: Session = ALONE,
    *,
    for_agents: bool = False,
) -> Asked:
    """Return the question to one repository."""
    form = shape.graph_form if isinstance(shape, Shape) else None

    def find(finder: Finder) -> Meant:
        place = finder.place_asked(command, typed)
        search = request_of(typed, scope="")

        def message(spot: Spot) -> Ask[SlateRequest]:
            def resolve(word: str) -> str:
                target = finder.target(word, spot.root)
                return target.key(target.place.scope)

            scoped = replace(search, scope=spot.scope, snippet=SnippetMode.DEFAULT)
            request = slate_request_of(shape, scoped, session, resolve=resolve)
            if for_agents:
                request = replace(request, budgets=request.budgets.for_agents())
            given = given_fields(typed) | slate_fields(shape)
            return Ask(apply_to_slate(request, given, spot.profile))

        return place, message

    def printed(response: SlateResponse, root: Path, view: ViewOptions) -> Rendered:
        view = replace(view, whole=response.slate.level == _WHOLE_CHUNKS)
        if for_agents:
            return render_slate_for_agent(response)
        if form is not None:
            return render_graph(response, form, root, view)
        return render_slate(response, root, view)

    return Asked(Printing(typed.asking, typed.output, printed, early=True), find)
