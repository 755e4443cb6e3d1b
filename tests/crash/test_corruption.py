"""Promise P1 on a disk that lies: no wrong answer is silent, and a sync or repair heals it."""

import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from ggrep.base.errors import CorruptStore, GgrepError, Incompatible
from ggrep.config import store_files
from ggrep.index.maintenance.checks import Health, audit
from ggrep.index.maintenance.repair import repair
from ggrep.model.maintenance import OK
from tests.crash.corruption import (
    ASKS,
    DAMAGES,
    Kept,
    ask,
    flip_in_place,
    health,
    is_honest,
    prepare,
    put,
)

pytestmark = pytest.mark.slow

PLACES = 3


@pytest.fixture(autouse=True)
def sound_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the installed parsers for sound: hashing them takes longer than a case."""
    monkeypatch.setattr(
        "ggrep.index.maintenance.store_checks.damaged_grammar_files", lambda **_: []
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Return the home that all cases copy."""
    return prepare(tmp_path_factory.mktemp("corruption").resolve())


@pytest.mark.parametrize("what", DAMAGES)
def test_no_wrong_answer_is_silent(kept: Kept, tmp_path: Path, what: str) -> None:
    """A damaged file leads to the right answer, an older one with a warning, or a named error.

    Each kind of file is damaged in at least two ways; the long proof draws from all of them.
    """
    chance = random.Random(what)
    kinds = [kind for kind, files in kept.kinds.items() if what != "swap" or len(files) > 1]
    for case, kind in enumerate(kinds[sorted(DAMAGES).index(what) % 3 :: 3]):
        _try_case(kept, tmp_path / kind, chance, kind, what, thorough=case % 5 == 0)


@pytest.mark.deep
@pytest.mark.parametrize("chunk", range(50))
def test_no_wrong_answer_is_silent_in_thousands(kept: Kept, tmp_path: Path, chunk: int) -> None:
    for case in range(100):
        chance = random.Random(1_000_000 + chunk * 1000 + case)
        kind = chance.choice(sorted(kept.kinds))
        several = len(kept.kinds[kind]) > 1
        what = chance.choice(sorted(DAMAGES if several else DAMAGES.keys() - {"swap"}))
        _try_case(kept, tmp_path / f"case{case}", chance, kind, what, thorough=case % 5 == 0)


def test_what_fell_over_in_place_is_seen_by_a_deep_look(kept: Kept, tmp_path: Path) -> None:
    """Size, date and inode are as they were verified, so queries may answer from it.

    That is the bound of what they promise; a deep look, an audit and a repair hash everything.
    """
    for seed in range(PLACES):
        _try_in_place(kept, tmp_path / f"case{seed}", seed)


@pytest.mark.deep
def test_what_fell_over_in_place_is_seen_in_hundreds(kept: Kept, tmp_path: Path) -> None:
    for seed in range(1000, 1400):
        _try_in_place(kept, tmp_path / f"case{seed}", seed)


def _try_in_place(kept: Kept, base: Path, seed: int) -> None:
    chance = random.Random(seed)
    ours = {"ACTIVE_SNAPSHOT", "manifest.json"}  # read anew each time
    file = chance.choice([path for path in sorted(kept.needed) if Path(path).name not in ours])
    home = kept.copy(base)
    put(home / file, (home / file).read_bytes())  # a file of its own, not a link
    assert ask(kept.engine(home))[0] == kept.newest
    flip_in_place(home / file, chance)
    with suppress(GgrepError, IndexError):  # a row may lead outside of all arrays
        ask(kept.engine(home))
    engine = kept.engine(home)
    if not _told_of_healing(report := health(engine, deep=True)):  # a query that fell over it did
        assert not report.ok, file
        assert not audit(engine.identity.store, engine.identity.store_id).ok, file
        with kept.engine(home).target() as target:
            assert repair(target).performed, file
    assert ask(kept.engine(home))[1:] == (kept.answers[kept.newest], False)
    engine = kept.engine(home)
    assert audit(engine.identity.store, engine.identity.store_id).errors == (), file
    shutil.rmtree(base)


def _try_case(
    kept: Kept, base: Path, chance: random.Random, kind: str, what: str, *, thorough: bool
) -> None:
    file = chance.choice(kept.kinds[kind])
    others = [path for path in kept.kinds[kind] if path != file]
    other = chance.choice(others) if what == "swap" else file
    home = kept.copy(base)
    before = {path: (home / path).read_bytes() for path in (file, other)}
    DAMAGES[what](home / file, home / other, chance)
    changed = {path for path, data in before.items() if not _holds(home / path, data)}
    try:
        _check(kept, home, changed, thorough=thorough)
    except Exception as error:
        raise AssertionError(f"{base.name}: {what} {file}") from error
    shutil.rmtree(base)


def _holds(path: Path, data: bytes) -> bool:
    """Return whether a file says what it said; at the end of two, a line feed says nothing."""
    if not path.exists():
        return False
    end = b"\n" if path.name in {"ACTIVE_SNAPSHOT", "manifest.json"} else b""
    return path.read_bytes().removesuffix(end) == data.removesuffix(end)


def _check(kept: Kept, home: Path, changed: set[str], *, thorough: bool) -> None:
    answered = is_honest(kept, kept.engine(home))
    report = health(kept.engine(home))
    if changed & kept.needed:
        assert _told_of_healing(report) or not report.ok, "health saw nothing"
        assert answered == "right" or not _is_derived(changed), "not healed by the query"
    else:
        assert answered == "right"
    recover(kept, home)
    _, answer, fell_back = ask(kept.engine(home), ASKS if thorough else ASKS[:1])
    assert not fell_back, "still fallen back"
    assert answer == kept.answers[kept.newest][: len(answer)], "not recovered"
    if thorough:
        report = health(kept.engine(home), deep=True)
        assert report.ok, [check for check in report.checks if check.severity != OK]


def _told_of_healing(report: Health) -> bool:
    return any(check.code == "healed" and check.paths for check in report.checks)


def _is_derived(changed: set[str]) -> bool:
    return all(file.endswith((".image", ".jsonl")) for file in changed)


def recover(kept: Kept, home: Path) -> None:
    """Do what an operator does: sync, and repair what a sync cannot heal, and else begin anew."""
    engine = kept.engine(home)
    try:
        engine.sync()
    except Incompatible:
        # One digit of a version fell over; both files may be deleted while nobody works.
        store_files.lease_files(engine.identity.store).record.unlink()
        store_files.index_state_file(engine.identity.store).unlink()
        engine.sync()
    except CorruptStore:
        try:
            with engine.target() as target:
                repair(target)
        except CorruptStore:
            engine.sync(fresh=True)
