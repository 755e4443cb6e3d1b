"""`ggrep help [COMMAND]`: the same page as `--help`."""

from typing import Annotated

import typer

from ggrep.base.commands import OTHER_NAMES, nearest, slip_of, spelled
from ggrep.base.errors import UsageError


def show_help(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(help="A command, such as: workspace add.")
    ] = None,
) -> int:
    """Show a command's help."""
    shown, path = context.find_root(), list[str]()
    for word in command or []:
        known = getattr(shown.command, "commands", {})
        if word not in known:
            raise UsageError(_no_such(word, path, list(known)))
        path.append(word)
        shown = typer.Context(known[word], info_name=word, parent=shown)
    typer.echo(shown.get_help())
    return 0


def _no_such(word: str, path: list[str], known: list[str]) -> str:
    said = f"no command {' '.join((*path, word))}"
    if not path and word in OTHER_NAMES:
        return f"{said}; instead: ggrep {OTHER_NAMES[word]}"
    meant = nearest(word, known) if path else slip_of(word) or nearest(word, known)
    if meant in known:
        return f"{said}; did you mean: {spelled('help', *path, meant)}"
    return f"{said}; see: {spelled('help', *path)}"
