"""Little makes a workspace's repositories be asked one by one where they can be asked at once."""

from collections.abc import Iterator

import pytest

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.model.request import SearchRequest
from tests.fakes.coordinated import document
from tests.fakes.served_workspace import ServedWorkspace, asked, served_workspace

pytestmark = pytest.mark.slow

MOST = 4
TREES = [
    {f"fetch{n}.py": f"def fetch_{n}(page):\n    return page + {n}\n", "own.md": "# A page\n"}
    for n in range(MOST)
]


@pytest.fixture(scope="module")
def place() -> Iterator[ServedWorkspace]:
    with served_workspace(MOST, "none") as made:
        made.write(TREES)
        made.between.together = True
        yield made


@pytest.fixture(autouse=True)
def nothing_seen(place: ServedWorkspace) -> None:
    place.between.apart = frozenset()
    place.between.joint.clear()
    place.between.pools.clear()


def answered(place: ServedWorkspace, max_repos: int = 0) -> FederatedResponse:
    question = SearchRequest("fetch a page", deterministic=True)
    request = FederatedRequest(search=question, merge_strategy="global", max_repos=max_repos)
    with asked(place.federator()) as federator:
        return federator.search(place.workspace(MOST), request)


def test_all_are_asked_by_one_question(place: ServedWorkspace) -> None:
    answered(place)

    assert (len(place.between.joint), len(place.between.pools)) == (1, 0)


def test_one_that_must_be_asked_by_itself_alone_is(place: ServedWorkspace) -> None:
    """The others are counted and asked at once."""
    before = document(answered(place))
    place.between.joint.clear()
    place.between.apart = frozenset({place.workspace(MOST).repos[0].repo_id})
    found = document(answered(place))

    assert (len(place.between.joint), len(place.between.pools)) == (2, 1)
    assert found == before


def test_a_limit_of_repositories_is_no_reason_to_ask_each(place: ServedWorkspace) -> None:
    found = answered(place, max_repos=2)

    assert (len(place.between.joint), len(place.between.pools)) == (2, 0)
    assert [report.status for report in found.reports].count("skipped") == 2


def test_files_that_somebody_touched_are_looked_at_and_asked_at_once(
    place: ServedWorkspace,
) -> None:
    """A backup that links all of them must not make each question one to each repository."""
    before = document(answered(place))
    for image in place.home.rglob("*.image"):
        image.with_suffix(".linked").hardlink_to(image)
    place.between.joint.clear()
    found = document(answered(place))

    assert (len(place.between.joint), len(place.between.pools)) == (2, 0)
    assert found == before
