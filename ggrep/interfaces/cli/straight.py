"""Parses unambiguous command lines without typer, which takes longer than many commands.

A second, smaller reading of what `grouped` has typer read, from the same declarations. It may
refuse anything, and refuses whatever gives cause to doubt; what it does take, it reads as the
other does. Help, abbreviations and mistakes are typer's.
"""

from collections.abc import Sequence
from inspect import Parameter
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args

from ggrep.interfaces.cli.taking import Command, Piece, pieces_of

_MOST_DIGITS: Final = 9


def read(command: Command, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the parsed values of a command's parameters.

    Raises:
        ValueError: they are not plain, or may not be.
    """
    pieces = pieces_of(command)
    if pieces is None:
        raise ValueError("typer knows")
    given = {piece.key: piece.default for piece in pieces}
    places = [piece for piece in pieces if not piece.names]
    named = {name: piece for piece in pieces for name in piece.names}
    left = iter(arguments)
    for argument in left:
        if not argument.startswith("-"):
            if not places:
                raise ValueError(argument)
            piece = places.pop(0)
            given[piece.key] = _value(piece, argument)
            continue
        flag, is_joined, text = argument.partition("=")
        piece = named[flag] if flag in named else _unknown(flag)
        if piece.kind is bool:
            given[piece.key] = True if not is_joined else _unknown(argument)
            continue
        value = _value(piece, text if is_joined else next(left, ""))
        if _is_list(piece.kind):
            given[piece.key] = [*(given[piece.key] or ()), value]
        else:
            given[piece.key] = value
    if Parameter.empty in given.values():
        raise ValueError("an argument is missing")
    return given


def _value(piece: Piece, text: str) -> Any:  # noqa: ANN401 - of any piece
    """Return a value converted to the parameter's type.

    Raises:
        ValueError: it is of another, or of one that typer knows better.
    """
    if not text or text.startswith("-") or (_is_list(piece.kind) and not piece.names):
        raise ValueError(text)
    (kind,) = _without_none(_item(piece.kind))
    if kind is str:
        return text
    if kind is Path:
        return Path(text)
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if kind is not int or not is_number:
        raise ValueError(text)
    return _in_range(piece, int(text))


def _in_range(piece: Piece, value: int) -> int:
    flag = getattr(piece.says, "flag", None)
    least, most = getattr(flag, "least", None), getattr(flag, "most", None)
    if (least is not None and value < least) or (most is not None and value > most):
        raise ValueError(value)
    return value


def _is_list(kind: Any) -> bool:  # noqa: ANN401 - any type
    return bool([one for one in _without_none(kind) if getattr(one, "__origin__", None) is list])


def _item(kind: Any) -> Any:  # noqa: ANN401 - any type
    """Return the type of one value; of a list, the type of its items."""
    if not _is_list(kind):
        return kind
    (several,) = _without_none(kind)
    return get_args(several)[0]


def _without_none(kind: Any) -> list[Any]:  # noqa: ANN401 - any type
    is_type = isinstance(kind, type) or getattr(kind, "__origin__", None) is not None
    return [kind] if is_type else [one for one in get_args(kind) if one is not NoneType]


def _unknown(argument: str) -> Any:  # noqa: ANN401 - it returns nothing
    raise ValueError(argument)
