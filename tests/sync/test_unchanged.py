"""A sync that proves that nothing changed does not walk, and proves nothing else."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import SyncRefused
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.sync import plan
from ggrep.index.sync.changes import detect
from ggrep.index.sync.stat_cache import RACY_NS, KnownFile, KnownSkip, load, save
from ggrep.model.files import SkippedFile, SourceFile
from ggrep.model.filters import Filter
from ggrep.model.request import Find
from ggrep.model.sync import SyncReport
from ggrep.parse.source.stamps import stamps
from ggrep.parse.source.walk import Walk, walk
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import open_engine, paths, write_tree

TREE = {
    ".gitignore": "*.log\n/kept/\n.ggignore\n",
    "a.py": "first = 1\n",
    "src/b.py": "second = 2\n",
    "kept/c.py": "third = 3\n",
    "image.png": b"\x89PNG\r\n\x00",
    "loose.py": "fourth = 4\n",
    "bin/run": "#!/bin/sh\nfifth=5\n",
    "bin/notes": "of no script\n",
}
Change = Callable[[Path, Git], object]


class Walks:
    """Counts the walks of syncs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._number = 0
        patch.setattr(plan, "walk", self._walk)

    def _walk(self, root: Path, settings: Settings, *, apart: tuple[Path, ...]) -> Walk:
        self._number += 1
        return walk(root, settings, apart=apart)

    def of(self, engine: Engine, **wanted: bool) -> int:
        """Return how many walks a sync takes."""
        before = self._number
        engine.sync(**wanted)
        return self._number - before


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Walks:
    """Return a counter of walks."""
    return Walks(monkeypatch)


@pytest.fixture
def engine(root: Path, home: Path, git: Git) -> Engine:
    """Return a synced engine over a work tree of every kind of file."""
    write_tree(root, TREE)
    (root / "link.py").symlink_to("a.py")
    (root / "empty").mkdir()
    write_tree(root, {"shut/.gitignore": "*\n", "shut/in/built.py": "built = 1\n"})
    git(root, "init", "--quiet")
    git(root, "init", "--quiet", "inner")
    write_tree(root, {"inner/d.py": "sixth = 6\n"})
    git(root, "add", "a.py", "src", "image.png", "link.py", ".gitignore", "bin")
    git(root, "add", "--force", "kept/c.py")
    git(root, "commit", "--quiet", "-m", "first")
    made = open_engine(root, home)
    made.sync()
    return made


def record(engine: Engine) -> Path:
    return store_files.unchanged_file(engine.identity.store)


def timeless(report: SyncReport) -> SyncReport:
    return replace(report, duration_ms=0)


def test_the_proof_reports_what_a_walk_reports(engine: Engine, home: Path, walks: Walks) -> None:
    """It takes no lease and writes nothing, so a read-only store can be proved up to date."""
    before = stamps(home.rglob("*"))
    engine.sync()

    assert stamps(home.rglob("*")) == before

    proved = engine.sync()
    record(engine).unlink()

    assert timeless(engine.sync()) == timeless(proved)
    assert walks.of(engine) == 0


def edit(name: str, text: str) -> Change:
    return lambda root, _: (root / name).write_text(text)


def run(*arguments: str) -> Change:
    return lambda root, git: git(root, *arguments)


def _edit_unseen(root: Path, _: Git) -> None:
    """Put a file of the same size and mtime in the place of another."""
    status = (root / "a.py").stat()
    (root / "a.new").write_text((root / "a.py").read_text().replace("first", "fir$t"))
    os.utime(root / "a.new", ns=(status.st_atime_ns, status.st_mtime_ns))
    (root / "a.new").replace(root / "a.py")


def _swap_directory(root: Path, _: Git) -> None:
    (root / "src").rename(root / "old.log")
    write_tree(root, {"src/b.py": TREE["src/b.py"]})


def _add_unseen(root: Path, git: Git) -> None:
    write_tree(root, {"a.py": "first = 9\n"})
    git(root, "add", "a.py")


CHANGES: dict[str, Change] = {
    "empty commit": run("commit", "--quiet", "--allow-empty", "-m", "second"),
    "other branch": run("checkout", "--quiet", "-b", "other"),
    "packed references": run("pack-refs", "--all"),
    "edited": edit("a.py", "first = 11\n"),
    "edited untracked": edit("loose.py", "fourth = 5\n"),
    "edited unseen": _edit_unseen,
    "edited and added": _add_unseen,
    "script edited": edit("bin/run", "#!/bin/sh\nfifth=6\n"),
    "now a script": edit("bin/notes", "#!/bin/sh\nsixth=6\n"),
    "no script any more": edit("bin/run", "fifth=5\n"),
    "touched": lambda root, _: os.utime(root / "a.py", ns=(1, 1)),
    "mode": lambda root, _: (root / "src/b.py").chmod(0o755),
    "mode of a directory": lambda root, _: (root / "src").chmod(0o711),
    "directory replaced": _swap_directory,
    "new": edit("new.py", "new = 1\n"),
    "new in an empty directory": edit("empty/new.py", "new = 1\n"),
    "new in an ignored one": edit("shut/in/new.py", "new = 1\n"),
    "ignored no more": edit("shut/.gitignore", "x\n"),
    "new FIFO": lambda root, _: os.mkfifo(root / "pipe"),
    "other binary": edit("image.png", "now text\n"),
    "ignore file that ignores itself": edit("src/.ggignore", "b.py\n"),
    "ignore file where git does not look": edit("kept/.ggignore", "c.py\n"),
    "added": run("add", "loose.py"),
    "renamed": lambda root, _: (root / "a.py").rename(root / "z.py"),
    "removed": lambda root, _: (root / "bin/notes").unlink(),
    "forgotten": run("rm", "--quiet", "--cached", "a.py"),
    "overlooked": run("update-index", "--assume-unchanged", "bin/run"),
    "no repository inside": lambda root, _: (root / "inner/.git").rename(root / "inner/gone"),
    "ignore file": edit(".gitignore", "*.py\n"),
    "configured": run("config", "core.autocrlf", "true"),
    "no repository": lambda root, _: (root / ".git").rename(root / "gone.log"),
}
"""Later changes need what earlier ones leave: `ignore file` leaves nothing to add."""


def each_makes_a_walk(
    changes: Mapping[str, Change], engine: Engine, walks: Walks, root: Path, git: Git
) -> None:
    """Make one change after the other; before each of them a sync has nothing to walk for."""
    taken = {}
    for name, change in changes.items():
        before = walks.of(engine)
        change(root, git)
        taken[name] = (before, walks.of(engine))

    assert taken == dict.fromkeys(changes, (0, 1))


def test_every_change_makes_for_a_walk(engine: Engine, walks: Walks, root: Path, git: Git) -> None:
    """A change that is overlooked here is overlooked for good."""
    each_makes_a_walk(CHANGES, engine, walks, root, git)


def test_what_no_index_holds_needs_no_walk(engine: Engine, walks: Walks, root: Path) -> None:
    """Products that git ignores come and go all day."""
    write_tree(root, {"build.log": "x\n"})
    engine.sync()  # the directory's own stamp changed
    write_tree(root, {"build.log": "much longer\n"})

    assert walks.of(engine) == 0


def test_changed_and_untracked_files_are_read(engine: Engine, walks: Walks, root: Path) -> None:
    """Git lists them in either case; what they hold is another matter."""
    write_tree(root, {"a.py": "first = 2\n", "loose.py": "fourth = 5\n"})
    engine.sync()
    calm = walks.of(engine)
    write_tree(root, {"a.py": "first = 3\n"})

    assert (calm, walks.of(engine)) == (0, 1)
    write_tree(root, {"loose.py": "fourth = 6\n"})
    assert walks.of(engine) == 1


def test_an_ignored_ignore_file_is_compared(engine: Engine, walks: Walks, root: Path) -> None:
    """Git tells of it neither as changed nor as new, and its directory stays as it is."""
    write_tree(root, {"src/.ggignore": "x.py\n"})
    engine.sync()
    calm = walks.of(engine)
    write_tree(root, {"src/.ggignore": "b.py\n"})

    assert (calm, walks.of(engine)) == (0, 1)


def test_names_of_the_git_index_are_not_recorded(engine: Engine, root: Path, git: Git) -> None:
    """An index may be another repository's: its names are none of ours to write down."""
    write_tree(root, {"secret_name.bin": "x\n", "other_name.bin": "x\n", "a.py": "first = 2\n"})
    git(root, "add", "secret_name.bin")
    (root / "secret_name.bin").unlink()
    engine.sync()
    text = record(engine).read_bytes()

    assert b"secret_name" not in text
    assert b"other_name" not in text
    assert b"a.py" in text


@pytest.mark.parametrize("number", [900, 1_000])
def test_many_empty_folders_walk(engine: Engine, walks: Walks, root: Path, number: int) -> None:
    """Each is looked at, since git may list what is new in it."""
    for name in range(number):
        (root / "empty" / str(name)).mkdir()
    engine.sync()

    assert walks.of(engine) == (number == 1_000)


@pytest.mark.parametrize("damage", [b"", b"{}", b"0" * 64 + b"\n{}"])
def test_a_damaged_record_proves_nothing(engine: Engine, walks: Walks, damage: bytes) -> None:
    """It is derived: losing it costs a walk, and the walk writes it anew."""
    record(engine).write_bytes(damage)

    assert (walks.of(engine), walks.of(engine)) == (1, 0)


def test_a_record_with_one_byte_changed_proves_nothing(engine: Engine, walks: Walks) -> None:
    data = record(engine).read_bytes()
    record(engine).write_bytes(data.replace(b'"unchanged":', b'"unchanged": '))

    assert walks.of(engine) == 1


def test_a_damaged_store_is_not_called_up_to_date(engine: Engine) -> None:
    """An unchanged tree does not make a store whole."""
    for table in engine.identity.store.glob("*.lance"):
        shutil.rmtree(table)

    report = engine.sync()

    assert report.published
    assert [notice.code for notice in report.warnings] == ["index_damaged"]


def test_other_settings_need_a_walk(engine: Engine, walks: Walks, root: Path, home: Path) -> None:
    """They may want fewer segments, or a smaller store."""
    assert walks.of(open_engine(root, home, max_segments=3)) == 1
    assert walks.of(open_engine(root, home, max_store_bytes=1 << 30)) == 1
    assert walks.of(open_engine(root, home, max_store_bytes=1 << 30)) == 1


def test_a_failed_sync_is_followed_by_a_walk(
    engine: Engine, walks: Walks, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status says `error` until a sync has come to its end."""
    write_tree(root, {"odd.py": "odd = 1\n"})
    with monkeypatch.context() as patch:
        patch.setattr(
            "ggrep.index.sync.declarations.read_file",
            lambda _root, file, **_: SkippedFile(file.path_key, "unreadable", "not allowed"),
        )
        with pytest.raises(SyncRefused):
            engine.sync(strict=True)
    (root / "odd.py").unlink()

    assert walks.of(engine) == 1


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_overlooks_is_compared(
    engine: Engine, walks: Walks, root: Path, git: Git, mark: str
) -> None:
    """Stamps need no word of git's."""
    git(root, "update-index", mark, "a.py")
    engine.sync()
    calm = walks.of(engine)
    write_tree(root, {"a.py": "first = 2\n"})

    assert (calm, walks.of(engine)) == (0, 1)


def test_an_unknown_git_layout_walks(engine: Engine, walks: Walks, root: Path, git: Git) -> None:
    """HEAD names a branch that is another's name: its commit is in a file that is not watched."""
    git(root, "branch", "other")
    git(root, "symbolic-ref", "refs/heads/main", "refs/heads/other")

    assert [walks.of(engine) for _ in range(3)] == [1, 1, 1]


def test_no_git_filter_runs(engine: Engine, walks: Walks, root: Path, git: Git) -> None:
    """Git passes a file that is as young as its index through filters to compare it."""
    ran = root.parent / "ran"
    for kind in ("clean", "process"):
        git(root, "config", f"filter.evil.{kind}", f"touch '{ran}'; cat")
    git(root, "config", "filter.evil.required", "true")
    git(root, "config", "core.fsmonitor", f"touch '{ran}'")
    write_tree(root, {".gitattributes": "*.py filter=evil\n"})
    engine.sync()

    assert walks.of(engine) == 0
    assert not ran.exists()


def test_a_nested_repository_walks(engine: Engine, walks: Walks, root: Path, git: Git) -> None:
    """Nothing that is watched changes when it stops being one."""
    git(root / "src", "init", "--quiet")

    assert [walks.of(engine) for _ in range(3)] == [1, 1, 1]


def test_a_linked_work_tree_is_proved_like_any_other(
    engine: Engine, walks: Walks, root: Path, home: Path, git: Git
) -> None:
    git(root, "worktree", "add", "--quiet", "../linked")
    linked = open_engine(root.parent / "linked", home)
    linked.sync()
    calm = walks.of(linked)
    git(root.parent / "linked", "commit", "--quiet", "--allow-empty", "-m", "second")

    assert (calm, walks.of(linked)) == (0, 1)


ONLY_IN_GIT = {
    *("empty commit", "other branch", "packed references", "edited and added", "added"),
    *("forgotten", "overlooked", "configured", "no repository", "no repository inside"),
    *("new in an ignored one", "ignored no more"),
    *("other binary", "ignore file where git does not look"),  # nothing is entered
}
OUTSIDE_GIT = {
    "first of a kind": edit("made.md", "made\n"),
    "smaller": edit("large.py", "small = 1\n"),
    **{name: change for name, change in CHANGES.items() if name not in ONLY_IN_GIT},
    "a repository": run("init", "--quiet"),
}


@pytest.fixture
def plain(root: Path, home: Path) -> Engine:
    """Return a synced engine over the same files outside git."""
    write_tree(root, TREE | {"large.py": "x = 1\n" * 400})
    (root / "link.py").symlink_to("a.py")
    (root / "empty").mkdir()
    made = open_engine(root, home, max_file_size_bytes=2_000)
    made.sync()
    return made


def test_outside_git_all_files_are_compared(plain: Engine, walks: Walks) -> None:
    """Stamps alone cost a third of a walk."""
    proved = plain.sync()
    assert walks.of(plain) == 0
    record(plain).unlink()

    assert timeless(plain.sync()) == timeless(proved)


def test_outside_git_every_change_makes_for_a_walk(
    plain: Engine, walks: Walks, root: Path, git: Git
) -> None:
    """A change that is overlooked here is overlooked for good."""
    each_makes_a_walk(OUTSIDE_GIT, plain, walks, root, git)


@pytest.mark.parametrize("name", [".git", "src/.git"])
def test_an_empty_git_folder_walks(plain: Engine, walks: Walks, root: Path, name: str) -> None:
    """Nothing that is watched changes when it does."""
    (root / name).mkdir()

    assert [walks.of(plain) for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("repository", [True, False])
def test_scripts_come_and_go(root: Path, home: Path, git: Git, *, repository: bool) -> None:
    """Its name says nothing, so each sync goes by what it holds."""
    write_tree(root, {"bin/deploy": "not yet\n", "bin/build": "#!/usr/bin/env python3\nx = 1\n"})
    if repository:
        git(root, "init", "--quiet")
        git(root, "add", "bin")
    engine = open_engine(root, home)
    engine.sync()
    first = paths(engine, "x")
    write_tree(root, {"bin/deploy": "#!/usr/bin/env python3\nship = 1\n", "bin/build": "no more\n"})

    engine.sync()

    assert first == ["bin/build"]
    assert paths(engine, "ship") == ["bin/deploy"]
    assert paths(engine, "ship", filters=(Filter("lang", "python"),)) == ["bin/deploy"]
    assert not engine.view().manifest.errors
    assert paths(engine, "x", find=Find.EXACT_TEXT) == []


NOW_NS = 2_000_000_000_000


def file(name: str, mtime_ns: int, ctime_ns: int | None = None, size: int = 3) -> SourceFile:
    changed = mtime_ns if ctime_ns is None else ctime_ns
    return SourceFile(PathKey(name), size, mtime_ns, changed, 7)


def known(*files: SourceFile) -> dict[PathKey, KnownFile]:
    return {item.path_key: KnownFile(item, "d") for item in files}


def test_a_file_that_was_just_written_is_not_remembered(tmp_path: Path) -> None:
    """It may change again within the same tick of the file system's clock, unseen."""
    settled = NOW_NS - RACY_NS - 1
    files = known(
        file("old", settled),
        file("young", NOW_NS - RACY_NS),
        file("future", NOW_NS + 1),
        file("backdated", 0, ctime_ns=NOW_NS),
    )
    save(tmp_path / "cache" / "files.json", files, read_at_ns=NOW_NS)

    assert load(tmp_path / "cache" / "files.json") == known(file("old", settled))


def test_a_file_that_was_no_text_is_remembered_with_its_reason(tmp_path: Path) -> None:
    """A tree of images would be read from end to end by each sync, for nothing."""
    item = file("a.bin", 5)
    memory = KnownSkip(item, SkippedFile("a.bin", "binary", "a NUL byte"))
    save(tmp_path / "files.json", {item.path_key: memory}, read_at_ns=NOW_NS)

    assert load(tmp_path / "files.json") == {item.path_key: memory}
    changes = detect([item, file("b", 1)], {}, load(tmp_path / "files.json"))
    assert changes.skipped == (memory,)
    assert [each.path_key for each in changes.suspects] == ["b"]
    assert detect([file("a.bin", 6)], {}, {item.path_key: memory}).skipped == ()


def test_an_unchanged_memory_is_not_written_again(tmp_path: Path) -> None:
    """A sync of an unchanged tree must not wear out the disk."""
    path = tmp_path / "files.json"
    save(path, known(file("a", 5)), read_at_ns=NOW_NS)
    before = path.stat()
    save(path, known(file("a", 5)), read_at_ns=NOW_NS)
    assert path.stat().st_ino == before.st_ino
    save(path, known(file("a", 6)), read_at_ns=NOW_NS)

    assert load(path) == known(file("a", 6))


@pytest.mark.parametrize("data", [b"", b"[]", b'{"a":1}', b'{"a":[]}', b"\xff", b'{"a":[1,2]}'])
def test_a_damaged_memory_is_no_memory(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "files.json"
    path.write_bytes(data)

    assert load(path) == {}
    assert load(tmp_path / "none") == {}


def test_only_an_equal_stat_and_a_visible_digest_count_as_unchanged() -> None:
    """The memory is never an authority: the snapshot may have fallen back meanwhile."""
    files = [file(name, 5) for name in ("same", "moved", "hidden", "new")]
    memory = known(file("same", 5), file("moved", 4), file("hidden", 5))
    live = {
        PathKey("same"): "d",
        PathKey("moved"): "d",
        PathKey("hidden"): "e",
        PathKey("gone"): "d",
    }
    changes = detect(files, live, memory)

    assert [item.path_key for item in changes.suspects] == ["moved", "hidden", "new"]
    assert [item.file.path_key for item in changes.same] == ["same"]
    assert changes.deleted == ("gone",)
