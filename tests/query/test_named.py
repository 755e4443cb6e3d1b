"""How well a row defines the name that a query is."""

import pytest

from ggrep.model.request import Find, SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.named import (
    EXACT_DEFINITION,
    EXACT_MEMBER,
    FOLDED_DEFINITION,
    defining,
    files_defining,
)
from ggrep.search.query.segments import open_segments
from ggrep.search.query.understand import parse_query
from ggrep.search.query.weights import DEFAULT_WEIGHTS, NAMED_TEST
from tests.fakes.repos import IndexOf

FILES = {
    "src/a_lower.py": "def timeout(seconds):\n    return seconds\n",
    "src/b_upper.py": "class Timeout:\n    def wait(self):\n        return timeout(1)\n",
    "src/c_field.py": "timeout = 3\nretries = 4\n",
    "src/owner.py": "class Pool:\n    def drain(self):\n        return 1\n",
    "src/other.py": "class Queue:\n    def drain(self):\n        return 2\n",
    "tests/test_fake.py": "class FakeClock:\n    def now(self):\n        return 0\n",
    "src/clock.py": "def use(clock):\n    return FakeClock\n",
}


@pytest.fixture(scope="module")
def named(shared_index: IndexOf) -> Engine:
    """Return an engine over files that define names in both letter cases and as a field."""
    return shared_index(FILES)


def shares(engine: Engine, name: str) -> dict[str, float]:
    """Return how well the best row of each file defines a name."""
    (segment,) = open_segments(engine.view())
    result = defining(segment, name)
    best: dict[str, float] = {}
    for row, share in zip(result.rows.tolist(), result.shares.tolist(), strict=True):
        path = str(segment.image.path(int(segment.image.row_files[row])))
        best[path] = max(share, best.get(path, 0.0))
    return best


def paths(engine: Engine, query: str, find: Find = Find.AUTO) -> list[str]:
    """Return the files of an answer, the best first."""
    response = engine.search(SearchRequest(query, limit=10, find=find))
    return list(dict.fromkeys(str(hit.path) for hit in response.hits))


def test_a_definition_as_it_is_spelled_counts_most(named: Engine) -> None:
    """Letter case tells names apart, and a function from a constant of the same name."""
    assert shares(named, "timeout") == {
        "src/a_lower.py": EXACT_DEFINITION,
        "src/b_upper.py": FOLDED_DEFINITION,
        "src/c_field.py": EXACT_MEMBER,
    }
    assert shares(named, "Timeout")["src/b_upper.py"] == EXACT_DEFINITION


def test_a_name_finds_its_own_spelling_first(named: Engine) -> None:
    """Whoever types a capital means it."""
    assert paths(named, "Timeout")[0] == "src/b_upper.py"
    assert paths(named, "timeout")[0] == "src/a_lower.py"


def test_a_name_with_an_owner_is_defined_in_that_owner(named: Engine) -> None:
    """`Queue.drain` is not the `drain` of a pool."""
    result = shares(named, "Queue.drain")

    assert result["src/other.py"] == EXACT_MEMBER
    assert result["src/owner.py"] < EXACT_MEMBER
    assert paths(named, "Queue.drain")[0] == "src/other.py"
    assert paths(named, "Pool::drain")[0] == "src/owner.py"


def test_a_name_of_very_many_parts_costs_no_more_than_one_of_some(named: Engine) -> None:
    """Each part is looked up in every segment, and a query may have a thousand of them."""
    assert shares(named, f"{'x.' * 600}Queue.drain") == shares(named, f"{'x.' * 60}Queue.drain")


def test_definitions_come_in_the_order_of_a_search_for_definitions(named: Engine) -> None:
    """A lone name is a search for its definition that shows usages as well."""
    for name in ("timeout", "Timeout", "drain"):
        exact = [path for path, share in shares(named, name).items() if share >= EXACT_MEMBER]
        defined = [path for path in paths(named, name, Find.DEFINITION) if path in exact]
        assert defined
        assert [path for path in paths(named, name) if path in exact] == defined


def test_a_test_that_defines_the_name_is_hardly_put_behind(named: Engine) -> None:
    """What stands in a test alone must not lose to whatever uses it."""
    (segment,) = open_segments(named.view())
    files = files_defining(segment, ["FakeClock"]).tolist()

    assert [segment.image.path(file) for file in files] == ["tests/test_fake.py"]
    assert not len(files_defining(segment, ["fakeclock"]))
    response = named.search(SearchRequest("FakeClock", explain=True))
    priors = {str(hit.path): dict(hit.components)["prior"] for hit in response.hits}
    assert priors["tests/test_fake.py"] == pytest.approx(NAMED_TEST * DEFAULT_WEIGHTS.definition)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Timeout", ("Timeout",)),
        ("a::b", ("a.b",)),
        ("make parseConfig read TOML files", ("parseConfig",)),
        ("why does retry_all wait", ("retry_all",)),
        ("Connection pool leaks", ()),
    ],
)
def test_only_what_is_no_plain_word_is_a_name(query: str, names: tuple[str, ...]) -> None:
    """A word with a capital opens a sentence as often as it names a class."""
    assert parse_query(query).names == names
