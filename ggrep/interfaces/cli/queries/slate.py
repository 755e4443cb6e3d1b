"""`ggrep slate`, and `ggrep search --format slate`."""

from typing import Annotated, Final

from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.config.profiles import apply_to_slate
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.parsing.flags import Argument, refuse
from ggrep.interfaces.cli.queries.query import PlanContext, Query, search_query
from ggrep.interfaces.cli.queries.query_options import AgentForm, MergeOptions, wants_agent
from ggrep.interfaces.cli.queries.search_options import (
    HitsOutput,
    IndexOptions,
    QueryOptions,
    ReceiptOutput,
    TypedSearch,
    given_fields,
    request_of,
)
from ggrep.interfaces.cli.queries.slate_options import (
    LEVEL_OF_SNIPPET,
    NO_SESSION,
    SessionOptions,
    SlateBounds,
    SlateOptions,
    slate_fields,
    slate_request_of,
)
from ggrep.model.request import SnippetMode
from ggrep.protocol.wire.messages import Ask
from ggrep.render.batches import render_slate_for_agent
from ggrep.render.printed import Rendered, render_graph, render_slate

_WHOLE_CHUNKS: Final = 3


def slate(
    query: Annotated[str, Argument("A task, a question, or names.")],
    question: QueryOptions,
    shape: SlateOptions,
    session: SessionOptions,
    output: HitsOutput,
    agent: AgentForm,
    asking: IndexOptions,
    repositories: MergeOptions,
    path: Annotated[list[str] | None, Argument("Search only these directories and files.")] = None,
) -> Query:
    """Gather the files that answer a question, with excerpts, within a byte budget."""
    asking.check()
    kept = ReceiptOutput(output.json, output.plain, output.exit_status)
    typed = TypedSearch(query, path or (), question=question, asking=asking, output=kept)
    if shape.graph_form is not None and output.json:
        raise UsageError("--graph and --json cannot go together; the JSON contains the graph")
    for_agents = wants_agent(agent, json=output.json)
    if for_agents:
        refuse({"--graph": shape.form is not None, "--stats": repositories.stats}, "--format agent")
    return _query("slate", typed, shape, repositories, session, for_agents=for_agents)


def search_as_slate(typed: TypedSearch, shape: SlateBounds, repositories: MergeOptions) -> Query:
    """Return the query of a `ggrep search` with `--format slate`."""
    _refuse_flags_of_hits(typed)
    if shape.level is None:
        snippet = request_of(typed, scope="").snippet
        shape = replace(shape, level=LEVEL_OF_SNIPPET.get(snippet))
    return _query("search", typed, shape, repositories)


def _refuse_flags_of_hits(typed: TypedSearch) -> None:
    unsupported = {
        "--receipt": typed.output.receipt is not None,
        "-m (--max-files bounds a slate)": bool(typed.hits.limit),
        "--per-file": typed.hits.per_file is not None,
        "--compact (--level 0 shows paths)": typed.hits.compact,
        "--scores": typed.hits.scores,
        "--explain": typed.hits.explain,
    }
    refuse(unsupported, "--format slate")


def _query(
    command: str,
    typed: TypedSearch,
    shape: SlateBounds,
    repositories: MergeOptions,
    session: SessionOptions = NO_SESSION,
    *,
    for_agents: bool = False,
) -> Query:
    """Return the query to a workspace if `--workspace` is typed, else to one repository."""
    if repositories.files:
        from ggrep.interfaces.cli.queries.workspace_search import slate_of_workspace

        return slate_of_workspace(typed, shape, repositories, session, for_agents=for_agents)
    repositories.refuse_without_file()
    form = shape.graph_form if isinstance(shape, SlateOptions) else None

    def planned(site: PlanContext) -> Plan:
        def resolve(word: str) -> str:
            target = site.finder.target(word, site.root)
            return target.key(target.place.scope)

        search = replace(request_of(typed, scope=site.keys[0]), snippet=SnippetMode.DEFAULT)
        request = slate_request_of(shape, search, session, resolve=resolve)
        if for_agents:
            request = replace(request, budgets=request.budgets.for_agents())
        given = given_fields(typed) | slate_fields(shape)

        def printed(answers: Answers) -> Rendered:
            (response,) = answers
            if for_agents:
                return render_slate_for_agent(response)
            view = replace(site.view, whole=response.slate.level == _WHOLE_CHUNKS)
            if form is not None:
                return render_graph(response, form, site.root, view)
            return render_slate(response, site.root, view)

        return Plan((Ask(apply_to_slate(request, given, site.profile)),), printed)

    return search_query(command, typed, planned)
