"""The parameters of a command: as both parsers read them, and read from an unambiguous line.

`read_plainly` does without typer, which takes longer than many commands. It is a second, smaller
reading of what `typer_tree` has typer read, from the same declarations. It may refuse anything, and
refuses whatever gives cause to doubt; what it does take, it reads as the other does. Help,
abbreviations and mistakes are typer's.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, Protocol, get_args, get_origin

from msgspec import Struct

from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    Option,
    one_of,
    option_of,
    options_of,
    require_known,
)


class Work(Protocol):
    """What a command that asks returns: its work, not begun."""

    def answer(self) -> int:
        """Do it; return the exit status."""


Command = Callable[..., int | Work]


class Piece(Struct, frozen=True):
    """One parameter: an argument, an option, or a switch that stands for one of its words.

    Attributes:
        key: what its value is handed over by.
        kind: of its value, as `int | None` or `list[str] | None`.
        default: what stands for nothing; `inspect.Parameter.empty` where there must be something.
        says: of an argument what it is; the option otherwise.
        title: of its group; None without one.
        word: of a flag that stands for one.
    """

    key: str
    kind: Any
    default: Any
    says: Argument | Option
    title: str | None = None
    word: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the option's names; none for an argument."""
        if isinstance(self.says, Argument):
            return ()
        flag = self.says.flag
        named = next((each.names for each in flag.switches if each.word == self.word), flag.names)
        return tuple(named.split())


def pieces_of(command: Command) -> tuple[Piece, ...] | None:
    """Return a command's parameters; None if it takes parameters of other kinds."""
    found: list[Piece] = []
    for each in inspect.signature(command).parameters.values():
        own = option_of(each.name, each.annotation, each.default)
        argument = _argument(each)
        if _is_group(each):
            for option in options_of(each.annotation):
                found += _pieces(option, each.name, each.annotation.title)
        elif own is not None:
            found += _pieces(own, "", None)
        elif argument is not None:
            found.append(argument)
        else:
            return None
    return tuple(found)


def handed(command: Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a command's keyword arguments, built from the parsed values.

    Raises:
        UsageError: a word is none of the closed set that it should be of.
    """
    takes = inspect.signature(command).parameters.values()
    return {each.name: _collected(each, given) for each in takes}


def run(command: Command, given: Mapping[str, Any]) -> int:
    """Run a command with its parsed values; return its exit status."""
    done = command(**handed(command, given))
    return done if isinstance(done, int) else done.answer()


def _argument(parameter: inspect.Parameter) -> Piece | None:
    if get_origin(parameter.annotation) is not Annotated:
        return None
    kind, *notes = get_args(parameter.annotation)
    says = next((note for note in notes if isinstance(note, Argument)), None)
    return None if says is None else Piece(parameter.name, kind, parameter.default, says)


def _pieces(option: Option, group: str, title: str | None) -> Iterator[Piece]:
    if option.flag.names:
        kind, default = _typed(option)
        yield Piece(_key(group, option), kind, default, option, title)
    for switch in option.flag.switches:
        yield Piece(_key(group, option, switch.word), bool, False, option, title, switch.word)


def _typed(option: Option) -> tuple[Any, Any]:
    """Return the type of an option's value as it is typed, and what stands for nothing."""
    if option.flag.switches:
        return str | None, None
    if _is_repeatable(option):
        return list[get_args(option.kind)[0]] | None, None  # type: ignore[misc] # a type by then
    return (bool, False) if _is_switch(option) else (option.kind, option.default)


def _collected(parameter: inspect.Parameter, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any
    kind, name = parameter.annotation, parameter.name
    own = option_of(name, kind, parameter.default)
    if _is_group(parameter):
        return kind(**{one.name: _value(one, name, given) for one in options_of(kind)})
    if own is not None:
        return _value(own, "", given)
    argument = _argument(parameter)
    if argument is not None and argument.says.words:
        one_of(name, given[name], argument.says.words)
    return given[name]


def _value(option: Option, group: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any
    """Return what a group has for an option."""
    value = given.get(_key(group, option))
    require_known(option, value)
    if option.flag.switches:
        words = (each.word for each in option.flag.switches)
        typed = [word for word in words if given[_key(group, option, word)]]
        return (*([value] if value else []), *typed)
    if _is_repeatable(option):
        return tuple(value or ())
    if _is_switch(option):
        return not option.resting if value else option.default
    return value


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and issubclass(parameter.annotation, Struct)


def _is_repeatable(option: Option) -> bool:
    return get_origin(option.kind) is tuple and get_args(option.kind)[1:] == (...,)


def _is_switch(option: Option) -> bool:
    return option.kind in {bool, bool | None} and "/" not in option.flag.names


def _key(group: str, option: Option, word: str = "") -> str:
    """Return the key of a value; it is unique even if two groups share a field name."""
    return "_".join(part for part in (group, option.name, word) if part)


_MOST_DIGITS: Final = 9


def read_plainly(command: Command, arguments: Sequence[str]) -> dict[str, Any]:
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
            _take_place(places, argument, given)
            continue
        # A value is joined to a long flag alone.
        flag, is_joined, text = argument.partition("=" if argument.startswith("--") else "\0")
        piece = named[flag] if flag in named else _unknown(flag)
        if piece.kind is bool:
            given[piece.key] = True if not is_joined else _unknown(argument)
            continue
        value = _converted(piece, text if is_joined else next(left, ""))
        if _is_list(piece.kind):
            given[piece.key] = [*(given[piece.key] or ()), value]
        else:
            given[piece.key] = value
    if Parameter.empty in given.values():
        raise ValueError("an argument is missing")
    return given


def _converted(piece: Piece, text: str) -> Any:  # noqa: ANN401 - of any piece
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


def _take_place(places: list[Piece], argument: str, given: dict[str, Any]) -> None:
    """Give a word to the first free place; the last of all may take any number of them.

    Raises:
        ValueError: it is of another type, or one that typer knows better.
    """
    piece = places[0]
    if len(places) > 1 or not _is_list(piece.kind):
        places.pop(0)
        given[piece.key] = _converted(piece, argument)
        return
    if not argument:
        raise ValueError(argument)
    held = given[piece.key]
    given[piece.key] = [*(held if isinstance(held, list) else ()), argument]


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
