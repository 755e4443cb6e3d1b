"""`ggrep search --format agent`: the list, and the best hits opened, over one connection."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, NoIndex
from ggrep.config.profiles import apply_to_request
from ggrep.interfaces.cli.queries.agent_options import MORE, refuse_flags_of_people
from ggrep.interfaces.cli.queries.one_answer import Question, answered, place_asked, reach
from ggrep.interfaces.cli.queries.search_options import Typed, given_fields, request_of
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.surfaces.agent_search import (
    MOST_MATCHING,
    Wish,
    hits_to_open,
    pattern_of,
    search_text,
)
from ggrep.model.answer_view import ViewOptions
from ggrep.model.navigation import ExpandRequest, ExpandResponse
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.render.error_json import query_error
from ggrep.render.navigation_json import expand_success

if TYPE_CHECKING:
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.search.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    hits: int


def search_for_agent(typed: Typed, wish: Wish) -> int:
    """Answer a typed search of one repository; return the exit status.

    Raises:
        UsageError: a flag was given that such a text does not heed.
        GgrepError: as the flags, the daemon or the engine say.
    """
    terminal, place = open_terminal(plain=typed.output.plain), place_asked("search", typed)
    refuse_flags_of_people(typed)
    request = request_of(typed, scope=place.scope)
    reached = reach(place, terminal, typed.asking.overrides)
    request = replace(request, scope=reached.scope)
    wish = replace(wish, pattern=pattern_of(request))
    given = given_fields(typed)
    if wish.pattern is not None:
        request = replace(
            request,
            snippet=SnippetMode.FULL,
            per_file=request.per_file if "per_file" in given else 0,
            limit=request.limit if "limit" in given else MOST_MATCHING,
        )
    elif not typed.hits.snippet:
        request = replace(request, snippet=SnippetMode.NONE)
    fields = given | {"snippet", *(("per_file", "limit") if wish.pattern else ())}
    request = apply_to_request(request, fields, reached.address.profile)

    def ask(daemon: "Daemon", watch: "Watcher | None") -> _Written:
        with daemon.one_connection():
            printed = daemon.search(request, ViewOptions(json=True), watch)
            return _written(stable_json.loads(printed.out.encode()), request, wish, daemon.expand)

    def read(engine: "Engine") -> _Written:
        from ggrep.render.query_json import query_success

        try:
            response = engine.search(request)
        except NoIndex as error:
            terminal.tell(str(error))
            response = engine.scan(request)
        return _written(dict(query_success(response)), request, wish, engine.expand)

    question: Question[_Written] = Question(ask=ask, read=read, scans=True)
    written = answered(question, reached, terminal, typed.asking)
    terminal.write(written.text + "\n")
    return 1 if typed.output.exit_status and not written.hits else 0


def _written(
    document: dict[str, Any],
    request: SearchRequest,
    wish: Wish,
    expand: Callable[[ExpandRequest], ExpandResponse],
) -> _Written:
    opened = [
        (place, _opened(expand, asked))
        for place, asked in hits_to_open(document, wish, request.timeout_ms)
    ]
    return _Written(search_text(document, opened, wish, MORE), len(document["results"]))


def _opened(
    expand: Callable[[ExpandRequest], ExpandResponse], request: ExpandRequest
) -> dict[str, Any]:
    """Return an opened hit, or why there is none: the snapshot may have changed meanwhile."""
    try:
        return dict(expand_success(expand(request)))
    except GgrepError as error:
        return dict(query_error(error)["error"])
