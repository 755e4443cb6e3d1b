"""The plan of a command: its messages to a repository, and the output made of the answers.

Commands are read above the daemon, where their options are declared: the process that starts a
host hands it a reader.
"""

from collections.abc import Callable, Mapping, Sequence
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
    from ggrep.protocol.wire.messages import Ask, Line, QueryMessage, Status
    from ggrep.render.printed import Rendered

T = TypeVar("T")

Answers: TypeAlias = "Sequence[Any]"
"""In the order of the messages; the error of a message that failed alone stands for its answer.

The answer to a search is its output, to another question its response, to a status its document."""


class Plan(Struct, frozen=True):
    """The messages of a command to one repository, and the output made of their answers.

    Attributes:
        messages: sent in order, within one deadline.
        follow_ups: returns what is sent next, of the answers; each of these may fail alone.
        needs_hits: the command fails where nothing was found.
    """

    messages: "tuple[QueryMessage, ...] | tuple[Status]"
    printed: "Callable[[Answers], Rendered]"
    follow_ups: "Callable[[Answers], Sequence[Ask[Any]]] | None" = None
    needs_hits: bool = False


class WorkspacePlan(Struct, frozen=True):
    """A command to several repositories.

    Attributes:
        run: asks them in a thread of its own and returns the output; it takes what ends it early,
            and the client's name. A GgrepError means that the client has to do it.
    """

    run: "Callable[[Stop, str], Rendered]"


class PlannedLine(Struct, frozen=True):
    """The plan of a command line.

    Attributes:
        places: path keys of the directories that the command went by; each has to belong to the
            repository, and to none below it.
    """

    plan: Plan | WorkspacePlan
    places: tuple[str, ...]


class ServedRoot(Struct, frozen=True):
    """The repository that a line is about, under the currently configured profile.

    Attributes:
        environ: the variables that its daemon was started under.
    """

    root: Path
    home: "Home"
    profile: "Profile"
    environ: Mapping[str, str]


LineReader: TypeAlias = "Callable[[Line, ServedRoot], PlannedLine | None]"
"""Returns the plan of a line for a repository; None where that is not certain."""


def no_lines(line: "Line", served: ServedRoot) -> None:
    """Read no line: every command is left to its client."""
    del line, served


class Host(Protocol):
    """Answers messages about one repository: an engine here, or a daemon."""

    async def answer(self, message: "QueryMessage | Status") -> object:
        """Return the answer.

        Raises:
            GgrepError: there is none.
        """

    async def compute(self, work: Callable[[], T]) -> T:
        """Return the result of a function that takes milliseconds."""

    def deadline(self, message: "QueryMessage") -> "Deadline":
        """Return the common end of several messages, of which this is the first."""


async def execute(plan: Plan, host: Host) -> "Rendered":
    """Run a plan; return its output.

    Raises:
        GgrepError: as the host does. Of several messages one that is invalid, or out of time,
            fails alone.
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
    """Return an answer to each message, or its error if that is one of those that fail alone."""
    answers: list[Any] = []
    deadline = host.deadline(messages[0]) if alone and messages else None
    for message in messages:
        try:
            timed = message if deadline is None else within(message, deadline.next_ms())
            answers.append(await host.answer(timed))
        except alone as error:
            answers.append(error)
    return answers
