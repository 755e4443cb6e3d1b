"""The arguments of slate calls outside of their bodies: which apply, and where they belong."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.arguments import Argument
from ggrep.interfaces.mcp.mcp_places import RepoPlace
from ggrep.model.slate import SlateRequest

_OF_SLATES: Final = frozenset(
    {"level", "max_bytes", "max_file_bytes", "max_files", "evidence", "graph"}
)
_OF_HITS: Final = frozenset({"top", "per_file"})


def placed_for(arguments: Sequence[Argument], values: Mapping[str, object]) -> tuple[Argument, ...]:
    """Return the arguments of a workspace search with their places in the body of its format.

    A slate has anchors of its own; for a list of hits nothing changes.

    Raises:
        InvalidRequest: a value is given that the other format alone heeds.
    """
    slate = values.get("format") == "slate"
    idle = sorted(values.keys() & (_OF_HITS if slate else _OF_SLATES))
    if idle:
        raise InvalidRequest(f"{', '.join(idle)}: {'not' if slate else 'only'} with format slate")
    return tuple(
        replace(argument, place=("slate", "anchors"))
        if slate and argument.name == "anchors"
        else argument
        for argument in arguments
    )


def narrowed(request: SlateRequest, place: RepoPlace) -> SlateRequest:
    """Return the request narrowed to a place, its targets as the repository writes them."""
    search, session = replace(request.search, scope=place.scope), request.session
    if session is not None:
        session = replace(session, targets=tuple(map(place.key, session.targets)))
    return replace(request, search=search, session=session)
