"""Repositories that were made to break an indexer, one kind a name.

Of each kind holds: no byte from outside of the root reaches the store, nothing of the repository
is executed, the sync ends with a snapshot or a typed error, and honest files stay findable.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config import confined
from ggrep.config import git as git_module
from ggrep.parse.source import read
from ggrep.parse.source.dir_stack import DirStack
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import open_engine, paths
from tests.hostile.canary import places_with
from tests.hostile.floods import FLOODS
from tests.hostile.gits import GITS, WAITING
from tests.hostile.trees import CANARY, NEEDLE, TREES
from tests.journeys.command import SOURCE, Command

MOST_BYTES = 1_500_000_000
CPU_MS = 4_000
"""What one file may take here; a hostile one that takes more shows the same at more."""
SMALL = 3_000


def measured(root: Path, home: Path, cpu_ms: int = CPU_MS) -> dict[str, Any]:
    """Sync in a process of its own and return what it took."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.measured", str(root), str(home), str(cpu_ms)],
        capture_output=True,
        cwd=SOURCE,
        check=False,
    )
    assert done.stderr == b""
    document: dict[str, Any] = stable_json.loads(done.stdout)
    return document


def plant_floods(root: Path, size: int, names: set[str] | None = None) -> None:
    for flood in FLOODS:
        if names is None or flood.name in names:
            (root / flood.name).mkdir()
            (root / flood.name / flood.path).write_bytes(flood.make(size))


def assert_bounded(found: dict[str, Any]) -> None:
    assert found["ended"] == "published"
    assert found["own_bytes"] <= MOST_BYTES
    assert found["child_bytes"] <= MOST_BYTES


@pytest.mark.slow
def test_all_kinds_in_one_tree_are_bounded_and_leak_nothing(
    hostile_root: Path, outside: Path, home: Path
) -> None:
    """One bad directory must not cost the others anything."""
    for plant in TREES.values():
        plant(hostile_root, outside)
    plant_floods(hostile_root, SMALL)

    result = measured(hostile_root, home)
    engine = open_engine(hostile_root, home, encoder="static")

    assert_bounded(result)
    assert places_with(home, CANARY, engine) == []
    assert paths(engine, CANARY) == []
    # A second name of a file (`hard.py`) is a file of the root: no one can tell.
    honest = {
        "honest.py",
        "hard.py",
        "linked_ignore/a.py",
        "/".join(["deep", *["d"] * 400, "a.py"]),
    }
    assert honest <= set(paths(engine, NEEDLE))


@pytest.mark.deep
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.name)
def test_a_flood_of_ten_megabytes_is_cut_off_in_time(
    hostile_root: Path, home: Path, flood: Any
) -> None:
    """One file must not take a sync's memory or time, whatever its grammar makes of it."""
    plant_floods(hostile_root, 10_000_000, {flood.name})

    result = measured(hostile_root, home)

    assert_bounded(result)
    # A crash is tried once more, alone; what a process takes to start comes on top.
    assert result["child_cpu_s"] <= 2 * CPU_MS / 1000 + 5
    assert paths(open_engine(hostile_root, home, encoder="static"), NEEDLE) == ["honest.py"]


@pytest.fixture
def work_tree(hostile_root: Path, git: Git) -> Path:
    """Return a work tree with one commit."""
    git(hostile_root, "init")
    (hostile_root / "tracked.py").write_text("tracked = 1\n")
    git(hostile_root, "add", ".")
    git(hostile_root, "commit", "-m", "x")
    return hostile_root


@pytest.mark.slow
@pytest.mark.parametrize("kind", GITS)
def test_a_git_directory_runs_nothing_and_leads_nowhere(
    work_tree: Path, outside: Path, home: Path, git: Git, kind: str
) -> None:
    """Searching a stranger's clone must be as safe as reading it."""
    GITS[kind](work_tree, outside, git)
    engine = open_engine(work_tree, home)

    engine.sync()

    assert not (outside / "sprung").exists()
    assert not (work_tree / "payload").exists()
    assert places_with(home, CANARY, engine) == []
    assert paths(engine, NEEDLE) == ["honest.py"]


def test_the_trap_springs_where_git_is_run_plainly(
    work_tree: Path, outside: Path, git: Git
) -> None:
    GITS["fsmonitor"](work_tree, outside, git)

    git(work_tree, "status")

    assert (outside / "sprung").exists()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggrep.config.git._TIMEOUT_S", 0.3)
    monkeypatch.setattr("ggrep.config.git._LISTING_S", 0.3)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", WAITING)
def test_where_git_waits_for_ever_the_index_is_made_without_it(
    work_tree: Path, outside: Path, home: Path, git: Git, kind: str
) -> None:
    """Git has its time, then the tree is read by ggrep's own rules, and says so."""
    WAITING[kind](work_tree, outside, git)
    engine = open_engine(work_tree, home)

    report = engine.sync()

    assert [notice.code for notice in report.warnings] == ["git_unavailable"]
    assert paths(engine, NEEDLE) == ["honest.py"]


@pytest.mark.usefixtures("impatient")
def test_where_git_waits_for_ever_a_sync_waits_once(
    work_tree: Path, outside: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands that read git's index wait at the same time; a further one would wait as long."""
    WAITING["waiting_index"](work_tree, outside, git)
    waiting: list[int] = []
    command = git_module._command

    def noted(top: Path, arguments: Sequence[str]) -> list[str]:
        if arguments[0] in {"ls-files", "status"}:
            waiting.append(threading.get_ident())
        return command(top, arguments)

    engine = open_engine(work_tree, home)
    monkeypatch.setattr(git_module, "_command", noted)
    engine.sync()

    assert 0 < len(waiting) == len(set(waiting))


@contextmanager
def swapping(path: Path, target: Path) -> Iterator[None]:
    """Swap a file or directory for a link to `target` and back, as fast as it goes."""
    honest, link = path.with_name("honest.swap"), path.with_name("link.swap")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            path.rename(honest)
            link.symlink_to(target)
            link.rename(path)
            path.rename(link)
            honest.rename(path)
            link.unlink()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def synced(engine: Engine, *, strict: bool = False) -> str:
    try:
        engine.sync(strict=strict)
    except GgrepError as error:
        return type(error).__name__
    return "published"


@pytest.mark.slow
@pytest.mark.parametrize(
    "rounds", [pytest.param(6, id="few"), pytest.param(300, id="many", marks=pytest.mark.deep)]
)
def test_a_file_that_turns_into_a_link_while_it_is_read_leaks_nothing(
    hostile_root: Path, outside: Path, home: Path, rounds: int
) -> None:
    """Whoever can write to the tree may do so at any moment."""
    (hostile_root / "race.py").write_text("x = 0\n")
    engine = open_engine(hostile_root, home)
    with swapping(hostile_root / "race.py", outside / "secret.py"):
        for number in range(rounds):
            (hostile_root / "honest.py").write_text(f"def {NEEDLE}(): return {number}\n")
            synced(engine)

    assert synced(engine) == "published"
    assert places_with(home, CANARY, engine) == []
    assert paths(engine, NEEDLE) == ["honest.py"]


def test_a_file_swapped_between_look_and_open_is_not_followed(
    hostile_root: Path,
    outside: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The race above, won by the attacker each time: 1. walk, 2. swap, 3. read."""
    (hostile_root / "pkg").mkdir()
    (hostile_root / "pkg/a.py").write_text("x = 1\n")
    (hostile_root / "race.py").write_text("x = 1\n")
    opened = read.open_below

    def swap_first(root: Path, key: str) -> int:
        for name in ("race.py", "pkg"):
            if not (root / name).is_symlink():
                (root / name).rename(root / f"{name}.gone")
                (root / name).symlink_to(outside / ("pkg" if name == "pkg" else "secret.py"))
        return opened(root, key)

    monkeypatch.setattr(read, "open_below", swap_first)
    engine = open_engine(hostile_root, home)

    assert synced(engine) == "published"
    assert places_with(home, CANARY, engine) == []
    assert paths(engine, NEEDLE) == ["honest.py"]


@pytest.mark.slow
def test_a_tree_deeper_than_any_path_is_indexed_to_its_end(hostile_root: Path, home: Path) -> None:
    """Directories can be made that no path can name; what lies in them is found all the same."""
    place = os.open(hostile_root, os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("d" * 20, dir_fd=place)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    for name, text in {"end.py": f"def {NEEDLE}_end(): return 1\n", ".gitignore": "b.py\n"}.items():
        file = os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=place)
        os.write(file, text.encode())
        os.close(file)
    os.close(place)
    engine = open_engine(hostile_root, home)

    assert synced(engine) == "published"
    assert sorted(len(path) for path in paths(engine, NEEDLE)) == [9, 21_006]
    assert synced(engine) == "published"


SETTINGS = {
    "nested": b"a = " + b"[" * 100_000,
    "large_number": b"max_file_size_bytes = " + b"9" * 4000 + b"\n",
    "commands": b'parse_workers = 64\n[hooks]\npre = "touch payload"\n',
    "binary": b"\0\xff\xfe",
    "control": b'"\x1b[2J" = 1\n',
    "escaped": b'"\\u001b[2J\\u202e" = 1\n',
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_hostile_settings_are_refused_in_one_visible_line(
    hostile_root: Path, ggrep: Command, kind: str
) -> None:
    """A repository's own file cannot choose what is loaded, nor speak to the terminal."""
    (hostile_root / ".ggrep.toml").write_bytes(SETTINGS[kind])

    outcome = ggrep("index", hostile_root)

    assert outcome.status == InvalidRequest.exit_status
    assert "Traceback" not in outcome.err
    assert outcome.err.count("\n") <= 2
    assert len(outcome.err) < 5000
    assert not {"\x1b", "\x07", "\u202e"} & set(outcome.out + outcome.err)


def test_nothing_that_is_printed_moves_the_cursor(
    hostile_root: Path, outside: Path, ggrep: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names and text of strangers reach a terminal only as text."""
    TREES["names"](hostile_root, outside)
    (hostile_root / "text.py").write_text(f"{NEEDLE} = '\x1b]8;;http://a\x07\x1b[2J\u202e\x9b'\n")

    monkeypatch.chdir(hostile_root)

    printed = [
        ggrep("index"),
        ggrep("index", "--dry-run"),
        ggrep(NEEDLE),
        ggrep(NEEDLE, "--json"),
        ggrep("health"),
        ggrep("status"),
    ]

    assert [outcome.status for outcome in printed] == [0] * len(printed)
    bad = {"\x1b", "\x07", "\x9b", "\u202e", "\x7f"}
    assert not bad & set("".join(outcome.out + outcome.err for outcome in printed))


@pytest.mark.deep
def test_a_million_names_in_one_directory(hostile_root: Path, home: Path) -> None:
    """A directory may be larger than all that is indexed."""
    place = hostile_root / "many"
    place.mkdir()
    for number in range(1_000_000):
        os.close(os.open(place / f"f{number}.bin", os.O_CREAT | os.O_WRONLY))

    result = measured(hostile_root, home)

    assert result["ended"] == "published"
    assert result["own_bytes"] <= MOST_BYTES


@contextmanager
def led_out(place: Path, target: Path) -> Iterator[None]:
    """Let a directory be a link to another one for the length of the block."""
    away = place.with_name("away")
    place.rename(away)
    place.symlink_to(target)
    try:
        yield
    finally:
        place.unlink()
        away.rename(place)


@pytest.mark.slow
@pytest.mark.parametrize(
    "look", [(read, "open_below"), (DirStack, "enter"), (confined, "open_root")]
)
def test_what_a_root_leads_to_for_a_moment_is_not_indexed(
    look: tuple[Any, str],
    hostile_root: Path,
    outside: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1. Looked at, 2. led out, 3. read, 4. back in place; surfaces ask before and after."""
    asked: Callable[..., int] = getattr(*look)
    (outside / "honest.py").write_text(f"def {NEEDLE}(): return '{CANARY}'\n")

    def exchanged(*given: Any, **further: Any) -> int:
        with led_out(hostile_root, outside):
            return asked(*given, **further)

    monkeypatch.setattr(*look, exchanged)
    engine = open_engine(hostile_root, home)
    refused = synced(engine)
    monkeypatch.undo()

    assert refused == "InvalidRequest"
    assert places_with(home, CANARY, engine) == []
    assert synced(engine) == "published"
    assert paths(engine, NEEDLE) == ["honest.py"]
    assert places_with(home, CANARY, engine) == []
