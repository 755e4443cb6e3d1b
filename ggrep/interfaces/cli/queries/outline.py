"""`ggrep outline` and `ggrep tour`: what files and folders define, what a repository is."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.agent_options import AgentForm, wants_agent
from ggrep.interfaces.cli.queries.asked import (
    Asked,
    AskedOfPlaces,
    Finder,
    Meant,
    Pending,
    Printing,
)
from ggrep.interfaces.cli.queries.search_options import Asking
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.model.answer_view import ViewOptions
from ggrep.model.outline import OutlineRequest, OutlineResponse, TourRequest, TourResponse
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
) -> Pending:
    """Show what files or folders define, as a tree with line ranges."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    given = said(OutlineRequest, shape, asking)

    def find(finder: Finder) -> list[Target]:
        return [finder.folder_or_target(path, asking.repo) for path in paths or ["."]]

    def message(keys: tuple[str, ...]) -> Ask[OutlineRequest]:
        return Ask(OutlineRequest(keys, **given))

    def printed(response: OutlineResponse, root: Path, view: ViewOptions) -> Rendered:
        if for_agents:
            return Rendered(agent_text(outline_success(response)) + "\n", "")
        return render_outline(response, root, view)

    return AskedOfPlaces(Printing(asking, output, printed), find, message)


def tour(
    room: Room,
    output: Output,
    agent: AgentForm,
    asking: Asking,
    path: Annotated[str | None, Argument("The repository, or a path in it.")] = None,
) -> Pending:
    """Show what a repository is: purpose, layout, entry points, how to build and test it."""
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    message = Ask(TourRequest(**said(TourRequest, room, asking)))

    def find(finder: Finder) -> Meant:
        return finder.place(asking.repo, path), lambda _: message

    def printed(response: TourResponse, root: Path, view: ViewOptions) -> Rendered:
        if for_agents:
            return Rendered(agent_text(tour_success(response)) + "\n", "")
        return render_tour(response, root, view)

    return Asked(Printing(asking, output, printed), find)
