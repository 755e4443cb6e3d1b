"""Reads places of suites and checks: ranges of lines, or choices of them."""

import posixpath

from ggrep.interfaces.evaluation.toml_file import Table
from ggrep.interfaces.evaluation.visible_places import Choice, Place, place_of


def read_places(table: Table, key: str) -> tuple[Choice, ...]:
    """Return the choices of places of a key; none where the key is missing.

    A place alone may stand without brackets; a list inside of the list is a choice.

    Raises:
        UsageError: one is no place, or nothing can ever be shown of it.
    """
    if not table.has(key):
        return ()
    value = table.data[key]
    choices = [value] if isinstance(value, str) else value
    if not isinstance(choices, list) or not choices or [] in choices:
        table.fail(f"{key} must be a list of places that says something", key)
    wanted = tuple(
        tuple(_place(table, key, each) for each in (one if isinstance(one, list) else [one]))
        for one in choices
    )
    for at, choice in enumerate(wanted):
        if choice in wanted[:at]:
            table.fail(f"{key}: {' or '.join(map(str, choice))} stands twice", key)
    return wanted


def _place(table: Table, key: str, said: object) -> Place:
    place = place_of(said) if isinstance(said, str) else None
    if place is None:
        table.fail(f"{key}: {said!r} is no place such as src/lock.c:120-127", key)
    path = posixpath.normpath(place.path)
    if path.startswith("/") or path.split("/")[0] in {".", ".."}:
        table.fail(f"{key}: {said!r} leads out of the root; paths are counted from it", key)
    return Place(path, place.first, place.last)
