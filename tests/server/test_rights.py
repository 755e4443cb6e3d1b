"""Rights from databases and from exports of code hosts."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import Forbidden, InvalidRequest
from ggrep.server import access
from ggrep.server.access import Access, Identity, read_access
from ggrep.server.nodes import Nodes
from ggrep.server.team import Team as Coordinator
from tests.fakes.team import CLOCK, Team

KEYS = ("acme/cart", "acme/mail", "github.com/acme/cart", "gitlab.com/acme/web/site", "tools/log")
ALICE, BOB, CAROL, DAN = map(Identity, ("alice", "bob", "carol", "dan"))
QUERY = "SELECT person, repository FROM rights WHERE may_read"
GITHUB = [
    {
        "slug": "shop",
        "members": [{"login": "alice", "id": 1}, {"login": "carol", "state": "pending"}],
        "repos": [
            {"full_name": "acme/cart", "private": True, "permissions": {"pull": True}},
            {"full_name": "acme/mail", "permissions": {"pull": False, "push": False}},
        ],
    }
]
GITLAB = [
    {
        "full_path": "acme/web",
        "members": [
            {"username": "bob", "state": "active", "access_level": 30},
            {"username": "carol", "state": "active", "access_level": 10},
            {"username": "dan", "state": "blocked", "access_level": 50},
        ],
        "projects": [{"path_with_namespace": "acme/web/site"}],
    }
]


def _database(folder: Path, *rows: tuple[Any, ...]) -> Path:
    file = folder / "rights of all.db"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE rights (person, repository, may_read)")
        database.executemany("INSERT INTO rights VALUES (?, ?, ?)", rows)
    return file


def _access(folder: Path, query: str = QUERY, **more: Any) -> Path:
    file = folder / "access.jsonc"
    source = {"database": "rights of all.db", "query": query}
    file.write_bytes(stable_json.dumps({"sql": [source], **more}))
    return file


def _export(folder: Path, teams: Any, host: str = "github.com") -> Access:
    (folder / "teams.json").write_bytes(stable_json.dumps(teams))
    file = folder / "access.jsonc"
    rules = [{"repos": ["tools/log"], "users": ["alice"]}]
    exports = [{"file": "teams.json", "host": host}]
    file.write_bytes(stable_json.dumps({"rules": rules, "exports": exports}))
    return read_access(file)


def test_rows_of_a_database_are_rules(tmp_path: Path) -> None:
    _database(tmp_path, ("alice", "acme/", 1), ("bob", "tools/log", 1), ("bob", "acme/mail", 0))
    rules = [{"repos": ["tools/log"], "users": ["alice"]}]
    read = read_access(_access(tmp_path, rules=rules))

    assert read.allowed(ALICE, KEYS) == ("acme/cart", "acme/mail", "tools/log")
    assert read.allowed(BOB, KEYS) == ("tools/log",)
    assert read.allowed(CAROL, KEYS) == ()


async def test_a_right_that_a_database_withdraws_ends_with_the_next_look(
    team: Team, tmp_path: Path
) -> None:
    """Without a database that can be read, the server is closed."""
    file = _database(tmp_path, ("alice", "acme/cart", 1), ("alice", "tools/log", 1))
    rules = _access(tmp_path)
    coordinator = Coordinator("team", Nodes({}), team.refs, rules, team.settings(), CLOCK)
    coordinator.epoch = team.epoch()

    async def seen() -> list[str]:
        await coordinator.read_access()
        return [repo.key for repo in coordinator.view(ALICE).repos.values()]

    assert await seen() == ["acme/cart", "tools/log"]
    _database(tmp_path, ("alice", "acme/cart", 0), ("alice", "tools/log", 1))
    assert await seen() == ["tools/log"]
    file.unlink()
    with pytest.raises(Forbidden, match="not valid"):
        await seen()
    assert "rights of all.db" in str(coordinator.state().problems)
    assert not file.exists()  # it is only read


@pytest.mark.parametrize(
    ("rows", "query"),
    [
        ([("alice", None, 1)], QUERY),
        ([("alice", 7, 1)], QUERY),
        ([("alice", "x", 1)], "SELECT person FROM rights"),
        ([("alice", "x", 1)], "SELECT * FROM absent"),
        ([("alice", "x", 1)], "DELETE FROM rights"),
        ([("alice", "x", 1)], "; ".join((QUERY, "DELETE FROM rights"))),
    ],
)
def test_a_database_with_other_rows_is_refused(
    tmp_path: Path, rows: list[tuple[Any, ...]], query: str
) -> None:
    file = _database(tmp_path, *rows)
    before = file.read_bytes()

    with pytest.raises(InvalidRequest, match=r"rights of all\.db"):
        read_access(_access(tmp_path, query))
    assert file.read_bytes() == before


def test_a_query_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the rights that were read before would stay in force."""
    monkeypatch.setattr(access, "_QUERY_MS", 20.0)
    _database(tmp_path)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x FROM n"

    with pytest.raises(InvalidRequest, match="interrupted"):
        read_access(_access(tmp_path, f"{endless} WHERE x < 0"))


def test_rows_beyond_the_bound_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_MOST_ROWS", 1)
    _database(tmp_path, ("alice", "a", 1), ("alice", "b", 1))

    with pytest.raises(InvalidRequest, match="more than 1 rows"):
        read_access(_access(tmp_path, QUERY))


def test_teams_of_code_hosts_are_rules(tmp_path: Path) -> None:
    read = _export(tmp_path, GITHUB)
    assert read.allowed(ALICE, KEYS) == ("github.com/acme/cart", "tools/log")
    assert read.allowed(CAROL, KEYS) == ()

    read = _export(tmp_path, GITLAB, "gitlab.com")
    assert read.allowed(BOB, KEYS) == ("gitlab.com/acme/web/site",)
    assert read.allowed(CAROL, KEYS) == read.allowed(DAN, KEYS) == ()


@pytest.mark.parametrize(
    "teams",
    [
        {"message": "Bad credentials"},
        [{"repos": []}],
        [{"members": [{"login": "alice"}], "repos": [{"id": 1}]}],
        [{"members": [{"login": "alice"}], "repos": [{"full_name": "acme/"}]}],
        [{"members": [{"id": 1}], "repos": [{"full_name": "acme/cart"}]}],
        [{"members": [{"login": "*"}], "repos": [{"full_name": "acme/cart"}]}],
        [{"members": [{"login": "alice", "access_level": None}], "repos": []}],
    ],
)
def test_an_export_of_another_form_is_refused(tmp_path: Path, teams: Any) -> None:
    """A missing name would otherwise mean every user, or every repository of the host."""
    with pytest.raises(InvalidRequest, match=r"teams\.json"):
        _export(tmp_path, teams)


def test_an_export_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    _export(tmp_path, [])
    for content in (b"[", None):
        (tmp_path / "teams.json").unlink()
        if content is not None:
            (tmp_path / "teams.json").write_bytes(content)
        with pytest.raises(InvalidRequest, match=r"teams\.json"):
            read_access(tmp_path / "access.jsonc")
