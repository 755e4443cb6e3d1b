"""Commands over a workspace file that lists repositories of a team server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from tests.fakes.http_replies import Asked, serving
from tests.journeys.command import Command, CommandOver, fits

WS = ("--workspace", "mixed.jsonc")


@pytest.fixture
def server() -> Iterator[tuple[str, Asked]]:
    """Yield a server that lists a repository, and replies nonsense to all else."""
    with serving() as (url, asked):
        yield url, asked


@pytest.fixture
def ggrep(
    built: Any,
    server: tuple[str, Asked],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command_over: CommandOver,
) -> Command:
    """Return the command beside a workspace of the shop and a server."""
    repos = [{"root": str(built.root), "alias": "shop"}, {"remote": server[0]}]
    document = {"schemaVersion": 1, "repos": repos, "merge": {"strategy": "global"}}
    (tmp_path / "mixed.jsonc").write_bytes(stable_json.dumps(document))
    monkeypatch.chdir(tmp_path)
    settings = {"GGREP_ENCODER": "none", "GGREP_OFFLINE": "1", "COLUMNS": "100", "TOKEN": "secret"}
    return command_over(built.home, **settings)


@pytest.fixture
def registered(ggrep: Command, server: tuple[str, Asked]) -> Iterator[Command]:
    """Yield the command with the server registered."""
    added = ggrep("remote", "add", "team", server[0], "--token-env", "TOKEN")
    assert (added.status, server[1]) == (0, [])
    yield ggrep
    assert ggrep("remote", "remove", "team").status == 0


def _failed(answer: Any) -> dict[str, Any]:
    document = answer.document
    assert [hit["repoAlias"] for hit in document["results"]]
    assert {hit["repoAlias"] for hit in document["results"]} == {"shop"}
    (row,) = (row for row in document["repos"] if row["status"] != "ok")
    return {**row["error"], "verdict": row["couldChange"]["verdict"], "alias": row["alias"]}


def test_a_server_that_is_not_registered_is_never_contacted(
    ggrep: Command, server: tuple[str, Asked]
) -> None:
    commands: list[Callable[[], Any]] = [
        lambda: ggrep("search", "charge a card", *WS, "--json"),
        lambda: ggrep("symbol", "charge_card", *WS),
        lambda: ggrep("workspace", "status", "mixed.jsonc"),
        lambda: ggrep("workspace", "validate", "mixed.jsonc"),
        lambda: ggrep("workspace", "manifest", "mixed.jsonc"),
        lambda: ggrep("index", *WS),
    ]
    answers = [command() for command in commands]

    assert {answer.status for answer in answers} == {0}
    assert server[1] == []
    error = _failed(answers[0])
    assert f"run: ggrep remote add NAME {server[0]} --token-env VARIABLE" in error["message"]
    assert (error["code"], error["verdict"]) == ("remote_failed", "unknown")
    assert "1 team server" in answers[3].out


def test_a_disabled_server_is_contacted_only_on_request(
    registered: Command, server: tuple[str, Asked], tmp_path: Path
) -> None:
    file = tmp_path / "mixed.jsonc"
    document: Any = stable_json.loads(file.read_bytes())
    document["repos"][1]["enabled"] = False
    file.write_bytes(stable_json.dumps(document))

    assert registered("search", "charge a card", *WS).status == 0
    assert server[1] == []
    registered("search", "charge a card", *WS, "--include-disabled")
    assert server[1]


def test_a_registered_server_is_asked_and_its_nonsense_fails_its_rows(
    registered: Command, server: tuple[str, Asked]
) -> None:
    error = _failed(registered("search", "charge a card", *WS, "--json"))

    assert "invalid reply from the team server" in error["message"]
    assert (error["alias"], error["verdict"]) == ("cart", "unknown")
    assert {authorisation for _, authorisation in server[1]} == {"Bearer secret"}


def test_status_and_doctor_show_servers(registered: Command, server: tuple[str, Asked]) -> None:
    url, _ = server
    status = registered("workspace", "status", "mixed.jsonc", "--json")
    assert status.document["remotes"] == [{"remote": url, "repos": ["acme/cart"], "problems": []}]
    fits(status.document, "workspace")
    assert f"{url}: 1 repo\n" in registered("workspace", "status", "mixed.jsonc").out
    assert registered("workspace", "doctor", "mixed.jsonc").status == 0

    registered("remote", "add", "team", url, "--token-env", "MISSING")
    doctor = registered("workspace", "doctor", "mixed.jsonc")
    assert doctor.status == 1
    assert f"! $MISSING must hold the token of the team server {url}\n" in doctor.out


def test_what_needs_snapshots_of_this_machine_says_so(registered: Command) -> None:
    receipt = registered("search", "charge a card", *WS, "--receipt", "r.json")
    assert receipt.status == 2
    assert "--receipt: the snapshots of a team server are not kept" in receipt.err
    listed = registered("remote", "list")
    assert "(team server)" in listed.out
    fits(registered("remote", "list", "--json").document, "remotes")


def test_an_entry_is_removed_by_its_address(ggrep: Command, server: tuple[str, Asked]) -> None:
    assert ggrep("workspace", "remove", "mixed.jsonc", server[0]).status == 0
    assert "remote" not in Path("mixed.jsonc").read_text()
