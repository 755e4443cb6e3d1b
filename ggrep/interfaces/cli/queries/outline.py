"""`ggrep outline` and `ggrep tour`: what files and folders define, what a repository is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.agent_options import AgentForm, wants_agent
from ggrep.interfaces.cli.queries.one_answer import (
    Question,
    Reached,
    answered,
    chosen_place,
    reach,
    view_of,
)
from ggrep.interfaces.cli.queries.search_options import Asking
from ggrep.interfaces.cli.queries.typed_targets import Target, target_of
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.render.agent_text import agent_text
from ggrep.render.outline_json import outline_success, tour_success
from ggrep.render.outline_text import render_outline, render_tour
from ggrep.render.printed import Rendered
from ggrep.service.call_requests import scope_of
from ggrep.service.places import Place, place_of


@dataclass(frozen=True, slots=True)
class Shape:
    """How much of an outline is shown."""

    title: ClassVar = "Extent"

    depth: Annotated[int | None, Flag("--depth", of=OutlineRequest, judged=True)] = None
    max_bytes: Annotated[int | None, Flag("--max-bytes", of=OutlineRequest, judged=True)] = None


@dataclass(frozen=True, slots=True)
class Room:
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
) -> int:
    """Show what files or folders define, as a tree with line ranges."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    given = said(OutlineRequest, shape, asking)
    reached, keys = _reached(paths or ["."], terminal, asking)
    request = OutlineRequest(keys, **given)
    question = Question(
        ask=lambda daemon, watch: daemon.outline(request, watch),
        read=lambda engine: engine.outline(request),
    )
    response = answered(question, reached, terminal, asking)
    view = view_of(terminal, json=output.json)
    if for_agents:
        rendered = Rendered(agent_text(outline_success(response)) + "\n", "")
    else:
        rendered = render_outline(response, reached.root, view)
    terminal.write_answer(rendered.out, rendered.err, json=output.json)
    return 0


def tour(
    room: Room,
    output: Output,
    agent: AgentForm,
    asking: Asking,
    path: Annotated[str | None, Argument("The repository, or a path in it.")] = None,
) -> int:
    """Show what a repository is: purpose, layout, entry points, how to build and test it."""
    terminal = open_terminal(plain=output.plain)
    asking.check()
    for_agents = wants_agent(agent, json=output.json)
    given = said(TourRequest, room, asking)
    reached = reach(chosen_place(asking.repo, path), terminal, asking.overrides)
    request = TourRequest(**given)
    question = Question(
        ask=lambda daemon, watch: daemon.tour(request, watch),
        read=lambda engine: engine.tour(request),
    )
    response = answered(question, reached, terminal, asking)
    view = view_of(terminal, json=output.json)
    if for_agents:
        rendered = Rendered(agent_text(tour_success(response)) + "\n", "")
    else:
        rendered = render_tour(response, view)
    terminal.write_answer(rendered.out, rendered.err, json=output.json)
    return 0


def _reached(
    paths: Sequence[str], terminal: Terminal, asking: Asking
) -> tuple[Reached, tuple[str, ...]]:
    """Return the repository of all paths, and each as the repository writes it.

    Raises:
        InvalidRequest: they lie in several, or outside of any.
    """
    wanted = [_target(path, asking.repo) for path in paths]
    held = [reach(one.place, terminal, asking.overrides) for one in wanted]
    if len({one.root for one in held}) > 1:
        roots = " and ".join(sorted({sanitise_line(one.root.name) for one in held}))
        raise InvalidRequest(f"these paths lie in {roots}; give those of one repository")
    keys = (
        place.scope if target.typed == "" else target.key(place.scope)
        for target, place in zip(wanted, held, strict=True)
    )
    return held[0], tuple(keys)


def _target(typed: str, repo: Path | None) -> Target:
    """Return what a path means; of a folder nothing but its place.

    Raises:
        InvalidRequest: it lies outside of the repository that was named.
    """
    path = Path(typed)
    if not path.is_dir():
        return target_of(typed, repo)
    if repo is None:
        return Target(place_of(path), "", "")
    root = place_of(repo).root
    return Target(Place(root, scope_of(path.absolute(), root)), "", "")
