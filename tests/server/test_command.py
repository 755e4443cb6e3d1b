"""`ggrep server`: a server from one file, with nodes that die, and users with rights."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ggrep.base import stable_json
from ggrep.interfaces.cli.app import run
from ggrep.server import server_file
from tests.fakes.issuer import AUDIENCE, Issuer, running_issuer
from tests.fakes.site import BODY
from tests.fakes.team import TREES, Team, answer, search

pytestmark = [pytest.mark.slow, pytest.mark.timeout(580)]


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, team: Team, issuer: Issuer) -> None:
        self.file, self.access = folder / "server.jsonc", folder / "access.jsonc"
        self.issuer = issuer
        self.allow("*")
        document = {
            "remote": {"url": team.remote.url},
            "login": {"issuer": issuer.url, "audience": AUDIENCE},
            "access": "access.jsonc",
            "cache": "cache",
            "port": 0,
            "nodes": 2,
            "sweepSeconds": 1,
            "operators": ["ops@example.com"],
            "audit": "audit.jsonl",
        }
        self.file.write_text("// a server\n" + stable_json.dumps(document).decode())

    def allow(self, *repos: str) -> None:
        rules = [{"repos": [*repos], "users": ["alice@example.com"]}]
        self.access.write_bytes(stable_json.dumps({"rules": rules}))

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ggrep", "server", "start", str(self.file), "--json"],
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self.url = stable_json.loads(self.process.stdout.readline())["baseUrl"]

    def ask(self, path: str, body: Any = None, user: str = "alice@example.com") -> httpx.Response:
        """Return the response to a user's request."""
        headers = {"authorization": f"Bearer {self.issuer.token(user)}"}
        if body is None:
            return httpx.get(f"{self.url}{path}", headers=headers, timeout=60)
        return httpx.post(f"{self.url}{path}", json=body, headers=headers, timeout=60)

    def wait_for(self, done: Callable[[Any], bool]) -> Any:
        for _ in range(1200):
            state = self.ask("/status", user="ops@example.com").json()
            if done(state):
                return state
            time.sleep(0.1)
        raise AssertionError(state)


def _ready(state: Any) -> bool:
    nodes = state["nodes"].values()
    whole = all(node["answering"] and node.get("trees") == len(TREES) for node in nodes)
    return state["repos"] == len(TREES) and whole


@pytest.fixture
def server(team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GGREP_ENCODER", "hashed")
    with running_issuer() as issuer:
        made = Server(tmp_path, team, issuer)
        made.start()
        try:
            yield made
        finally:
            made.process.kill()
            made.process.wait()
            assert made.process.stdout is not None
            made.process.stdout.close()


async def test_a_server_from_its_start_to_its_stop(
    server: Server, team: Team, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(word: str) -> tuple[int, str, str]:
        return run(["server", word, str(server.file)]), *capsys.readouterr()

    server.wait_for(_ready)
    whole = await answer(team.here(), team.workspace(), search(merge_strategy="global"))
    assert server.ask("/search/federated", BODY).content == whole + b"\n"

    status, shown, _ = command("status")
    assert status == 0
    assert f"{len(TREES)} repositories" in shown
    assert "node-0 answers" in shown
    assert "is already running" in command("start")[2]

    killed = _child(server.process.pid)
    os.kill(killed, signal.SIGKILL)
    for _ in range(20):
        assert server.ask("/search/federated", BODY).content == whole + b"\n"
    server.wait_for(lambda state: _ready(state) and killed != _child(server.process.pid))

    server.allow("acme/mail")
    assert server.ask("/refresh", {}, "ops@example.com").status_code == 200
    document = server.ask("/search/federated", BODY).json()
    assert [row["alias"] for row in document["repos"]] == ["mail"]

    assert command("stop") == (0, "the server has stopped\n", "")
    assert server.process.wait(60) == 0
    audit = server.file.with_name("audit.jsonl").read_text()
    assert '"operation":"POST /search/federated","searched":1,' in audit
    assert "retry" not in audit
    assert command("status")[0] == 1
    assert command("stop")[0] == 0


def _child(pid: int) -> int:
    """Return the first node of a server."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
    return min(child for child, command in commands.items() if b"node_process" in command)


WRONG = {
    '{"remote": {}}': "url",
    '{"remote": {"url": "s3://b"}, "acces": "x"}': "acces",
    "[1]": "object",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file_is_named_with_the_place(tmp_path: Path, text: str) -> None:
    file = tmp_path / "server.jsonc"
    file.write_text(text)

    with pytest.raises(server_file.InvalidRequest, match=WRONG[text]):
        server_file.read_server_file(file)


def test_without_the_extra_every_command_says_in_a_line_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {
        "remote": {"url": "file:///nowhere"},
        "login": {"issuer": "https://id.example.com", "audience": AUDIENCE},
        "access": "access.jsonc",
        "cache": "cache",
        "ray": "127.0.0.1:6379",
    }
    file = tmp_path / "server.jsonc"
    file.write_bytes(stable_json.dumps(document))
    for missing in ("ray", "jwt"):
        monkeypatch.setattr(
            server_file, "find_spec", lambda name, missing=missing: name != missing or None
        )
        for command in ("start", "status", "stop"):
            assert run(["server", command, str(file)]) == 2
            message = capsys.readouterr().err

            assert f"{missing} is not installed; to install it: pip install" in message
            assert message.count("\n") == 1
