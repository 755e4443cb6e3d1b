"""The token of HTTP clients."""

from typing import Any

import pytest

from ggrep.interfaces.mcp.http import bearing

TOKEN = "0123456789abcdef"  # noqa: S105 - of these tests alone


async def answers(headers: list[tuple[bytes, bytes]], kind: str = "http") -> list[int | str]:
    """Return what a caller with those headers gets: a status, or `in` behind the door."""
    found: list[int | str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        found.append("in")

    async def receive() -> dict[str, Any]:
        raise AssertionError

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    await bearing(application, TOKEN)({"type": kind, "headers": headers}, receive, send)
    return found


async def test_who_brings_the_token_comes_in() -> None:
    """Nobody else does."""
    for scheme in ("Bearer", "bearer"):
        assert await answers([(b"authorization", f"{scheme} {TOKEN}".encode())]) == ["in"]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"authorization", TOKEN.encode())],
        [(b"authorization", f"Bearer {TOKEN}x".encode())],
        [(b"authorization", f"Bearer {TOKEN[:-1]}".encode())],
        [(b"authorization", b"Bearer ")],
        [(b"authorization", f"Bearer {TOKEN}".encode())] * 2,
        [(b"x-authorization", f"Bearer {TOKEN}".encode())],
    ],
)
async def test_who_does_not_stays_out(headers: list[tuple[bytes, bytes]]) -> None:
    """Two of them would let proxies and us see different ones."""
    assert await answers(headers) == [401]


async def test_what_is_no_request_passes() -> None:
    """The application is started and ended through the same door."""
    assert await answers([], kind="lifespan") == ["in"]
