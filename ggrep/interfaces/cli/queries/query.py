"""Queries that a command returns without running them; the client or a daemon executes them.

A query to one repository resolves its targets, then makes one plan. The client executes the plan
with a daemon, or with the index in its own process. A daemon that receives the unparsed command
line makes the same plan (`command_line`) and executes the plan.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest, Unasked
from ggrep.daemon.plan import Plan, execute
from ggrep.index.repo_identity import require_asked
from ggrep.interfaces.cli.daemon_contact import address_of, is_indexed, watching
from ggrep.interfaces.cli.parsing.flags import Output
from ggrep.interfaces.cli.queries.search_options import HitsOutput, IndexOptions, TypedSearch
from ggrep.interfaces.cli.queries.typed_targets import Finder, TypedTarget
from ggrep.interfaces.cli.terminal import (
    Terminal,
    ask_before_indexing,
    ended_at,
    open_terminal,
    show_progress,
)
from ggrep.model.operations import operation_of
from ggrep.model.request import ViewOptions
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.messages import Ask, Search, Status
from ggrep.protocol.wire.messages import QueryMessage as Message
from ggrep.service.daemon_choice import daemon_client_of, uses_daemon
from ggrep.service.location import Location, enclosing_index, open_engine

if TYPE_CHECKING:
    from ggrep.config.home import Home
    from ggrep.config.profiles import Profile
    from ggrep.daemon.plan import WorkspacePlan
    from ggrep.model.request import SearchRequest
    from ggrep.model.response import QueryResponse
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.daemon_client import DaemonClient as Daemon
    from ggrep.protocol.client.daemon_client import Watcher
    from ggrep.protocol.client.preload import Preload
    from ggrep.render.printed import Rendered
    from ggrep.search.engine.engine import Engine

T = TypeVar("T")

AnswerWithReceipt: TypeAlias = "Callable[[Engine, SearchRequest], QueryResponse]"
"""Answers a search from the index, and writes a receipt of the answer."""

_QUIET_MS = 2_000.0
"""Delay of a scan's progress bar, whose modules take a tenth of a second to import."""


class QueriedRepo(Struct, frozen=True):
    """A repository to query, and the path key of the scope in the repository."""

    address: "DaemonAddress"
    scope: str

    @property
    def root(self) -> Path:
        """Return the repository's root."""
        return self.address.identity.root


def reach(place: Location, terminal: Terminal, flags: Mapping[str, object]) -> QueriedRepo:
    """Return the repository around a path: the nearest directory with an index, if any."""
    address = address_of(place, terminal, flags)
    if not address.identity.store.is_dir():
        place = enclosing_index(place, terminal.environ, flags)
        address = address_of(place, terminal, flags)
    return QueriedRepo(address, place.scope)


def answered(
    plan: Plan,
    reached: QueriedRepo,
    terminal: Terminal,
    asking: IndexOptions,
    kept: "AnswerWithReceipt | None" = None,
    head: "Preload | None" = None,
) -> "Rendered":
    """Return the output of a plan, executed by the daemon or else in this process.

    The timeout begins with the command; the time of a requested sync does not count.
    """
    first, fresh = plan.messages[0], not is_indexed(reached.address)
    scans = isinstance(first, Search)
    is_slate = isinstance(first, Ask) and operation_of(first.request).name == "slate"
    waits = asking.sync or (fresh and not scans and not is_slate)
    offline = asking.offline or kept is not None
    asks = uses_daemon(reached.address, terminal.environ, offline=offline)
    if (asks or asking.sync) and _asked_for_index(reached, yes=asking.yes):
        terminal = replace(terminal, began_ms=None)  # the user needed time to answer
    timeout_ms = asking.timeout_ms or reached.address.settings.query_timeout_ms
    until = Deadline.never(SystemClock()) if waits else terminal.deadline(timeout_ms)
    if not asks:
        return _by_engine(plan, reached, terminal, asking, until, kept)
    from ggrep.protocol.client.link import NoReply
    from ggrep.protocol.client.starting import NotStarted

    daemon = daemon_client_of(
        reached.address,
        terminal.environ,
        terminal.tell,
        began_ms=terminal.began_ms,
        until=until,
        head=head,
    )
    label, quiet_ms = reached.root.name, _QUIET_MS if scans and not asking.sync else 0.0
    try:
        with ended_at(until):
            if fresh and not scans and not terminal.progress:
                terminal.tell(f"{label} has no index yet; indexing starts now")
            with watching(terminal, label, quiet_ms) if fresh or waits else nullcontext() as watch:
                if waits:
                    daemon.sync(watch, strict=asking.strict_sync)
                with daemon.one_connection():
                    return _executed(plan, partial(_ask, daemon, watch), timeout_ms)
    except (NotStarted, NoReply) as error:
        terminal.tell(f"{error}; reading the index without a daemon")
        try:
            return _by_engine(plan, reached, terminal, asking, until, kept)
        except DeadlineExceeded as late:
            late.args = (f"{error}; {late}",)
            raise


def _asked_for_index(reached: QueriedRepo, *, yes: bool) -> bool:
    """Return whether the user had to consent to indexing; raise if the user does not consent."""
    try:
        return ask_before_indexing(require_asked, reached.root, reached.address.home, yes=yes)
    except Unasked as error:
        error.args = (f"{error}; to index it and repeat this query, add --yes",)
        raise


def _by_engine(
    plan: Plan,
    reached: QueriedRepo,
    terminal: Terminal,
    asking: IndexOptions,
    until: Deadline,
    kept: "AnswerWithReceipt | None",
) -> "Rendered":
    with ended_at(until):
        engine = open_engine(
            reached.root, terminal.environ, flags=reached.address.flags, until=until
        )
        if asking.sync:
            with show_progress(terminal, reached.root.name) as progress:
                engine.sync(strict=asking.strict_sync, progress=progress)

        def read(message: Message) -> object:
            if not isinstance(message, Search):
                return engine.ask(message.request)
            from ggrep.render.printed import render_answer

            assert message.render is not None  # noqa: S101 - clients print
            if kept is None:
                response = engine.search_or_scan(message.request)
            else:
                response = kept(engine, message.request)
            return render_answer(response, reached.root, message.render)

        timeout_ms = asking.timeout_ms or reached.address.settings.query_timeout_ms
        return _executed(plan, read, timeout_ms)


def _ask(daemon: "Daemon", watch: "Watcher | None", message: Message) -> object:
    if isinstance(message, Search):
        assert message.render is not None  # noqa: S101 - clients print
        return daemon.search(message.request, message.render, watch)
    return daemon.ask(message.request, watch)


def _executed(plan: Plan, ask: Callable[[Any], object], timeout_ms: float) -> "Rendered":
    try:
        execute(plan, _Host(ask, timeout_ms)).send(None)
    except StopIteration as end:
        rendered: Rendered = end.value
        return rendered
    raise AssertionError("the plan was suspended")


class _Host(Struct, frozen=True):
    """Executes the messages of a plan without an event loop."""

    ask: Callable[[Any], object]
    timeout_ms: float

    async def answer(self, message: Message | Status) -> object:
        """Return the answer to a message."""
        return self.ask(message)

    async def compute(self, work: Callable[[], T]) -> T:
        """Return the result of a function."""
        return work()

    def deadline(self, message: Message) -> Deadline:
        """Return the deadline of the command, common to all messages."""
        del message
        return Deadline.after(SystemClock(), self.timeout_ms)


def view_of(terminal: Terminal, *, json: bool) -> ViewOptions:
    """Return the view options for this terminal."""
    try:
        here = str(Path.cwd())
    except FileNotFoundError:
        here = ""
    return ViewOptions(
        json=json,
        columns=terminal.columns,
        colour=terminal.style.colour,
        notes_colour=terminal.notes_style.colour,
        cwd=here,
        links=terminal.links,
    )


_PATIENCE_MS: Final = 20_000
"""How long to wait for the first portion of an index; reading one takes some five seconds."""


def follow_index(address: "DaemonAddress", terminal: Terminal) -> None:
    """Show the progress of the first indexing until the index answers; Ctrl-C ends the display."""
    label, there = address.identity.root.name, False
    with suppress(GgrepError, KeyboardInterrupt), watching(terminal, label) as watch:
        if watch is not None:
            asking = daemon_client_of(address, terminal.environ, terminal.tell)
            there = asking.follow(lambda: is_indexed(address), watch, _PATIENCE_MS)
    if there:
        terminal.tell(
            f"the index of {label} is ready: repeat the command to search the complete index"
        )
    else:
        terminal.tell(f"{label} has no index yet; progress: ggrep status")


class PlanContext(Struct, frozen=True):
    """The queried repository, and all other input of a query's plan.

    `keys` are the path keys or names that the query targets.
    """

    root: Path
    profile: "Profile"
    home: "Home"
    environ: Mapping[str, str]
    finder: Finder
    view: "ViewOptions"
    keys: tuple[str, ...] = ()


class Query(Protocol):
    """A query command that has not run yet."""

    def answer(self) -> int:
        """Run the query and print the answer; return the exit status."""

    def plan(self, site: PlanContext) -> "Plan | WorkspacePlan | None":
        """Return the plan that a daemon executes; None if the client must run the query."""


class RepositoryQuery(Struct, frozen=True):
    """A query to one repository: finds the targets, then makes a plan for them.

    `kept`, if given, searches the index in this process and writes a receipt.
    """

    asking: IndexOptions
    output: Output
    find: "Callable[[Finder], Sequence[TypedTarget]]"
    planned: "Callable[[PlanContext], Plan]"
    kept: "AnswerWithReceipt | None" = None

    def answer(self, head: "Preload | None" = None) -> int:
        """Run the query and print the answer; `head` is a starting daemon process.

        If the answer comes from a scan of the files, a terminal then shows the indexing progress.
        """
        terminal, finder = open_terminal(plain=self.output.plain), Finder()
        targets = self.find(finder)
        places = dict.fromkeys(each.place for each in targets)
        reached = {place: reach(place, terminal, self.asking.overrides) for place in places}
        if len({each.root for each in reached.values()}) > 1:
            names = sorted({sanitise_line(each.root.name) for each in reached.values()})
            roots = " and ".join(names)
            raise InvalidRequest(
                f"these places are in several repositories, {roots}; use places of one repository"
            )
        first, environ = reached[targets[0].place], terminal.environ
        address, view = first.address, view_of(terminal, json=self.output.json)
        keys = tuple(target.key(reached[target.place].scope) for target in targets)
        site = PlanContext(first.root, address.profile, address.home, environ, finder, view, keys)
        plan = self._plan(site)
        rendered = answered(plan, first, terminal, self.asking, self.kept, head)
        terminal.write_answer(rendered, json=view.json)
        asks = uses_daemon(address, environ, offline=self.asking.offline)
        if rendered.scan and terminal.progress and asks and not view.json:
            follow_index(address, terminal)
        return rendered.exit_status

    def plan(self, site: PlanContext) -> "Plan | None":
        """Return the plan that a daemon executes; None if the client must run the query."""
        if self.kept is not None or not asks_plainly(self.asking):
            return None
        view = replace(site.view, json=self.output.json)
        keys = (target.key(target.place.scope) for target in self.find(site.finder))
        return self._plan(replace(site, view=view, keys=tuple(keys)))

    def _plan(self, site: PlanContext) -> "Plan":
        needs_hits = isinstance(self.output, HitsOutput) and self.output.exit_status
        return replace(self.planned(site), needs_hits=needs_hits)


def search_query(
    command: str,
    typed: TypedSearch,
    planned: "Callable[[PlanContext], Plan]",
    kept: "AnswerWithReceipt | None" = None,
) -> RepositoryQuery:
    """Return a query about the directory to which the command line restricts the search."""

    def find(finder: Finder) -> list[TypedTarget]:
        return [TypedTarget(finder.place_asked(command, typed))]

    return RepositoryQuery(typed.asking, typed.output, find, planned, kept)


def asks_plainly(asking: IndexOptions) -> bool:
    """Return whether a running daemon can answer a query with these options."""
    chosen = asking.profile is not None or asking.encoder is not None
    return not (chosen or asking.sync or asking.strict_sync or asking.offline)
