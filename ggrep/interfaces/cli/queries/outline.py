"""`ggrep outline` and `ggrep tour`: what files and folders define, what a repository is."""

from typing import Annotated, ClassVar

from msgspec import Struct

from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.agent_options import AgentForm, wants_agent
from ggrep.interfaces.cli.queries.query import Finder, Query, RepositoryQuery, Site
from ggrep.interfaces.cli.queries.search_options import Asking
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.protocol.wire.message_types import Ask
from ggrep.render.agent_text import agent_text
from ggrep.render.outline_json import outline_success, tour_success
from ggrep.render.outline_text import render_outline, render_tour
from ggrep.render.printed import Rendered


class Shape(Struct, frozen=True):
    """How much of an outline is shown."""

    title: ClassVar = "Extent"

    depth: Annotated[int | None, Flag("--depth", of=OutlineRequest, judged=True)] = None
    max_bytes: Annotated[int | None, Flag("--max-bytes", of=OutlineRequest, judged=True)] = None


class Room(Struct, frozen=True):
    """How much of a tour is shown."""

    title: ClassVar = "Extent"

    max_bytes: Annotated[int | None, Flag("--max-bytes", of=TourRequest, judged=True)] = None


def outline(
    shape: Shape,
    output: Output,
    agent: AgentForm,
    asking: Asking,
    paths: Annotated[
        list[str] | None,
        Argument("Files, folders, or path:line; default: the current folder.", metavar="PATH..."),
    ] = None,
) -> Query:
    """Show what files or folders define, as a tree with line ranges."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    given = said(OutlineRequest, shape, asking)

    def find(finder: Finder) -> list[Target]:
        return [finder.folder_or_target(path, asking.repo) for path in paths or ["."]]

    def planned(site: Site) -> Plan:
        def printed(answers: Answers) -> Rendered:
            if for_agents:
                return Rendered(agent_text(outline_success(answers[0])) + "\n", "")
            return render_outline(answers[0], site.root, site.view)

        return Plan((Ask(OutlineRequest(site.keys, **given)),), printed)

    return RepositoryQuery(asking, output, find, planned)


def tour(
    room: Room,
    output: Output,
    agent: AgentForm,
    asking: Asking,
    path: Annotated[str | None, Argument("The repository, or a path in it.")] = None,
) -> Query:
    """Show what a repository is: purpose, layout, entry points, how to build and test it."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    message = Ask(TourRequest(**said(TourRequest, room, asking)))

    def find(finder: Finder) -> list[Target]:
        return [Target(finder.place(asking.repo, path))]

    def planned(site: Site) -> Plan:
        def printed(answers: Answers) -> Rendered:
            if for_agents:
                return Rendered(agent_text(tour_success(answers[0])) + "\n", "")
            return render_tour(answers[0], site.root, site.view)

        return Plan((message,), printed)

    return RepositoryQuery(asking, output, find, planned)
