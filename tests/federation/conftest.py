"""Three repositories behind daemons, for all modules of this folder."""

from collections.abc import Iterator

import pytest

from tests.fakes.served_workspace import Asked, ServedWorkspace, asked, served_workspace


@pytest.fixture(scope="package")
def served() -> Iterator[ServedWorkspace]:
    """Return the daemons of three repositories, which hold nothing yet."""
    with served_workspace(3, "static") as made:
        yield made


@pytest.fixture(scope="package")
def daemons(served: ServedWorkspace) -> Iterator[Asked]:
    with asked(served.federator()) as result:
        yield result
