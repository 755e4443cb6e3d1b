"""Commands that take groups of options, as typer takes them: one parameter for each option.

A command's parameters are its arguments, options of its own and groups (`ggrep.cli.flags`); the
help page has a section for each group.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any, Final, get_args, get_origin

import typer
from typer.core import TyperCommand

from ggrep.cli.flags import Option, help_of, option_of, options_of

Command = Callable[..., int]

_OPTION: Final = "option"


class Sectioned(TyperCommand):
    """A command whose help page has its options by group."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own click
        """Write arguments, then options under the titles of their groups, then the rest."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        rest: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            title = getattr(param, "rich_help_panel", None)
            if param.param_type_name != _OPTION:
                title = "Arguments"
            (sections.setdefault(title, []) if title else rest).append(record)
        for title, records in (*sections.items(), ("Options", rest)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def grouped(command: Command) -> Command:
    """Return a command that typer can read, which hands the groups on to the one given."""
    takes = tuple(inspect.signature(command).parameters.values())
    asked = [piece for each in takes for piece in _pieces(each)]

    def run(**given: Any) -> int:  # noqa: ANN401 - as typer reads them
        return command(**{each.name: _collected(each, given) for each in takes})

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined] # as inspect reads it
    run.__annotations__ = {each.name: each.annotation for each in asked}
    return run


def _pieces(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """Yield what typer reads for a parameter of a command."""
    own = option_of(parameter.name, parameter.annotation, parameter.default)
    if _is_group(parameter):
        for option in options_of(parameter.annotation):
            yield from _parameters(option, parameter.name, parameter.annotation.title)
    elif own is not None:
        yield from _parameters(own, "", None)
    else:
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _collected(parameter: inspect.Parameter, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any
    """Return what a command takes for a parameter, of what typer read."""
    kind, name = parameter.annotation, parameter.name
    own = option_of(name, kind, parameter.default)
    if _is_group(parameter):
        return kind(**{one.name: _value(one, name, given) for one in options_of(kind)})
    return given[name] if own is None else _value(own, "", given)


def _is_group(parameter: inspect.Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _parameters(option: Option, group: str, title: str | None) -> Iterator[inspect.Parameter]:
    """Yield what typer reads for an option: one parameter, and one for each of its switches."""
    flag = option.flag
    if flag.names:
        kind, default = _typed(option)
        info = typer.Option(
            *flag.names.split(),
            help=help_of(option),
            min=flag.least,
            max=flag.most,
            rich_help_panel=title,
            show_default=default not in {None, 0, ""},
        )
        yield _parameter(_key(group, option), Annotated[kind, info], default)
    for switch in flag.switches:
        info = typer.Option(*switch.names.split(), help=switch.help, rich_help_panel=title)
        yield _parameter(_key(group, option, switch.word), Annotated[bool, info], default=False)


def _typed(option: Option) -> tuple[Any, Any]:
    """Return the type that typer gives the option's value, and what stands for nothing."""
    if option.flag.switches:
        return str | None, None
    if _is_repeatable(option):
        return list[get_args(option.kind)[0]] | None, None  # type: ignore[misc] # a type by then
    return (bool, False) if _is_switch(option) else (option.kind, option.default)


def _value(option: Option, group: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any
    """Return what a group has for an option, of what typer read."""
    value = given.get(_key(group, option))
    if option.flag.switches:
        words = [
            each.word for each in option.flag.switches if given[_key(group, option, each.word)]
        ]
        return (*([value] if value else []), *words)
    if _is_repeatable(option):
        return tuple(value or ())
    if _is_switch(option):
        return not option.resting if value else option.default
    return value


def _is_repeatable(option: Option) -> bool:
    return get_origin(option.kind) is tuple and get_args(option.kind)[1:] == (...,)


def _is_switch(option: Option) -> bool:
    return option.kind in {bool, bool | None} and "/" not in option.flag.names


def _key(group: str, option: Option, word: str = "") -> str:
    """Return the name of the parameter that typer reads; two groups may name a field alike."""
    return "_".join(part for part in (group, option.name, word) if part)


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:  # noqa: ANN401 - any
    only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, only, annotation=kind, default=default)
