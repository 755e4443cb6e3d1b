"""Queries that a command returns, not yet run: the client runs them, or a daemon their plan.

A query to one repository finds its places, then makes one plan. The client executes the plan with a
daemon, or with the index in its own process. A daemon that received the command line as it was
typed makes the same plan (`command_line`) and executes it itself.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.cli.parsing.flags import Output
from ggrep.interfaces.cli.queries.run_query import (
    Kept,
    answered,
    chosen_place,
    follow_index,
    place_asked,
    reach,
    view_of,
)
from ggrep.interfaces.cli.queries.search_options import Asking, Found, Typed
from ggrep.interfaces.cli.queries.typed_targets import Target, folder_or_target_of, target_of
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.model.sanitise import sanitise_line
from ggrep.service.daemon_choice import asks_daemon
from ggrep.service.places import Place

if TYPE_CHECKING:
    from ggrep.config.home import Home
    from ggrep.config.profiles import Profile
    from ggrep.daemon.plan import Plan, WorkspacePlan
    from ggrep.model.answer_view import ViewOptions
    from ggrep.protocol.client.headstart import HeadStart


class Finder(Protocol):
    """Finds the places that were typed."""

    def place(self, repo: Path | None, path: str | None) -> Place:
        """Return what `--repo` or a PATH means, else the current directory."""

    def place_asked(self, command: str, typed: Typed) -> Place:
        """Return the place of a search, with a word on what was meant where there is none."""

    def target(self, typed: str, repo: Path | None) -> Target:
        """Return the target of an expansion."""

    def folder_or_target(self, typed: str, repo: Path | None) -> Target:
        """Return the target of an outline."""


class InShell:
    """Finds places in this process, which stands where the user does."""

    place = staticmethod(chosen_place)
    place_asked = staticmethod(place_asked)
    target = staticmethod(target_of)
    folder_or_target = staticmethod(folder_or_target_of)


class Site(Struct, frozen=True):
    """The repository that a query asks, and all else that its plan depends on.

    Attributes:
        profile: currently configured.
        home: where stores lie.
        environ: variables of the client.
        finder: of the query's places.
        view: how to print in the client's terminal.
        keys: the query's targets as the repository writes them.
    """

    root: Path
    profile: "Profile"
    home: "Home"
    environ: Mapping[str, str]
    finder: Finder
    view: "ViewOptions"
    keys: tuple[str, ...] = ()


class Query(Protocol):
    """A command that only asks, not yet run."""

    def answer(self) -> int:
        """Run it and print; return the exit status."""

    def plan(self, site: Site) -> "Plan | WorkspacePlan | None":
        """Return what the daemon of a repository is to do; None where the client has to do it.

        Raises:
            GgrepError: the client says what is wrong.
        """


class RepositoryQuery(Struct, frozen=True):
    """A query to one repository.

    Attributes:
        find: returns the places that it is about.
        planned: makes the plan.
        kept: answers a search here, whatever runs, and writes a receipt; None for none.
    """

    asking: Asking
    output: Output
    find: "Callable[[Finder], Sequence[Target]]"
    planned: "Callable[[Site], Plan]"
    kept: "Kept | None" = None

    def answer(self, head: "HeadStart | None" = None) -> int:
        """Run it and print; `head` is a process that has begun to become a daemon.

        After a scan a user who watches is shown how the index takes over.
        """
        terminal, finder = open_terminal(plain=self.output.plain), InShell()
        targets = self.find(finder)
        reached = {
            place: reach(place, terminal, self.asking.overrides)
            for place in dict.fromkeys(each.place for each in targets)
        }
        if len({each.root for each in reached.values()}) > 1:
            roots = " and ".join(
                sorted({sanitise_line(each.root.name) for each in reached.values()})
            )
            raise InvalidRequest(f"these places are in {roots}; give those of one repository")
        first = reached[targets[0].place]
        address = first.address
        view = view_of(terminal, json=self.output.json)
        site = Site(first.root, address.profile, address.home, terminal.environ, finder, view)
        keys = (target.key(reached[target.place].scope) for target in targets)
        plan = self._plan(replace(site, keys=tuple(keys)))
        rendered = answered(plan, first, terminal, self.asking, self.kept, head)
        terminal.write_answer(rendered, json=view.json)
        asks = asks_daemon(address, terminal.environ, offline=self.asking.offline)
        if rendered.scan and terminal.progress and asks and not view.json:
            follow_index(address, terminal)
        return rendered.exit_status

    def plan(self, site: Site) -> "Plan | None":
        """Return what a daemon is to do."""
        if self.kept is not None or not asks_plainly(self.asking):
            return None
        view = replace(site.view, json=self.output.json)
        keys = (target.key(target.place.scope) for target in self.find(site.finder))
        return self._plan(replace(site, view=view, keys=tuple(keys)))

    def _plan(self, site: Site) -> "Plan":
        needs_hits = isinstance(self.output, Found) and self.output.exit_status
        return replace(self.planned(site), needs_hits=needs_hits)


def asks_plainly(asking: Asking) -> bool:
    """Return whether the options ask the daemon that runs, and nothing else of this process."""
    chosen = asking.profile is not None or asking.encoder is not None
    return not (chosen or asking.sync or asking.strict_sync or asking.offline)
