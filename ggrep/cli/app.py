"""The command tree, and the one place where errors become output and exit status."""

import sys
import traceback

import click
import typer

from ggrep.cli import index, operate, search, workspace
from ggrep.cli.terminal import close_quietly, open_terminal
from ggrep.domain.sanitise import sanitise
from ggrep.errors import GgrepError, UsageError
from ggrep.render.error_json import query_error

app = typer.Typer(
    name="ggrep",
    help="Search code by meaning: one repository, or a workspace of them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:  # noqa: FBT001 - typer passes the flag's value
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
index.register(app)
operate.register(app)
workspace.register(app)


def run(arguments: list[str]) -> int:
    """Run one command; return its exit status.

    With `--json` among the arguments every failure is one JSON document on standard output.
    """
    json = "--json" in arguments
    try:
        status = app(arguments, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        return 12
    except click.ClickException as error:
        return _usage(error, json=json)
    except GgrepError as error:
        return _fail(error, json=json)
    except BrokenPipeError:
        close_quietly()
        return 0
    except KeyboardInterrupt:
        return 12
    except Exception as error:  # noqa: BLE001 - the boundary: what escapes to here is a bug
        return _bug(error, json=json)
    return status if isinstance(status, int) else 0


def _usage(error: click.ClickException, *, json: bool) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        open_terminal().write(error.format_message() + "\n")
        return 0
    return _fail(UsageError(error.format_message()), json=json)


def _fail(error: GgrepError, *, json: bool) -> int:
    terminal = open_terminal()
    if json:
        terminal.write_json(query_error(error), pretty=False)
    lines = [f"{error} ({error.code})", *_details(error)]
    for line in lines:
        terminal.note(terminal.notes_style.paint("bad", "error: ") + sanitise(line) + "\n")
    return error.exit_status


def _details(error: GgrepError) -> list[str]:
    issues = getattr(error, "issues", ())
    reasons = getattr(error, "reasons", ())
    lines = [f"{issue.field}: {issue.message}  {issue.hint}".rstrip() for issue in issues]
    return [*lines, *reasons] if len(lines) + len(reasons) > 1 else []


def _bug(error: Exception, *, json: bool) -> int:
    terminal = open_terminal()
    if json:
        body = {"code": "internal", "message": f"{type(error).__name__}: {error}"}
        terminal.write_json({"error": body}, pretty=False)
    terminal.note("error: this is a bug in ggrep (internal)\n")
    terminal.note("".join(traceback.format_exception(error)))
    return 1
