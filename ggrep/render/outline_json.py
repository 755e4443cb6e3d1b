"""The JSON of outlines and tours: schemas `outline_success` and `tour_success`, version 1 each."""

from typing import TYPE_CHECKING

from ggrep.base.formats import OUTLINE_SCHEMA, TOUR_SCHEMA
from ggrep.model.outline import ListedPath, OutlineResponse, PathOutline, TourResponse, TourSection
from ggrep.render.metadata_json import fields_json, metadata_json, timed_json

if TYPE_CHECKING:
    from ggrep.model.schemas.outline import (
        ListedPathJson,
        OutlineJson,
        PathOutlineJson,
        TourJson,
        TourSectionJson,
    )


def outline_success(response: OutlineResponse) -> "OutlineJson":
    """Return what files and folders define as its JSON object."""
    request = response.request
    return {
        **metadata_json(response, OUTLINE_SCHEMA),
        **timed_json(response),
        "targets": list(request.targets),
        "limits": {"depth": request.depth, "max_outline_bytes": request.max_bytes},
        "outlines": [_outline(one) for one in response.outlines],
    }


def tour_success(response: TourResponse) -> "TourJson":
    """Return what a repository is as its JSON object."""
    return {
        **metadata_json(response, TOUR_SCHEMA),
        **timed_json(response),
        "limits": {"max_tour_bytes": response.request.max_bytes},
        "sections": [_section(one) for one in response.sections],
    }


def _outline(outline: PathOutline) -> "PathOutlineJson":
    return {
        "path": outline.path,
        "folder": outline.folder,
        "language": outline.language,
        "files": outline.files,
        "lines": outline.lines,
        "reading": outline.reading,
        "entries": [fields_json(entry) for entry in outline.entries],
        "listed": [_listed(one) for one in outline.listed],
        "left_out": {one.kind: one.count for one in outline.left_out},
    }


def _listed(listed: ListedPath) -> "ListedPathJson":
    return {
        "depth": listed.depth,
        "name": listed.name,
        "folder": listed.folder,
        "files": listed.files,
        "lines": listed.lines,
        "language": listed.language,
        "holds": list(listed.holds),
        "more": listed.more,
    }


def _section(section: TourSection) -> "TourSectionJson":
    return {
        "kind": section.kind,
        "facts": [fields_json(line) for line in section.lines],
        "left_out": section.left_out,
    }
