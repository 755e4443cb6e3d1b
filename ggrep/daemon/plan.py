"""The plan of a command line: its messages to a repository, and the output from the answers.

Packages above the daemon declare the options of commands, so the process that starts a host passes
a function that parses command lines.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.protocol.wire.messages import within

if TYPE_CHECKING:
    from ggrep.base.clock import Deadline, Stop
    from ggrep.config.home import Home
    from ggrep.config.profiles import Profile
    from ggrep.protocol.client.channels import Local
    from ggrep.protocol.wire.messages import Ask, Line, QueryMessage, Status
    from ggrep.render.printed import Rendered

T = TypeVar("T")

Answers: TypeAlias = "Sequence[Any]"
"""Answers in the order of the messages. The answer to a search is its output, to another query its
response, to a status its document. If a message may fail separately, its answer can be an error."""


class Plan(Struct, frozen=True):
    """The messages of a command to a repository, and the rendering of their answers.

    Attributes:
        messages: messages to send in order, within one deadline.
        follow_ups: returns further messages, computed from the answers; if a further message fails,
            its answer is the error.
        needs_hits: whether the command fails without hits.
    """

    messages: "tuple[QueryMessage, ...] | tuple[Status]"
    printed: "Callable[[Answers], Rendered]"
    follow_ups: "Callable[[Answers], Sequence[Ask[Any]]] | None" = None
    needs_hits: bool = False


class WorkspacePlan(Struct, frozen=True):
    """A command to several repositories.

    Attributes:
        run: queries the repositories in the host's event loop and returns the output. Its arguments
            are a Stop that can end the command early, the client's name, and the connections to
            daemons of this process. A GgrepError means that the client must run the command.
    """

    run: "Callable[[Stop, str, Local], Awaitable[Rendered]]"


class PlannedLine(Struct, frozen=True):
    """The plan of a command line.

    Attributes:
        places: path keys of the directories that the command uses; each must belong to the
            repository itself, not to a nested repository.
    """

    plan: Plan | WorkspacePlan
    places: tuple[str, ...]


class ServedRoot(Struct, frozen=True):
    """The repository of a command line, with the currently configured profile.

    Attributes:
        environ: environment variables of the repository's daemon.
    """

    root: Path
    home: "Home"
    profile: "Profile"
    environ: Mapping[str, str]


LineReader: TypeAlias = "Callable[[Line, ServedRoot], PlannedLine | None]"
"""Returns the plan of a command line for a repository; None if the client must run the command."""


def no_lines(line: "Line", served: ServedRoot) -> None:
    """Return None: the client runs each command itself."""
    del line, served


class Host(Protocol):
    """Answers messages about a repository, with an engine in this process or as a daemon."""

    async def answer(self, message: "QueryMessage | Status") -> object:
        """Return the answer to a message.

        Raises:
            GgrepError: the message failed.
        """

    async def compute(self, work: Callable[[], T]) -> T:
        """Return the result of a function that runs for a few milliseconds."""

    def deadline(self, message: "QueryMessage") -> "Deadline":
        """Return the common deadline of several messages; `message` is the first."""


async def execute(plan: Plan, host: Host) -> "Rendered":
    """Run a plan; return its output.

    Raises:
        GgrepError: the host failed. Among several messages, an invalid message or a timeout fails
            only that message.
    """
    alone = (InvalidRequest, DeadlineExceeded) if len(plan.messages) > 1 else ()
    answers = await _answers(plan.messages, host, alone)
    if plan.follow_ups is not None:
        messages = await host.compute(partial(plan.follow_ups, answers))
        answers += await _answers(messages, host, (GgrepError,))
    rendered = await host.compute(partial(plan.printed, answers))
    failed = plan.needs_hits and not rendered.hits
    return replace(rendered, exit_status=rendered.exit_status or int(failed))


async def _answers(
    messages: "Sequence[Any]", host: Host, alone: tuple[type[GgrepError], ...]
) -> list[Any]:
    """Return an answer to each message; errors of the types in `alone` become answers."""
    answers: list[Any] = []
    deadline = host.deadline(messages[0]) if alone and messages else None
    for message in messages:
        try:
            timed = message if deadline is None else within(message, deadline.next_ms())
            answers.append(await host.answer(timed))
        except alone as error:
            answers.append(error)
    return answers
