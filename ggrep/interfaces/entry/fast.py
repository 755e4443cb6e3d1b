"""Has a running daemon answer a command, without loading the search modules.

A plain search is read here, and any other command that only asks is sent as it was typed.

The hint that leads to the daemon may be wrong in any way: of another root, of an old
configuration, of a build that was replaced. The daemon is told all that this process went by and
compares; whatever is odd ends here without a word, and `ggrep.interfaces.cli` does the work.
"""

import os

from ggrep.base.build import build_id
from ggrep.base.terminal import columns_of, link_form, wants_colour
from ggrep.interfaces.entry import plain_terminal as terminal
from ggrep.interfaces.entry.plain import Typed, read, request_of
from ggrep.interfaces.entry.plain_place import (
    Locator,
    Place,
    is_led,
    locator_file,
    place_of,
    read_locator,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ggrep.protocol.client.headstart import HeadStart

    QuestionOf = Callable[[list[str], dict[str, str]], "Question"]

PROTOCOL_VERSION = 1
PREFIX = "GGREP_"
DEFAULT_TIMEOUT_MS = 60_000
_GRACE_S = 2.0
"""A daemon ends an overdue search by itself and says so."""

_GREETING_S = 2.0
"""A process that does not even greet by then is stuck, and `ggrep.interfaces.cli` says so."""

_TIMEOUT = 11
_CANCELLED = 12
_WRONG_USAGE = 2
_LEFT_TO_CLI = frozenset({"stale_hint", "incompatible", "invalid_request", "no_index", "internal"})
"""Failures after which the search is worth making again, or has to be told in other words."""


def answer(arguments: list[str]) -> int | None:
    """Have a daemon answer and write what it says; return the exit status.

    Args:
        arguments: what follows `search`.

    Returns:
        None when nothing was written and `ggrep.interfaces.cli` has to do it all.
    """
    return _answered(arguments, _search)


def answer_line(arguments: list[str]) -> int | None:
    """Have a daemon read a command and answer, and write what it says; return the exit status.

    Args:
        arguments: the command's name first.

    Returns:
        None when nothing was written and `ggrep.interfaces.cli` has to do it all.
    """
    return _answered(arguments, _line)


def _answered(arguments: list[str], question_of: "QuestionOf") -> int | None:
    if not terminal.are_our_own():
        return None
    environ = dict(os.environ)  # noqa: TID251 - config.settings is too slow to import here
    try:
        rendered = _asked(arguments, environ, question_of)
        return None if rendered is None else _printed(rendered, arguments, environ)
    except KeyboardInterrupt:
        return interrupted(arguments)


def search(arguments: list[str], *, begun_here: bool) -> int | None:
    """Search where no daemon answered, if it is a plain search; return the exit status.

    Args:
        arguments: what follows `search`.
        begun_here: this process is the command, from its start.

    Returns:
        None when nothing was done and `ggrep.interfaces.cli.app` has to read the arguments.
    """
    try:
        typed = read(arguments)
        request_of(typed, "")
        if typed.path is not None and not os.path.exists(typed.path):  # noqa: PTH110 - as below
            return None
    except ValueError:
        return None
    head = _head_start(typed) if begun_here else None
    from ggrep.interfaces.cli.queries.one_search import search_plainly

    return search_plainly(
        typed.words, typed.switches, typed.values, arguments, begun_here=begun_here, head=head
    )


def _head_start(typed: Typed) -> "HeadStart | None":
    """Have a process begin to become a daemon, where none seems to run; None without one."""
    from ggrep.protocol.client.headstart import HeadStart

    environ = dict(os.environ)  # noqa: TID251 - as below
    try:
        unwanted = environ.get("GGREP_OFFLINE") or "GGREP_START_DAEMON" in environ
        if unwanted or is_led(typed.path, environ):
            return None
        return HeadStart(environ)
    except (OSError, ValueError):
        return None


def interrupted(arguments: list[str]) -> int:
    """Say what the command line says of a command that was interrupted; return the exit status."""
    environ = dict(os.environ)  # noqa: TID251 - as above
    return _printed(_interrupted(arguments, environ), arguments, environ)


class Rendered:
    """What to print, and how to end."""

    __slots__ = ("before", "err", "exit_status", "out")

    def __init__(self, out: str, err: str, exit_status: int, before: str = "") -> None:
        self.out = out
        self.err = err
        self.exit_status = exit_status
        self.before = before


class Question:
    """What a daemon is asked.

    Attributes:
        place: where the command looks for it.
        message: what is asked, as JSON has it, without who claims what.
        timeout_ms: what the answer may take; 0 for the default.
        needs_hits: the command fails where nothing was found, which the reply does not say.
    """

    __slots__ = ("message", "needs_hits", "place", "timeout_ms")

    def __init__(
        self,
        place: Place,
        message: dict[str, object],
        timeout_ms: object,
        *,
        needs_hits: bool = False,
    ) -> None:
        self.place = place
        self.message = message
        self.timeout_ms = timeout_ms
        self.needs_hits = needs_hits


def _search(arguments: list[str], environ: dict[str, str]) -> Question:
    """Return a plain search.

    Raises:
        ValueError: it is none.
        OSError: there is nothing at its path.
    """
    typed = read(arguments)
    place = place_of(typed.path, environ)
    request = request_of(typed, place.scope)
    message: dict[str, object] = {
        "message": "search",
        "request": request,
        "render": view_of(typed, environ),
    }
    strict = "exit_status" in typed.switches
    return Question(place, message, request["timeout_ms"], needs_hits=strict)


def _line(arguments: list[str], environ: dict[str, str]) -> Question:
    """Return a command as it was typed.

    Raises:
        ValueError: no daemon would read it.
        OSError: there is nothing at its path.
    """
    from ggrep.interfaces.entry import line

    line.require_short(arguments)
    place = line.place_of_line(arguments, environ)
    view = terminal_view(environ, json=_json(arguments), plain="--plain" in arguments)
    message: dict[str, object] = {"message": "line", "arguments": arguments, "render": view}
    return Question(place, message, line.timeout_ms_in(arguments))


def view_of(typed: Typed, environ: dict[str, str]) -> dict[str, object]:
    """Return how the answer to a plain search is to be printed."""
    switches = typed.switches
    return {
        **terminal_view(environ, json="json" in switches, plain="plain" in switches),
        "scores": "scores" in switches,
        "compact": "compact" in switches,
        "explain": "explain" in switches,
        "whole": "full" in typed.values.get("snippet", ()),
        "chunks": "snippet" in typed.values,
        "counts": False,
    }


def terminal_view(environ: dict[str, str], *, json: bool, plain: bool) -> dict[str, object]:
    """Return what the terminal says of how to print."""
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
    """Return whom the request is counted for, and how urgent it is.

    Raises:
        ValueError: the environment says neither word.
    """
    kind = environ.get("GGREP_CLIENT_KIND") or "interactive"
    if kind not in {"interactive", "batch"}:
        raise ValueError(kind)
    return environ.get("GGREP_CLIENT_ID") or f"cli-{os.getsid(0)}", kind


def messages_of(
    question: dict[str, object],
    claim: dict[str, object],
    locator: Locator,
    client: tuple[str, str],
) -> list[object]:
    """Return the handshake and the question; `client` is its name and kind."""
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


def judged(reply: dict[str, object], *, needs_hits: bool) -> Rendered:
    """Return what the daemon's reply has us print.

    Args:
        reply: of the daemon.
        needs_hits: the command fails where nothing was found.

    Raises:
        ValueError: it has us print nothing.
    """
    error = reply.get("error")
    holder = reply if error is None else error
    if not isinstance(holder, dict) or holder.get("code") in _LEFT_TO_CLI:
        raise ValueError("the daemon declined")
    if holder.get("stopping"):
        raise ValueError("another daemon is to be asked")
    match holder.get("rendered"):
        case {"out": str(out), "err": str(err), "exit_status": int(status), **more}:
            hits = more.get("hits")
        case _:
            raise ValueError("nothing to print")
    if error is not None:
        return Rendered(out, err, status)
    if needs_hits:
        if not isinstance(hits, int):
            raise ValueError("hits were not counted")
        status = status or int(not hits)
    return Rendered(out, err, status, str(more.get("before", "")))


def _asked(
    arguments: list[str], environ: dict[str, str], question_of: "QuestionOf"
) -> Rendered | None:
    """Return what a daemon answered; None where none did, or where it may be in the wrong."""
    try:
        if environ.get("GGREP_OFFLINE"):
            return None
        return _ask(question_of(arguments, environ), environ)
    except (OSError, ValueError, RecursionError):
        return None


def _ask(question: Question, environ: dict[str, str]) -> Rendered:
    root = question.place.root
    locator = read_locator(locator_file(root, environ), root)
    build = build_id()
    if locator.build != build:
        raise ValueError("another build's")
    # Late: where no daemon runs, none of this is needed.
    from ggrep.interfaces.entry.ask import Connection

    named = {name: environ[name] for name in sorted(environ) if name.startswith(PREFIX)}
    claim: dict[str, object] = {"root": root, "environ": named, "build": build}
    wait_s = _milliseconds(question.timeout_ms) / 1000 + _GRACE_S
    messages = messages_of(question.message, claim, locator, client_of(environ))
    connection = Connection(locator.address, messages)
    try:
        _require_peer(connection.receive(_GREETING_S), locator)
        try:
            reply = connection.receive(wait_s)
        except TimeoutError:
            # It is the right daemon, and the search's time is over: asking again would double it.
            said = "timeout", "the daemon did not answer in time", _TIMEOUT
            view = question.message["render"]
            assert isinstance(view, dict)  # noqa: S101 - made above
            return _failed(*said, json=bool(view["json"]), colour=bool(view["notes_colour"]))
        return judged(reply, needs_hits=question.needs_hits)
    finally:
        connection.close()


def refused(message: str, arguments: list[str]) -> int | None:
    """Write that a command line is wrong; return the exit status, None as `answer` does."""
    if not terminal.are_our_own():
        return None
    environ = dict(os.environ)  # noqa: TID251 - config.settings is too slow to import here
    said = "invalid_request", message, _WRONG_USAGE
    rendered = _failed(*said, json=False, colour=_colour(arguments, environ))
    return _printed(rendered, arguments, environ)


def _milliseconds(timeout_ms: object) -> int:
    return timeout_ms if isinstance(timeout_ms, int) and timeout_ms else DEFAULT_TIMEOUT_MS


def _require_peer(hello: dict[str, object], locator: Locator) -> None:
    """Raise unless the one who greets is who the hint says, and up to date."""
    said = [
        hello.get(name)
        for name in ("protocol_version", "store_id", "config_fingerprint", "build", "stale")
    ]
    expected = [PROTOCOL_VERSION, locator.store_id, locator.config_fingerprint, locator.build]
    if said not in ([*expected, False], [*expected, None]):
        raise ValueError("another daemon, or a stale one")


def _interrupted(arguments: list[str], environ: dict[str, str]) -> Rendered:
    """Return what `ggrep.interfaces.cli` says of a search that was interrupted."""
    colour = _colour(arguments, environ)
    said = "cancelled", "interrupted", _CANCELLED
    return _failed(*said, json=_json(arguments), colour=colour)


def _failed(code: str, message: str, status: int, *, json: bool, colour: bool) -> Rendered:
    """Return what `ggrep.interfaces.cli` says of a failure; the words need no escapes."""
    out = f'{{"error":{{"code":"{code}","message":"{message}"}}}}\n' if json else ""
    return Rendered(out, f"{terminal.failure_mark(colour=colour)}{message}\n", status)


def _printed(rendered: Rendered, arguments: list[str], environ: dict[str, str]) -> int:
    """Write it; return the exit status."""
    broken = terminal.deliver(
        rendered.out,
        rendered.err,
        json=_json(arguments),
        colour=_colour(arguments, environ),
        environ=environ,
        before=rendered.before,
    )
    return rendered.exit_status if broken is None else broken


def _json(arguments: list[str]) -> bool:
    return "--json" in arguments


def _colour(arguments: list[str], environ: dict[str, str]) -> bool:
    return wants_colour(environ, plain="--plain" in arguments, terminal=os.isatty(2))
