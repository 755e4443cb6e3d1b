"""Answers requests that name a definition instead of a place, or a chunk instead of a name.

`expand Checkout.charge_card` opens that definition; `refs #1f9c2a7` follows the name that a chunk
defines.
"""

from collections.abc import Sequence
from typing import Final, NoReturn, TypeVar

from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import (
    Definition,
    ExpandRequest,
    ExpandResponse,
    ReferencesRequest,
    SymbolRequest,
)
from ggrep.search.navigation.expanding import check_expand, expand
from ggrep.search.navigation.left_out import left_out_hint, without_link
from ggrep.search.navigation.name_answers import check_name, symbol
from ggrep.search.query.answerer import Answerer
from ggrep.search.query.context import Context
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.segments import find_file, open_segments
from ggrep.search.query.targets import HANDLE, find_target, target_exists

_MOST_SAID: Final = 5
"""Maximum number of other definitions of a name whose places are listed."""
_Asked = TypeVar("_Asked", SymbolRequest, ReferencesRequest)
_CONSTANTS: Final = frozenset({"constant", "field"})


def expand_place(context: Context, request: ExpandRequest) -> ExpandResponse:
    """Return the text around a place, or the text of a name's first definition.

    A target that exists as a place in the index is a place. Any other target is a name, which is
    searched for in all files, or with `path:name` in one file.

    Raises:
        InvalidRequest: the target is neither a place nor a defined name, or names several places.
        GgrepError: as `expand` and `symbol`.
    """
    target, segments = request.target.strip(), open_segments(context.view)
    path, name = target.removeprefix("./").partition(":")[::2]
    is_in_file = find_file(segments, path) is not None
    path, name = (path, name.lstrip(":")) if is_in_file else ("", target)
    if target_exists(segments, target, context.deadline) or not _is_name(name):
        return expand(context, request)
    asked = SymbolRequest(name, scope=path, deterministic=request.deterministic)
    result = symbol(context, asked)
    if not result.definitions:
        _refuse(context, target, path, result.suggestions)
    first = _fullest(result.definitions)
    others = [each for each in result.definitions if each is not first]
    boundary = request.boundary
    if boundary == "auto" and first.kind in _CONSTANTS:
        boundary = "chunk"
    # Expand at the line of the name, because a long comment before it could take all of the space.
    place = f"{first.path}:{first.line}"
    opened = expand(context, replace(request, target=place, boundary=boundary))
    listed = [each for each in others if not (_declares(each, first) or _stands_in(each, opened))]
    also = _others(target, listed, result.total - (len(others) - len(listed)))
    return replace(
        opened,
        request=replace(opened.request, target=request.target),
        query_fingerprint=result.query_fingerprint,
        warnings=(*opened.warnings, *result.warnings, *also),
        limits_hit=(*opened.limits_hit, *_cuts(result.limits_hit)),
    )


def _fullest(definitions: Sequence[Definition]) -> Definition:
    """Return the first definition, or a longer definition of the same name in the same file.

    A caller that names a method wants its body, not a field or a short overload.
    """
    first = definitions[0]
    alike = [
        each
        for each in definitions
        if (each.path, each.qualified_name) == (first.path, first.qualified_name)
    ]
    return max(alike, key=_fullness)


def _fullness(definition: Definition) -> tuple[bool, int]:
    """Return a key that is highest for the longest definition with a body."""
    is_bare = definition.kind in _CONSTANTS or definition.signature.endswith(";")
    return not is_bare, definition.end_line - definition.line


def by_handle(context: Context, request: _Asked) -> _Asked:
    """Return a request for the name that a chunk defines, if the request contains the chunk's id.

    If the chunk is part of a long definition, the name is the definition's name.

    Raises:
        InvalidRequest: the chunk defines nothing, or the id is ambiguous.
    """
    name = request.name.strip()
    segments = open_segments(context.view)
    if not HANDLE.fullmatch(name) or not target_exists(segments, name, context.deadline):
        return request
    target = find_target(segments, name, context.deadline)
    segment = segments[target.segment]
    rows = [] if target.row is None else shown_rows(context.view, segment, [target.row])
    for details in (row.details for row in rows):
        if named := details.qualified_name or details.name or ".".join(details.breadcrumb):
            return replace(request, name=named)
    path = segment.image.path(target.file)
    place = f"{path}:{target.first_line}-{target.last_line}"
    raise InvalidRequest(f"name: {name} is {place}, where no name is defined")


def _refuse(context: Context, target: str, path: str, near: tuple[str, ...]) -> NoReturn:
    """Raise an error: a target is not a place, or its file does not define the name."""
    similar = f"; similar names: {', '.join(near)}" if near else ""
    if path:
        name = target.removeprefix("./").removeprefix(path).lstrip(":")
        raise InvalidRequest(f"target: {path!r} does not define {name!r}{similar}")
    try:
        find_target(open_segments(context.view), target, context.deadline)
    except InvalidRequest as error:
        raise InvalidRequest(f"{error}{similar}") from error
    raise AssertionError(target)


def _is_name(target: str) -> bool:
    try:
        check_name(SymbolRequest(target))
    except InvalidRequest:
        return False
    return True


def _cuts(limits: tuple[LimitHit, ...]) -> tuple[LimitHit, ...]:
    """Return the limits that may have hidden a definition, without `max_symbols`."""
    return tuple(limit for limit in limits if limit.code != "max_symbols")


def _declares(definition: Definition, body: Definition) -> bool:
    """Return whether a definition is only the declaration of another definition."""
    ours, theirs = f".{definition.qualified_name}", f".{body.qualified_name}"
    is_same = theirs.endswith(ours) or ours.endswith(theirs)
    return is_same and definition.signature.endswith(";") and not body.signature.endswith(";")


def _stands_in(definition: Definition, opened: ExpandResponse) -> bool:
    return (
        definition.path == opened.path and opened.start_line <= definition.line <= opened.end_line
    )


def _others(name: str, others: Sequence[Definition], total: int) -> tuple[Notice, ...]:
    if not others:
        return ()
    places = [f"{each.path}:{each.line}" for each in others]
    more = total - 1 - len(places[:_MOST_SAID])
    left = f" and {more} more" if more > 0 else ""
    message = f"{name} is also defined at {', '.join(places[:_MOST_SAID])}{left}"
    return (Notice("more_definitions", message),)


def _expanded(context: Context, request: ExpandRequest) -> ExpandResponse:
    """Return the text around a place; an error reports if the file exists but is not indexed."""
    if not context.detached:
        target = without_link(
            context.root,
            request.target,
            lambda path: find_file(open_segments(context.view), path) is not None,
        )
        request = replace(request, target=target)
    try:
        return expand_place(context, request)
    except InvalidRequest as error:
        left_out = "" if context.detached else left_out_hint(context.root, request.target)
        if not left_out:
            raise
        raise InvalidRequest(f"{error}{left_out}") from error


EXPAND: Final = Answerer(_expanded, check_expand)
