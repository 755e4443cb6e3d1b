"""The command tree in typer, for lines that `ggrep.base.reader` refuses.

Each option of a command's groups is one parameter. Pages of help are ours (`help_pages`).
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from ggrep.interfaces.cli.parsing.flags import Argument, help_of
from ggrep.interfaces.cli.parsing.parameters import Command, Piece, pieces_of, run
from ggrep.interfaces.cli.parsing.tree import BELOW, COMMANDS, Entry, about


def grouped(command: Command) -> Command:
    """Return a typer command that passes option groups to the given function."""
    pieces = pieces_of(command)
    if pieces is None:
        return command
    asked = [_parameter(piece) for piece in pieces]

    def grouped_run(**given: Any) -> int:  # noqa: ANN401 - as typer reads them
        return run(command, given)

    grouped_run.__name__, grouped_run.__doc__ = command.__name__, command.__doc__
    # As inspect reads it.
    grouped_run.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
    grouped_run.__annotations__ = {each.name: each.annotation for each in asked}
    return grouped_run


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
        return typer.Option(*piece.names, help=switch.help)
    return typer.Option(
        *piece.names,
        help=help_of(says),
        min=says.flag.least,
        max=says.flag.most,
    )


def parser(arguments: Sequence[str] | None = None) -> typer.Typer:
    """Return the commands.

    Args:
        arguments: what was typed; commands that its first words do not name are there without
            options. None for all commands.
    """
    whole = arguments is None
    words = () if arguments is None else tuple(arguments[:2])
    app = typer.Typer(
        name="ggrep",
        help="Search code by meaning: one repository, or a workspace of them.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    _register(app, COMMANDS, None if whole else words[:1])
    for above, below in BELOW.items():
        group = typer.Typer(help=about(above), no_args_is_help=True)
        _register(group, below, None if whole else words[1:2])
        app.add_typer(group, name=above)
    return app


def _register(
    app: typer.Typer, commands: Mapping[str, Entry], words: tuple[str, ...] | None
) -> None:
    for name, entry in commands.items():
        if words is None or name in words:
            app.command(name, help=entry.about, hidden=entry.hidden)(grouped(entry.load()))
        else:
            app.command(name, help=entry.about, hidden=entry.hidden)(_unwanted)


def _unwanted() -> None:
    """Placeholder for commands that are not on the command line."""


def _version(value: bool) -> None:
    if value:
        from ggrep import __version__

        typer.echo(f"ggrep {__version__}")
        raise typer.Exit


def _root(
    _: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Search code by meaning: one repository, or a workspace of them."""
