"""Credentials of pages: codes that work once, and keys that are exchanged for them."""

import hmac
import secrets
from typing import Final

from ggrep.base.clock import Clock

KEY_S: Final = 7 * 24 * 3600
"""Lifetime of a key."""


class PageKeys:
    """Creates and checks the credentials of one server's pages.

    A key consists of its expiry time and a MAC of this time under a secret of this process. An open
    tab sends its key also to a later server at the same address, so a key is valid for one server
    only. A code is valid for one use.
    """

    def __init__(self, token: str, clock: Clock) -> None:
        self._token = token.encode()
        self._secret = secrets.token_bytes(32)
        self._clock = clock
        self._codes: set[str] = set()

    def new_code(self) -> str:
        """Return a new code that can be exchanged once."""
        code = secrets.token_urlsafe(24)
        self._codes.add(code)
        return code

    def exchange(self, credential: str) -> str | None:
        """Return a key for an unused code or the token; None for other credentials."""
        if credential in self._codes:
            self._codes.remove(credential)
        elif not hmac.compare_digest(credential.encode(), self._token):
            return None
        return self._key(self._now() + KEY_S)

    def accepts(self, credential: str) -> bool:
        """Return whether a credential is a key that has not expired."""
        end, _, _ = credential.partition(".")
        if not (end.isascii() and end.isdigit() and len(end) <= 12):
            return False
        is_key = hmac.compare_digest(credential.encode(), self._key(int(end)).encode())
        return is_key and int(end) > self._now()

    def _key(self, end: int) -> str:
        mac = hmac.new(self._secret, f"ggrep page until {end}".encode(), "sha256")
        return f"{end}.{mac.hexdigest()}"

    def _now(self) -> int:
        return int(self._clock.now().timestamp())
