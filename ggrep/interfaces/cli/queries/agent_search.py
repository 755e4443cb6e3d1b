"""`ggrep search --format agent`: the list, and the best hits opened, over one connection."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.config.profiles import Profile, apply_to_request
from ggrep.daemon.asked_line import Found, SearchThenOpen
from ggrep.interfaces.cli.queries.agent_options import MORE, refuse_flags_of_people
from ggrep.interfaces.cli.queries.asked import Finder, Plan, Spot, asks_plainly
from ggrep.interfaces.cli.queries.one_answer import Question, answered, place_asked, reach
from ggrep.interfaces.cli.queries.search_options import Typed, given_fields, listing, request_of
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.surfaces.agent_search import (
    Wish,
    hits_to_open,
    search_text,
)
from ggrep.model.answer_view import ViewOptions
from ggrep.model.navigation import ExpandRequest, ExpandResponse
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.protocol.wire.message_types import Ask, Search
from ggrep.render.error_json import query_error
from ggrep.render.navigation_json import expand_success
from ggrep.render.printed import Rendered

if TYPE_CHECKING:
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.search.engine.engine import Engine


class SearchForAgent(Struct, frozen=True):
    """A search of one repository, as typed, and how it is written."""

    typed: Typed
    wish: Wish

    def answer(self) -> int:
        """Search, open hits, and print.

        Raises:
            UsageError: a flag was given that such a text does not heed.
            GgrepError: as the flags, the daemon or the engine say.
        """
        typed = self.typed
        terminal, place = open_terminal(plain=typed.output.plain), place_asked("search", typed)
        reached = reach(place, terminal, typed.asking.overrides)
        request, wish = self._meant(reached.scope, reached.address.profile)

        def ask(daemon: "Daemon", watch: "Watcher | None") -> Rendered:
            with daemon.one_connection():
                printed = daemon.search(request, ViewOptions(json=True), watch)
                return _written(stable_json.loads(printed.out.encode()), request, wish, daemon.ask)

        def read(engine: "Engine") -> Rendered:
            from ggrep.render.query_json import query_success

            response = engine.search_or_scan(request, tell=terminal.tell)
            return _written(dict(query_success(response)), request, wish, engine.ask)

        question: Question[Rendered] = Question(ask=ask, read=read, scans=True)
        written = answered(question, reached, terminal, typed.asking)
        terminal.write(written.out)
        return 1 if typed.output.exit_status and not written.hits else 0

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon is to do; a receipt is written by the client."""
        del view
        typed = self.typed
        if typed.output.receipt is not None or not asks_plainly(typed.asking):
            return None
        scope = finder.place_asked("search", typed).scope
        request, wish = self._meant(scope, spot.profile)

        def to_open(document: Mapping[str, Any]) -> list[tuple[int, Ask[Any]]]:
            wanted = hits_to_open(document, wish, request.timeout_ms)
            return [(place, Ask(expansion)) for place, expansion in wanted]

        def printed(found: Found) -> Rendered:
            document, opened = found
            return _rendered(document, opened, wish)

        message = SearchThenOpen(Search(request), to_open)
        return Plan(message, printed, typed.output.exit_status)

    def _meant(self, scope: str, profile: Profile) -> tuple[SearchRequest, Wish]:
        """Return the search, and how it is written: lines that match are shown all."""
        typed = self.typed
        refuse_flags_of_people(typed)
        request = listing(request_of(typed, scope=scope), typed)
        if request.is_exact or not typed.hits.snippet:
            request = replace(request, snippet=SnippetMode.NONE)
        given = given_fields(typed) | {"snippet", "limit"}
        return apply_to_request(request, given, profile), self.wish


def _written(
    document: Mapping[str, Any],
    request: SearchRequest,
    wish: Wish,
    expand: Callable[[ExpandRequest], ExpandResponse],
) -> Rendered:
    """Return what is printed of a search, its hits opened one after the other."""
    opened: list[tuple[int, ExpandResponse | GgrepError]] = []
    for place, expansion in hits_to_open(document, wish, request.timeout_ms):
        try:
            opened.append((place, expand(expansion)))
        except GgrepError as error:
            opened.append((place, error))
    return _rendered(document, opened, wish)


def _rendered(
    document: Mapping[str, Any],
    opened: Sequence[tuple[int, ExpandResponse | GgrepError]],
    wish: Wish,
) -> Rendered:
    """Return what is printed; of a hit that cannot be opened, as the snapshot changed, why."""
    bodies = [
        (place, query_error(one)["error"] if isinstance(one, GgrepError) else expand_success(one))
        for place, one in opened
    ]
    text = search_text(document, bodies, wish, MORE)
    return Rendered(text + "\n", "", hits=len(document["results"]))
