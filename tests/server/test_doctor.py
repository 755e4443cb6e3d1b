"""`ggrep doctor --server` names the part of a server that cannot be used, and the next step."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.interfaces.cli.app import run
from ggrep.interfaces.cli.servers.server_checks import of_record
from tests.fakes.issuer import AUDIENCE, Issuer
from tests.fakes.team import TREES, Team


class Configured:
    """The configuration of a server, whose parts a test spoils."""

    def __init__(self, folder: Path, team: Team) -> None:
        self.folder = folder
        keys = Issuer("https://id.example.com").document("/keys")
        self.write("keys.json", keys)
        self.write("access.jsonc", {"rules": [{"repos": ["*"], "users": ["*"]}]})
        self.server: dict[str, Any] = {
            "remote": {"url": team.remote.url},
            "login": {
                "issuer": "https://id.example.com",
                "audience": AUDIENCE,
                "jwks": f"file://{folder}/keys.json",
            },
            "access": "access.jsonc",
            "cache": "cache",
        }

    def write(self, name: str, document: Any) -> None:
        (self.folder / name).write_bytes(stable_json.dumps(document))

    def checks(self, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
        """Return the exit status, and the checks of the server by name."""
        self.write("server.jsonc", self.server)
        status = run(["doctor", "--json", "--server", str(self.folder / "server.jsonc")])
        listed = stable_json.loads(capsys.readouterr().out)["checks"]
        names = [check["name"] for check in listed]
        return status, {check["name"]: check for check in listed[names.index("server") :]}


@pytest.fixture
def configured(team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configured:
    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GGREP_ENCODER", "hashed")
    return Configured(tmp_path, team)


def test_a_usable_configuration_has_no_problem(
    configured: Configured, capsys: pytest.CaptureFixture[str]
) -> None:
    _, checks = configured.checks(capsys)

    assert {name: check["state"] for name, check in checks.items()} == dict.fromkeys(
        ("server", "access", "login", "remote", "cache"), "ok"
    )
    assert f"{len(TREES)} repositories" in checks["remote"]["message"]
    assert not (configured.folder / "cache").exists()


def _spoil(configured: Configured, part: str) -> None:
    match part:
        case "server":
            configured.server["nodes"] = 0
        case "access":
            configured.write("access.jsonc", {"rules": 1})
        case "login":
            configured.write("keys.json", {"keys": []})
        case "remote":
            configured.server["remote"] = {"url": "file:///nowhere/at/all"}
        case _:
            configured.server["cache"] = "/dev/null/c"


@pytest.mark.parametrize(
    "parts", [["server"], ["access"], ["login"], ["remote"], ["remote", "cache"]], ids=str
)
def test_each_part_that_cannot_be_used_is_named_with_the_next_step(
    configured: Configured, capsys: pytest.CaptureFixture[str], parts: list[str]
) -> None:
    """Settings are read as those of the directory of the cache."""
    _spoil(configured, parts[-1])
    status, checks = configured.checks(capsys)

    assert status == 1
    assert [name for name, check in checks.items() if check["state"] != "ok"] == parts
    assert all(checks[part]["state"] == "problem" and checks[part]["mend"] for part in parts)


def test_snapshots_of_other_settings_are_counted(
    configured: Configured,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server would ignore all of them."""
    monkeypatch.setenv("GGREP_ENCODER", "static")
    _, checks = configured.checks(capsys)

    assert checks["remote"]["state"] == "warning"
    assert f"0 repositories, and {len(TREES)} snapshots" in checks["remote"]["message"]


def test_a_running_server_is_checked_by_its_state() -> None:
    def states(record: Any) -> list[str]:
        return [check.state for check in of_record(record)]

    assert states({"nodes": {"node-0": {"answering": 1}}}) == ["ok"]
    assert states({"nodes": {"node-0": {"answering": 0}}, "problems": ["remote: x"]}) == [
        "problem",
        "warning",
    ]
