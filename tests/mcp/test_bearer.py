"""The token of HTTP clients."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.errors import InvalidRequest
from ggrep.mcp.bearer import bearing, read_token

TOKEN = "0123456789abcdef"  # noqa: S105 - of these tests alone


def file_of(path: Path, data: bytes, mode: int = 0o600) -> Path:
    """Return a file that holds the bytes."""
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_a_token_is_what_the_file_holds(tmp_path: Path) -> None:
    """Editors end a file with a newline."""
    assert read_token(file_of(tmp_path / "t", f"{TOKEN}\n".encode())) == TOKEN


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_file_that_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    """Its token is nobody's secret."""
    with pytest.raises(InvalidRequest, match="mode 0600"):
        read_token(file_of(tmp_path / "t", TOKEN.encode(), mode))


@pytest.mark.parametrize(
    "data", [b"", b"short", TOKEN[:-1].encode(), b"with\nline breaks in it", b"x" * 4097]
)
def test_a_file_without_a_fit_token_is_refused(tmp_path: Path, data: bytes) -> None:
    """It could be guessed, or not be sent in a header."""
    with pytest.raises(InvalidRequest, match="holds no token"):
        read_token(file_of(tmp_path / "t", data))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path is what was mistyped."""
    with pytest.raises(InvalidRequest, match=f"^{tmp_path}/t: No such file"):
        read_token(tmp_path / "t")


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
