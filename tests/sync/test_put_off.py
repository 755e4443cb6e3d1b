"""Files whose parser had no turn are put off, said, and tried again without an edit."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import SyncRefused
from ggrep.index.store.active import read_active
from ggrep.index.sync import declarations, plan, syncer
from ggrep.index.sync.index_state import FIRST_RETRY_MS, MOST_RETRY_MS, Retry, following
from ggrep.index.sync.problems import is_passing
from ggrep.model.files import ChunkedFile, FileText, SkippedFile, SourceFile
from ggrep.model.request import SearchRequest
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.read import read_file
from ggrep.parse.workers.parse_pool import TERMS, Terms
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import (
    AheadClock,
    HangingPool,
    InProcessPool,
    StalledPool,
    answer,
    answer_bytes,
    open_engine,
    paths,
    write_tree,
)

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
TREE = {"a.py": "def retry():\n    pass\n", "b.txt": "queue\n"}
NOW = datetime(2030, 1, 1, tzinfo=UTC)


def use(patch: pytest.MonkeyPatch, pool: type[InProcessPool]) -> None:
    patch.setattr(syncer, "IndexPool", pool)


@pytest.fixture
def clock() -> AheadClock:
    """Return the engine's clock."""
    return AheadClock()


@pytest.fixture
def engine(root: Path, home: Path, clock: AheadClock) -> Engine:
    """Return an engine over a tree that is not indexed."""
    write_tree(root, TREE)
    return open_engine(root, home, clock=clock)


def problems(engine: Engine) -> list[tuple[str, str]]:
    return [(p.code, p.path_key) for p in engine.sync().degraded]


def test_files_without_a_parser_wait(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut by lines it would answer otherwise than on a machine with time."""
    use(monkeypatch, StalledPool)

    assert problems(engine) == [("parse_pending", "a.py")]
    assert paths(engine, "queue") == ["b.txt"]
    assert paths(engine, "retry") == []
    assert answer(engine, ASK)["degraded"] is True


def test_a_reset_without_parsers_fails(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, InProcessPool)
    engine.sync()
    before = answer_bytes(engine, ASK)
    use(monkeypatch, StalledPool)

    with pytest.raises(SyncRefused, match="too busy to parse 1 files"):
        engine.sync(fresh=True)
    assert answer_bytes(engine, ASK) == before


def test_its_old_state_stays(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, InProcessPool)
    engine.sync()
    use(monkeypatch, StalledPool)
    write_tree(root, {"a.py": "def renamed():\n    pass\n"})

    assert problems(engine) == [("parse_pending", "a.py")]
    assert paths(engine, "retry") == ["a.py"]


def test_it_is_tried_alone_at_last(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    company: list[tuple[int, bool]] = []
    published: list[bool] = []

    class Crowded(InProcessPool):
        def __init__(self, workers: int, *given: Any, terms: Terms = TERMS, **more: Any) -> None:
            super().__init__(workers, *given, terms=terms, **more)
            self._alone = terms.alone
            company.append((workers, terms.alone))
            published.append(read_active(engine.identity.store) is not None)

        def chunk(self, file: FileText) -> ChunkedFile | None:
            return super().chunk(file) if self._alone else None

    write_tree(root, TREE)
    engine = open_engine(root, home, parse_workers=8)
    use(monkeypatch, Crowded)
    report = engine.sync()

    assert company == [(8, False), (4, False), (2, False), (1, True)]
    assert published == [False, True, True, True]
    assert report.degraded == ()
    use(monkeypatch, InProcessPool)
    built = open_engine(root, home / "fresh")
    built.sync()
    assert answer_bytes(engine, ASK) == answer_bytes(built, ASK)


def test_it_heals_by_itself_when_its_next_try_is_due_and_not_before(
    engine: Engine, clock: AheadClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy hour must not cost a file its symbols, nor every sync a try."""
    use(monkeypatch, StalledPool)
    first = engine.sync()
    use(monkeypatch, InProcessPool)

    assert 0 < (first.retry_after_ms or 0) <= FIRST_RETRY_MS
    assert problems(engine) == [("parse_pending", "a.py")]
    clock.advance(FIRST_RETRY_MS)
    healed = engine.sync()
    assert (healed.degraded, healed.files.indexed, healed.retry_after_ms) == ((), 1, None)
    assert paths(engine, "retry") == ["a.py"]
    assert engine.sync().published is False


def test_an_edit_is_tried_now(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a change like any other."""
    use(monkeypatch, StalledPool)
    engine.sync()
    use(monkeypatch, InProcessPool)
    write_tree(root, {"a.py": "def retry_now():\n    pass\n"})

    assert problems(engine) == []


def test_a_file_that_an_earlier_build_cut_in_a_busy_minute_is_tried_again() -> None:
    """It could not tell a hanging parser from a busy machine."""
    output = "cut by lines instead"

    assert is_passing(DegradedFile("chunk_failed", f"parse_timeout: {output}", "a.py"))
    assert not is_passing(DegradedFile("chunk_failed", f"parse_exhausted: {output}", "a.py"))
    assert not is_passing(DegradedFile("chunk_failed", f"parse_crashed: {output}", "a.py"))


def test_tries_grow_rare_up_to_a_bound() -> None:
    retry, waits = Retry(), []
    for _ in range(8):
        retry = following(retry, NOW, tried=True)
        waits.append(retry.left_ms(NOW))

    assert waits[:3] == [FIRST_RETRY_MS, 2 * FIRST_RETRY_MS, 4 * FIRST_RETRY_MS]
    assert waits[-1] == MOST_RETRY_MS
    assert following(retry, NOW, tried=False) == retry
    assert not retry.is_due(NOW)
    assert retry.is_due(NOW + timedelta(milliseconds=MOST_RETRY_MS))
    assert retry.is_due(NOW - timedelta(days=1))  # the clock was set back
    assert Retry().left_ms(NOW) is None


def use_counted(patch: pytest.MonkeyPatch, pool: type[InProcessPool]) -> list[str]:
    """Use a pool; return the list of the files that are tried from now on."""
    tried: list[str] = []

    class Counting(pool):  # type: ignore[misc, valid-type] # one of several
        def chunk(self, file: FileText) -> ChunkedFile | None:
            tried.append(file.path_key)
            result: ChunkedFile | None = super().chunk(file)
            return result

    use(patch, Counting)
    return tried


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the roots of the walks that syncs make."""
    results: list[Path] = []
    walk = plan.walk

    def counted(root: Path, *given: object, **named: object) -> object:
        results.append(root)
        return walk(root, *given, **named)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(plan, "walk", counted)
    return results


def committed(engine: Engine, git: Git) -> None:
    root = engine.identity.root
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "first")


def test_a_parser_that_hangs_costs_later_syncs_nothing(
    engine: Engine, walks: list[Path], git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The problem lasts as long as the file: nothing about it can have changed."""
    committed(engine, git)
    tried = use_counted(monkeypatch, HangingPool)
    engine.sync()
    walks.clear()
    tried.clear()
    reports = [engine.sync() for _ in range(3)]

    assert (walks, tried) == ([], [])
    assert [[p.path_key for p in report.degraded] for report in reports] == [["a.py", "b.txt"]] * 3


def test_a_degraded_tree_is_walked_only_when_a_try_is_due(
    engine: Engine,
    walks: list[Path],
    clock: AheadClock,
    git: Git,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One file that waits must not make each sync cost what a walk costs."""
    committed(engine, git)
    tried = use_counted(monkeypatch, StalledPool)
    engine.sync()
    walks.clear()
    tried.clear()
    calm = [problems(engine) for _ in range(3)]

    assert (walks, tried) == ([], [])
    assert calm == [[("parse_pending", "a.py")]] * 3
    clock.advance(FIRST_RETRY_MS)
    engine.sync()
    assert len(walks) == 1
    assert set(tried) == {"a.py"}
    clock.advance(FIRST_RETRY_MS)
    engine.sync()
    assert len(walks) == 1
    clock.advance(FIRST_RETRY_MS)
    use(monkeypatch, InProcessPool)
    assert problems(engine) == []


def test_a_file_that_could_not_be_read_is_tried_again_when_it_is_due(
    engine: Engine,
    walks: list[Path],
    clock: AheadClock,
    git: Git,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It keeps the proof as well, and a strict sync still refuses over it."""
    committed(engine, git)
    use(monkeypatch, InProcessPool)

    def unstable(root: Path, file: SourceFile, **limits: int) -> FileText | SkippedFile:
        if file.path_key == "a.py":
            return SkippedFile(file.path_key, "unstable", "it moves")
        return read_file(root, file, **limits)

    with monkeypatch.context() as patch:
        patch.setattr(declarations, "read_file", unstable)
        engine.sync()
        walks.clear()
        engine.sync()
        assert walks == []
        with pytest.raises(SyncRefused, match=r"a\.py"):
            engine.sync(strict=True)
    clock.advance(FIRST_RETRY_MS)

    assert engine.sync().degraded == ()
