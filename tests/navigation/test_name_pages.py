"""Pages of one repository's definitions and usages: together they are the whole answer."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf, write_tree

FILES = {f"src/m{number}.py": "def retry():\n    return retry()\n" for number in range(5)}


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    """Return an index of five definitions and five usages."""
    return index_of(FILES, encoder="none")


@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_pages_together_are_the_whole_answer(engine: Engine, size: int) -> None:
    """Nothing stands on two of them, or on none."""
    asked = SymbolRequest("retry", limit=size)
    page = engine.ask(asked)
    results = [*page.definitions]
    while page.next_cursor:
        page = engine.ask(replace(asked, cursor=page.next_cursor))
        results += page.definitions

    assert tuple(results) == engine.ask(SymbolRequest("retry", limit=0)).definitions
    assert page.limits_hit == ()


def test_usages_have_pages_as_well(engine: Engine) -> None:
    """What is left out for its kind takes no place on them."""
    asked = ReferencesRequest("retry", limit=3)
    first = engine.ask(asked)
    second = engine.ask(replace(asked, cursor=first.next_cursor))

    every = engine.ask(ReferencesRequest("retry", limit=0))
    assert (*first.references, *second.references) == every.references
    assert (len(first.references), second.next_cursor) == (3, "")
    assert first.totals == second.totals == every.totals


def test_a_cursor_goes_on_with_the_snapshot_of_its_first_page(root: Path, engine: Engine) -> None:
    """A file that comes meanwhile would move every place behind it."""
    asked = SymbolRequest("retry", limit=3)
    first = engine.ask(asked)
    write_tree(root, {"src/a.py": "def retry(): pass\n"})
    engine.sync()
    second = engine.ask(replace(asked, cursor=first.next_cursor))

    paths = [each.path for each in (*first.definitions, *second.definitions)]
    assert paths == sorted(FILES)
    assert second.provenance.snapshot_id == first.provenance.snapshot_id


@pytest.mark.usefixtures("root")
def test_a_cursor_of_a_snapshot_that_is_gone_is_refused(engine: Engine) -> None:
    """The rest of it cannot be had."""
    first = engine.ask(SymbolRequest("retry", limit=3))
    engine.sync(fresh=True)
    with pytest.raises(SnapshotGone):
        engine.ask(SymbolRequest("retry", limit=3, cursor=first.next_cursor))


@pytest.mark.parametrize("cursor", ["x", "e30", "ä", "=" * 9])
def test_what_is_no_cursor_is_refused(engine: Engine, cursor: str) -> None:
    """By a caller who cannot be expected to look into one."""
    with pytest.raises(InvalidRequest, match="cursor: "):
        engine.ask(SymbolRequest("retry", cursor=cursor))


def test_a_cursor_of_another_question_is_refused(engine: Engine) -> None:
    """It says how much of that one was shown."""
    first = engine.ask(SymbolRequest("retry", limit=3))
    with pytest.raises(InvalidRequest, match="another request"):
        engine.ask(SymbolRequest("Queue.retry", cursor=first.next_cursor))
    with pytest.raises(InvalidRequest, match="another request"):
        engine.ask(ReferencesRequest("retry", cursor=first.next_cursor))
