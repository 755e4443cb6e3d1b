"""A sync that does not walk shows exactly what a walk and a reading of every file would find."""

import hashlib
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.index.sync import plan
from ggrep.model.files import FileText
from ggrep.parse.source.git_state import git_state
from ggrep.parse.source.read import read_file
from ggrep.parse.source.walk import walk
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine, write_tree

FILES = ("a.py", "src/b.py", "src/deep/c.py", "lib/d.go", "lib/e.md", "image.png", "made/f.py")
IGNORES = (".gitignore", "src/.gitignore", "src/.ggignore", "made/.ggignore", ".smignore")
RULES = ("", "*.py\n", "!*.py\n", "src/\n", "made/\n", ".ggignore\n.gitignore\n", "e.md\n")
BODIES = ("x = 1\n", "y = 2\n", "z = 3\n", "longer = 'x'\n", "\0\1\2\3\4\5", "x = 1\r\n")
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.allow=never")
OVERLOOK = ("--assume-unchanged", "--no-assume-unchanged", "--skip-worktree", "--no-skip-worktree")

Step = Callable[["Tree"], object]


class Tree:
    """A work tree to which things happen; what makes no sense at present does nothing."""

    def __init__(self, base: Path, *, plain: bool = False) -> None:
        """Write the files, and commit them unless it is to be a `plain` tree outside git."""
        self.root = base / "repo"
        write_tree(self.root, dict.fromkeys(FILES, BODIES[0]) | {".gitignore": "*.log\n/made/\n"})
        (self.root / "empty").mkdir()
        if plain:
            return
        self.git("init", "--quiet")
        self.git("add", "--force", "a.py", "src", "lib", "image.png", "made/f.py", ".gitignore")
        self.git("commit", "--quiet", "--message", "first")

    def git(self, *arguments: str) -> None:
        done = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.defpath, "HOME": "/nonexistent"}
        subprocess.run([*GIT, *arguments], cwd=self.root, check=False, env=done, **_SILENT)

    def write(self, name: str, body: str) -> None:
        """Give a file another content in place."""
        if not (self.root / name).is_dir():
            with suppress(OSError):  # a link to itself
                write_tree(self.root, {name: body})

    def swap(self, name: str, body: str) -> None:
        """Put another file with the same times in the place of one."""
        path = self.root / name
        if path.is_file():
            status = path.stat()
            (self.root / "swap.log").write_text(body)
            os.utime(self.root / "swap.log", ns=(status.st_atime_ns, status.st_mtime_ns))
            (self.root / "swap.log").replace(path)

    def rename(self, name: str, other: str) -> None:
        """Move a file to where another may be."""
        if (self.root / name).is_file() and not (self.root / other).is_dir():
            (self.root / other).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).replace(self.root / other)

    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def chmod(self, name: str, mode: int) -> None:
        if (self.root / name).is_file():
            (self.root / name).chmod(mode)

    def touch(self, name: str, moment_ns: int) -> None:
        if (self.root / name).exists():
            os.utime(self.root / name, ns=(moment_ns, moment_ns))

    def link(self, name: str, target: str) -> None:
        """Put a symbolic link in the place of a file."""
        self.remove(name)
        if (self.root / name).parent.is_dir():
            (self.root / name).symlink_to(target)


_SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
files = st.sampled_from((*FILES, "new.py", "empty/new.py", "other/new.py", "new.log"))
bodies = st.sampled_from(BODIES)


def _step(name: str, *arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Step]:
    return st.tuples(*arguments).map(lambda given: lambda tree: getattr(tree, name)(*given))


def _git(*words: st.SearchStrategy[str] | str) -> st.SearchStrategy[Step]:
    return _step("git", *(st.just(word) if isinstance(word, str) else word for word in words))


steps: st.SearchStrategy[Step] = st.one_of(
    _step("write", files, bodies),
    _step("write", files, bodies),
    _step("swap", files, bodies),
    _step("rename", files, files),
    _step("remove", files),
    _step("chmod", files, st.sampled_from((0o644, 0o755, 0o600))),
    _step("touch", files, st.sampled_from((0, 10**18, 1_600_000_000 * 10**9))),
    _step("link", files, st.sampled_from(("a.py", "src", "../outside", "nowhere"))),
    _step("write", st.sampled_from(IGNORES), st.sampled_from(RULES)),
    _step("remove", st.sampled_from(IGNORES)),
    _git("init", "--quiet"),
    _git("add", "--all"),
    _git("add", "--force", files),
    _git("add", "--intent-to-add", files),
    _git("rm", "--quiet", "--cached", files),
    _git("commit", "--quiet", "--all", "--message", "next"),
    _git("commit", "--quiet", "--allow-empty", "--message", "empty"),
    _git("checkout", "--quiet", "-B", st.sampled_from(("one", "two"))),
    _git("checkout", "--quiet", "--force", st.sampled_from(("one", "two", "HEAD~1"))),
    _git("reset", "--quiet", st.sampled_from(("--soft", "--hard", "--mixed")), "HEAD~1"),
    _git("stash", st.sampled_from(("push", "pop"))),
    _git("status"),
    _git("update-index", st.sampled_from(OVERLOOK), files),
    _git("config", "core.autocrlf", st.sampled_from(("true", "false", "input"))),
    _git("config", "core.trustctime", "false"),
    _git("config", "core.checkStat", "minimal"),
    _git("init", "--quiet", st.sampled_from(("src", "empty", "lib"))),
    _git("pack-refs", "--all"),
    _git("worktree", "add", "--quiet", "../elsewhere"),
)


def prove(history: list[Step], *, plain: bool = False) -> int:
    """Live one history of a work tree, or a plain one; return how many syncs did not walk."""
    proofs = 0
    with TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        tree = Tree(Path(base).resolve(), plain=plain)
        engine = open_engine(tree.root, Path(base).resolve() / "home", encoder="none")
        walks: list[Path] = []
        patch.setattr(plan, "walk", lambda *a, **k: (walks.append(a[0]), walk(*a, **k))[1])
        for step in history:
            step(tree)
            for _ in range(2):
                before = len(walks)
                engine.sync()
                if len(walks) == before:
                    check(engine)
                    proofs += 1
    return proofs


def check(engine: Engine) -> None:
    """Compare what the index shows with what a walk and a reading find."""
    root, wanted = engine.identity.root, engine.settings
    results = {}
    tree = walk(root, wanted, apart=engine.home.own_directories)
    for file in tree.files:
        text = read_file(root, file, max_bytes=wanted.max_file_size_bytes)
        if isinstance(text, FileText):
            results[file.path_key] = hashlib.sha256(text.data).hexdigest()
    view = engine.view()

    assert view.live_files() == results
    assert view.manifest.git == git_state(root, untracked_included=wanted.include_untracked)


@pytest.mark.slow
def test_a_calm_history_is_proved() -> None:
    calm: list[Step] = [lambda tree: tree.write("a.py", BODIES[1]), lambda _: None]

    assert prove(calm) == 3
    assert prove(calm, plain=True) == 3


@pytest.mark.slow
@settings(max_examples=5)
@given(history=st.lists(steps, min_size=3, max_size=6), plain=st.booleans())
def test_a_sync_that_does_not_walk_is_right(history: list[Step], plain: bool) -> None:
    prove(history, plain=plain)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@settings(max_examples=200)
@given(history=st.lists(steps, min_size=4, max_size=12), plain=st.booleans())
def test_over_many_histories_a_sync_that_does_not_walk_is_right(
    history: list[Step], plain: bool
) -> None:
    """The same over many more histories."""
    prove(history, plain=plain)


@pytest.mark.deep
@pytest.mark.parametrize("name", ["a.py", "image.png", "loose.py"])
def test_an_edit_that_hides_its_traces_is_seen(tmp_path: Path, name: str) -> None:
    """Same size, same inode, same modification time: the second of its ctime gives it away."""
    tree = Tree(tmp_path.resolve())
    tree.write("loose.py", BODIES[0])
    for path in (*FILES, "loose.py"):
        tree.touch(path, 1_600_000_000 * 10**9)
    tree.git("status")
    engine = Engine(tree.root, Home(tmp_path.resolve() / "home"), clock=SystemClock())
    while not _is_proved(engine):
        pass  # git's index has to be two seconds old
    tree.write(name, BODIES[1])
    tree.touch(name, 1_600_000_000 * 10**9)

    assert not _is_proved(engine)
    check(engine)


def _is_proved(engine: Engine) -> bool:
    walks: list[Path] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "walk", lambda *a, **k: (walks.append(a[0]), walk(*a, **k))[1])
        engine.sync()
    return not walks
