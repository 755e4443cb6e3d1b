"""Runs one command of the tree."""

import typer

from ggrep.cli.boundary import bounded
from ggrep.cli.tree import tree
from ggrep.cli.usage import CLICK_ERROR, usage_error
from ggrep.commands import correction
from ggrep.errors import Cancelled, GgrepError, UsageError
from ggrep.processes import require_descriptors

_ONLY_TEXT = frozenset({"help", "--help", "-h", "--version"})
"""Where they stand, a text is printed and no more."""

_INTERRUPTED = 130
"""What typer makes of Ctrl-C; no command of ours returns it."""


def run(arguments: list[str]) -> int:
    """Run one command; return its exit status.

    With `--json` among the arguments every failure is one JSON document on standard output.
    """

    def act() -> object:
        _refuse_mistakes(arguments)
        if not _ONLY_TEXT.intersection(arguments):
            require_descriptors()
        status = tree(arguments)(arguments, prog_name="ggrep", standalone_mode=False)
        if status == _INTERRUPTED:
            raise KeyboardInterrupt
        return status

    return bounded(act, arguments, _as_ours)


def _refuse_mistakes(arguments: list[str]) -> None:
    said = correction(arguments)
    if said is not None:
        raise UsageError(said)


def _as_ours(error: Exception, arguments: list[str]) -> GgrepError | None:
    """Return what typer raises as one of ours; None for the rest."""
    if isinstance(error, typer.Abort):
        return Cancelled("interrupted")
    return usage_error(error, arguments) if isinstance(error, CLICK_ERROR) else None
