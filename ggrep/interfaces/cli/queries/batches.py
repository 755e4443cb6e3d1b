"""Several questions of one command: one connection, one deadline, an answer or a failure each."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest, UsageError
from ggrep.interfaces.cli.queries.one_answer import Question, Reached, answered
from ggrep.interfaces.cli.queries.search_options import Asking
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest

if TYPE_CHECKING:
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.search.engine.engine import Engine

Q = TypeVar("Q", SymbolRequest, ReferencesRequest, ExpandRequest)
A = TypeVar("A")


class Batch(Struct, Generic[Q, A], frozen=True):
    """Questions of one kind, and how each is asked."""

    requests: Sequence[Q]
    ask: "Callable[[Daemon, Q, Watcher | None], A]"
    read: "Callable[[Engine, Q], A]"


class Names(Struct, frozen=True):
    """What was typed behind a command that takes names.

    Attributes:
        path: which narrows; None for none.
    """

    names: tuple[str, ...]
    path: str | None


def names_of(typed: Sequence[str], inside: str | None) -> Names:
    """Return names, and the path among them or behind `--in`.

    A path is told by its form alone: `.`, `./src`, `../lib`, `/abs` or `src/`. No name looks so,
    and what lies in the current directory does not change what a command means.

    Raises:
        UsageError: there is no name, or more than one path.
    """
    paths = [text for text in typed if _is_path(text)]
    names = tuple(text for text in typed if not _is_path(text))
    every = [*([] if inside is None else [inside]), *paths]
    if not names:
        raise UsageError("no name was given")
    if len(every) > 1:
        raise UsageError(f"give only one path, not {' and '.join(every)}")
    return Names(tuple(dict.fromkeys(names)), every[0] if every else None)


def _is_path(text: str) -> bool:
    if text in {".", ".."} or text.startswith(("./", "../", "/")):
        return True
    return text.endswith("/") and not text.startswith("operator")


def answered_each(
    batch: Batch[Q, A], reached: Reached, terminal: Terminal, asking: Asking
) -> list[A | GgrepError]:
    """Return the answers in the order of the questions, or why one has none.

    The time that was given is for all of them. A question that means nothing, or that no time is
    left for, fails alone; a single one as if it were the whole command.

    Raises:
        GgrepError: nothing can be asked.
    """
    if len(batch.requests) == 1:
        (only,) = batch.requests
        single: Question[A] = Question(
            ask=lambda daemon, watch: batch.ask(daemon, only, watch),
            read=lambda engine: batch.read(engine, only),
        )
        return [answered(single, reached, terminal, asking)]
    timeout_ms = asking.timeout_ms or reached.address.settings.query_timeout_ms

    def ask(daemon: "Daemon", watch: "Watcher | None") -> list[A | GgrepError]:
        with daemon.one_connection():
            return _each(batch.requests, lambda one: batch.ask(daemon, one, watch), timeout_ms)

    def read(engine: "Engine") -> list[A | GgrepError]:
        return _each(batch.requests, lambda one: batch.read(engine, one), timeout_ms)

    return answered(Question(ask=ask, read=read), reached, terminal, asking)


def _each(
    requests: Sequence[Q], answer: Callable[[Q], A], timeout_ms: float
) -> list[A | GgrepError]:
    deadline = Deadline.after(SystemClock(), timeout_ms)
    found: list[A | GgrepError] = []
    for request in requests:
        try:
            found.append(answer(replace(request, timeout_ms=int(deadline.next_ms()))))
        except (InvalidRequest, DeadlineExceeded) as error:
            found.append(error)
    return found
