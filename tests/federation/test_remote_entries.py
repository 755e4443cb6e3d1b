"""Team servers in workspace files: their entries, their members and their messages."""

import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import from_thread

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import (
    DeadlineExceeded,
    GgrepError,
    InvalidRequest,
    RemoteError,
    WorkspaceError,
)
from ggrep.config.remotes import Remote, checked, remote_named, write_remotes
from ggrep.federation import server_connection
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.server_connection import ServerConnection, connections
from ggrep.federation.server_members import TeamServers
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_draft import MAX_REPOS
from ggrep.model.request import SearchRequest
from ggrep.service.workspace_access import Allowlist, open_workspace
from tests.fakes.http_replies import LISTED, serving

URL = "https://code.example.com"
KEYS = ("acme/cart", "acme/mail", "tools/cart", "tools/Log")
NEVER = Deadline.never(SystemClock())


def load(directory: Path, *repos: Any, name: str = "w.jsonc", **fields: Any) -> Workspace:
    file = directory / name
    file.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": [*repos], **fields}))
    return load_workspace(file, resolve_root=lambda root: root)


async def members(workspace: Workspace, keys: Any = KEYS) -> Workspace:
    """Return the workspace with its members, on servers that all list the same keys."""

    def send(data: bytes, deadline: Deadline) -> bytes:
        del data, deadline
        return stable_json.dumps({"repos": [[key, key[::-1]] for key in keys]})

    servers = TeamServers(lambda url: ServerConnection(url, send), KnownHosts())
    return await servers.with_members(workspace, NEVER)


async def test_names_select_repositories_as_in_access_rules(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    workspace = load(
        tmp_path,
        {"root": "log", "alias": "log"},
        {"remote": f"{URL}/", "repos": ["tools/Log", "acme/"], "tags": ["Far"], "priority": 3},
        {"remote": URL, "enabled": False},
        {"remote": "https://Other.example.com:8443/ggrep", "repos": ["acme/cart"]},
        defaults={"tags": ["near"]},
    )
    assert [repo.place for repo in workspace.repos] == [str(tmp_path / "log")]
    whole = await members(workspace)

    assert [(repo.place, repo.alias, repo.tags, repo.priority) for repo in whole.repos[1:]] == [
        (f"{URL}/acme/cart", None, ("far",), 3),
        (f"{URL}/acme/mail", "mail", ("far",), 3),
        (f"{URL}/tools/Log", None, ("far",), 3),
        (f"{URL}/tools/cart", None, ("near",), 0),
        ("https://other.example.com:8443/ggrep/acme/cart", None, ("near",), 0),
    ]
    assert [repo.enabled for repo in whole.repos] == [True, True, True, True, False, True]
    assert len({repo.repo_id for repo in whole.repos}) == 6
    assert whole.repo_set_id == workspace.repo_set_id
    assert not any(repo.failure for repo in whole.repos)


async def test_a_name_without_a_repository_is_a_row_that_fails(tmp_path: Path) -> None:
    whole = await members(load(tmp_path, {"remote": URL, "repos": ["acme/cart", "gone/", "no"]}))

    assert [(repo.place, str(repo.failure)) for repo in whole.repos if repo.failure] == [
        (f"{URL}/{name}", f"the team server {URL} lists no repository {name!r} that you may see")
        for name in ("gone/", "no")
    ]


async def test_ids_differ_by_server_and_by_name(tmp_path: Path) -> None:
    """A path would not distinguish a key from a prefix, or the server's path from a key."""
    entries = [
        {"remote": URL, "repos": ["gone", "gone/", "ggrep/acme/cart"]},
        {"remote": f"{URL}/ggrep", "repos": ["acme/cart"]},
    ]
    whole = await members(load(tmp_path, *entries), ("acme/cart", "ggrep/acme/cart"))

    assert len(whole.repos) == len({repo.repo_id for repo in whole.repos}) == 4


def test_names_of_repositories_are_bounded(tmp_path: Path) -> None:
    names = [f"acme/{number}" for number in range(MAX_REPOS // 2 + 1)]
    load(tmp_path, {"remote": URL, "repos": names}, name="inner.jsonc")
    with pytest.raises(WorkspaceError, match=f"the maximum is {MAX_REPOS}"):
        load(tmp_path, *({"remote": URL, "repos": names},) * 2)
    with pytest.raises(WorkspaceError, match=f"the maximum is {MAX_REPOS}"):
        load(tmp_path, {"remote": URL, "repos": names}, include=["inner.jsonc"])


@pytest.mark.parametrize("keys", [("../x",), ("a b",), ("x",) * 20_000, (1,)], ids=str)
async def test_a_list_that_is_none_fails_each_name(tmp_path: Path, keys: Any) -> None:
    def send(data: bytes, deadline: Deadline) -> bytes:
        del data, deadline
        return stable_json.dumps({"repos": [[key, ""] for key in keys]})

    servers = TeamServers(lambda url: ServerConnection(url, send), KnownHosts())
    workspace = load(tmp_path, {"remote": URL, "repos": ["acme/", "*"]})
    whole = await servers.with_members(workspace, NEVER)

    assert len(whole.repos) == 2
    assert all("invalid reply" in str(repo.failure) for repo in whole.repos)


@pytest.mark.parametrize(
    ("entry", "field", "reason"),
    [
        ({"remote": "http://code.example.com"}, "remote", "url"),
        ({"remote": "code.example.com"}, "remote", "url"),
        ({"remote": "https://me:pw@code.example.com"}, "remote", "url"),
        ({"remote": "https://code.example.com/?x=1"}, "remote", "url"),
        ({"remote": "https://code.example.com:x"}, "remote", "url"),
        ({"remote": ""}, "remote", "url"),
        ({"remote": 3}, "remote", "type"),
        ({"remote": URL, "repos": ["acme/*"]}, "repos", "name"),
        ({"remote": URL, "repos": ["/etc"]}, "repos", "name"),
        ({"remote": URL, "repos": "acme"}, "repos", "type"),
        ({"remote": URL, "repos": [" "]}, "repos", "empty"),
        ({"remote": URL, "alias": "x"}, "alias", "unknown-key"),
        ({"remote": URL, "root": "x"}, "root", "unknown-key"),
        ({"remote": URL, "token": "x"}, "token", "unknown-key"),
    ],
)
def test_an_entry_that_is_wrong_is_an_issue(
    tmp_path: Path, entry: Any, field: str, reason: str
) -> None:
    with pytest.raises(WorkspaceError) as caught:
        load(tmp_path, entry)

    assert (caught.value.issues[0].field, caught.value.issues[0].reason) == (
        f"$.repos[0].{field}",
        reason,
    )


async def test_included_files_bring_their_servers(tmp_path: Path) -> None:
    load(tmp_path, {"remote": URL, "repos": ["acme/cart"], "tags": ["a"]}, name="inner.jsonc")
    outer = load(tmp_path, include=[{"glob": "inner.jsonc", "tags": ["b"], "enabled": False}])
    (repo,) = (await members(outer)).repos

    assert (repo.place, repo.tags, repo.enabled) == (f"{URL}/acme/cart", ("a", "b"), False)
    assert outer.unmatched == ()


def test_entries_are_part_of_the_workspace_s_identity(tmp_path: Path) -> None:
    files = [
        load(tmp_path, {"remote": URL, "repos": repos, "priority": priority})
        for repos, priority in ((["a"], 0), (["b"], 0), (["a"], 1))
    ]
    assert files[0].repo_set_id == files[2].repo_set_id != files[1].repo_set_id
    assert len({file.workspace_config_hash for file in files}) == 3


@pytest.mark.parametrize(
    ("roots", "remotes", "refused"),
    [
        (("/",), (), False),
        ((), ({"remote": URL, "repos": ["acme/"]},), False),
        ((), ({"remote": URL},), True),
        ((), (), True),
    ],
)
async def test_callers_with_some_directories_only_need_the_entry_of_a_named_file(
    tmp_path: Path, roots: tuple[str, ...], remotes: tuple[Any, ...], refused: bool
) -> None:
    named = load(tmp_path, *remotes, include=["x/*"], name="named.jsonc").remotes
    file = load(tmp_path, {"remote": URL, "repos": ["acme/"]}).workspace_path
    allowlist = Allowlist([tmp_path, *map(Path, roots)], named)
    opened = await open_workspace(file, allowlist, FederatedRequest(SearchRequest("x")))
    whole = await members(opened.workspace)

    assert [bool(repo.failure) for repo in whole.repos] == ([True] if refused else [False, False])


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
        assert await listed(absent, url) == "the token in /nowhere/token cannot be read"
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
