"""Has a running daemon answer a command, without loading the search modules.

A plain search is read here, and any other command that only asks is sent as it was typed.

The hint that leads to the daemon may be wrong in any way: of another root, of an old
configuration, of a build that was replaced. The daemon is told all that this process went by and
compares; whatever is odd ends here without a word, and `ggrep.interfaces.cli` does the work.
"""

import os

from ggrep.base.build import build_id
from ggrep.base.command_time import LATE, OVER, TimeIsUp, now_ms
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
_GREETING_MS = 500
"""A process that does not greet by then may be stuck, which `ggrep.interfaces.cli` finds out."""

_REPLY_MS = 50
"""A daemon's time ends so much earlier than its client's, or a tenth: it says itself that it did.
"""

_TIMEOUT = 11
_CANCELLED = 12
_WRONG_USAGE = 2
_LEFT_TO_CLI = frozenset({"stale_hint", "incompatible", "invalid_request", "no_index", "internal"})
"""Failures after which the search is worth making again, or has to be told in other words."""


def answer(arguments: list[str], began_ms: float) -> int | None:
    """Have a daemon answer and write what it says; return the exit status.

    Args:
        arguments: what follows `search`.
        began_ms: when the command began, on the scale of `now_ms`.

    Returns:
        None when nothing was written and `ggrep.interfaces.cli` has to do it all.
    """
    return _answered(arguments, _search, began_ms)


def answer_line(arguments: list[str], began_ms: float) -> int | None:
    """Have a daemon read a command and answer, and write what it says; return the exit status.

    Args:
        arguments: the command's name first.
        began_ms: when the command began, on the scale of `now_ms`.

    Returns:
        None when nothing was written and `ggrep.interfaces.cli` has to do it all.
    """
    return _answered(arguments, _line, began_ms)


def _answered(arguments: list[str], question_of: "QuestionOf", began_ms: float) -> int | None:
    if not terminal.are_our_own():
        return None
    environ = dict(os.environ)  # noqa: TID251 - config.settings is too slow to import here
    try:
        rendered = _asked(arguments, environ, question_of, began_ms)
        return None if rendered is None else _printed(rendered, arguments, environ)
    except KeyboardInterrupt as interrupt:
        return interrupted(arguments, interrupt)


def search(arguments: list[str], began_ms: float, *, begun_here: bool) -> int | None:
    """Search where no daemon answered, if it is a plain search; return the exit status.

    Args:
        arguments: what follows `search`.
        began_ms: when the command began, on the scale of `now_ms`.
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
    head = None
    if begun_here:
        arm_for(arguments, began_ms)
        head = _head_start(typed)
    from ggrep.interfaces.cli.queries.one_search import search_plainly

    return search_plainly(
        typed.words, typed.switches, typed.values, arguments, began_ms=began_ms, head=head
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


def interrupted(arguments: list[str], interrupt: KeyboardInterrupt) -> int:
    """Say that a command was interrupted, or that its time is over; return the exit status."""
    environ = dict(os.environ)  # noqa: TID251 - as above
    said = "cancelled", "interrupted", _CANCELLED, ""
    if isinstance(interrupt, TimeIsUp):
        said = "timeout", OVER, _TIMEOUT, os.urandom(8).hex()
    failed = _failed(*said, shape=_shape(arguments), colour=_colour(arguments, environ))
    return _printed(failed, arguments, environ)


def arm_for(arguments: list[str], began_ms: float) -> None:
    """Have the command ended when the time that its line names is over, whatever it loads then.

    A sync that is waited for is no part of that time.
    """
    from ggrep.interfaces.entry import line

    try:
        timeout_ms = 0 if "--sync" in arguments else line.timeout_ms_in(arguments)
    except ValueError:
        return
    if timeout_ms:
        from ggrep.base.alarm import arm

        arm(began_ms + timeout_ms)


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
        give: writes into the message what the daemon may take of it.
        needs_hits: the command fails where nothing was found, which the reply does not say.
    """

    __slots__ = ("give", "message", "needs_hits", "place", "timeout_ms")

    def __init__(
        self,
        place: Place,
        message: dict[str, object],
        timeout_ms: int,
        give: "Callable[[int], None]",
        *,
        needs_hits: bool = False,
    ) -> None:
        self.place = place
        # As a blocking connection names its first request.
        self.message = {"request_id": f"{os.urandom(8).hex()}-1", **message}
        self.timeout_ms = timeout_ms
        self.give = give
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
    timeout_ms = request["timeout_ms"]
    assert isinstance(timeout_ms, int)  # noqa: S101 - made above

    def give(left_ms: int) -> None:
        request["timeout_ms"] = left_ms

    return Question(place, message, timeout_ms, give, needs_hits=strict)


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
    words = list(arguments)
    message: dict[str, object] = {"message": "line", "arguments": words, "render": view}

    def give(left_ms: int) -> None:
        words[:] = line.with_timeout(words, left_ms)

    return Question(place, message, line.timeout_ms_in(arguments), give)


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


def judged(reply: dict[str, object], *, needs_hits: bool, strict: bool = False) -> Rendered:
    """Return what the daemon's reply has us print.

    Args:
        reply: of the daemon.
        needs_hits: the command fails where nothing was found.
        strict: status 1 says that nothing was found, so a failure has status 2.

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
        return Rendered(out, err, 2 if strict and status == 1 else status)
    if needs_hits:
        if not isinstance(hits, int):
            raise ValueError("hits were not counted")
        status = status or int(not hits)
    return Rendered(out, err, status, str(more.get("before", "")))


def _asked(
    arguments: list[str], environ: dict[str, str], question_of: "QuestionOf", began_ms: float
) -> Rendered | None:
    """Return what a daemon answered; None where none did, or where it may be in the wrong."""
    try:
        if environ.get("GGREP_OFFLINE"):
            return None
        return _ask(arguments, question_of(arguments, environ), environ, began_ms)
    except (OSError, ValueError, RecursionError):
        return None


def _ask(
    arguments: list[str], question: Question, environ: dict[str, str], began_ms: float
) -> Rendered:
    root = question.place.root
    locator = read_locator(locator_file(root, environ), root)
    build = build_id()
    if locator.build != build:
        raise ValueError("another build's")
    # Late: where no daemon runs, none of this is needed.
    from ggrep.interfaces.entry.ask import Connection

    named = {name: environ[name] for name in sorted(environ) if name.startswith(PREFIX)}
    claim: dict[str, object] = {"root": root, "environ": named, "build": build}
    until_ms = began_ms + (question.timeout_ms or DEFAULT_TIMEOUT_MS)
    left_ms = until_ms - now_ms()
    if question.timeout_ms:
        question.give(max(1, int(left_ms - min(_REPLY_MS, left_ms / 10))))
    messages = messages_of(question.message, claim, locator, client_of(environ))
    greeted_by_ms = now_ms() + min(_GREETING_MS, left_ms / 4)
    connection = Connection(locator.address, messages, greeted_by_ms)
    try:
        _require_peer(connection.receive(greeted_by_ms), locator)
        try:
            reply = connection.receive(until_ms)
        except TimeoutError:
            # It is the right daemon, and the search's time is over: asking again would double it.
            request_id = str(question.message["request_id"])
            said = "timeout", LATE, _TIMEOUT, request_id
            return _failed(*said, shape=_shape(arguments), colour=_colour(arguments, environ))
        return judged(reply, needs_hits=question.needs_hits, strict="--exit-status" in arguments)
    finally:
        connection.close()


def refused(message: str, arguments: list[str]) -> int | None:
    """Write that a command line is wrong; return the exit status, None as `answer` does."""
    if not terminal.are_our_own():
        return None
    environ = dict(os.environ)  # noqa: TID251 - config.settings is too slow to import here
    said = "invalid_request", message, _WRONG_USAGE
    rendered = _failed(*said, shape="", colour=_colour(arguments, environ))
    return _printed(rendered, arguments, environ)


def _require_peer(hello: dict[str, object], locator: Locator) -> None:
    """Raise unless the one who greets is who the hint says, and up to date."""
    said = [
        hello.get(name)
        for name in ("protocol_version", "store_id", "config_fingerprint", "build", "stale")
    ]
    expected = [PROTOCOL_VERSION, locator.store_id, locator.config_fingerprint, locator.build]
    if said not in ([*expected, False], [*expected, None]):
        raise ValueError("another daemon, or a stale one")


def _failed(
    code: str, message: str, status: int, request_id: str = "", *, shape: str, colour: bool
) -> Rendered:
    """Return what `ggrep.interfaces.cli` says of a failure; the words need no escapes."""
    named = f',"request_id":"{request_id}"' if request_id else ""
    out = shape.replace("CODE", code).replace("MESSAGE", message).replace("NAMED", named)
    return Rendered(out, f"{terminal.failure_mark(colour=colour)}{message}\n", status)


def _shape(arguments: list[str]) -> str:
    """Return the document of a failure with places for its words; empty where text is wanted."""
    words = {word.partition("=")[0] for word in arguments}
    if "--json" not in words:
        return ""
    if "--workspace" not in words:
        return '{"error":{"code":"CODE","message":"MESSAGE"NAMED}}\n'
    return (
        '{"backend":"federated","code":"CODE","diagnostics":{"errors":[],"warnings":[]},'
        '"error":{"code":"CODE","details":{},"message":"MESSAGE"NAMED},"message":"MESSAGE",'
        '"ok":false,"schema_version":1}\n'
    )


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
