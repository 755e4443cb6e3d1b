"""A typed question to one repository that was not asked yet: here, or in print by a daemon.

A command returns one. Whoever runs it has it answered; a daemon that was sent the line as it was
typed makes the same of it, asks itself, and prints (`typed_lines`).
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.cli.parsing.flags import Output
from ggrep.interfaces.cli.queries.one_answer import (
    Question,
    Reached,
    answered,
    chosen_place,
    place_asked,
    reach,
    view_of,
)
from ggrep.interfaces.cli.queries.search_options import Asking, Found, Typed
from ggrep.interfaces.cli.queries.typed_targets import Target, folder_or_target_of, target_of
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.message_types import Ask
from ggrep.service.places import Place

if TYPE_CHECKING:
    from ggrep.config.home import Home
    from ggrep.config.profiles import Profile
    from ggrep.daemon.asked_line import SearchThenOpen, Several, Work
    from ggrep.model.answer_view import ViewOptions
    from ggrep.protocol.wire.message_types import Search, Status
    from ggrep.render.printed import Rendered


class Finder(Protocol):
    """Finds what was typed of places."""

    def place(self, repo: Path | None, path: str | None) -> Place:
        """Return what `--repo` or a PATH means, else the current directory."""

    def place_asked(self, command: str, typed: Typed) -> Place:
        """Return the place of a search, with a word on what was meant where there is none."""

    def target(self, typed: str, repo: Path | None) -> Target:
        """Return the target of an expansion."""

    def folder_or_target(self, typed: str, repo: Path | None) -> Target:
        """Return the target of an outline."""


class InShell:
    """Finds places in this process, whose they are."""

    def place(self, repo: Path | None, path: str | None) -> Place:
        """See `chosen_place`."""
        return chosen_place(repo, path)

    def place_asked(self, command: str, typed: Typed) -> Place:
        """See `one_answer.place_asked`."""
        return place_asked(command, typed)

    def target(self, typed: str, repo: Path | None) -> Target:
        """See `target_of`."""
        return target_of(typed, repo)

    def folder_or_target(self, typed: str, repo: Path | None) -> Target:
        """See `folder_or_target_of`."""
        return folder_or_target_of(typed, repo)


class Spot(Struct, frozen=True):
    """The repository that is asked, and the circumstances.

    Attributes:
        scope: path key in it.
        profile: in force.
        home: where stores lie.
        environ: variables of who asks.
    """

    root: Path
    scope: str
    profile: "Profile"
    home: "Home"
    environ: Mapping[str, str]


Meant: TypeAlias = tuple[Place, Callable[[Spot], Ask[Any]]]
"""A place, and what makes the message of the question about it."""


class Plan(Struct, frozen=True):
    """What a daemon is to do for a typed line.

    Attributes:
        message: the question, several, or other work.
        printed: returns what is printed of its answer or answers; work says it itself.
        needs_hits: the command fails where nothing was found.
    """

    message: "Ask[Any] | Search | SearchThenOpen | Several | Status | Work"
    printed: "Callable[[Any], Rendered]"
    needs_hits: bool = False


class Pending(Protocol):
    """What a command that asks returns: its work, not begun."""

    def answer(self) -> int:
        """Do it, and print; return the exit status."""

    def plan(self, finder: Finder, spot: Spot, view: "ViewOptions") -> Plan | None:
        """Return what the daemon of a repository is to do; None where it is for the client.

        Args:
            finder: finds places, in that repository alone.
            spot: the repository; its scope is not known yet.
            view: how to print.

        Raises:
            GgrepError: the client says what is wrong.
        """


class Printing(Struct, frozen=True):
    """How the answer of one question is got, and what is printed of it.

    Attributes:
        printed: returns what is printed of an answer.
        early: a first part of the index will do, which says that it is one.
    """

    asking: Asking
    output: Output
    printed: "Callable[[Any, Path, ViewOptions], Rendered]"
    early: bool = False

    def answer(self, message: Ask[Any], reached: Reached, terminal: Terminal) -> int:
        """Have it answered by a daemon, or from the index in this process; return the status."""
        question: Question[Any] = Question(
            ask=lambda daemon, watch: daemon.ask(message.request, watch),
            read=lambda engine: engine.ask(message.request),
            early=self.early,
        )
        response = answered(question, reached, terminal, self.asking)
        view = view_of(terminal, json=self.output.json)
        rendered = self.printed(response, reached.root, view)
        terminal.write_answer(rendered, json=self.output.json)
        return 1 if fails_empty(self.output) and not rendered.hits else 0

    def plan(self, message: Ask[Any], spot: Spot, view: "ViewOptions") -> Plan:
        """Return what a daemon is to do."""
        shown = replace(view, json=self.output.json)
        return Plan(
            message,
            lambda response: self.printed(response, spot.root, shown),
            fails_empty(self.output),
        )


class Asked(Struct, frozen=True):
    """A slate, or a tour.

    Attributes:
        find: returns the place that is asked, and what makes the message for it.
    """

    printing: Printing
    find: Callable[[Finder], Meant]

    def answer(self) -> int:
        """See `Pending`."""
        terminal = open_terminal(plain=self.printing.output.plain)
        place, message_at = self.find(InShell())
        reached = reach(place, terminal, self.printing.asking.overrides)
        message = message_at(spot_of(reached, terminal.environ))
        return self.printing.answer(message, reached, terminal)

    def plan(self, finder: Finder, spot: Spot, view: "ViewOptions") -> Plan | None:
        """See `Pending`."""
        if not asks_plainly(self.printing.asking):
            return None
        place, message_at = self.find(finder)
        message = message_at(replace(spot, scope=place.scope))
        return self.printing.plan(message, spot, view)


class AskedOfPlaces(Struct, frozen=True):
    """An outline: one question about several places of one repository.

    Attributes:
        find: returns the places.
        message: makes the message of the places as the repository writes them.
    """

    printing: Printing
    find: Callable[[Finder], Sequence[Target]]
    message: Callable[[tuple[str, ...]], Ask[Any]]

    def answer(self) -> int:
        """See `Pending`."""
        terminal = open_terminal(plain=self.printing.output.plain)
        targets = self.find(InShell())
        held = [reach(each.place, terminal, self.printing.asking.overrides) for each in targets]
        reached = one_of(held)
        keys = (each.key(place.scope) for each, place in zip(targets, held, strict=True))
        return self.printing.answer(self.message(tuple(keys)), reached, terminal)

    def plan(self, finder: Finder, spot: Spot, view: "ViewOptions") -> Plan | None:
        """See `Pending`."""
        if not asks_plainly(self.printing.asking):
            return None
        keys = (each.key(each.place.scope) for each in self.find(finder))
        return self.printing.plan(self.message(tuple(keys)), spot, view)


def one_of(held: Sequence[Reached]) -> Reached:
    """Return the only repository.

    Raises:
        InvalidRequest: there are several.
    """
    if len({place.root for place in held}) > 1:
        roots = " and ".join(sorted({sanitise_line(place.root.name) for place in held}))
        raise InvalidRequest(f"these places are in {roots}; give those of one repository")
    return held[0]


class ByClient(Struct, frozen=True):
    """What no daemon does for its client, as typed.

    Attributes:
        act: does it, and prints; returns the exit status.
    """

    act: Callable[[], int]

    def answer(self) -> int:
        """Do it."""
        return self.act()

    def plan(self, finder: Finder, spot: Spot, view: "ViewOptions") -> None:
        """Leave it to the client."""


def fails_empty(output: Output) -> bool:
    """Return whether a command fails where nothing was found."""
    return isinstance(output, Found) and output.exit_status


def spot_of(reached: Reached, environ: Mapping[str, str]) -> Spot:
    """Return a repository that this process has found."""
    address = reached.address
    return Spot(reached.root, reached.scope, address.profile, address.home, environ)


def printed_already(answer: object) -> "Rendered":
    """Stand where a message or work has its answer printed itself."""
    raise AssertionError(answer)


def asks_plainly(asking: Asking) -> bool:
    """Return whether the options ask the daemon that runs, and nothing else of this process."""
    chosen = asking.profile is not None or asking.encoder is not None
    return not (chosen or asking.sync or asking.strict_sync or asking.offline)
