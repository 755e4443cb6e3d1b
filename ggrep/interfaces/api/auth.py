"""Authorises requests: the right Host, no foreign Origin, the token where one is set.

A page in the user's browser can send requests to loopback, under a name of its own if it controls
a name server. Host and Origin keep it out even where no token is set.
"""

import hmac
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ggrep.interfaces.api.http_messages import Refusal, failure_response

AUTHORISED: Final = "ggrep.authorised"
"""Key of the scope: the caller has presented the token."""

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


class AuthRules(Struct, frozen=True):
    """Who is let in.

    Attributes:
        token: what every request must present; None for nothing.
        hosts: names beside those of loopback that the server is called by, in lower case.
        origins: pages that may ask from a browser, as their `Origin` says it.
    """

    token: str | None = None
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()


class Auth:
    """ASGI middleware that turns away whoever must not be let in."""

    def __init__(self, app: ASGIApp, rules: AuthRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers.getlist("host"))
            origin = self._allowed_origin(headers)
        except Refusal as error:
            await failure_response(error)(scope, receive, send)
            return
        send = _with_origin(send, origin)
        if origin and scope["method"] == "OPTIONS":
            # A browser asks before it sends the token, so this one question needs none.
            await _preflight()(scope, receive, send)
            return
        try:
            scope[AUTHORISED] = self._is_authorised(headers.getlist("authorization"))
        except Refusal as error:
            await failure_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check_host(self, given: Sequence[str]) -> None:
        found = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        name = found[1].lower() if found else ""
        if name not in LOOPBACK_NAMES | self._rules.hosts:
            raise Refusal(421, "misdirected_request", "the Host header does not name this server")

    def _allowed_origin(self, headers: Headers) -> str:
        """Return the page's origin; empty when no page asks."""
        given = headers.getlist("origin")
        if not given:
            # Pictures and forms of other pages bear no Origin, but browsers say where they stand.
            if headers.get("sec-fetch-site", "none") in {"none", "same-origin"}:
                return ""
            raise Refusal(403, "forbidden", "requests from pages of other sites are refused")
        if len(given) == 1 and given[0] in self._rules.origins:
            return given[0]
        raise Refusal(403, "forbidden", "the Origin is not allowed")

    def _is_authorised(self, given: Sequence[str]) -> bool:
        token = self._rules.token
        if token is None:
            return False
        scheme, _, presented = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        # Compared as bytes and in constant time, so that answers betray no part of the token.
        equal = hmac.compare_digest(presented.strip().encode(), token.encode())
        if scheme.lower() == "bearer" and equal:
            return True
        challenge = {"www-authenticate": 'Bearer realm="ggrep"'}
        raise Refusal(401, "unauthorized", "a bearer token is required", headers=challenge)


def _with_origin(send: Send, origin: str) -> Send:
    """Return `send`, telling the browser that the page may read the response."""
    if not origin:
        return send

    async def with_origin(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["access-control-allow-origin"] = origin
            headers["access-control-expose-headers"] = "retry-after"
            headers.add_vary_header("origin")
        await send(message)

    return with_origin


def _preflight() -> Response:
    return Response(
        status_code=204,
        headers={
            "access-control-allow-methods": "GET, POST",
            "access-control-allow-headers": "authorization, content-type",
            "access-control-max-age": "600",
            "cache-control": "no-store",
        },
    )
