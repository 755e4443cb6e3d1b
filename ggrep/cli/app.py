"""The command tree, and the one place where errors become output and exit status."""

import os
import sys
import traceback

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
from ggrep.cli.help import register as register_help
from ggrep.cli.terminal import ReaderGone, Terminal, close_quietly, open_terminal
from ggrep.cli.usage import CLICK_ERROR, usage_error
from ggrep.commands import correction
from ggrep.domain.hints import with_path
from ggrep.domain.sanitise import sanitise
from ggrep.errors import Cancelled, GgrepError, StoreError, UsageError
from ggrep.processes import require_descriptors
from ggrep.render.error_json import query_error
from ggrep.render.error_text import error_lines

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
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    terminal = open_terminal()
    for warning in terminal.warnings:
        terminal.tell(f"warning: {warning.message} ({warning.code})")
    try:
        return _run(arguments, terminal, json="--json" in options, path=_path_in(options))
    except (ReaderGone, BrokenPipeError):
        close_quietly()
        return 0
    except OSError as error:
        # The streams themselves fail, as on a full disk: there is nowhere to put JSON.
        close_quietly()
        terminal.tell_error(f"standard output: {error.strerror}")
        return 1


def _path_in(options: list[str]) -> str | None:
    """Return the repository that was named by an option; None for the one that we stand in."""
    for option, value in zip(options, [*options[1:], ""], strict=False):
        if option in {"--path", "-p", "--repo"}:
            return value
        if option.startswith(("--path=", "--repo=")):
            return option.partition("=")[2]
    return None


def _run(arguments: list[str], terminal: Terminal, *, json: bool, path: str | None) -> int:
    """Run one command and write out all it said; return the exit status."""
    try:
        _refuse_mistakes(arguments)
        if not _ONLY_TEXT.intersection(arguments):
            require_descriptors()
        status = app(arguments, prog_name="ggrep", standalone_mode=False)
        if status == _INTERRUPTED:
            status = _fail(Cancelled("interrupted"), terminal, json=json, path=path)
    except ReaderGone:
        raise
    except SystemExit as stop:
        # What typer makes of a reader that leaves while help is printed.
        raise ReaderGone from stop
    except (typer.Abort, KeyboardInterrupt):
        status = _fail(Cancelled("interrupted"), terminal, json=json, path=path)
    except Exception as error:  # noqa: BLE001 - the boundary: what is not ours is a bug
        status = _fail(_as_ours(error, arguments), terminal, json=json, path=path)
    sys.stdout.flush()
    return status if isinstance(status, int) else 0


def _refuse_mistakes(arguments: list[str]) -> None:
    said = correction(arguments)
    if said is not None:
        raise UsageError(said)


def _as_ours(error: Exception, arguments: list[str]) -> GgrepError:
    """Return the error as one of ours; a bug keeps its traceback as its cause."""
    if isinstance(error, GgrepError):
        return error
    if isinstance(error, CLICK_ERROR):
        return usage_error(error, arguments)
    if isinstance(error, OSError):
        # The machine's fault, not ours: a full disk, a directory that is not ours to write.
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        failed = StoreError(f"{place}{error.strerror or error}")
        failed.__cause__ = error
        return failed
    bug = GgrepError(f"a bug in ggrep: {type(error).__name__}: {error}")
    bug.__cause__ = error
    return bug


def _fail(error: GgrepError, terminal: Terminal, *, json: bool, path: str | None) -> int:
    if type(error.__cause__).__name__ == "NoArgsIsHelpError":
        terminal.note(f"{error.__cause__}\n")
        return error.exit_status
    if json:
        terminal.write_json(query_error(error), pretty=False)
    for line in error_lines(error):
        terminal.tell_error(with_path(line, path))
    if error.__cause__ is not None and type(error) is GgrepError:
        terminal.note(sanitise("".join(traceback.format_exception(error.__cause__))))
    return error.exit_status
