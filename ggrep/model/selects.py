"""Says which filter or path selects nothing, of one store or of several. Pure."""

from collections.abc import Collection

from ggrep.model.filters import Filter
from ggrep.model.limits import Notice
from ggrep.model.sanitise import sanitise_line
from ggrep.model.scope import keys_of_scope


def selects_of_all(told: Collection[tuple[bool, ...]]) -> tuple[bool, ...]:
    """Return what several stores together match; empty where one of them did not say."""
    return tuple(map(any, zip(*told, strict=False))) if told and all(told) else ()


def selects_notices(
    selects: tuple[bool, ...], scope: str, filters: tuple[Filter, ...]
) -> tuple[Notice, ...]:
    """Return a notice that names filters or a path that nothing matches; none where all do.

    Args:
        selects: whether anything matches each filter, the path, and all of them; empty if nobody
            looked.
        scope: the paths.
        filters: in the order of `selects`.
    """
    if not selects or all(selects):
        return ()
    every = [*map(_spelled, filters), ", ".join(keys_of_scope(scope))]
    empty = [item for item, matches in zip(every, selects, strict=False) if item and not matches]
    told = ", ".join(empty) or f"all of {', '.join(filter(None, every))}"
    hints = [_hint(item) for item in filters if _spelled(item) in empty]
    said = f"nothing indexed matches {told}{next(filter(None, hints), '')}"
    return (Notice("nothing_selected", sanitise_line(said)),)


def _hint(item: Filter) -> str:
    """Return what may have been meant by a filter that nothing matches; empty for no idea."""
    if item.negated:
        return ""
    if item.key == "ext":
        return f"; if there are such files, a line !*.{item.value} in .ggignore takes them in"
    if item.key == "path" and not set(item.value) & set("*?["):
        return f"; path: takes a file, a folder or a glob, such as path:{item.value}*"
    return ""


def _spelled(item: Filter) -> str:
    return f"{'-' if item.negated else ''}{item.key}:{item.value}"
