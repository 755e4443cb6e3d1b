"""`ggrep search --format agent`: the list, and the best hits opened."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.config.profiles import apply_to_request
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.queries.agent_options import MORE, refuse_flags_of_people
from ggrep.interfaces.cli.queries.query import Finder, RepositoryQuery, Site
from ggrep.interfaces.cli.queries.search_options import Typed, given_fields, listing, request_of
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.interfaces.surfaces.agent_search import Wish, hits_to_open, search_text
from ggrep.model.answer_view import ViewOptions
from ggrep.model.navigation import ExpandResponse
from ggrep.model.request import SnippetMode
from ggrep.protocol.wire.message_types import Ask, Search
from ggrep.render.error_json import query_error
from ggrep.render.navigation_json import expand_success
from ggrep.render.printed import Rendered


def search_for_agent(typed: Typed, wish: Wish) -> RepositoryQuery:
    """Return a search whose best hits are opened; lines that match are shown all.

    Raises:
        UsageError: a flag was given that such a text does not heed.
    """
    refuse_flags_of_people(typed)

    def find(finder: Finder) -> list[Target]:
        return [Target(finder.place_asked("search", typed))]

    def planned(site: Site) -> Plan:
        request = listing(request_of(typed, scope=site.keys[0]), typed)
        if request.is_exact or not typed.hits.snippet:
            request = replace(request, snippet=SnippetMode.NONE)
        given = given_fields(typed) | {"snippet", "limit"}
        request = apply_to_request(request, given, site.profile)

        def opened(answers: Answers) -> list[Ask[Any]]:
            wanted = hits_to_open(_document(answers), wish, request.timeout_ms)
            return [Ask(expansion) for _, expansion in wanted]

        def printed(answers: Answers) -> Rendered:
            return _rendered(_document(answers), answers[1:], wish)

        search = Search(request, render=ViewOptions(json=True))
        return Plan((search,), printed, opened)

    return RepositoryQuery(typed.asking, typed.output, find, planned)


def _document(answers: Answers) -> Any:  # noqa: ANN401 - of any shape
    return stable_json.loads(answers[0].out.encode())


def _rendered(
    document: Mapping[str, Any], opened: Sequence[ExpandResponse | GgrepError], wish: Wish
) -> Rendered:
    """Return the output; of a hit that cannot be opened, as the snapshot changed, why."""
    bodies = [
        query_error(body)["error"] if isinstance(body, GgrepError) else expand_success(body)
        for body in opened
    ]
    text = search_text(document, list(enumerate(bodies)), wish, MORE)
    return Rendered(text + "\n", "", hits=len(document["results"]))
