"""The HTTP surface over daemons that serve, up to the socket of the command."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.interfaces.api.http_app import ApiRules, make_app
from ggrep.interfaces.surfaces.http_server import AccessRules
from ggrep.service.federator import Federator
from ggrep.service.workspace_access import Allowlist
from tests.fakes.hosts import FLAGS, served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.slow

FILE = """{
  "schemaVersion": 1,
  "merge": {"strategy": "global"},
  "repos": [{"root": "a", "alias": "a"}, {"root": "b", "alias": "b"}],
}"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a directory with a workspace of two repositories, both served."""
    result = tmp_path_factory.mktemp("api").resolve()
    (result / "w.jsonc").write_text(FILE)
    with (
        short_directory() as base,
    ):
        home = base / "home"
        (result / "home").symlink_to(home)
        for repo in ("a", "b"):
            write_tree(result / repo, {f"src/{repo}.py": f"def refund_{repo}(money):\n    pass\n"})
            open_engine(result / repo, home).sync()
        with served(result / "a", home) as first, served(result / "b", home) as second:
            first.settled()
            second.settled()
            yield result


@pytest.fixture
async def client(place: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of a server over the daemons."""
    home = Home((place / "home").resolve())
    federator = Federator(home, {"GGREP_OFFLINE": "1"}, SystemClock(), flags=FLAGS)
    rules = ApiRules(AccessRules(), Allowlist([place]))
    app = make_app(federator, rules, SystemClock())
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
    ) as result:
        yield result
    await federator.aclose()


def body(place: Path) -> dict[str, object]:
    return {
        "workspacePath": str(place / "w.jsonc"),
        "query": "refund money",
        "search": {"deterministic": True},
    }


async def test_a_workspace_is_searched(client: httpx.AsyncClient, place: Path) -> None:
    """Both give what they hold, and the stream ends in the same bytes."""
    plain = await client.post("/search/federated", json=body(place))
    stream = await client.post("/search/federated/stream", json=body(place))

    assert plain.status_code == 200
    assert {hit["file"] for hit in plain.json()["results"]} == {"src/a.py", "src/b.py"}
    assert stream.content.endswith(b"event: answer\ndata: " + plain.content + b"\n")
    assert str(place) not in plain.text


async def test_a_repository_is_searched(client: httpx.AsyncClient, place: Path) -> None:
    root = str(place / "a")

    result = await client.post("/search", json={"query": "refund", "root": root})
    status = await client.get("/status", params={"root": root})
    health = await client.get("/health", params={"root": root})

    assert [hit["path"] for hit in result.json()["results"]] == ["src/a.py"]
    assert status.json()["running"] is True
    assert health.json()["ok"] is True
    assert str(place) not in result.text + status.text + health.text


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "repo"
    write_tree(root, {"a.py": "x = 1\n"})
    environ = {**os.environ, "GGREP_HOME": str(tmp_path / "home"), "GGREP_API_TOKEN": "x" * 16}
    command = [sys.executable, "-m", "ggrep", "api", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=root, env=environ, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = stable_json.loads(process.stdout.readline())
            refused = httpx.get(line["baseUrl"] + "/health")
            answered = httpx.get(
                line["baseUrl"] + "/health", headers={"authorization": "Bearer " + "x" * 16}
            )
            process.send_signal(signal.SIGTERM)
            status = process.wait(300)
        finally:
            process.kill()

    assert line["baseUrl"] == f"http://{line['host']}:{line['port']}"
    assert (refused.status_code, answered.status_code) == (401, 200)
    assert status == 0
