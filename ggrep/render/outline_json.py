"""The JSON of outlines and tours: schemas `outline_success` and `tour_success`, version 1 each."""

from typing import TYPE_CHECKING

from msgspec import to_builtins

from ggrep.base.formats import OUTLINE_SCHEMA, TOUR_SCHEMA
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.render.metadata_json import metadata_json, timed_json

if TYPE_CHECKING:
    from ggrep.model.schemas.outline import OutlineJson, TourJson


def outline_success(response: OutlineResponse) -> "OutlineJson":
    """Return what files and folders define as its JSON object."""
    request = response.request
    return {
        **metadata_json(response, OUTLINE_SCHEMA),
        **timed_json(response),
        "targets": list(request.targets),
        "limits": {"depth": request.depth, "max_outline_bytes": request.max_bytes},
        "outlines": to_builtins(response.outlines),
    }


def tour_success(response: TourResponse) -> "TourJson":
    """Return what a repository is as its JSON object."""
    return {
        **metadata_json(response, TOUR_SCHEMA),
        **timed_json(response),
        "limits": {"max_tour_bytes": response.request.max_bytes},
        "sections": to_builtins(response.sections),
    }
