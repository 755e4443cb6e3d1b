"""The command tree."""

import typer

from ggrep.cli import (
    api,
    audit,
    check,
    clone,
    evaluate,
    index,
    maintain,
    mcp,
    metrics,
    navigation,
    operate,
    profiles,
    replay,
    search,
    serve,
    slate,
    status,
    upgrade,
    workspace,
)
from ggrep.cli.boundary import bounded
from ggrep.cli.help import register as register_help
from ggrep.cli.usage import CLICK_ERROR, usage_error
from ggrep.commands import correction
from ggrep.errors import Cancelled, GgrepError, UsageError
from ggrep.processes import require_descriptors

app = typer.Typer(
    name="ggrep",
    help="Search code by meaning: one repository, or a workspace of them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from ggrep import __version__

        typer.echo(f"ggrep {__version__}")
        raise typer.Exit


@app.callback()
def root(
    _: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Search code by meaning: one repository, or a workspace of them."""


search.register(app)
slate.register(app)
navigation.register(app)
replay.register(app)
index.register(app)
operate.register(app)
profiles.register(app)
serve.register(app)
status.register(app)
audit.register(app)
evaluate.register(app)
check.register(app)
workspace.register(app)
clone.register(app)
maintain.register(app)
upgrade.register(app)
api.register(app)
mcp.register(app)
metrics.register(app)
register_help(app)


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
        status = app(arguments, prog_name="ggrep", standalone_mode=False)
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
