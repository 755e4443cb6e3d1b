"""Converts errors to output and exit status; no other module does."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ggrep.base.command_time import TimeIsUp
from ggrep.base.commands import READ_BY_DAEMONS, spelled
from ggrep.base.errors import Cancelled, GgrepError, StoreError, UsageError
from ggrep.base.stable_json import Document
from ggrep.interfaces.cli.terminal import (
    ReaderGone,
    Terminal,
    begun_at,
    close_quietly,
    open_terminal,
)

Translator = Callable[[Exception, list[str]], GgrepError | None]
"""Returns a library's exception as a `GgrepError`, given the arguments; None for others."""


_COULD_NOT_RUN = 2


def bounded(
    act: Callable[[], object],
    arguments: list[str],
    translated: Translator = lambda error, arguments: None,  # noqa: ARG005 - a Translator
    *,
    began_ms: float | None = None,
) -> int:
    """Run one command and write all its output; return its exit status.

    With `--json` among the arguments every failure is one JSON document on standard output.
    `translated` converts errors of the library that parses the arguments.
    """
    with begun_at(began_ms):
        return _bounded(act, arguments, translated)


def _bounded(act: Callable[[], object], arguments: list[str], translated: Translator) -> int:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    terminal = open_terminal()
    for warning in terminal.warnings:
        terminal.tell(f"warning: {warning.message}")
    try:
        try:
            status = act()
        except SystemExit as stop:
            # typer raises it when the reader leaves while help is printed.
            raise ReaderGone from stop
        except (ReaderGone, TimeIsUp):
            raise  # the console script reports it, as importing the modules below is slow
        except KeyboardInterrupt:
            status = _fail(Cancelled("interrupted"), terminal, options)
        except Exception as error:  # noqa: BLE001 - the boundary: other exceptions are bugs
            status = _fail(translated(error, arguments) or _as_ours(error), terminal, options)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (ReaderGone, BrokenPipeError):
        close_quietly()
        return 0
    except OSError as error:
        # Standard output itself fails, for example on a full disk: JSON cannot be written.
        close_quietly()
        terminal.tell_error(f"standard output: {error.strerror}")
        return 1


@contextmanager
def could_not_run(what: str) -> Iterator[None]:
    """Set exit status 2 for errors in the block; status 1 means that a comparison failed."""
    try:
        yield
    except Cancelled:
        raise
    except GgrepError as error:
        error.exit_status = _COULD_NOT_RUN
        raise
    except Exception as failure:
        bug = GgrepError(f"{what} could not run: {type(failure).__name__}: {failure}")
        bug.exit_status = _COULD_NOT_RUN
        raise bug from failure


def _as_ours(error: Exception) -> GgrepError:
    """Return the error as a `GgrepError`; an error of another type becomes the cause."""
    if isinstance(error, GgrepError):
        return error
    if isinstance(error, OSError):
        # Not a bug: a full disk, or a directory without write permission.
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        failed = StoreError(f"{place}{error.strerror or error}")
        failed.__cause__ = error
        return failed
    bug = GgrepError(f"a bug in ggrep: {type(error).__name__}: {error}")
    bug.__cause__ = error
    return bug


def _fail(error: GgrepError, terminal: Terminal, options: list[str]) -> int:
    # Imported late: a successful command needs none of these.
    import traceback

    from ggrep.model.sanitise import sanitise
    from ggrep.model.suggested_commands import with_path
    from ggrep.render.failures import error_lines, typed_path

    if type(error.__cause__).__name__ == "NoArgsIsHelpError":
        terminal.note(f"{error.__cause__}\n")
        return error.exit_status
    if "--json" in options:
        # The command may have failed before a daemon or an engine set a request id.
        error.request_id = error.request_id or os.urandom(8).hex()
        terminal.write_json(_document(error, options), pretty=False)
    for line in error_lines(error):
        terminal.tell_error(with_path(line, typed_path(options)))
    if error.__cause__ is not None and type(error) is GgrepError:
        terminal.note(sanitise("".join(traceback.format_exception(error.__cause__))))
    if error.exit_status == 1 and "--exit-status" in options:
        return _COULD_NOT_RUN  # with `--exit-status`, 1 means that there is no hit
    return error.exit_status


def _document(error: GgrepError, options: list[str]) -> Document:
    """Return the JSON of a failure; for a workspace query, in the format of workspace answers."""
    words = {word.partition("=")[0] for word in options}
    if options[0] in READ_BY_DAEMONS and "--workspace" in words:
        from ggrep.federation.federated_response import failure_json

        return failure_json(error, include_paths="--debug-include-paths" in words)
    from ggrep.render.failures import query_error

    return query_error(error)


class SeveralWords(UsageError):
    """A typed path does not exist and is probably a word of the query."""

    def __init__(self, message: str, words: Sequence[str]) -> None:
        super().__init__(message)
        self.words = words

    def meant_by(self, arguments: Sequence[str]) -> UsageError:
        """Return the same error with the probably intended command line."""
        command, *left = arguments
        for word in self.words:
            left.remove(word)
        line = spelled(command, " ".join(self.words), *left)
        return UsageError(f"{self}; write a query of several words as one argument: {line}")
