"""The parameters of a command, and calls of commands with the values of a command line.

Each parameter is declared once: `option_table` and `typer_tree` use these declarations.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin

from msgspec import Struct

from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    Option,
    one_of,
    option_of,
    options_of,
    require_known,
)

G = TypeVar("G")


class Work(Protocol):
    """A query command that has not run yet (`queries.query`)."""

    def answer(self) -> int:
        """Run the query and print the answer; return the exit status."""


Command = Callable[..., int | Work]


class Piece(Struct, frozen=True):
    """One parameter: an argument, an option, or a switch that sets an option to one word.

    Attributes:
        kind: type of the value, such as `int | None` or `list[str] | None`.
        default: `inspect.Parameter.empty` if a value is required.
        title: title of the option group; None without a title.
        word: the word that a switch sets.
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
    """Return a command's parameters; None if one is no option group, option or argument."""
    results: list[Piece] = []
    for each in inspect.signature(command).parameters.values():
        single = option_of(each.name, each.annotation, each.default)
        argument = _argument(each)
        if _is_group(each):
            for option in options_of(each.annotation):
                results += _pieces(option, each.name, each.annotation.title)
        elif single is not None:
            results += _pieces(single, "", None)
        elif argument is not None:
            results.append(argument)
        else:
            return None
    return tuple(results)


def handed(command: Command, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a command's keyword arguments, built from the values of a command line."""
    return {each.name: _collected(each, values) for each in _takes(command)}


@cache
def _takes(command: Command) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(command).parameters.values())


def group_of(kind: type[G], name: str, values: Mapping[str, Any]) -> G:
    """Return the option group for a command's parameter; raises as `handed` does."""
    return kind(**{each.name: _value(each, name, values) for each in options_of(kind)})  # type: ignore[arg-type] # types are hashable


def run(command: Command, values: Mapping[str, Any]) -> int:
    """Run a command with the values of its command line; return its exit status."""
    done = command(**handed(command, values))
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
    """Return the type of an option's typed value, and the default."""
    if option.flag.switches:
        return str | None, None
    if _is_repeatable(option):
        return list[get_args(option.kind)[0]] | None, None  # type: ignore[misc] # a type by then
    return (bool, False) if _is_switch(option) else (option.kind, option.default)


def _collected(parameter: inspect.Parameter, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any
    kind, name = parameter.annotation, parameter.name
    option = option_of(name, kind, parameter.default)
    if _is_group(parameter):
        return group_of(kind, name, values)
    if option is not None:
        return _value(option, "", values)
    argument, value = _argument(parameter), values.get(name, parameter.default)
    if argument is None:
        return value
    if argument.says.words:
        one_of(name, value, argument.says.words)
    return _as_path(argument.kind, value)


def _value(option: Option, group: str, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any
    """Return the value of an option's field in its group."""
    value = values.get(_key(group, option))
    require_known(option, value)
    if option.flag.switches:
        words = (each.word for each in option.flag.switches)
        typed = [word for word in words if values.get(_key(group, option, word))]
        return (*([value] if value else []), *typed)
    kind, default = _typed(option)
    if _is_repeatable(option):
        return tuple(_as_path(kind, value) or ())
    if _is_switch(option):
        return not option.resting if value else option.default
    return _as_path(kind, values.get(_key(group, option), default))


def _as_path(kind: Any, value: Any) -> Any:  # noqa: ANN401 - of any parameter
    """Return a value, with texts converted to paths where needed."""
    item, _ = item_of(kind)
    if item is not Path or value is None or isinstance(value, Path):
        return value
    return [Path(each) for each in value] if isinstance(value, list) else Path(value)


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and issubclass(parameter.annotation, Struct)


def _is_repeatable(option: Option) -> bool:
    return get_origin(option.kind) is tuple and get_args(option.kind)[1:] == (...,)


def _is_switch(option: Option) -> bool:
    return option.kind in {bool, bool | None} and "/" not in option.flag.names


def _key(group: str, option: Option, word: str = "") -> str:
    """Return the unique key of an option's value; two groups can have the same field name."""
    return "_".join(part for part in (group, option.name, word) if part)


def item_of(kind: Any) -> tuple[Any, bool]:  # noqa: ANN401 - any type
    """Return the type of one value, and whether several values are allowed."""
    if isinstance(kind, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)
