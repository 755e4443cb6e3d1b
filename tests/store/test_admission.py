"""Who may write a store is settled before anything of it is touched."""

import stat
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest, StoreError
from ggrep.index.store import store_opening as admission
from ggrep.index.store.store_opening import admit_writer, require_mode


@pytest.fixture
def store(home: Path) -> Path:
    """Return where a store is going to be."""
    return home / "data" / "demo-1"


def mode(path: Path) -> int:
    """Return a path's permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("shared", "expected"), [(False, 0o700), (True, 0o2770)])
def test_a_home_is_made_as_the_settings_want_it(
    home: Path, store: Path, shared: bool, expected: int
) -> None:
    """It is the one place where they are asked."""
    admit_writer(store, shared=shared)

    assert [mode(path) for path in (home, home / "data")] == [expected, expected]
    assert sorted(path.name for path in home.rglob("*")) == ["data"]


def test_a_home_in_a_shared_directory_is_private_all_the_same(home: Path, store: Path) -> None:
    """Only the setting opens it to a group."""
    home.parent.chmod(0o2770)

    admit_writer(store, shared=False)

    assert mode(home) == 0o700


def test_a_home_that_its_user_made_is_left_alone(home: Path, store: Path) -> None:
    """Whoever writes a settings file first makes the directory with a mode of his own."""
    home.mkdir()
    home.chmod(0o755)

    admit_writer(store, shared=False)

    assert (mode(home), mode(home / "data")) == (0o755, 0o700)


@pytest.mark.parametrize("part", [".", "data", "locks", "cache", "data/demo-1"])
@pytest.mark.parametrize("shared", [False, True])
def test_modes_are_never_mixed(home: Path, store: Path, part: str, shared: bool) -> None:
    """A file that one user cannot replace would stop all others."""
    ours, other = (0o2770, 0o700) if shared else (0o700, 0o2770)
    for path in (home, home / "data", store, home / "locks", home / "cache"):
        path.mkdir()
        path.chmod(ours)
    admit_writer(store, shared=shared)
    (home / part).chmod(other)

    with pytest.raises(InvalidRequest) as caught:
        admit_writer(store, shared=shared)
    said = str(caught.value)
    assert str((home / part).resolve()) in said
    assert f"mode {other:04o}" in said
    assert f"shared_store is {'on' if shared else 'off'}" in said
    with pytest.raises(InvalidRequest):
        require_mode(store, shared=shared)


def test_the_file_system_is_tried_once(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later syncs must not pay for it."""
    tried: list[Path] = []
    monkeypatch.setattr(admission, "probe", tried.append)

    for _ in range(2):
        admit_writer(store, shared=False)
        store.mkdir(exist_ok=True)

    assert tried == [store.parent]


def test_a_network_is_refused_before_anything_is_made(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock file on a network may hang whoever takes it."""
    monkeypatch.setattr("ggrep.index.store.filesystem.filesystem_type", lambda _: "nfs4")

    with pytest.raises(InvalidRequest, match="nfs4"):
        admit_writer(store, shared=False)
    assert not home.exists()


def test_a_home_that_is_a_file_is_an_error_of_ours(home: Path, store: Path) -> None:
    """Paths get mistyped."""
    home.write_bytes(b"")

    with pytest.raises(StoreError, match="GGREP_HOME"):
        admit_writer(store, shared=False)
