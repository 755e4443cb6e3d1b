"""Commands with option groups, as typer needs them: one parameter for each option.

The help page has a section for each group.
"""

import inspect
from typing import Annotated, Any, Final, get_args, get_origin

import typer
from typer.core import TyperCommand

from ggrep.interfaces.cli.flags import Argument, help_of
from ggrep.interfaces.cli.taking import Command, Piece, handed, pieces_of

_OPTION: Final = "option"


class Sectioned(TyperCommand):
    """A command whose help page lists its options by group."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own click
        """Write the arguments, the options under their groups' titles, then the rest."""
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
    """Return a typer command that passes option groups to the given function."""
    pieces = pieces_of(command)
    if pieces is None:
        return command
    asked = [_parameter(piece) for piece in pieces]

    def run(**given: Any) -> int:  # noqa: ANN401 - as typer reads them
        return command(**handed(command, given))

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined] # as inspect reads it
    run.__annotations__ = {each.name: each.annotation for each in asked}
    return run


def _parameter(piece: Piece) -> inspect.Parameter:
    kind: Any = Annotated[piece.kind, _info(piece)]
    only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(piece.key, only, annotation=kind, default=piece.default)


def _info(piece: Piece) -> Any:  # noqa: ANN401 - what typer makes of either
    says = piece.says
    if isinstance(says, Argument):
        return typer.Argument(help=says.help, metavar=says.metavar)
    if piece.word:
        switch = next(each for each in says.flag.switches if each.word == piece.word)
        return typer.Option(*piece.names, help=switch.help, rich_help_panel=piece.title)
    return typer.Option(
        *piece.names,
        help=help_of(says),
        metavar=_metavar(piece.kind),
        min=says.flag.least,
        max=says.flag.most,
        rich_help_panel=piece.title,
        show_default=piece.default not in {None, 0, ""},
    )


def _metavar(kind: Any) -> str | None:  # noqa: ANN401 - any annotation
    """Return how the help page shows a value of a repeatable option; None for typer's own way."""
    for each in (kind, *get_args(kind)):
        if get_origin(each) is list:
            (item,) = get_args(each)
            return f"<{item.__name__.lower()}>"
    return None
