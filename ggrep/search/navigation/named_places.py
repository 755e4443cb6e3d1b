"""Places that go by a name, and names that go by a place.

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
"""Number of other definitions of a name whose places are named."""
_Asked = TypeVar("_Asked", SymbolRequest, ReferencesRequest)
_CONSTANTS: Final = frozenset({"constant", "field"})


def expand_place(context: Context, request: ExpandRequest) -> ExpandResponse:
    """Return the text around a place, or of the first definition of a name.

    A target that is a place in the index is read as that place, any other as a name, in the file of
    `path:name` or everywhere.

    Raises:
        InvalidRequest: the target is neither, or more than one place.
        GgrepError: as `expand` and `symbol`.
    """
    target, segments = request.target.strip(), open_segments(context.view)
    path, name = target.removeprefix("./").partition(":")[::2]
    is_in_file = find_file(segments, path) is not None
    path, name = (path, name.lstrip(":")) if is_in_file else ("", target)
    if target_exists(segments, target, context.deadline) or not _is_name(name):
        return expand(context, request)
    asked = SymbolRequest(name, scope=path, deterministic=request.deterministic)
    found = symbol(context, asked)
    if not found.definitions:
        _refuse(context, target, path, found.suggestions)
    first = _fullest(found.definitions)
    others = [one for one in found.definitions if one is not first]
    boundary = request.boundary
    if boundary == "auto" and first.kind in _CONSTANTS:
        boundary = "chunk"
    # By the line of its name: what a long comment fills in front of it shows nothing of it.
    place = f"{first.path}:{first.line}"
    opened = expand(context, replace(request, target=place, boundary=boundary))
    told = [one for one in others if not (_declares(one, first) or _stands_in(one, opened))]
    also = _others(target, told, found.total - (len(others) - len(told)))
    return replace(
        opened,
        request=replace(opened.request, target=request.target),
        query_fingerprint=found.query_fingerprint,
        warnings=(*opened.warnings, *found.warnings, *also),
        limits_hit=(*opened.limits_hit, *_cuts(found.limits_hit)),
    )


def _fullest(definitions: Sequence[Definition]) -> Definition:
    """Return the first definition, or of those that share its name and file the longest.

    A field or an overload that hands on is not what was meant by a method's name.
    """
    first = definitions[0]
    alike = [
        one
        for one in definitions
        if (one.path, one.qualified_name) == (first.path, first.qualified_name)
    ]
    return max(alike, key=_fullness)


def _fullness(one: Definition) -> tuple[bool, int]:
    """Return what is larger of a body than of a value or a declaration, comments aside."""
    is_bare = one.kind in _CONSTANTS or one.signature.endswith(";")
    return not is_bare, one.end_line - one.line


def by_handle(context: Context, request: _Asked) -> _Asked:
    """Return a request for the name that a chunk defines, if the request contains its handle.

    For a part of a long definition, this is the name of the definition.

    Raises:
        InvalidRequest: the chunk defines nothing, or several go by that handle.
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
    """Raise that a target is no place, or that its file does not define its name.

    Raises:
        InvalidRequest: always, with names of similar spelling.
    """
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
    """Return what may have hidden the definition; that there are more of them is a warning."""
    return tuple(limit for limit in limits if limit.code != "max_symbols")


def _declares(one: Definition, body: Definition) -> bool:
    """Return whether a definition only declares what another one defines."""
    own, theirs = f".{one.qualified_name}", f".{body.qualified_name}"
    is_same = theirs.endswith(own) or own.endswith(theirs)
    return is_same and one.signature.endswith(";") and not body.signature.endswith(";")


def _stands_in(one: Definition, opened: ExpandResponse) -> bool:
    return one.path == opened.path and opened.start_line <= one.line <= opened.end_line


def _others(name: str, others: Sequence[Definition], total: int) -> tuple[Notice, ...]:
    if not others:
        return ()
    places = [f"{one.path}:{one.line}" for one in others]
    more = total - 1 - len(places[:_MOST_SAID])
    left = f" and {more} more" if more > 0 else ""
    told = f"{name} is also defined at {', '.join(places[:_MOST_SAID])}{left}"
    return (Notice("more_definitions", told),)


def _expanded(context: Context, request: ExpandRequest) -> ExpandResponse:
    """Return the text around a place; a refusal says whether a file of that name is left out."""
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
