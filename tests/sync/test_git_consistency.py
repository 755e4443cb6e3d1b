"""Whatever git does while a sync reads, each snapshot it publishes is of one state of git's."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from ggrep.base.clock import SystemClock
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.view import view_of
from ggrep.index.sync import declarations
from ggrep.index.sync.sync_report import SyncProgress
from ggrep.model.daemons import WAITS_FOR_GIT
from ggrep.parse.source.read import read_file
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import open_engine, write_tree

FILES: Final = 6
Act = Callable[[], object]


def tree_of(branch: str) -> dict[str, str]:
    tree = {f"f{number}.py": f"def {branch}_{number}():\n    pass\n" for number in range(FILES)}
    return {**tree, f"only_{branch}.py": f"{branch} = 1\n"}


@pytest.fixture
def repo(root: Path, git: Git) -> Path:
    """Return a work tree of branch `alpha`, which has one commit more than `beta` has."""
    git(root, "init", "-q", "-b", "beta")
    for branch in ("beta", "alpha"):
        if branch == "alpha":
            git(root, "switch", "-q", "-c", "alpha")
            git(root, "rm", "-q", "only_beta.py")
        write_tree(root, tree_of(branch))
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", branch)
    return root


def on_read(monkeypatch: pytest.MonkeyPatch, number: int, act: Act, *, once: bool = True) -> None:
    """Act right before the file of that number is read, or each from then on."""
    numbers = count(1)

    def reading(*arguments: object, **wanted: object) -> object:
        at = next(numbers)
        if at == number or (not once and at > number):
            act()
        return read_file(*arguments, **wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(declarations, "read_file", reading)
    monkeypatch.setattr("ggrep.index.sync.git_consistency._LOOK_MS", 0.0)


def published(engine: Engine) -> Iterator[set[str]]:
    """Yield the branches that each snapshot of a store holds files of."""
    store = engine.identity.store
    known = {
        sha256(text.encode()).hexdigest(): branch
        for branch in ("alpha", "beta", "third")
        for text in tree_of(branch).values()
    }
    for directory in sorted(store_files.snapshots_dir(store).iterdir()):
        manifest = read_manifest(store, SnapshotId(directory.name))
        yield {known[digest] for digest in view_of(store, manifest).live_files().values()}


def shown(engine: Engine) -> dict[str, str]:
    return dict(engine.view().live_files())


def on_disk(root: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in root.glob("*.py")}


@pytest.mark.parametrize(
    "command",
    [
        ("switch", "-q", "beta"),
        ("switch", "-q", "--detach", "beta"),
        ("reset", "-q", "--hard", "beta"),
        ("rebase", "-q", "--onto", "beta", "alpha"),
        ("checkout", "-q", "beta", "--", "."),
    ],
    ids=lambda command: command[0] + command[-1],
)
def test_files_that_git_moves_while_they_are_read_are_read_again(
    repo: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    on_read(monkeypatch, 3, lambda: git(repo, *command))
    engine = open_engine(repo, home)
    report = engine.sync()

    assert shown(engine) == on_disk(repo)
    assert (len(list(published(engine))), report.degraded, report.warnings) == (1, (), ())


def test_what_is_stashed_while_it_is_read_is_not_published(
    repo: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of it would be shown, and some not."""
    engine = open_engine(repo, home)
    engine.sync()
    write_tree(repo, {f"f{number}.py": f"edited = {number}\n" for number in range(FILES)})
    on_read(monkeypatch, 3, lambda: git(repo, "stash", "-q"))
    engine.sync()

    assert list(published(engine)) == [{"alpha"}]


def test_a_linked_work_tree_is_of_one_state_too(
    repo: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its index lies elsewhere, and the other work tree's says nothing of it."""
    git(repo, "worktree", "add", "-q", "--detach", "../linked", "alpha")
    linked = repo.parent / "linked"
    on_read(monkeypatch, 3, lambda: git(linked, "switch", "-q", "beta"))
    engine = open_engine(linked, home)
    engine.sync()

    assert list(published(engine)) == [{"beta"}]


def test_a_commit_meanwhile_costs_one_look_and_nothing_is_read_again(
    repo: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It moves no file, though it writes the index and moves HEAD."""
    read: list[str] = []

    def commit() -> None:
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "meanwhile")

    write_tree(repo, {"f9.py": "new = 1\n"})
    on_read(monkeypatch, 3, commit)
    counting = declarations.read_file
    monkeypatch.setattr(
        declarations,
        "read_file",
        lambda root, file, **more: read.append(file.path_key) or counting(root, file, **more),
    )
    engine = open_engine(repo, home)
    engine.sync()
    result = engine.view().manifest.git

    assert sorted(read) == sorted(on_disk(repo))
    assert result is not None
    assert (result.head_sha, result.dirty) == (git(repo, "rev-parse", "HEAD").strip(), False)


def test_portions_before_a_checkout_and_after_it_do_not_mix(
    repo: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of them is public when git begins."""
    on_read(monkeypatch, 5, lambda: git(repo, "switch", "-q", "beta"))
    engine = open_engine(repo, home, max_bytes_per_sync=80)
    engine.sync()

    results = list(published(engine))
    assert results[0] == {"alpha"}
    assert results[-1] == {"beta"}
    assert all(len(branches) == 1 for branches in results)
    assert shown(engine) == on_disk(repo)


def test_nothing_is_walked_while_git_moves_files(repo: Path, home: Path) -> None:
    """The lock is there before the first file is moved, and goes after the last."""
    stages: list[str] = []
    lock = repo / ".git" / "index.lock"

    def move(progress: SyncProgress) -> None:
        stages.append(progress.stage)
        if progress.stage == WAITS_FOR_GIT:
            write_tree(repo, {**dict.fromkeys(tree_of("alpha")), **tree_of("beta")})
            lock.unlink()

    flags = {"encoder": "hashed", "parse_workers": 1}
    engine = Engine(repo, Home(home), flags=flags, clock=SystemClock())
    with lock.open("w"):  # what git does; a lock that nobody holds is not waited for long
        report = engine.sync(progress=move)

    assert stages[:2] == ["scan", WAITS_FOR_GIT]
    assert list(published(engine)) == [{"beta"}]
    assert report.warnings == ()


def test_a_lock_that_nobody_holds_is_named_and_holds_nothing_up(repo: Path, home: Path) -> None:
    """A git that was killed leaves it for ever."""
    lock = repo / ".git" / "index.lock"
    lock.touch()
    engine = open_engine(repo, home)  # its clock is an hour ahead
    report = engine.sync()

    assert report.published
    assert report.degraded == ()
    assert [notice.code for notice in report.warnings] == ["git_at_work"]
    assert str(lock) in report.warnings[0].message
    lock.unlink()
    write_tree(repo, {"f0.py": "new = 1\n"})
    assert engine.sync().warnings == ()


def test_a_merge_with_conflicts_is_indexed_as_it_stands(repo: Path, home: Path, git: Git) -> None:
    """It may stay open for hours, and is edited meanwhile."""
    git(repo, "switch", "-q", "-c", "third", "beta")
    write_tree(repo, {"f0.py": "def third_0():\n    pass\n"})
    git(repo, "commit", "-q", "-a", "-m", "third")
    with pytest.raises(Exception, match="merge"):
        git(repo, "merge", "-q", "alpha")
    engine = open_engine(repo, home)
    report = engine.sync()
    write_tree(repo, {"f0.py": "def solved_0():\n    pass\n"})
    engine.sync()

    assert (report.warnings, report.degraded) == ((), ())
    assert shown(engine) == on_disk(repo)


def test_git_that_never_rests_does_not_starve_the_index(
    repo: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some tries what there is is published and said to be of several states."""
    branches = iter(["beta", "alpha"] * 99)
    on_read(monkeypatch, 3, lambda: git(repo, "switch", "-q", next(branches)), once=False)
    engine = open_engine(repo, home)
    report = engine.sync()

    assert [problem.code for problem in report.degraded] == ["git_at_work"]
    monkeypatch.undo()
    assert engine.sync().degraded == ()
    assert shown(engine) == on_disk(repo)
