"""`ggrep search`, and `ggrep "words"`."""

from typing import Annotated

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.queries.agent_options import AgentSearch, check_agent
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.one_answer import place_asked
from ggrep.interfaces.cli.queries.one_search import search_one
from ggrep.interfaces.cli.queries.search_options import Asking, Hits, Kept, Question, Typed
from ggrep.interfaces.cli.queries.slate_options import Format, wants_slate
from ggrep.interfaces.cli.terminal import open_terminal


def search(
    query: Annotated[str, Argument("What to search for: words, a name or code.")],
    question: Question,
    hits: Hits,
    output: Kept,
    asking: Asking,
    slate: Format,
    agent: AgentSearch,
    repositories: Repositories,
    path: Annotated[str | None, Argument("Search only this directory or file.")] = None,
) -> int:
    """Search a repository, or a workspace of them."""
    terminal = open_terminal(plain=output.plain)
    typed = Typed(query, path, question, hits, asking, output)
    asking.check()
    _check_receipt(output)
    for_agents = slate.form == "agent"
    given = {"--body": agent.bodies, "--budget": agent.budget}
    typed_flags = [flag for flag, value in given.items() if value is not None]
    check_agent(agent=for_agents, json=output.json, given=typed_flags)
    if wants_slate(slate):
        from ggrep.interfaces.cli.queries.slate import search_as_slate

        return search_as_slate(terminal, typed, slate, repositories)
    if repositories.files:
        if for_agents:
            raise UsageError("--format agent is of one repository; over several there is --json")
        if asking.profile is not None:
            raise UsageError("--profile and --workspace cannot go together")
        from ggrep.interfaces.cli.queries.workspace_search import search_workspace

        return search_workspace(terminal, typed, repositories)
    repositories.refuse_without_file()
    place = place_asked("search", typed)
    if for_agents:
        from ggrep.interfaces.cli.queries.agent_search import search_for_agent

        return search_for_agent(terminal, typed, place, agent.wish)
    return search_one(terminal, typed, place)


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
