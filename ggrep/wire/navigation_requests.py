"""Slates, names and places from the wire: decoded, and every figure and string within bounds."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ggrep.config.caps import MAX_QUERY_TIMEOUT_MS, MAX_STORE_BYTES
from ggrep.domain.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.domain.says import MOST_ITEMS
from ggrep.domain.slate import Budgets, SessionRequest, SlateRequest
from ggrep.errors import InvalidRequest
from ggrep.wire.codec import from_json
from ggrep.wire.fields import bounded
from ggrep.wire.requests import (
    MAX_PATH_BYTES,
    NARROWING_SIZES,
    check_bytes,
    check_narrowing,
    check_scored,
    check_scored_sizes,
    check_sizes,
)

MAX_NAME_BYTES: Final = 512
"""Longest name that is looked for."""

MAX_TOKEN_CHARACTERS: Final = 8_192
"""Longest session token that anything looks into."""

MAX_LEVEL: Final = 3
"""Most that a slate discloses."""

_SESSION_SIZES: Final = MappingProxyType({"targets": 32})


def parse_slate_request(value: object, place: str) -> SlateRequest:
    """Return a question for a slate; what its figures mean is judged where it is answered.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    check_scored_sizes(value, place)
    if isinstance(value, Mapping):
        _check_token(value.get("session"), f"{place}.session")
        check_sizes(value.get("session"), f"{place}.session", _SESSION_SIZES)
    request = from_json(SlateRequest, value, place)
    check_scored(request, place)
    bounded(request.level, 0, MAX_LEVEL, f"{place}.level")
    _check_budgets(request.budgets, f"{place}.budgets")
    if request.session is not None:
        _check_session(request.session, f"{place}.session")
    return request


def parse_symbol_request(value: object, place: str) -> SymbolRequest:
    """Return a name whose definitions are looked for.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    check_sizes(value, place, NARROWING_SIZES)
    request = from_json(SymbolRequest, value, place)
    _check_named(request, place)
    return request


def parse_references_request(value: object, place: str) -> ReferencesRequest:
    """Return a name whose usages are looked for.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    check_sizes(value, place, NARROWING_SIZES)
    request = from_json(ReferencesRequest, value, place)
    _check_named(request, place)
    return request


def parse_expand_request(value: object, place: str) -> ExpandRequest:
    """Return a place whose surroundings are looked for.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    request = from_json(ExpandRequest, value, place)
    check_bytes(request.target, MAX_PATH_BYTES, f"{place}.target")
    bounded(request.max_bytes, 0, MAX_STORE_BYTES, f"{place}.max_bytes")
    bounded(request.timeout_ms, 0, MAX_QUERY_TIMEOUT_MS, f"{place}.timeout_ms")
    return request


def _check_named(request: SymbolRequest | ReferencesRequest, place: str) -> None:
    check_bytes(request.name, MAX_NAME_BYTES, f"{place}.name")
    check_narrowing(request.scope, request.filters, place)
    bounded(request.limit, 0, MOST_ITEMS, f"{place}.limit")
    bounded(request.timeout_ms, 0, MAX_QUERY_TIMEOUT_MS, f"{place}.timeout_ms")


def _check_budgets(budgets: Budgets, place: str) -> None:
    bounded(budgets.total_bytes, 0, MAX_STORE_BYTES, f"{place}.total_bytes")
    bounded(budgets.file_bytes, 0, MAX_STORE_BYTES, f"{place}.file_bytes")
    bounded(budgets.files, 0, MOST_ITEMS, f"{place}.files")
    bounded(budgets.evidence_per_file, 0, MOST_ITEMS, f"{place}.evidence_per_file")


def _check_token(session: object, place: str) -> None:
    """Do nothing unless the token is too long; it is told by its length alone: it is a secret."""
    token = session.get("token") if isinstance(session, Mapping) else None
    if isinstance(token, str) and len(token) > MAX_TOKEN_CHARACTERS:
        raise InvalidRequest(
            f"{place}.token: {len(token)} characters exceed {MAX_TOKEN_CHARACTERS}"
        )


def _check_session(session: SessionRequest, place: str) -> None:
    # A token holds letters and digits alone; the bytes of anything else are refused as well.
    check_bytes(session.token, MAX_TOKEN_CHARACTERS, f"{place}.token")
    for index, target in enumerate(session.targets):
        check_bytes(target, MAX_PATH_BYTES, f"{place}.targets[{index}]")
