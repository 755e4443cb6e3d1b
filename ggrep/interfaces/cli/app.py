"""Runs one command of the command tree."""

from ggrep.base.commands import correction, read
from ggrep.base.errors import Cancelled, GgrepError, UsageError
from ggrep.base.option_spelling import unknown
from ggrep.base.processes import require_descriptors
from ggrep.base.terminal import COLOUR, UnknownWord, without_terminal_options
from ggrep.interfaces.cli.boundary import SeveralWords, bounded
from ggrep.interfaces.cli.parsing.parameters import run as run_command
from ggrep.interfaces.cli.parsing.tree import EVERY

_ONLY_TEXT = frozenset({"help", "--help", "-h", "--version"})
"""Words whose command only prints a text."""

_INTERRUPTED = 130
"""Exit status of typer after Ctrl-C; no command of ggrep returns it."""


def run(arguments: list[str], began_ms: float | None = None) -> int:
    """Run one command; return the exit status. The timeout starts at `began_ms`, by default now.

    With `--json` among the arguments every failure is one JSON document on standard output.
    """

    def act() -> object:
        if (message := correction(arguments)) is not None:
            raise UsageError(message)
        try:
            without_terminal_options(arguments)
        except UnknownWord as error:
            raise UsageError(unknown("--color", str(error), COLOUR)) from None
        if not _ONLY_TEXT.intersection(arguments):
            require_descriptors()
        try:
            line = read(arguments)
        except ValueError:
            return _run_by_typer(arguments)
        return run_command(EVERY[line.command].load(), line.values)

    return bounded(act, arguments, _as_ours, began_ms=began_ms)


def _run_by_typer(arguments: list[str]) -> object:
    from ggrep.interfaces.cli.parsing.typer_tree import parser

    status = parser(arguments)(arguments, prog_name="ggrep", standalone_mode=False)
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    return status


def _as_ours(error: Exception, arguments: list[str]) -> GgrepError | None:
    """Return typer's exception as a `GgrepError`; None for other exceptions."""
    if isinstance(error, GgrepError):
        return error.meant_by(arguments) if isinstance(error, SeveralWords) else None
    # Imported late: a success, or a failure that ggrep reports itself, needs no typer.
    import typer

    from ggrep.interfaces.cli.parsing.typer_tree import CLICK_ERROR, usage_error

    if isinstance(error, typer.Abort):
        return Cancelled("interrupted")
    return usage_error(error, arguments) if isinstance(error, CLICK_ERROR) else None
