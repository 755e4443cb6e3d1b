"""`ggrep search`, and `ggrep "words"`."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, UsageError
from ggrep.config.profiles import apply_to_request
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, refuse
from ggrep.interfaces.cli.queries.one_search import search_one
from ggrep.interfaces.cli.queries.query import PlanContext, Query, RepositoryQuery, search_query
from ggrep.interfaces.cli.queries.query_options import (
    MORE,
    AgentSearch,
    MergeOptions,
    check_agent,
    refuse_flags_of_people,
)
from ggrep.interfaces.cli.queries.search_options import (
    HitOptions,
    IndexOptions,
    LineOptions,
    QueryOptions,
    ReceiptOutput,
    TypedSearch,
    given_fields,
    listing,
    request_of,
)
from ggrep.interfaces.cli.queries.slate_options import SlateFormat, wants_slate
from ggrep.interfaces.surfaces.agent_search import AgentTextOptions, hits_to_open, search_text
from ggrep.model.index_freshness import incomplete_first
from ggrep.model.limits import Notice
from ggrep.model.request import SearchRequest, SnippetMode, ViewOptions
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.messages import Ask, Search
from ggrep.render.agent_text import AgentView
from ggrep.render.answer_json import answer_json
from ggrep.render.failures import query_error
from ggrep.render.hits import best_line
from ggrep.render.limits_text import limits_line
from ggrep.render.printed import Rendered


class ForEditor(Struct, frozen=True):
    """Whether an answer is a list of locations for an editor."""

    title: ClassVar = "For editors"

    vimgrep: Annotated[
        bool,
        Flag(
            "--vimgrep",
            "Print one line path:line:column:text for each match, for quickfix lists of editors.",
        ),
    ] = False


def search_for_editor(typed: TypedSearch, *, form: str, workspace: bool) -> RepositoryQuery:
    """Return a search whose answer lists locations relative to the client's directory."""
    output, hits = typed.output, typed.hits
    given = {
        "--format": form != "text",
        "--json": output.json,
        "--receipt": output.receipt is not None,
        "--scores": hits.scores,
        "--explain": hits.explain,
        "--workspace": workspace,
    }
    refuse(given, "--vimgrep")

    def planned(site: PlanContext) -> Plan:
        request = listing(request_of(typed, scope=site.keys[0]), typed)
        # For a search by words, `places` chooses the best line of each whole chunk.
        depth = SnippetMode.NONE if request.is_exact else SnippetMode.FULL
        fields = given_fields(typed) | {"snippet", "limit"}
        request = apply_to_request(replace(request, snippet=depth), fields, site.profile)

        def printed(answers: Answers) -> Rendered:
            document = _document(answers)
            lines = list(places(document, request, site.root, Path(site.view.cwd)))
            warnings = document.get("warnings", ())
            notices = incomplete_first([Notice(each["code"], each["message"]) for each in warnings])
            notes = [f"warning: {each.message}" for part in notices for each in part]
            if cuts := limits_line(document.get("limits_hit", ())):
                notes.append(cuts)
            err = "".join(f"{sanitise_line(note)}\n" for note in notes)
            return Rendered("".join(f"{line}\n" for line in lines), err, hits=len(lines))

        return Plan((Search(request, render=ViewOptions(json=True)),), printed)

    return search_query("search", replace(typed, output=replace(output, plain=True)), planned)


def places(
    document: Mapping[str, Any], request: SearchRequest, root: Path, here: Path
) -> Iterator[str]:
    """Yield `path:line:column:text`; columns are bytes from 1, as editors count them.

    A hit with matched lines yields each matched line. Any other hit yields its line that contains
    the query, else the line of its name, else its first line.
    """
    for hit in document["results"]:
        path = sanitise_line(os.path.relpath(root / hit["path"], here))
        for line in hit.get("lines", ()):
            for column, _ in line["columns"]:
                yield f"{path}:{line['line']}:{column}:{sanitise_line(line['text'])}"
        if "lines" in hit:
            continue
        lines = hit.get("content", "").split("\n")
        first = hit.get("content_start_line", hit["start_line"])
        at, start = best_line(
            lines, request.query, hit.get("qualified_name", "").rpartition(".")[2]
        )
        offset = len(lines[at][:start].encode()) + 1
        yield f"{path}:{first + at}:{offset}:{sanitise_line(lines[at])}"


def search(
    query: Annotated[str, Argument("Words, a name or code to search for.")],
    question: QueryOptions,
    hits: HitOptions,
    output: ReceiptOutput,
    asking: IndexOptions,
    slate: SlateFormat,
    agent: AgentSearch,
    repositories: MergeOptions,
    editor: ForEditor,
    lines: LineOptions,
    path: Annotated[list[str] | None, Argument("Search only these directories and files.")] = None,
) -> Query:
    """Search a repository, or all repositories of a workspace."""
    typed = TypedSearch(query, path or (), question, hits, asking, output, lines)
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
            raise UsageError("--body and --workspace cannot go together; use expand alias:path")
        from ggrep.interfaces.cli.queries.workspace_search import search_workspace

        if for_agents:
            refuse_flags_of_people(typed, stats=repositories.stats)
        view = AgentView(agent.budget or 0, MORE) if for_agents else None
        return search_workspace(typed, repositories, view)
    repositories.refuse_without_file()
    if for_agents:
        return search_for_agent(typed, AgentTextOptions(agent.bodies, agent.budget or 0))
    return search_one(typed)


def _check_receipt(output: ReceiptOutput) -> None:
    if output.receipt is not None:
        from ggrep.interfaces.cli.queries.replay import require_receipt_place

        require_receipt_place(output.receipt, force=output.force)
    elif output.force:
        raise UsageError("--force: allowed only with --receipt")


def search_for_agent(typed: TypedSearch, wish: AgentTextOptions) -> RepositoryQuery:
    """Return a search for agents, which also shows the code of the best hits."""
    refuse_flags_of_people(typed)

    def planned(site: PlanContext) -> Plan:
        request = listing(request_of(typed, scope=site.keys[0]), typed)
        if request.is_exact or not typed.hits.snippet:
            request = replace(request, snippet=SnippetMode.NONE)
        given = given_fields(typed) | {"snippet", "limit"}
        request = apply_to_request(request, given, site.profile)

        def opened(answers: Answers) -> list[Ask[Any]]:
            wanted = hits_to_open(_document(answers), wish, request.timeout_ms)
            return [Ask(expansion) for _, expansion in wanted]

        def printed(answers: Answers) -> Rendered:
            document = _document(answers)
            # An expansion fails if the snapshot has changed since the search.
            bodies = [
                query_error(body)["error"] if isinstance(body, GgrepError) else answer_json(body)
                for body in answers[1:]
            ]
            text = search_text(document, list(enumerate(bodies)), wish, MORE)
            return Rendered(text + "\n", "", hits=len(document["results"]))

        return Plan((Search(request, render=ViewOptions(json=True)),), printed, opened)

    return search_query("search", typed, planned)


def _document(answers: Answers) -> Any:  # noqa: ANN401 - of any shape
    return stable_json.loads(answers[0].out.encode())
