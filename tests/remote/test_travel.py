"""A snapshot that was pushed answers elsewhere as it does here."""

import shutil
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, StoreError
from ggrep.config.remotes import Remote
from ggrep.index.sync import syncer
from ggrep.model.request import SearchRequest
from ggrep.parse.source import read
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.git import run_git
from tests.fakes.remotes import (
    NAMED,
    SHOP,
    clone,
    commit,
    engine_at,
    memory_remote,
    objects_of,
    pulled,
    pushed,
)
from tests.fakes.repos import answer_bytes, paths, write_tree

pytestmark = pytest.mark.slow

FILES = len(SHOP) - 1
"""The settings file is none."""
QUESTIONS = ("settle an invoice", "cart total", "what is a refund", "currency")


def answers(engine: Engine) -> list[bytes]:
    asked = (SearchRequest(question, deterministic=True) for question in QUESTIONS)
    return [stable_json.dumps(answer_json(engine.search(request))) for request in asked]


def fresh(root: Path, home: Path) -> list[bytes]:
    """Return what an index of a tree from nothing answers."""
    engine = engine_at(root, home)
    engine.sync()
    return same(engine)


def same(engine: Engine) -> list[bytes]:
    asked = (SearchRequest(question, deterministic=True) for question in QUESTIONS)
    return [answer_bytes(engine, request) for request in asked]


def test_a_checkout_answers_equal_bytes(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """At another path, in another home, and a sync finds nothing to do."""
    pushed(origin, remote)
    other = engine_at(clone(tmp_path / "a", tmp_path / "deep" / "b"), tmp_path / "home-b")
    report = pulled(other, remote)

    assert (report.outcome, report.exact, report.files) == ("pulled", True, FILES)
    assert answers(other) == answers(origin)
    synced = other.sync()
    assert (synced.published, synced.files.indexed, synced.files.unchanged) == (False, 0, FILES)
    assert answers(other) == answers(origin)


def test_after_a_pull_only_changed_files_are_read(
    tmp_path: Path, origin: Engine, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    write_tree(root, {"src/cart.py": "class Cart:\n    size = 3\n", "new.py": "fresh = 1\n"})
    other = engine_at(root, tmp_path / "home-b")
    assert pulled(other, remote).brought == FILES - 1

    seen = []
    once = read._read_once

    def noted(root: Path, key: str, most: int) -> object:
        seen.append(key)
        return once(root, key, most)  # type: ignore[arg-type] # a path key

    monkeypatch.setattr(read, "_read_once", noted)
    other.sync()
    assert sorted(seen) == ["new.py", "src/cart.py"]
    assert same(other) == fresh(root, tmp_path / "home-c")


def test_absent_files_are_not_shown(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """Neither text nor name of a file that is missing or another here."""
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    write_tree(root, {"src/pay.py": "other = 1\n", "docs/refunds.md": None})
    other = engine_at(root, tmp_path / "home-b")
    report = pulled(other, remote)

    assert (report.outcome, report.exact, report.brought) == ("pulled", False, 2)
    assert set(other.view().live_files()) == {"settings.json", "src/cart.py"}
    assert other.view().manifest.partial
    assert "src/pay.py" not in paths(other, "settle invoice")


def test_a_readable_remote_shows_pushed_texts_at_first(tmp_path: Path, origin: Engine) -> None:
    remote = Remote("open", memory_remote().url, readable=True)
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    write_tree(root, {"docs/refunds.md": None, "src/pay.py": "other = 1\n"})
    other = engine_at(root, tmp_path / "home-b")
    report = pulled(other, remote)

    assert (report.files, report.of_files, report.exact) == (FILES - 1, FILES - 1, False)
    assert other.view().manifest.partial
    assert "src/pay.py" in paths(other, "settle invoice")
    other.sync()
    assert same(other) == fresh(root, tmp_path / "home-c")


def test_the_nearest_commit_is_pulled(tmp_path: Path, remote: Remote) -> None:
    """Not the last that was pushed, when another has more history in common."""
    root = tmp_path / "a"
    first = commit(root, SHOP)
    engine = engine_at(root, tmp_path / "home-a")
    engine.sync()
    pushed(engine, remote)
    run_git(root, "checkout", "-q", "-b", "side")
    side = commit(root, {name: text.upper() for name, text in SHOP.items() if name not in NAMED})
    engine.sync()
    pushed(engine, remote)
    other = clone(root, tmp_path / "b")
    run_git(other, "checkout", "-q", first)
    commit(other, {"new.py": "fresh = 1\n"})
    near = engine_at(other, tmp_path / "home-b")
    report = pulled(near, remote)

    assert (report.commit, report.brought) == (first, FILES)
    run_git(other, "checkout", "-q", side)
    assert pulled(near, remote).commit == side


def test_a_commit_behind_what_was_pushed_finds_it(tmp_path: Path, remote: Remote) -> None:
    root = tmp_path / "a"
    first = commit(root, SHOP)
    clone(root, tmp_path / "b")
    second = commit(root, {"new.py": "fresh = 1\n"})
    engine = engine_at(root, tmp_path / "home-a")
    engine.sync()
    pushed(engine, remote)
    behind = engine_at(tmp_path / "b", tmp_path / "home-b")
    report = pulled(behind, remote)

    assert run_git(tmp_path / "b", "rev-parse", "HEAD").strip() == first
    assert (report.commit, report.brought, report.exact) == (second, FILES, False)
    behind.sync()
    assert same(behind) == fresh(tmp_path / "b", tmp_path / "home-c")


def test_a_checkout_without_index_pulls(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """As a container has it that was given files and `.git` without it."""
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    (root / ".git" / "index").unlink()
    other = engine_at(root, tmp_path / "home-b")

    assert pulled(other, remote).files == FILES
    assert other.sync().files.indexed == 0
    assert same(other) == same(origin)


def test_a_tree_without_git_is_found_by_its_files(tmp_path: Path, remote: Remote) -> None:
    """An export of the same files is the same state."""
    write_tree(tmp_path / "a", SHOP)
    engine = engine_at(tmp_path / "a", tmp_path / "home-a")
    engine.sync()
    pushed(engine, remote)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    other = engine_at(tmp_path / "b", tmp_path / "home-b")

    assert pulled(other, remote).exact
    assert answers(other) == answers(engine)


def test_indexed_files_are_not_fetched(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """Nothing travels for files that the index holds as they are."""
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    other = engine_at(root, tmp_path / "home-b")
    other.sync()

    assert pulled(other, remote).outcome == "current"


def test_a_pull_updates_an_older_index(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    root = clone(tmp_path / "a", tmp_path / "b")
    other = engine_at(root, tmp_path / "home-b")
    other.sync()
    commit(tmp_path / "a", {"src/cart.py": "class Cart:\n    size = 9\n", "docs/refunds.md": None})
    origin.sync()
    pushed(origin, remote)
    run_git(root, "pull", "-q")
    report = pulled(other, remote)

    assert (report.outcome, report.brought) == ("pulled", 1)
    synced = other.sync()
    assert (synced.files.indexed, synced.vectors_encoded) == (0, 0)
    assert same(other) == same(origin)


def test_pulls_follow_pulls(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """The same snapshots, one after another, and back: each fetches what it lacks and no more."""
    pushed(origin, remote)
    first = run_git(tmp_path / "a", "rev-parse", "HEAD").strip()
    root = clone(tmp_path / "a", tmp_path / "b")
    other = engine_at(root, tmp_path / "home-b")
    pulled(other, remote)
    other.sync()
    before = same(other)
    commit(tmp_path / "a", {"src/cart.py": "class Cart:\n    size = 9\n", "docs/refunds.md": None})
    origin.sync()
    pushed(origin, remote)
    run_git(root, "pull", "-q")
    report = pulled(other, remote)

    assert (report.outcome, report.exact, report.brought) == ("pulled", True, 1)
    assert not other.sync().published
    assert answers(other) == answers(origin)
    run_git(root, "checkout", "-q", first)
    back = pulled(other, remote)
    assert (back.outcome, back.brought) == ("pulled", 2)
    assert back.fetched_bytes < report.fetched_bytes, "no table: its rows are here"
    assert other.sync().files.indexed == 0
    assert same(other) == before


def test_extra_files_are_not_indexed(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """Both trees differ from the same commit, and one has a file more; a binary is no text."""
    write_tree(tmp_path / "a", {"draft.py": "draft = 1\n"})
    origin.sync()
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    write_tree(root, {"draft.py": "draft = 1\n", "more.py": "more = 1\n"})
    other = engine_at(root, tmp_path / "home-b")
    report = pulled(other, remote)

    assert (report.exact, report.files, report.of_files) == (False, FILES + 1, FILES + 2)
    assert other.view().manifest.partial
    write_tree(root, {"more.py": None, "picture.dat": b"\0" * 99})
    third = engine_at(root, tmp_path / "home-c")
    assert pulled(third, remote).exact


def test_a_sparse_checkout_is_partial(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """Its git tree is that of the whole, and git calls it clean."""
    sparse = clone(tmp_path / "a", tmp_path / "sparse")
    run_git(sparse, "sparse-checkout", "set", "--no-cone", "/src/", "/.ggrep.toml")
    part = engine_at(sparse, tmp_path / "home-part")
    part.sync()
    pushed(part, remote)
    whole = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    report = pulled(whole, remote)
    assert (report.exact, report.files, report.of_files) == (False, 2, FILES)

    assert pushed(origin, remote).pushed
    assert not pushed(origin, remote).pushed
    third = engine_at(clone(tmp_path / "a", tmp_path / "c"), tmp_path / "home-c")
    assert pulled(third, remote).exact


def test_a_second_push_writes_nothing(origin: Engine, remote: Remote) -> None:
    first = pushed(origin, remote)
    again = pushed(origin, remote)

    assert (first.pushed, first.written) == (True, first.blobs)
    assert (again.pushed, again.written) == (False, 0)
    commit(origin.identity.root, {"new.py": "fresh = 1\n"})
    origin.sync()
    third = pushed(origin, remote)
    assert (third.blobs, third.written) == (5, 3), "masks, and the new segment's two"


def test_equal_builders_push_nothing(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    tree = pushed(origin, remote).tree
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    other.sync()
    report = pushed(other, remote)

    assert (report.pushed, report.written, report.tree) == (False, 0, tree)


def test_a_partial_index_is_not_pushed(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """Others would take it for all there is."""
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    write_tree(root, {"new.py": "fresh = 1\n"})
    other = engine_at(root, tmp_path / "home-b")
    pulled(other, remote)

    with pytest.raises(InvalidRequest, match="still being built; run: ggrep index"):
        pushed(other, remote)


def test_other_settings_find_nothing(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    """Chunks of another size would not be what an index here holds."""
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    other = engine_at(root, tmp_path / "home-b", max_chunks_per_file=7)

    assert pulled(other, remote).outcome == "nothing"


def test_a_repository_without_a_name_is_told_how_to_get_one(tmp_path: Path) -> None:
    """No two of them could be told apart."""
    write_tree(tmp_path / "a", SHOP | {".ggrep.toml": None})
    engine = engine_at(tmp_path / "a", tmp_path / "home-a")
    engine.sync()

    with pytest.raises(InvalidRequest, match=r"set one in \.ggrep\.toml: repo_key = "):
        pushed(engine, memory_remote())


def test_an_interrupted_first_index_goes_on_from_a_pull(
    tmp_path: Path, origin: Engine, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull and a sync may die in turn; each takes up what the other has done."""
    pushed(origin, remote)
    root = clone(tmp_path / "a", tmp_path / "b")
    write_tree(root, {"new.py": "fresh = 1\n"})
    other = engine_at(root, tmp_path / "home-b")
    pulled(other, remote)
    with monkeypatch.context() as broken:
        broken.setattr(syncer, "publish_changes", _fails)
        with pytest.raises(StoreError, match="full"):
            other.sync()

    report = pulled(other, remote)
    assert report.outcome == "nothing new"
    other.sync()
    assert same(other) == fresh(root, tmp_path / "home-c")


def _fails(*_: object) -> None:
    raise OSError("the disk is full")


def test_requests_of_a_push_and_a_pull_are_few(origin: Engine, tmp_path: Path) -> None:
    remote = memory_remote()
    objects = objects_of(remote)
    pushed(origin, remote)
    assert len(list(objects.list("blobs"))) == 3
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    assert pulled(other, remote).fetched_bytes < 100_000
