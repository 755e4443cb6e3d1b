"""`ggrep search`, and `ggrep "words"`."""

from typing import Annotated

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.config.profiles import apply_to_request
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.queries.agent_options import (
    MORE,
    AgentSearch,
    check_agent,
    refuse_flags_of_people,
)
from ggrep.interfaces.cli.queries.asked import (
    Finder,
    Pending,
    Plan,
    Spot,
    asks_plainly,
    printed_already,
)
from ggrep.interfaces.cli.queries.editor_search import ForEditor, SearchForEditor
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.one_answer import place_asked
from ggrep.interfaces.cli.queries.one_search import search_one, shown
from ggrep.interfaces.cli.queries.search_options import (
    Asking,
    Hits,
    Kept,
    Lines,
    Question,
    Typed,
    given_fields,
    request_of,
)
from ggrep.interfaces.cli.queries.slate_options import Format, wants_slate
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.protocol.wire.message_types import Search
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
) -> Pending:
    """Search a repository, or a workspace of them."""
    typed = Typed(query, path or (), question, hits, asking, output, lines)
    asking.check()
    _check_receipt(output)
    for_agents = slate.form == "agent"
    given = {"--body": agent.bodies, "--budget": agent.budget}
    typed_flags = [flag for flag, value in given.items() if value is not None]
    check_agent(agent=for_agents, json=output.json, given=typed_flags)
    if editor.vimgrep:
        listed = SearchForEditor(typed)
        listed.check(form=slate.form, workspace=bool(repositories.files))
        repositories.refuse_without_file()
        return listed
    if wants_slate(slate):
        from ggrep.interfaces.cli.queries.slate import search_as_slate

        return search_as_slate(typed, slate, repositories)
    if repositories.files:
        if agent.bodies is not None:
            raise UsageError("--body and --workspace cannot go together; expand alias:path opens")
        from ggrep.interfaces.cli.queries.workspace_search import WorkspaceSearch

        if for_agents:
            refuse_flags_of_people(typed, stats=repositories.stats)
        view = AgentView(agent.budget or 0, MORE) if for_agents else None
        return WorkspaceSearch(typed, repositories, view)
    repositories.refuse_without_file()
    if for_agents:
        from ggrep.interfaces.cli.queries.agent_search import SearchForAgent

        return SearchForAgent(typed, agent.wish)
    return OneSearch(typed)


class OneSearch(Struct, frozen=True):
    """A search of one repository, as typed."""

    typed: Typed

    def answer(self) -> int:
        """Search, and print the hits."""
        terminal = open_terminal(plain=self.typed.output.plain)
        return search_one(terminal, self.typed, place_asked("search", self.typed))

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon is to do; a receipt is written by the client."""
        typed = self.typed
        if typed.output.receipt is not None or not asks_plainly(typed.asking):
            return None
        scope = finder.place_asked("search", typed).scope
        request = request_of(typed, scope=scope)
        request = apply_to_request(request, given_fields(typed), spot.profile)
        message = Search(request, render=shown(typed, view))
        return Plan(message, printed_already, typed.output.exit_status)


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
