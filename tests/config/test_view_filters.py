"""Patterns of a view hide what the same patterns keep out of an index, or are refused."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.profiles import exclusions
from ggrep.config.settings import Settings
from ggrep.model.request import SearchRequest
from ggrep.parse.source.walk import walk
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

FILES = (
    "data.csv",
    "data/a.md",
    "data/b.csv",
    "docs/data/c.md",
    "docs/data.md",
    "docs/old/data/d.csv",
    "metadata/e.md",
    "old/f.md",
    "old.md",
    "oldest/g.md",
)


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    return index_of({name: f"needle {name}\n" for name in FILES})


def test_a_view_hides_what_ignoring_would(engine: Engine) -> None:
    """One spelling, one meaning: whether a profile has a store of its own must not matter."""
    patterns = (
        "data/", "data", "/data/", "data/**", "**/data/", "old", "/old", "docs/old/", "docs/data",
        "*.csv", "old*", "*data", "*at*",
    )  # fmt: skip
    wanted, found = {}, {}
    for pattern in patterns:
        tree = walk(engine.identity.root, Settings(extra_ignores=(pattern,)))
        wanted[pattern] = {file.path_key for file in tree.files}
        request = SearchRequest(
            "needle", 200, 0, keep_weak=True, within=exclusions([pattern], "here")
        )
        found[pattern] = {hit.path for hit in engine.search(request).hits}

    assert found == wanted
    assert all(len(paths) < len(FILES) for paths in found.values())


@pytest.mark.parametrize("pattern", ["docs/*.md", "a*b", "[ab]", "a?", "*", "**", "a/**/b", "/"])
def test_a_pattern_that_filters_cannot_say_is_refused(pattern: str) -> None:
    """To hide more than was meant would be a wrong answer in silence."""
    with pytest.raises(InvalidRequest, match=r"here: .* cannot narrow"):
        exclusions([pattern], "here")
