"""Every JSON document that ggrep prints, byte for byte."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.base import errors
from tests.golden.documents import error_classes
from tests.golden.goldens import ERRORS, GOLDENS, World, neutral_bytes


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return the fixture repositories."""
    return World(tmp_path_factory.mktemp("golden").resolve())


@pytest.mark.parametrize(
    ("schema", "case"),
    [
        pytest.param(schema, case, id=f"{schema}-{case}")
        for schema, cases in GOLDENS.items()
        for case in cases
    ],
)
def test_a_document_is_as_published(
    schema: str, case: str, world: World, golden: SnapshotAssertion
) -> None:
    """A document that moves must be seen to move before it is shipped."""
    assert neutral_bytes(GOLDENS[schema][case], world) == golden


def test_every_class_of_error_has_a_golden() -> None:
    """An error added without one would reach callers in a shape nobody has looked at."""
    shown = {type(error) for error in ERRORS.values()}
    abstract = {errors.LoadError, errors.RequestError, errors.StoreError}

    assert shown == error_classes() - abstract
