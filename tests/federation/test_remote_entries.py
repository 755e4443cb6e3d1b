"""Entries of team servers in workspace files: what is accepted, and what they become."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import WorkspaceError
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.server_connection import ServerConnection
from ggrep.federation.server_members import TeamServers
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_draft import MAX_REPOS
from ggrep.model.request import SearchRequest
from ggrep.service.workspace_access import Allowlist, open_workspace

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
