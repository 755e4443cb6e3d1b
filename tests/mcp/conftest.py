"""A server over fakes, in this process, and two repositories on disk."""

import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from mcp import Client

from ggrep.interfaces.mcp.access import Access
from ggrep.interfaces.mcp.backend import LazyBackend
from ggrep.interfaces.mcp.server import build_server
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tool_calls import Calls
from tests.fakes.federators import FakeFederator

_PACKAGES = ("@modelcontextprotocol/sdk@1", "@modelcontextprotocol/inspector@0")
_INSTALL_S = 300

Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def federator() -> FakeFederator:
    return FakeFederator()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return the repository that the server was started in."""
    return _repo(tmp_path.resolve() / "own")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return _repo(tmp_path.resolve() / "other")


@pytest.fixture
def workspace_file(tmp_path: Path, own: Path, other: Path) -> Path:
    file = tmp_path.resolve() / "both.jsonc"
    file.write_text(
        '{"schemaVersion": 1, "name": "both", "repos": ['
        '{"root": "own", "alias": "own"}, {"root": "other", "alias": "other"}]}'
    )
    return file


@pytest.fixture
def broken_file(tmp_path: Path) -> Path:
    """Return a workspace file that cannot be read."""
    file = tmp_path.resolve() / "broken.jsonc"
    file.write_text("{")
    return file


@pytest.fixture
def connect(federator: FakeFederator, own: Path, workspace_file: Path) -> Connect:
    """Return what connects a client to a server over the fake."""

    @asynccontextmanager
    async def connected(
        start: StartOptions | None = None,
        *,
        structured: bool = False,
        legacy: bool = False,
        **options: Any,
    ) -> AsyncIterator[Client]:
        begun = start or StartOptions(directory=own, workspaces=(workspace_file,))
        backend = backend_of(federator, begun)
        server = build_server(lambda _: backend, structured=structured, legacy=legacy)
        async with Client(server, **options) as client:
            yield client
        await backend.aclose()

    return connected


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory where both clients are installed; skip where they cannot be."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    place = tmp_path_factory.mktemp("node")
    for script in Path(__file__).parent.glob("*.mjs"):
        shutil.copy(script, place)
    (place / "package.json").write_text('{"private": true, "type": "module"}')
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts")
    installed = subprocess.run(
        ["npm", "install", *quiet, *_PACKAGES],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=_INSTALL_S,
        check=False,
    )
    if installed.returncode:
        pytest.skip(f"npm could not install the clients: {installed.stderr[-500:]}")
    return place


def backend_of(federator: FakeFederator, start: StartOptions) -> LazyBackend:
    """Return the backend that a process would have, over a fake."""
    return LazyBackend(
        lambda: None, lambda: (Calls(federator, Access(start), shows_paths=True), federator)
    )


def _repo(path: Path) -> Path:
    (path / ".git").mkdir(parents=True)
    (path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (path / "src").mkdir()
    (path / "src/pay.py").write_text("def settle(): ...\n")
    return path
