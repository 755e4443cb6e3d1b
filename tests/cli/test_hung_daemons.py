"""Commands beside a daemon that hangs: in time, from the index itself where time is left."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import load_workspace
from ggrep.model.navigation import SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.daemon_address import arrange
from ggrep.service.federator import Federator
from ggrep.service.searchers import IndexFallback
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.scripted import Peer, ScriptedDaemon, says_nothing
from tests.journeys.command import Command, Outcome

pytestmark = pytest.mark.slow

NAMES = ("docs", "shop", "web")
NEVER_GREETS, NEVER_ANSWERS, DIES = "never greets", "never answers", "dies of the question"


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Return a directory with three indexed repositories and their home."""
    with short_directory() as base:
        for name in NAMES:
            (base / name).mkdir()
            write_tree(base / name, {f"{name}.py": "def charge_card():\n    return 1\n"})
            open_engine(base / name, base / "home", encoder="none").sync()
        repos = [{"root": name, "alias": name} for name in NAMES]
        document = {"schemaVersion": 1, "name": "w", "repos": repos}
        (base / "ws.jsonc").write_bytes(stable_json.dumps(document))
        yield base


@pytest.fixture
def environ(place: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the variables of commands: no daemon is started, and a greeting takes no seconds."""
    monkeypatch.chdir(place)
    given = {"GGREP_HOME": str(place / "home"), "GGREP_ENCODER": "none"}
    given |= {"GGREP_START_DAEMON": "false", "COLUMNS": "80"}
    monkeypatch.delenv("GGREP_OFFLINE", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("ggrep.protocol.client.link.HANDSHAKE_MS", 20)
    return given


@pytest.fixture
def hung(place: Path, environ: dict[str, str], request: pytest.FixtureRequest) -> Iterator[str]:
    address = arrange(place / "web", Home(place / "home"), environ=environ)
    hello = address.hello
    daemon = ScriptedDaemon(address.socket, hello.store_id, hello.config_fingerprint)
    daemon.greets = request.param != NEVER_GREETS

    def dies(peer: Peer, message: dict[str, Any]) -> None:
        del message
        daemon._path.unlink(missing_ok=True)
        peer.hang_up()

    daemon.script = dies if request.param == DIES else says_nothing
    try:
        yield request.param
    finally:
        daemon.stop()


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> Outcome:
    return Command(capsys)("search", "charge_card", "--json", *words)


@pytest.mark.parametrize("hung", [NEVER_GREETS, DIES], indirect=True)
def test_the_index_answers_in_place_of_the_daemon(
    hung: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = asked(capsys, "--repo", "web")

    assert result.status == 0, result.err
    assert [each["path"] for each in stable_json.loads(result.out)["results"]] == ["web.py"]
    assert "reading the index without a daemon" in result.err


@pytest.mark.parametrize("hung", [NEVER_GREETS, DIES], indirect=True)
async def test_a_server_reads_the_index_in_place_of_the_daemon(
    hung: str, place: Path, environ: dict[str, str]
) -> None:
    """Over MCP and HTTP, for one repository and for a workspace."""
    reports: list[str] = []
    ours = IndexFallback(environ, {}, reports.append)
    federator = Federator(Home(place / "home"), environ, SystemClock(), fallback=ours)
    try:
        hits = await federator.ask_repo(place / "web", SearchRequest("charge_card"))
        names = await federator.ask_repo(place / "web", SymbolRequest("charge_card"))
        workspace = load_workspace(place / "ws.jsonc", resolve_root=canonical_root)
        whole = await federator.search(workspace, FederatedRequest(SearchRequest("charge_card")))
    finally:
        await federator.aclose()

    assert [hit["path"] for hit in hits["results"]] == ["web.py"]
    assert [each["path"] for each in names["definitions"]] == ["web.py"]
    assert {report.status for report in whole.reports} == {"ok"}
    assert any("reading the index without a daemon" in line for line in reports)


@pytest.mark.parametrize("hung", [NEVER_ANSWERS], indirect=True)
def test_without_time_for_the_index_the_command_is_late(
    hung: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It greeted and may yet answer, until the time is over."""
    result = asked(capsys, "--repo", "web", "--timeout-ms", "200")
    error = stable_json.loads(result.out)["error"]

    assert (result.status, error["code"]) == (11, "timeout")
    assert error["request_id"]
    assert "did not answer in time" in result.err


@pytest.mark.parametrize("hung", [NEVER_GREETS, DIES], indirect=True)
def test_a_workspace_reads_the_index_of_a_hung_daemon(
    hung: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = asked(capsys, "--workspace", "ws.jsonc")
    document = stable_json.loads(result.out)

    assert result.status == 0, result.err
    assert {row["alias"]: row["status"] for row in document["repos"]} == dict.fromkeys(NAMES, "ok")
    assert sorted(each["file"] for each in document["results"]) == [f"{name}.py" for name in NAMES]


@pytest.mark.parametrize("hung", [NEVER_ANSWERS], indirect=True)
def test_a_workspace_says_which_repository_was_late(
    hung: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ("--workspace", "ws.jsonc", "--timeout-ms", "4000")
    asked(capsys, *line)  # loads modules, which the second call needs no time for
    result = asked(capsys, *line)
    document = stable_json.loads(result.out)

    assert result.status == 0, result.err
    late = [row["alias"] for row in document["repos"] if row["status"] == "timeout"]
    assert late == ["web"]


@pytest.mark.parametrize("hung", [NEVER_ANSWERS], indirect=True)
@pytest.mark.parametrize("extra", [(), ("--workspace", "ws.jsonc")])
def test_a_step_that_cannot_be_ended_takes_the_command_no_longer(
    hung: str,
    extra: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A disk that hangs while the index is opened; with --json in the shape of its command."""
    from threading import Event

    monkeypatch.setenv("GGREP_OFFLINE", "1")
    monkeypatch.setattr(
        "ggrep.search.engine.engine.Engine.search", lambda *_, **__: Event().wait(30)
    )
    monkeypatch.setattr("ggrep.federation.fanout.fan_out", lambda *_, **__: Event().wait(30))
    monkeypatch.setattr(
        "ggrep.federation.fanout_session.fan_out", lambda *_, **__: Event().wait(30)
    )
    result = asked(capsys, *(extra or ("--repo", "web")), "--timeout-ms", "300")
    document = stable_json.loads(result.out)

    assert (result.status, document["error"]["code"]) == (11, "timeout")
    assert document["error"]["request_id"]
    assert ("diagnostics" in document) is bool(extra)
