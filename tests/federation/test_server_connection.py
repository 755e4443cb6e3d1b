"""Messages to a team server: who is asked, with which token, and what is believed."""

import threading
from pathlib import Path

import anyio
import pytest
from anyio import from_thread

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest, RemoteError
from ggrep.config.remotes import Remote, checked, remote_named, write_remotes
from ggrep.federation import server_connection
from ggrep.federation.server_connection import connections
from tests.fakes.http_replies import LISTED, serving

ENV, SECRET = "TOKEN", "secret"
NOWHERE = {"token_file": "/nowhere/token"}


def registered(folder: Path, url: str, **fields: str) -> Path:
    """Return a file of remotes with one server."""
    file = folder / "remotes.json"
    write_remotes(file, [Remote("team", url, **{"token_env": "TOKEN", **fields})])
    return file


async def listed(file: Path, url: str, timeout_ms: float = 20_000, token: str = SECRET) -> str:
    """Return the keys that a server lists, or its error."""
    connection = connections(file, {"TOKEN": token})(url)
    try:
        return ",".join(await connection.listed(Deadline.after(SystemClock(), timeout_ms)))
    except GgrepError as error:
        return str(error)


async def test_a_registered_server_gets_the_token_from_the_environment_or_a_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "token").write_text(" from-file\n")
    with serving() as (url, asked):
        assert await listed(registered(tmp_path, url), url) == "acme/cart"
        file = registered(tmp_path, url, token_env="", token_file=str(tmp_path / "token"))
        assert await listed(file, url) == "acme/cart"
        assert asked == [("/members", "Bearer secret"), ("/members", "Bearer from-file")]


async def test_an_unregistered_server_gets_no_byte(tmp_path: Path) -> None:
    with serving() as (url, asked), serving() as (other, _):
        for file in (tmp_path / "none.json", registered(tmp_path, other)):
            problem = await listed(file, url)
            assert f"ggrep remote add NAME {url} --token-env VARIABLE" in problem
        assert asked == []


@pytest.mark.parametrize("token", ["", "  ", "two words", "ü", "x" * 20_000])
async def test_without_a_token_nothing_is_sent(tmp_path: Path, token: str) -> None:
    with serving() as (url, asked):
        file = registered(tmp_path, url)
        assert await listed(file, url, token=token) == (
            f"$TOKEN must hold the token of the team server {url}"
        )
        absent = registered(tmp_path, url, token_env="", **NOWHERE)
        assert await listed(absent, url) == "/nowhere/token cannot be read, which must hold a token"
        assert asked == []


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, b'{"error": {"message": "expired\\u001b[31m"}}', "refuses the token in $TOKEN"),
        (401, b"\xff", "renew it ()"),
        (403, b'{"error": {"message": "no rules"}}', "the status 403: no rules"),
        (429, b"", "is busy, retry after 1000 ms"),
        (500, b"[]", "the status 500: "),
        (200, b'{"error": {"code": "no_index", "message": "none"}}', "none"),
        (200, b"<html>", "invalid reply from the team server"),
    ],
)
async def test_a_refusal_is_an_error(
    tmp_path: Path, status: int, body: bytes, message: str
) -> None:
    with serving(status, body) as (url, _):
        problem = await listed(registered(tmp_path, url), url)

    assert message in problem
    assert "\x1b" not in problem


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(tmp_path: Path, status: int) -> None:
    with serving() as (other, asked), serving(status, to=f"{other}/members") as (url, _):
        assert f"the status {status}" in await listed(registered(tmp_path, url), url)
        assert asked == []


async def test_a_reply_beyond_the_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_connection, "MOST_REPLY_BYTES", 1000)
    with serving(body=b" " * 1001 + LISTED) as (url, _):
        assert "too large" in await listed(registered(tmp_path, url), url)


async def test_nobody_there_is_an_error_and_a_slow_server_a_timeout(tmp_path: Path) -> None:
    with serving() as (url, _):
        pass
    assert "cannot be reached" in await listed(registered(tmp_path, url), url)
    released = threading.Event()
    with serving(pause=lambda: released.wait(30)) as (url, _):
        connection = connections(registered(tmp_path, url), {"TOKEN": "secret"})(url)
        with pytest.raises(DeadlineExceeded, match="in time"):
            await connection.listed(Deadline.after(SystemClock(), 300))
        released.set()


async def test_threads_that_wait_for_servers_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread counts until it ends, whether or not its message was abandoned."""
    threads = threading.Semaphore(1)
    monkeypatch.setattr(server_connection, "_THREADS", threads)
    with serving() as (url, asked):
        file = registered(tmp_path, url)
        assert [await listed(file, url) for _ in range(2)] == ["acme/cart"] * 2
        with threads:
            assert "too many messages to team servers" in await listed(file, url)
        assert len(asked) == 2


@pytest.mark.parametrize("step", ["parse_reply", "value_of"])
async def test_the_event_loop_runs_while_a_reply_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A large reply must not delay other searches of the process."""
    function = getattr(server_connection, step)

    def after_the_loop(*arguments: object) -> object:
        from_thread.run(anyio.sleep, 0.0)  # an error in the thread of the loop
        return function(*arguments)

    monkeypatch.setattr(server_connection, step, after_the_loop)
    with serving() as (url, _):
        assert await listed(registered(tmp_path, url), url) == "acme/cart"


async def test_after_an_error_a_question_asks_no_more(tmp_path: Path) -> None:
    with serving(500) as (url, asked):
        connection = connections(registered(tmp_path, url), {"TOKEN": "secret"})(url)
        for _ in range(3):
            with pytest.raises(RemoteError):
                await connection.listed(Deadline.never(SystemClock()))
        assert len(asked) == 1


@pytest.mark.parametrize(
    ("remote", "reason"),
    [
        (Remote("x", "https://code.example.com"), "--token-env or --token-file"),
        (Remote("x", "https://c.example.com", token_env=ENV, **NOWHERE), "--token-env"),
        (Remote("x", "http://code.example.com", token_env=ENV), "must begin with https://"),
        (Remote("x", "https://Code.example.com/", token_env=ENV), "https://code.example.com"),
        (Remote("x", "s3://bucket", token_env=ENV), "only team servers"),
    ],
)
def test_a_server_needs_an_encrypted_address_and_the_place_of_a_token(
    remote: Remote, reason: str
) -> None:
    with pytest.raises(InvalidRequest, match=reason):
        checked(remote)


def test_a_server_stores_no_indexes() -> None:
    server = checked(Remote("team", "https://code.example.com", token_env=ENV))
    store = Remote("store", "s3://bucket")

    assert remote_named([server, store], None) == store
    with pytest.raises(InvalidRequest, match="stores no indexes"):
        remote_named([server, store], "team")
    with pytest.raises(InvalidRequest, match="no remote is configured"):
        remote_named([server], None)
