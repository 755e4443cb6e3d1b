"""`ggrep search`, and `ggrep "words"`."""

from typing import Annotated

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.queries.agent_options import (
    MORE,
    AgentSearch,
    check_agent,
    refuse_flags_of_people,
)
from ggrep.interfaces.cli.queries.editor_search import ForEditor, search_for_editor
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.one_search import search_one
from ggrep.interfaces.cli.queries.query import Query
from ggrep.interfaces.cli.queries.search_options import (
    Asking,
    Hits,
    Kept,
    Lines,
    Question,
    Typed,
)
from ggrep.interfaces.cli.queries.slate_options import Format, wants_slate
from ggrep.render.agent_text import AgentView


def search(
    query: Annotated[str, Argument("What to search for: words, a name or code.")],
    question: Question,
    hits: Hits,
    output: Kept,
    asking: Asking,
    slate: Format,
    agent: AgentSearch,
    repositories: Repositories,
    editor: ForEditor,
    lines: Lines,
    path: Annotated[list[str] | None, Argument("Search only these directories and files.")] = None,
) -> Query:
    """Search a repository, or a workspace of them."""
    typed = Typed(query, path or (), question, hits, asking, output, lines)
    asking.check()
    _check_receipt(output)
    for_agents = slate.form == "agent"
    given = {"--body": agent.bodies, "--budget": agent.budget}
    typed_flags = [flag for flag, value in given.items() if value is not None]
    check_agent(agent=for_agents, json=output.json, given=typed_flags)
    if editor.vimgrep:
        listed = search_for_editor(typed, form=slate.form, workspace=bool(repositories.files))
        repositories.refuse_without_file()
        return listed
    if wants_slate(slate):
        from ggrep.interfaces.cli.queries.slate import search_as_slate

        return search_as_slate(typed, slate, repositories)
    if repositories.files:
        if agent.bodies is not None:
            raise UsageError("--body and --workspace cannot go together; expand alias:path opens")
        from ggrep.interfaces.cli.queries.workspace_search import search_workspace

        if for_agents:
            refuse_flags_of_people(typed, stats=repositories.stats)
        view = AgentView(agent.budget or 0, MORE) if for_agents else None
        return search_workspace(typed, repositories, view)
    repositories.refuse_without_file()
    if for_agents:
        from ggrep.interfaces.cli.queries.agent_search import search_for_agent

        return search_for_agent(typed, agent.wish)
    return search_one(typed)


def _check_receipt(output: Kept) -> None:
    """Raise if a receipt may not be written.

    Raises:
        UsageError: says why.
    """
    if output.receipt is not None:
        from ggrep.interfaces.cli.queries.receipt_file import require_receipt_place

        require_receipt_place(output.receipt, force=output.force)
    elif output.force:
        raise UsageError("--force: only with --receipt")
