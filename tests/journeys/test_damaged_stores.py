"""`status` and `list` answer whatever is wrong: that is what people type when something is."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.config import store_files
from ggrep.config.home import Home
from tests.fakes.repos import open_engine, write_tree
from tests.journeys.command import WORDS, Command, CommandOver, fits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return an indexed repository and its home."""
    root = tmp_path_factory.mktemp("damaged").resolve() / "repo"
    write_tree(root, WORDS)
    open_engine(root, root.with_name("home")).sync()
    return root, root.with_name("home")


@pytest.fixture
def ggrep(
    kept: tuple[Path, Path], home: Path, monkeypatch: pytest.MonkeyPatch, command_over: CommandOver
) -> Command:
    """Return the command, over the repository with a copy of its home."""
    root, whole = kept
    shutil.copytree(whole, home)
    monkeypatch.chdir(root)
    return command_over(home, GGREP_ENCODER="hashed")


def only(directory: Path) -> Path:
    [results] = [path for path in directory.iterdir() if not path.name.startswith(".")]
    return results


def _replaced(path: Path) -> None:
    """Put a directory in the place of a file, or a file in the place of a directory."""
    if path.is_dir():
        shutil.rmtree(path)
        path.write_bytes(b"")
    else:
        path.unlink(missing_ok=True)
        (path / "within").mkdir(parents=True)


def _each_file(suffix: str, damage: Callable[[Path], None]) -> Callable[[Path, Path], None]:
    def act(home: Path, store: Path) -> None:
        del home
        for path in [path for path in store.rglob("*") if path.is_file()]:
            if path.name.endswith(suffix):
                damage(path)

    return act


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _odd_neighbours(home: Path, store: Path) -> None:
    data = home / "data"
    (data / "file").write_bytes(b"?")
    (data / "loop").symlink_to(data / "loop")
    (data / "half").mkdir()
    (data / ".trash-gone~1").mkdir()
    (data / b"n\xff".decode(errors="surrogateescape")).mkdir()
    shutil.copytree(store, data / "copy", ignore=shutil.ignore_patterns("manifest.json"))


DAMAGES: dict[str, Callable[[Path, Path], None]] = {
    "no pointer": lambda _, store: store_files.active_file(store).unlink(),
    "an empty pointer": lambda _, store: _emptied(store_files.active_file(store)),
    "a pointer that is a directory": lambda _, store: _replaced(store_files.active_file(store)),
    "no manifest": _each_file("manifest.json", Path.unlink),
    "an empty manifest": _each_file("manifest.json", _emptied),
    "a manifest that is a directory": _each_file("manifest.json", _replaced),
    "no images": lambda _, store: shutil.rmtree(store_files.images_dir(store)),
    "images that are a file": lambda _, store: _replaced(store_files.images_dir(store)),
    "empty images": _each_file(".image", _emptied),
    "no journal": _each_file(".jsonl", Path.unlink),
    "no tables": _each_file(".lance", Path.unlink),
    "no snapshots": lambda _, store: shutil.rmtree(store_files.snapshots_dir(store)),
    "snapshots that are a file": lambda _, store: _replaced(store_files.snapshots_dir(store)),
    "caches of nonsense": _each_file(".json", lambda path: path.write_bytes(b"[1]")),
    "caches that are directories": lambda _, store: (
        [_replaced(path) for path in (store / "cache").iterdir()] and None
    ),
    "a cache that is a file": lambda _, store: _replaced(store / "cache"),
    "a record of the last sync that is a directory": lambda _, store: _replaced(
        store_files.index_state_file(store)
    ),
    "a lease of nonsense": lambda _, store: store_files.lease_files(store).record.write_bytes(
        b"{}"
    ),
    "a lease that is a directory": lambda _, store: _replaced(
        store_files.lease_files(store).record
    ),
    "no locks": lambda home, _: shutil.rmtree(home / "locks"),
    "locks that are a file": lambda home, _: _replaced(home / "locks"),
    "no stores": lambda home, _: shutil.rmtree(home / "data"),
    "stores that are a file": lambda home, _: _replaced(home / "data"),
    "a store that is a file": lambda _, store: _replaced(store),
    "an empty store": lambda _, store: shutil.rmtree(store) or store.mkdir(),
    "a daemon directory that is a file": lambda home, _: (home / "daemon").write_bytes(b""),
    "logs that are a file": lambda home, _: (home / "logs").write_bytes(b""),
    "odd neighbours": _odd_neighbours,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_status_and_list_answer(
    ggrep: Command, home: Path, damage: Callable[[Path, Path], None]
) -> None:
    """Exit status 0, a document that fits its schema, and the damage in words."""
    store = only(Home(home).data)
    damage(home, store)

    shown = ggrep("status", "--json")
    assert shown.status == 0, shown.err
    fits(shown.document, "status")
    for arguments in (["status"], ["status", "--all"], ["status", "--all", "--json"]):
        assert ggrep(*arguments).status == 0, arguments
    for arguments in (["list"], ["list", "--json"]):
        assert ggrep(*arguments).status == 0, arguments


def test_what_is_wrong_stands_in_the_status(ggrep: Command, home: Path) -> None:
    """With what was published last, and what to do."""
    store = only(Home(home).data)
    for table in store.glob("*.lance"):
        shutil.rmtree(table)
    shown = ggrep("status", "--json").document

    assert [warning["code"] for warning in shown["warnings"]] == ["index_damaged"]
    assert "ggrep repair" in shown["warnings"][0]["message"]
    assert shown["snapshot"]["files"] == len(WORDS)
    assert "is missing" in ggrep("status").out
