"""What the goldens are made from and compared by."""

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class JsonBytes(SingleFileSnapshotExtension):
    """One .json file for each golden, compared byte for byte."""

    file_extension = "json"
    _write_mode = WriteMode.BINARY


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Return what bytes are compared with."""
    return snapshot.use_extension(JsonBytes)
