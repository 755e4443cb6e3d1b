"""The JSON bodies of slates, names and places become requests, the same on every surface.

As for searches, shapes are judged here, and all that is wrong is said at once.
"""

from collections.abc import Mapping
from typing import Final

from ggrep.domain.navigation import Boundary, ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.domain.slate import SessionOp, SessionRequest, SlateRequest
from ggrep.surfaces.body import (
    RepoCall,
    body_fields,
    finished,
    read_query,
    read_root,
    read_settings,
)
from ggrep.surfaces.fields import Fields
from ggrep.surfaces.search_fields import DEFAULT_TIMEOUT_MS, read_filters
from ggrep.surfaces.slate_fields import read_shape

NEW_SESSION: Final = "new"
"""What stands for a token where a session starts."""

MAX_TARGETS: Final = 32
"""Most places that one request opens further."""

BOUNDARIES: Final[Mapping[str, Boundary]] = {
    "auto": "auto",
    "chunk": "chunk",
    "definition": "definition",
    "container": "container",
    "file": "file",
}
SESSION_OPS: Final[Mapping[str, SessionOp]] = {
    "start": "start",
    "refine": "refine",
    "expand": "expand",
}


def parse_slate_body(body: Mapping[str, object]) -> RepoCall[SlateRequest]:
    """Return the question for a slate that a body asks.

    Raises:
        InvalidRequest: it asks none; the message names every issue.
    """
    fields = body_fields(body)
    root, query = read_root(fields), read_query(fields)
    search, shape = read_settings(fields, query), read_shape(fields)
    request = SlateRequest(
        search=search,
        level=shape.level,
        budgets=shape.budgets,
        anchors=shape.anchors,
        graph=shape.graph,
        session=_session(fields),
    )
    return finished(fields, root, request)


def parse_symbol_body(body: Mapping[str, object]) -> RepoCall[SymbolRequest]:
    """Return the name whose definitions a body asks for.

    Raises:
        InvalidRequest: it asks for none; the message names every issue.
    """
    fields = body_fields(body)
    root, name = read_root(fields), _required(fields, "name")
    request = SymbolRequest(
        name=name,
        scope=fields.text("scope") or "",
        filters=read_filters(fields),
        limit=_figure(fields, "limit", SymbolRequest(name).limit),
        deterministic=fields.flag("deterministic") or False,
        timeout_ms=_timeout(fields),
    )
    return finished(fields, root, request)


def parse_references_body(body: Mapping[str, object]) -> RepoCall[ReferencesRequest]:
    """Return the name whose usages a body asks for.

    Raises:
        InvalidRequest: it asks for none; the message names every issue.
    """
    fields = body_fields(body)
    root, name = read_root(fields), _required(fields, "name")
    request = ReferencesRequest(
        name=name,
        scope=fields.text("scope") or "",
        filters=read_filters(fields),
        strings=fields.flag("strings") or False,
        comments=fields.flag("comments") or False,
        limit=_figure(fields, "limit", ReferencesRequest(name).limit),
        deterministic=fields.flag("deterministic") or False,
        timeout_ms=_timeout(fields),
    )
    return finished(fields, root, request)


def parse_expand_body(body: Mapping[str, object]) -> RepoCall[ExpandRequest]:
    """Return the place whose surroundings a body asks for.

    Raises:
        InvalidRequest: it asks for none; the message names every issue.
    """
    fields = body_fields(body)
    root, target = read_root(fields), _required(fields, "target")
    request = ExpandRequest(
        target=target,
        boundary=fields.word("boundary", BOUNDARIES, "auto"),
        max_bytes=_figure(fields, "maxBytes", ExpandRequest(target).max_bytes, least=1),
        deterministic=fields.flag("deterministic") or False,
        timeout_ms=_timeout(fields),
    )
    return finished(fields, root, request)


def _session(fields: Fields) -> SessionRequest | None:
    """Return how the slate goes on from earlier ones; None where the key is not there."""
    if fields.take("session") is None:
        return None
    inner = fields.child("session")
    token = inner.text("token") or ""
    token = "" if token == NEW_SESSION else token
    targets = inner.texts("targets") or ()
    # Who sends a token wants to go on, who names places too wants them opened; anything else is
    # said.
    usual: SessionOp = "start" if not token else "expand" if targets else "refine"
    op = inner.word("op", SESSION_OPS, usual)
    if len(targets) > MAX_TARGETS:
        inner.add("targets", "range", f"holds {len(targets)} places, {MAX_TARGETS} at most")
    delta_only = inner.flag("deltaOnly") or False
    inner.finish()
    return SessionRequest(token, op, targets, delta_only)


def _required(fields: Fields, key: str) -> str:
    text = fields.text(key, required=True)
    if text is not None and not text.strip():
        fields.add(key, "invalid", f"the {key} is empty")
    return text or ""


def _figure(fields: Fields, key: str, usual: int, *, least: int = 0) -> int:
    value = fields.integer(key)
    if value is not None and value < least:
        fields.add(key, "range", f"must be {least} or more, is {value}")
    return usual if value is None else value


def _timeout(fields: Fields) -> int:
    """Return the deadline: a caller from elsewhere cannot ask for an answer without an end."""
    return _figure(fields, "timeoutMs", 0) or DEFAULT_TIMEOUT_MS
