"""The typed options of a search, and the request built from them."""

from dataclasses import dataclass, field, replace

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.cli.flags import said
from ggrep.interfaces.cli.options import Asking, Hits, Kept, Question
from ggrep.model.request import SearchRequest, compacted


@dataclass(frozen=True, slots=True)
class Typed:
    """A search as typed, not yet interpreted.

    Attributes:
        path: the positional PATH, if one was given.
    """

    query: str
    path: str | None = None
    question: Question = field(default_factory=Question)
    hits: Hits = field(default_factory=Hits)
    asking: Asking = field(default_factory=Asking)
    output: Kept = field(default_factory=Kept)


def request_of(typed: Typed, *, scope: str, least: int = 1) -> SearchRequest:
    """Return the request of typed options; fewer hits than `least` are refused.

    Raises:
        UsageError: flags that exclude each other.
        InvalidRequest: a value that means nothing; the message names flag and value.
    """
    given = said(SearchRequest, typed.question, typed.hits, typed.asking)
    request = SearchRequest(typed.query, scope=scope, **given)
    if request.limit < least:
        message = f"-m: {request.limit} hits is nothing to show; give at least {least}"
        raise InvalidRequest(message)
    if typed.output.receipt is not None:
        # Nobody could ask again for what differs each time.
        request = replace(request, deterministic=True)
    return compacted(request) if typed.hits.compact else request


def given_fields(typed: Typed) -> frozenset[str]:
    """Return the request's fields that were typed and so override a profile."""
    given = frozenset(said(SearchRequest, typed.question, typed.hits))
    return given | {"per_file", "snippet"} if typed.hits.compact else given
