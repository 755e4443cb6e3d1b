"""The command tree in typer, for help and for lines that `straight` does not parse."""

from collections.abc import Mapping, Sequence

import typer

from ggrep.interfaces.cli.grouped import Sectioned, grouped
from ggrep.interfaces.cli.tree import COMMANDS, OF_WORKSPACES, Entry


def parser(arguments: Sequence[str] | None = None) -> typer.Typer:
    """Return the commands.

    Args:
        arguments: what was typed; commands that its first words do not name are there without
            options. None for all commands.
    """
    whole = arguments is None
    words = () if arguments is None else tuple(arguments[:3])
    is_help = words[:1] == ("help",)
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
    _register(app, COMMANDS, None if whole else words[: 1 + is_help])
    group = typer.Typer(help="Create, check and maintain workspaces.", no_args_is_help=True)
    _register(group, OF_WORKSPACES, None if whole else words[1 : 2 + is_help])
    app.add_typer(group, name="workspace")
    return app


def _register(
    app: typer.Typer, commands: Mapping[str, Entry], words: tuple[str, ...] | None
) -> None:
    for name, entry in commands.items():
        if words is None or name in words:
            add = app.command(name, cls=Sectioned, short_help=entry.about, hidden=entry.hidden)
            add(grouped(entry.load()))
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
