"""The text of a search for agents, with the code of the best hits.

An agent usually reads the best hit next, so the text contains its definition if the definition
fits. The agent then need not open the definition in another call, with a guessed range of lines.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.navigation import ExpandRequest
from ggrep.render.agent_hits import AlreadyShown, body_lines
from ggrep.render.agent_text import BUDGETS, AgentView, agent_text

_Object: TypeAlias = Mapping[str, Any]

UNASKED_BODIES: Final = 2
"""Number of hits to show with their code by default, if the code fits the budget."""
_TRIED: Final = 4
"""Number of best hits from which these hits are chosen."""
MAX_UNASKED_BYTES: Final = 2_048
"""Maximum bytes of code of such a hit, about 50 lines; of longer code only a part is shown."""
MAX_BODIES: Final = 10
MAX_BODY_BYTES: Final = 6_144
"""Maximum bytes of code of a requested hit, about 150 lines; of longer code a part."""
_TEXT_SHARE: Final = 85
"""Per cent of the shown code that is text; the rest are line numbers."""
_OPENED_BY_THEMSELVES: Final = frozenset({"short", "default", "none"})
"""Snippet modes in which bodies replace the snippets."""


class AgentTextOptions(Struct, frozen=True):
    """Options of the text of an answer.

    Attributes:
        bodies: number of best hits to show with their code; None for as many as fit.
        budget: maximum bytes of the text, not counting requested code; 0 for the default.
        arguments: see `AgentView`.
    """

    bodies: int | None = None
    budget: int = 0
    arguments: bool = False


def hits_to_open(
    document: _Object, wish: AgentTextOptions, timeout_ms: int
) -> list[tuple[int, ExpandRequest]]:
    """Return the positions of the hits to show with their code, and the request for each.

    The list is empty for an answer without an index. If the request does not ask for code, the list
    is also empty if the answer shows long snippets or matching lines, if its confidence is `none`,
    or if its other text uses up the budget.
    """
    hits = document.get("results", ())
    if "partial" in document or not hits or ("matches" in document and wish.bodies is None):
        return []
    wanted = wish.bodies
    if wanted is None:
        unsure = document.get("confidence") == "none"
        wanted = _TRIED if _shows_little(document) and not unsure else 0
    most = MAX_BODY_BYTES
    if wish.bodies is None:
        bare = agent_text(_without_snippets(document), _view(wish))
        left = _budget(wish) - len(bare.encode())
        most = min(MAX_UNASKED_BYTES, left * _TEXT_SHARE // 100)
        wanted = wanted if most > 0 else 0
    return [
        (place, ExpandRequest(hit["row_id"], max_bytes=most, timeout_ms=timeout_ms))
        for place, hit in enumerate(hits[: min(wanted, MAX_BODIES)])
    ]


def search_text(
    document: _Object, opened: Sequence[tuple[int, _Object]], wish: AgentTextOptions, more: str
) -> str:
    """Return the text of a search's answer, without a final newline."""
    if "matches" in document and not opened:
        return agent_text(document, _view(wish, more))
    document = {key: value for key, value in document.items() if key != "matches"}
    bare = _without_snippets(document) if opened or wish.bodies == 0 else document
    budget = _budget(wish)
    left = budget - len(agent_text(bare, replace(_view(wish, more), budget=budget)).encode())
    above, bodies = AlreadyShown(), dict[int, _Object]()
    for place, body in opened:
        size = sum(len(line.encode()) + 1 for line in body_lines(body))
        unasked = wish.bodies is None
        if unasked and len(bodies) == UNASKED_BODIES:
            break
        if unasked and (size > left or _is_fragment(body, document["results"][place])):
            continue
        if "content" in body and above.covers(body["path"], body["start_line"], body["end_line"]):
            continue
        bodies[place] = body
        left -= size
        budget += 0 if unasked else size
    hits = [
        {**hit, "body": bodies[place]} if place in bodies else hit
        for place, hit in enumerate(bare.get("results", ()))
    ]
    shown = {**bare, "results": hits} if "results" in bare else bare
    return agent_text(shown, replace(_view(wish, more), budget=budget))


def _view(wish: AgentTextOptions, more: str = "") -> AgentView:
    return AgentView(_budget(wish), more, arguments=wish.arguments)


def _budget(wish: AgentTextOptions) -> int:
    return wish.budget or BUDGETS["results"]


def _without_snippets(document: _Object) -> _Object:
    """Return a search's answer without the hits' text, unless long snippets were requested."""
    if not _shows_little(document):
        return document
    return {**document, "results": [{**hit, "content": ""} for hit in document["results"]]}


def _shows_little(document: _Object) -> bool:
    return document.get("limits", {}).get("snippet") in _OPENED_BY_THEMSELVES


def _is_fragment(body: _Object, hit: _Object) -> bool:
    """Return whether the code of a hit is cut, or only the head of a long definition."""
    if body.get("hidden_lines", 1):
        return True
    whole = hit.get("definition")
    return bool(hit.get("name") and whole and body["end_line"] < whole["end_line"])
