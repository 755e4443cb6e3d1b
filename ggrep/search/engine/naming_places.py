"""Selects and orders the occurrences of a name that a request asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from ggrep.model.limits import Notice
from ggrep.model.sanitise import sanitise_line
from ggrep.search.engine.name_reading import Place, Reading
from ggrep.search.query.name_candidates import AskedName, NameFile, defining_files
from ggrep.search.query.near_names import MAX_SUGGESTIONS, near_names

_ENTRANCES: Final = frozenset({"__init__", "index", "lib", "main", "mod"})
"""Files that go by the name of their directory."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """The definitions of a name.

    Attributes:
        places: in the order of the answer.
        suggestions: other names, where there are none.
        notices: that it is spelled otherwise.
    """

    places: tuple[Place, ...]
    suggestions: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def find_definitions(reading: Reading, asked: AskedName) -> Definitions:
    """Return the definitions of a name as spelled; in another letter case if there are none.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files = defining_files(reading.held, asked.last, reading.deadline)
    beside: list[Place] = []
    for any_case in (False, True):
        every = _defining(reading, files, asked.last, any_case=any_case)
        kept = _qualified(every, asked.owners)
        if kept:
            notices = other_case(asked.last, kept) if any_case else ()
            return Definitions(tuple(sorted(kept, key=_order)), notices=notices)
        beside += every
    if beside:
        names = dict.fromkeys(sanitise_line(qualified_name(place)) for place in beside)
        return Definitions((), tuple(names)[:MAX_SUGGESTIONS])
    near = near_names(reading.held, asked.last, reading.deadline)
    return Definitions((), tuple(map(sanitise_line, near)))


def other_case(name: str, places: Iterable[Place]) -> tuple[Notice, ...]:
    """Return the notice that the name occurs only in other letter case."""
    spelled = sorted({place.mention.text for place in places} - {name})
    shown = ", ".join(map(sanitise_line, spelled[:MAX_SUGGESTIONS]))
    told = f"nothing is spelled {sanitise_line(name)}; shown is {shown}"
    return (Notice("other_case", told),) if spelled else ()


def qualified_name(place: Place) -> str:
    """Return the name at a place, qualified by the enclosing definitions."""
    return ".".join(filter(None, (place.mention.container, place.mention.text)))


def _defining(
    reading: Reading, files: Sequence[NameFile], name: str, *, any_case: bool
) -> list[Place]:
    return [
        place
        for file in reading.read(files, name, any_case=any_case)
        for place in file.places
        if place.mention.defined is not None
    ]


def _qualified(places: Sequence[Place], owners: tuple[str, ...]) -> list[Place]:
    """Return the places whose container ends in `owners`; where none does, with its file's path."""
    if not owners:
        return list(places)
    within = [place for place in places if _ends(_parts(place.mention.container), owners)]
    return within or [place for place in places if _ends(_path_parts(place), owners)]


def _parts(container: str) -> list[str]:
    return [part for part in container.replace("::", ".").split(".") if part]


def _path_parts(place: Place) -> list[str]:
    """Return what a module is called by, and the container in it: `json.decoder.JSONDecoder`."""
    path = PurePosixPath(place.file.path)
    stem = path.name.partition(".")[0]
    parts = [*path.parts[:-1], *([] if stem in _ENTRANCES else [stem])]
    return [*parts, *_parts(place.mention.container)]


def _ends(parts: Sequence[str], owners: tuple[str, ...]) -> bool:
    folded = tuple(part.casefold() for part in owners)
    return tuple(part.casefold() for part in parts[-len(folded) :]) == folded


def _order(place: Place) -> tuple[bool, bool, bool, str, int, int]:
    """Sort sources before tests, namespaces and mere declarations last, then by place."""
    mention = place.mention
    defined = mention.defined
    return (
        place.file.test,
        defined is not None and defined.kind == "module",
        defined is not None and defined.declared_only,
        place.file.path,
        mention.line,
        mention.column,
    )
