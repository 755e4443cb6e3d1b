"""Verifies bearer tokens of an OpenID Connect provider."""

import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from importlib import import_module
from math import inf
from threading import Lock
from typing import IO, Any, Final
from urllib.parse import urlsplit

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.server.access import Identity

_ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
"""Algorithms with public keys. With HMAC, a forger could use the public key as the secret."""
_LEEWAY_S: Final = 30
_TIMEOUT_S: Final = 5.0
_MOST_BYTES: Final = 1 << 20
_AGAIN_MS: Final = 30_000.0
"""Minimum time between two downloads of keys, as forged tokens can name unknown keys."""
_OLD_MS: Final = 3_600_000.0
"""Time after which keys are fetched again, so that withdrawn keys are no longer accepted."""


class Unauthorised(GgrepError):
    """The token is missing or not valid."""

    code = "unauthorized"


class Tokens:
    """Verifies tokens. Thread-safe.

    Requires: PyJWT is installed with `cryptography`.
    """

    def __init__(
        self,
        issuer: str,
        audience: str,
        clock: Clock,
        *,
        jwks: str = "",
        user_claim: str = "email",
        groups_claim: str = "groups",
    ) -> None:
        """Create the verifier; sends no request to the provider.

        Args:
            issuer: URL of the provider, equal to the claim `iss`.
            audience: the claim `aud` must contain it.
            clock: the clock for the age of keys.
            jwks: URL of the keys, `https:` or `file:`; empty for the URL that the provider
                announces.
            user_claim: the claim that names the user.
            groups_claim: the claim that names the user's groups: a list of names, or one name.

        Raises:
            InvalidRequest: a URL without encryption names another machine.
        """
        _require_encrypted(issuer)
        if jwks and urlsplit(jwks).scheme != "file":
            _require_encrypted(jwks)
        self._jwt = import_module("jwt")
        self._issuer, self._audience, self._jwks = issuer, audience, jwks
        self._user_claim, self._groups_claim = user_claim, groups_claim
        self._clock = clock
        self._fetching = Lock()
        self._keys: Mapping[str, Any] = {}
        self._read_ms = self._tried_ms = -inf

    def identity(self, token: str) -> Identity:
        """Return the user that a token identifies.

        Do not call this in an event loop, because it may download keys.

        Raises:
            Unauthorised: the token is not valid, or not for this server.
        """
        try:
            header = self._jwt.get_unverified_header(token)
            claims = self._jwt.decode(
                token,
                self._key(str(header.get("kid", ""))),
                algorithms=_ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )
        except self._jwt.PyJWTError as error:
            raise Unauthorised(f"the bearer token is not valid: {error}") from error
        user = claims.get(self._user_claim)
        if not isinstance(user, str) or not user:
            raise Unauthorised(f"the bearer token lacks the claim {self._user_claim}")
        if self._user_claim == "email" and claims.get("email_verified") is not True:
            raise Unauthorised("the bearer token has no verified address: claim email_verified")
        groups = claims.get(self._groups_claim)
        listed = [] if groups is None else [groups] if isinstance(groups, str) else groups
        if not isinstance(listed, list) or not all(isinstance(group, str) for group in listed):
            raise Unauthorised(
                f"the claim {self._groups_claim} of the bearer token must be a list of names, or"
                " one name"
            )
        return Identity(user, frozenset(filter(None, listed)))

    def _key(self, name: str) -> Any:  # noqa: ANN401 - a type of PyJWT
        """Return the public key with a name; only calls with an unknown key wait for a download.

        Raises:
            Unauthorised: the provider has no such key or does not answer.
        """
        if (key := self._known(name)) is None:
            with self._fetching:
                key = self._known(name)
                now_ms = self._clock.monotonic_ms()
                if key is None and now_ms - self._tried_ms > _AGAIN_MS:
                    self._tried_ms = now_ms
                    self._keys, self._read_ms = self.fetch(), now_ms
                    key = self._known(name)
        if key is None:
            raise Unauthorised("the bearer token names an unknown key")
        return key

    def _known(self, name: str) -> Any:  # noqa: ANN401 - a type of PyJWT
        is_fresh = self._clock.monotonic_ms() - self._read_ms <= _OLD_MS
        return self._keys.get(name) if is_fresh else None

    def fetch(self) -> Mapping[str, Any]:
        """Download the provider's public keys; return them by name.

        Raises:
            Unauthorised: the provider does not answer, or returns no valid keys.
        """
        jwks = self._jwks
        if not jwks:
            document = _document(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
            if document.get("issuer") != self._issuer:
                raise Unauthorised("the identity provider's configuration names another issuer")
            jwks = str(document.get("jwks_uri", ""))
            _require_encrypted(jwks)
        document = _document(jwks)
        try:
            keys = self._jwt.PyJWKSet.from_dict(document).keys
        except self._jwt.PyJWTError as error:
            raise Unauthorised(
                f"the keys of the identity provider are not valid: {error}"
            ) from error
        return {str(key.key_id or ""): key for key in keys}


class _SameAddress(urllib.request.HTTPRedirectHandler):
    """Follows redirects within a host only: keys from other hosts are not trusted."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the request to follow; None rejects the redirect."""
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (new.scheme, new.netloc) != (old.scheme, old.netloc):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER: Final = urllib.request.build_opener(_SameAddress)


def _document(url: str) -> dict[str, Any]:
    try:
        with _OPENER.open(url, timeout=_TIMEOUT_S) as reply:
            document = stable_json.loads(reply.read(_MOST_BYTES))
    except (OSError, ValueError, HTTPException) as error:
        raise Unauthorised("the keys of the identity provider cannot be read") from error
    if not isinstance(document, dict):
        raise Unauthorised("the keys of the identity provider cannot be read")
    return document


def _require_encrypted(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in {"localhost", "127.0.0.1", "::1"}
    ):
        return
    raise InvalidRequest(f"{url!r} must begin with https://; http:// is allowed for localhost only")
