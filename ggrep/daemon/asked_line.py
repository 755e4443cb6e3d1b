"""What a typed command asks of one repository, and who reads that off its words.

Commands are read above the daemon, where their options are declared: whoever starts a host hands
it a reader.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from ggrep.base.deadline import Stop
    from ggrep.config.home import Home
    from ggrep.config.profiles import Profile
    from ggrep.protocol.wire.message_types import Ask, Line, Search, Status
    from ggrep.render.printed import Rendered


class Work(Struct, frozen=True):
    """What a line asks of more than one repository; this daemon's process does it for the client.

    Attributes:
        run: does it and returns what is printed, in a thread of its own; it is handed what ends it
            early, and the client's name. A GgrepError means that the client has to do it.
    """

    run: "Callable[[Stop, str], Rendered]"


class Several(Struct, frozen=True):
    """Questions of one line, asked one after the other within one deadline.

    What is printed is made of all answers, in order; one that no time was left for is a failure.
    """

    messages: "tuple[Ask[Any], ...]"


class SearchThenOpen(Struct, frozen=True):
    """A search, and an expansion of some of its hits; what is printed is made of what is `Found`.

    Attributes:
        to_open: returns the places of hits among a document's results, and the message for each.
    """

    search: "Search"
    to_open: "Callable[[Mapping[str, Any]], Sequence[tuple[int, Ask[Any]]]]"


Found: TypeAlias = tuple[Mapping[str, Any], Sequence[tuple[int, Any]]]
"""A search's document; places among its results, with an expansion of each or its failure."""


class AskedLine(Struct, frozen=True):
    """A question read off a command line.

    Attributes:
        message: the question, several, or other work.
        printed: returns what is printed of its answer; a plain search says it in its message.
        places: path keys of the directories that the command went by; each has to belong to the
            repository, and to none below it.
        needs_hits: the command fails where nothing was found.
    """

    message: "Ask[Any] | Search | SearchThenOpen | Several | Status | Work"
    printed: "Callable[[Any], Rendered]"
    places: tuple[str, ...]
    needs_hits: bool = False


class ServedRoot(Struct, frozen=True):
    """The repository that a line is about, under the profile in force.

    Attributes:
        environ: the variables that its daemon was started under.
    """

    root: Path
    home: "Home"
    profile: "Profile"
    environ: Mapping[str, str]


LineReader: TypeAlias = "Callable[[Line, ServedRoot], AskedLine | None]"
"""Returns what a line asks of a repository; None where that is not certain."""


def no_lines(line: "Line", served: ServedRoot) -> None:
    """Read no line: every command is left to its client."""
    del line, served
