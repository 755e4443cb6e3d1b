"""What a body says of the slate it wants: the same keys for one repository and for many."""

from collections.abc import Mapping
from typing import Final

from ggrep.domain.slate import Budgets
from ggrep.federation.slating import SlateShape
from ggrep.surfaces.fields import Fields

MAX_LEVEL: Final = 3
"""Most that a slate discloses."""

FORMATS: Final[Mapping[str, bool]] = {"hits": False, "slate": True}
"""What an answer may be, and whether that is a slate."""


def read_shape(fields: Fields) -> SlateShape:
    """Return what the key `slate` says; what it leaves out is as usual."""
    usual, settings = SlateShape(), fields.child("slate")
    level = settings.integer("level")
    if level is not None and not 0 <= level <= MAX_LEVEL:
        settings.add("level", "range", f"must be from 0 to {MAX_LEVEL}, is {level}")
    anchors, graph = settings.flag("anchors"), settings.flag("graph")
    budgets = Budgets(
        total_bytes=_figure(settings, "maxBytes"),
        file_bytes=_figure(settings, "maxFileBytes"),
        files=_figure(settings, "maxFiles"),
        evidence_per_file=_figure(settings, "maxEvidencePerFile"),
    )
    settings.finish()
    return SlateShape(
        level=usual.level if level is None else level,
        budgets=budgets,
        anchors=usual.anchors if anchors is None else anchors,
        graph=usual.graph if graph is None else graph,
    )


def read_format(fields: Fields) -> SlateShape | None:
    """Return the slate that a body wants; None where its key `format` wants a list of hits."""
    shape = read_shape(fields)
    return shape if fields.word("format", FORMATS, default=False) else None


def _figure(settings: Fields, key: str) -> int:
    value = settings.integer(key)
    if value is not None and value < 0:
        settings.add(key, "range", f"must be 0 or more, is {value}")
    return value or 0
