"""Empty, weak and cut answers say which files they cannot show; other answers do not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.model.limits import UNSEEN
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.request import Find, SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

FILES = {
    "a.py": "def alpha():\n    return 1\n",
    "large.py": "# needle\n" + "x = 1\n" * 20_000,
    "ledger.cob": "       PROGRAM-ID. ledger.\n",
    "rows.csv": "".join(f"{number},row_{number}\n" for number in range(3_000)),
    "blob.py": b"needle\0\1\2\3\4" * 99,
}
SKIPPED = "not searched: 1 file too large, 1 binary"
PARTIAL = "searched in part: 1 file cut at max_bulk_bytes"
NAMELESS = "searched without their definitions: 1 file in cobol"
LISTS = "`ggrep health` in the repository lists them"


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    return index_of(FILES, encoder="none", max_file_size_bytes=100_000, max_bulk_bytes=1_024)


def unseen_in(answer: object) -> list[str]:
    return [notice.message for notice in answer.warnings if notice.code == UNSEEN]


@pytest.mark.parametrize(
    ("ask", "parts"),
    [
        (lambda e: e.search(SearchRequest("needle")), (SKIPPED, PARTIAL)),
        (lambda e: e.search(SearchRequest("row_2999", find=Find.EXACT_TEXT)), (SKIPPED, PARTIAL)),
        (lambda e: e.search(SearchRequest("needle", deterministic=True)), (PARTIAL,)),
        (lambda e: e.ask(SlateRequest(SearchRequest("needle"))), (SKIPPED, PARTIAL)),
        (lambda e: e.ask(SymbolRequest("needle")), (SKIPPED, PARTIAL, NAMELESS)),
        (lambda e: e.ask(ReferencesRequest("needle")), (SKIPPED, PARTIAL, NAMELESS)),
    ],
)
def test_an_answer_that_finds_nothing_counts_what_it_could_not_see(
    engine: Engine, ask: Callable[[Engine], object], parts: tuple[str, ...]
) -> None:
    assert unseen_in(ask(engine)) == ["; ".join((*parts, LISTS))]


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: e.search(SearchRequest("alpha")),
        lambda e: e.ask(SymbolRequest("alpha")),
    ],
)
def test_a_certain_answer_is_silent(engine: Engine, ask: Callable[[Engine], object]) -> None:
    assert unseen_in(ask(engine)) == []


def test_files_that_a_later_sync_skips_count_without_a_new_snapshot(
    root: Path, engine: Engine
) -> None:
    before = engine.search(SearchRequest("needle"))
    (root / "other.bin.py").write_bytes(b"\0\1\2" * 99)
    engine.sync()
    after = engine.search(SearchRequest("needle"))

    assert before.provenance.snapshot_id == after.provenance.snapshot_id
    assert "2 binary" in unseen_in(after)[0]
