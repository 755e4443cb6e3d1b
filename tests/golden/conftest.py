"""What the goldens are made from and compared by."""

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos


class JsonBytes(SingleFileSnapshotExtension):
    """One .json file for each golden, compared byte for byte.

    The folder is named after the test module, and the module after the schema of its documents:
    the contract suite relies on that.
    """

    file_extension = "json"
    _write_mode = WriteMode.BINARY


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Return what bytes are compared with."""
    return snapshot.use_extension(JsonBytes)


@pytest.fixture(scope="session")
def repos(tmp_path_factory: pytest.TempPathFactory) -> Repos:
    """Return copies of the fixture repositories; tests only read them."""
    return Repos(tmp_path_factory.mktemp("golden").resolve())


@pytest.fixture(scope="session")
def indexed(repos: Repos) -> dict[str, tuple[Engine, SyncReport]]:
    """Return each fixture repository, indexed."""
    return {name: repos.index(name) for name in ("shop", "gateway", "ledger")}


@pytest.fixture(scope="session")
def shop(indexed: dict[str, tuple[Engine, SyncReport]]) -> Engine:
    """Return the indexed shop."""
    return indexed["shop"][0]
