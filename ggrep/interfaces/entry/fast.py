"""Lets a running daemon answer a command, without loading the search modules.

This module sends the command line unparsed; it reads only the repository, timeout and output
format from the line. The daemon may serve another root, configuration or build, so it compares
the client's values with its own. After any mismatch nothing is written, and `ggrep.interfaces.cli`
runs the command.
"""

import os

from ggrep.base.build import build_id
from ggrep.base.command_time import LATE, OVER, TimeIsUp, now_ms
from ggrep.base.commands import Line, read
from ggrep.base.terminal import columns_of, link_form, wants_colour
from ggrep.interfaces.entry import plain_terminal as terminal
from ggrep.interfaces.entry.daemon_place import (
    Locator,
    is_led,
    locator_file,
    place_in,
    place_of_line,
    read_locator,
    with_timeout,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ggrep.protocol.client.preload import Preload

_BY_CLIENT = (
    *("--offline", "--sync", "--profile", "--encoder", "--receipt", "--force", "--all", "--watch"),
)
"""Options of command lines that daemons decline."""

_OF_ONE = frozenset({"query", "path", "question", "hits", "output", "asking", "lines"})
"""The arguments and option groups of a plain search of one repository."""

_MOST_ARGUMENTS = 64
"""Maximum number of words of a command line that a daemon accepts."""

PROTOCOL_VERSION = 1
PREFIX = "GGREP_"
DEFAULT_TIMEOUT_MS = 60_000
_GREETING_MS = 500
"""Timeout of the handshake; `ggrep.interfaces.cli` then finds out whether the daemon hangs."""

_REPLY_MS = 50
"""A daemon's timeout is shorter by this time, or by a tenth, so that its reply is in time."""

_TIMEOUT = 11
_CANCELLED = 12
_WRONG_USAGE = 2
_LEFT_TO_CLI = frozenset({"stale_hint", "incompatible", "invalid_request", "no_index", "internal"})
"""Failures after which the client searches in its own process, or writes its own message."""


def answer(arguments: list[str], began_ms: float) -> int | None:
    """Let a daemon answer a command; return the exit status, or None if nothing was written."""
    if not terminal.are_our_own():
        return None
    environ = dict(os.environ)  # noqa: TID251 - config.settings is too slow to import here
    try:
        rendered = _asked(arguments, environ, began_ms)
        return None if rendered is None else _printed(rendered, arguments, environ)
    except KeyboardInterrupt as interrupt:
        return interrupted(arguments, interrupt)


def search(arguments: list[str], began_ms: float, *, begun_here: bool) -> int | None:
    """Search in this process; return the exit status, or None for other commands.

    A command ends when its `--timeout-ms` is over, even while it imports modules; waiting for a
    sync does not count.
    """
    try:
        line = read(arguments)
    except ValueError:
        return None
    timeout_ms = _timeout_of(line)
    if begun_here and timeout_ms and not line.value("--sync"):
        from ggrep.base.alarm import arm

        arm(began_ms + timeout_ms)
    is_plain = line.command == "search" and not any(map(line.value, _BY_CLIENT))
    is_known = all(key in _OF_ONE or key.partition("_")[0] in _OF_ONE for key in line.values)
    if not (is_plain and is_known and all(map(os.path.exists, line.words[1:]))):
        return None
    head = _head_start(line) if begun_here else None
    try:
        from ggrep.interfaces.cli.queries.one_search import search_plainly

        return search_plainly(line, arguments, began_ms, head)
    finally:
        if head is not None:
            head.close()


def _head_start(line: Line) -> "Preload | None":
    """Start a process that can become the daemon, if none seems to run; else return None."""
    from ggrep.protocol.client.preload import Preload

    environ = dict(os.environ)  # noqa: TID251 - as above
    try:
        unwanted = environ.get("GGREP_OFFLINE") or "GGREP_START_DAEMON" in environ
        return None if unwanted or is_led(place_in(line), environ) else Preload(environ)
    except (OSError, ValueError):
        return None


def interrupted(arguments: list[str], interrupt: KeyboardInterrupt) -> int:
    """Report that a command was interrupted or reached its timeout; return the exit status."""
    environ = dict(os.environ)  # noqa: TID251 - as above
    if isinstance(interrupt, TimeIsUp):
        request_id = os.urandom(8).hex()
        failed = _failed("timeout", OVER, _TIMEOUT, arguments, environ, request_id)
    else:
        failed = _failed("cancelled", "interrupted", _CANCELLED, arguments, environ)
    return _printed(failed, arguments, environ)


class Rendered:
    """The output and exit status of a command."""

    __slots__ = ("before", "err", "exit_status", "out")

    def __init__(self, out: str, err: str, exit_status: int, before: str = "") -> None:
        self.out = out
        self.err = err
        self.exit_status = exit_status
        self.before = before


def terminal_view(environ: dict[str, str], *, json: bool, plain: bool) -> dict[str, object]:
    """Return the form of an answer: JSON or text, width, colours, links, current directory."""
    shown = os.isatty(1)
    colour = wants_colour(environ, plain=plain, terminal=shown)
    return {
        "json": json,
        "columns": columns_of(environ, 1),
        "colour": colour,
        "notes_colour": wants_colour(environ, plain=plain, terminal=os.isatty(2)),
        "links": link_form(environ) if colour and shown else "",
        "cwd": os.getcwd(),  # noqa: PTH109 - pathlib is too slow to import here
    }


def client_of(environ: dict[str, str]) -> tuple[str, str]:
    """Return the name and kind of this client, for the daemon's metrics and queue."""
    kind = environ.get("GGREP_CLIENT_KIND") or "interactive"
    if kind not in {"interactive", "batch"}:
        raise ValueError(kind)
    return environ.get("GGREP_CLIENT_ID") or f"cli-{os.getsid(0)}", kind


def messages_of(
    question: dict[str, object], claim: dict[str, object], locator: Locator, client: tuple[str, str]
) -> list[object]:
    """Return the two messages to send, handshake and query; `client` is name and kind."""
    name, kind = client
    hello = {
        "message": "hello",
        "protocol_versions": [PROTOCOL_VERSION],
        "store_id": locator.store_id,
        "config_fingerprint": locator.config_fingerprint,
        "client_id": name,
        "client_kind": kind,
        "client_capabilities": ["render"],
        "build": locator.build,
    }
    return [hello, {**question, "priority": kind, "claim": claim}]


def judged(reply: dict[str, object], *, strict: bool = False) -> Rendered:
    """Return the output in a daemon's reply; with `strict`, a failure has exit status 2."""
    error = reply.get("error")
    holder = reply if error is None else error
    if not isinstance(holder, dict) or holder.get("code") in _LEFT_TO_CLI:
        raise ValueError("the daemon declined")
    if holder.get("stopping"):
        raise ValueError("another daemon must answer this command")
    match holder.get("rendered"):
        case {"out": str(out), "err": str(err), "exit_status": int(status), **more}:
            pass
        case _:
            raise ValueError("nothing to print")
    if error is not None:
        return Rendered(out, err, 2 if strict and status == 1 else status)
    return Rendered(out, err, status, str(more.get("before", "")))


def _asked(arguments: list[str], environ: dict[str, str], began_ms: float) -> Rendered | None:
    """Return a daemon's answer; None if no daemon answers, or the answer may be wrong."""
    try:
        if environ.get("GGREP_OFFLINE") or len(arguments) > _MOST_ARGUMENTS:
            return None
        line = read(arguments)
        if any(line.value(flag) for flag in _BY_CLIENT):
            return None
        return _ask(arguments, line, environ, began_ms)
    except (OSError, ValueError, RecursionError):
        return None


def _ask(arguments: list[str], line: Line, environ: dict[str, str], began_ms: float) -> Rendered:
    root = place_of_line(line, environ).root
    locator = read_locator(locator_file(root, environ), root)
    build = build_id()
    if locator.build != build:
        raise ValueError("another build's")
    # Imported late: without a running daemon, this is not needed.
    from ggrep.interfaces.entry.ask import Connection

    named = {name: environ[name] for name in sorted(environ) if name.startswith(PREFIX)}
    claim: dict[str, object] = {"root": root, "environ": named, "build": build}
    timeout_ms, words = _timeout_of(line), arguments
    until_ms = began_ms + (timeout_ms or DEFAULT_TIMEOUT_MS)
    left_ms = until_ms - now_ms()
    if timeout_ms:
        words = with_timeout(words, max(1, int(left_ms - min(_REPLY_MS, left_ms / 10))))
    # The id that a blocking connection gives its first request.
    request_id = f"{os.urandom(8).hex()}-1"
    view = terminal_view(
        environ, json=bool(line.value("--json")), plain=bool(line.value("--plain"))
    )
    question: dict[str, object] = {
        "request_id": request_id,
        "message": "line",
        "arguments": words,
        "render": view,
    }
    messages = messages_of(question, claim, locator, client_of(environ))
    greeted_by_ms = now_ms() + min(_GREETING_MS, left_ms / 4)
    connection = Connection(locator.address, messages, greeted_by_ms)
    try:
        _require_peer(connection.receive(greeted_by_ms), locator)
        try:
            reply = connection.receive(until_ms)
        except TimeoutError:
            # The daemon is correct, but the timeout is over: a second query would double the time.
            return _failed("timeout", LATE, _TIMEOUT, arguments, environ, request_id)
        return judged(reply, strict=bool(line.value("--exit-status")))
    finally:
        connection.close()


def _timeout_of(line: Line) -> int:
    """Return the timeout of a command line in milliseconds; 0 if it has none."""
    timeout_ms = line.value("--timeout-ms")
    return timeout_ms if isinstance(timeout_ms, int) else 0


def refused(message: str, arguments: list[str]) -> int | None:
    """Report a wrong command line; return the exit status, or None if nothing was written."""
    if not terminal.are_our_own():
        return None
    environ = dict(os.environ)  # noqa: TID251 - as above
    failed = _failed("invalid_request", message, _WRONG_USAGE, arguments, environ)
    return _printed(failed, arguments, environ)


def _require_peer(hello: dict[str, object], locator: Locator) -> None:
    """Raise unless the peer is the locator's daemon and its settings are current."""
    names = ("protocol_version", "store_id", "config_fingerprint", "build", "stale")
    greeted = [hello.get(name) for name in names]
    expected = [PROTOCOL_VERSION, locator.store_id, locator.config_fingerprint, locator.build]
    if greeted not in ([*expected, False], [*expected, None]):
        raise ValueError("the daemon serves another root or has outdated settings")


def _failed(
    code: str,
    message: str,
    status: int,
    arguments: list[str],
    environ: dict[str, str],
    request_id: str = "",
) -> Rendered:
    """Return a failure as the command prints it; `message` must be valid inside a JSON string."""
    options = _options(arguments)
    of_workspace = any(word.partition("=")[0] == "--workspace" for word in options)
    named = f',"request_id":"{request_id}"' if request_id else ""
    out = ""
    if "--json" in options and not of_workspace:
        out = f'{{"error":{{"code":"{code}","message":"{message}"{named}}}}}\n'
    elif "--json" in options:
        out = (
            f'{{"backend":"federated","code":"{code}","diagnostics":{{"errors":[],"warnings":[]}},'
            f'"error":{{"code":"{code}","details":{{}},"message":"{message}"{named}}},'
            f'"message":"{message}","ok":false,"schema_version":1}}\n'
        )
    mark = terminal.failure_mark(colour=_colour(arguments, environ))
    return Rendered(out, f"{mark}{message}\n", status)


def _printed(rendered: Rendered, arguments: list[str], environ: dict[str, str]) -> int:
    """Write the output of a command; return the exit status."""
    broken = terminal.deliver(
        rendered.out,
        rendered.err,
        json="--json" in _options(arguments),
        colour=_colour(arguments, environ),
        environ=environ,
        before=rendered.before,
    )
    return rendered.exit_status if broken is None else broken


def _colour(arguments: list[str], environ: dict[str, str]) -> bool:
    return wants_colour(environ, plain="--plain" in _options(arguments), terminal=os.isatty(2))


def _options(arguments: list[str]) -> list[str]:
    """Return the words before `--`, or all words if there is no `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments
