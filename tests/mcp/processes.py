"""A small workspace that is indexed, served by real daemons, for real servers to be asked about."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from mcp import StdioServerParameters
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_control import stop
from ggrep.protocol.client.daemon_files import running
from ggrep.search.engine.engine import Engine
from tests.fakes.places import short_directory
from tests.fakes.repos import write_tree
from tests.journeys.command import Command

CHECKOUT = Path(__file__).parents[2]
TREE = {"src/pay.py": "def settle_invoice():\n    return 'settled'\n"}
OTHER = {"lib/mail.py": "def send_invoice():\n    return 'sent'\n"}

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


class Settled(Struct, frozen=True):
    """Two indexed repositories and their workspace; `bare` has no index."""

    base: Path

    @property
    def root(self) -> Path:
        return self.base / "pay"

    @property
    def home(self) -> Home:
        return Home(self.base / "h")

    @property
    def bare(self) -> Path:
        """Return a repository that was never indexed."""
        return self.base / "bare"

    @property
    def workspace(self) -> Path:
        return self.base / "both.jsonc"

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment of everything that runs here; it may start daemons."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GGREP_")}
        return {**kept, "GGREP_HOME": str(self.home.base), "PYTHONPATH": str(CHECKOUT)}

    def run(self, *arguments: str) -> bytes:
        """Return what a command writes to standard output."""
        command = [sys.executable, "-m", "ggrep", *arguments]
        return subprocess.run(
            command, env=self.environ, cwd=self.base, check=True, capture_output=True
        ).stdout

    def command(
        self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> Command:
        """Return `ggrep` in this process, over the same home."""
        monkeypatch.setenv("GGREP_HOME", self.environ["GGREP_HOME"])
        for name in ("GGREP_OFFLINE", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(self.root)
        return Command(capture)

    def arguments(self, *more: str) -> Sequence[str]:
        ours = ("--path", str(self.root), "--workspace", str(self.workspace))
        return ("-m", "ggrep", "mcp", *ours, *more)

    def server(self, *more: str) -> StdioServerParameters:
        """Return how an SDK client starts a server."""
        return StdioServerParameters(
            command=sys.executable,
            args=[*self.arguments(*more)],
            env=self.environ,
            cwd=self.base,
        )


@contextmanager
def settled(tree: Mapping[str, str] = TREE, other: Mapping[str, str] = OTHER) -> Iterator[Settled]:
    """Give the workspace of two trees, indexed; end its daemons afterwards."""
    with short_directory() as base:
        result = Settled(base)
        for path, files in (
            (result.root, tree),
            (result.base / "mail", other),
            (result.bare, tree),
        ):
            subprocess.run(["git", "init", "-q", path], check=True)
            write_tree(path, files)
        result.workspace.write_text(
            '{"schemaVersion": 1, "name": "both", "repos": ['
            '{"root": "pay", "alias": "pay"}, {"root": "mail", "alias": "mail"}]}'
        )
        try:
            for repo in ("pay", "mail"):
                Engine(result.base / repo, result.home, environ=result.environ).sync()
            yield result
        finally:
            for record in running(result.home):
                stop(record, "the test is over", SystemClock())


@contextmanager
def http(place: Settled) -> Iterator[httpx.Client]:
    """Give a client of an HTTP server over the workspace, with the token that its line tells of."""
    command = [sys.executable, "-m", "ggrep", "api", "--port", "0", "--json"]
    command += ["--workspace", str(place.workspace)]
    with subprocess.Popen(
        command, env=place.environ, cwd=place.base, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        try:
            line = stable_json.loads(server.stdout.readline())
            headers = {"authorization": f"Bearer {Path(line['tokenFile']).read_text().strip()}"}
            with httpx.Client(base_url=line["baseUrl"], headers=headers, timeout=60) as client:
                yield client
        finally:
            server.terminate()
            server.wait(300)
