"""One key in each home, made once; one for each store, and nobody else's."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import NoIndex, StoreError
from ggrep.base.ids import StoreId
from ggrep.base.locks import Patience
from ggrep.config.home import Home
from ggrep.search.slate.sessions import session_key

STORE, OTHER = StoreId("shop-0-0"), StoreId("shop-0-1")


@pytest.fixture
def base(home: Path) -> Home:
    """Return a home of two stores."""
    return with_stores(home)


def with_stores(place: Path) -> Home:
    home = Home(place)
    for store_id in (STORE, OTHER):
        home.store_dir(store_id).mkdir(parents=True)
    return home


def key_of(home: Home, store_id: StoreId = STORE) -> bytes:
    clock = SystemClock()
    patience = Patience(Deadline.after(clock, 5_000), lambda _: None)
    return session_key(home, store_id, patience)


def test_a_key_is_made_once_and_is_its_owners_alone(base: Home) -> None:
    """Every process of the home has to read what any of them sealed."""
    key = key_of(base)

    assert key_of(Home(base.base)) == key
    assert len(key) == len(base.session_key.read_bytes()) == 32
    assert stat.S_IMODE(base.session_key.stat().st_mode) == 0o600
    assert base.session_key.read_bytes() != key


def test_each_store_and_each_home_has_a_key_of_its_own(base: Home, tmp_path: Path) -> None:
    """A token is worth nothing where it was not given out."""
    other = with_stores(tmp_path / "other")

    assert len({key_of(base), key_of(base, OTHER), key_of(other)}) == 3


def test_who_shares_a_home_shares_its_key(home: Path) -> None:
    """The daemon that goes on with a session may be another user's."""
    shared = with_stores(home)
    home.chmod(0o2770)
    key = key_of(shared)

    assert stat.S_IMODE(shared.session_key.stat().st_mode) == 0o660
    assert key_of(shared) == key


@pytest.mark.parametrize("result", [b"", b"x" * 31, b"x" * 33])
def test_what_is_no_key_is_replaced(base: Home, result: bytes) -> None:
    """Tokens of before are lost with it; the next sessions are not."""
    base.session_key.write_bytes(result)
    base.session_key.chmod(0o600)
    key = key_of(base)

    assert len(base.session_key.read_bytes()) == 32
    assert key_of(base) == key


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_could_read_is_replaced(base: Home, mode: int) -> None:
    """They could seal tokens of their own."""
    before = key_of(base)
    base.session_key.chmod(mode)

    assert key_of(base) != before
    assert stat.S_IMODE(base.session_key.stat().st_mode) == 0o600


def test_who_makes_it_at_once_agrees(base: Home) -> None:
    """Else the first session of a home could end with its first answer."""
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: key_of(base), range(16)))

    assert len(keys) == 1
    assert [path.name for path in base.base.iterdir() if path.is_file()] == ["session-key"]


def test_no_key_is_made_where_there_is_no_store(home: Path) -> None:
    """A question about a repository that was never indexed leaves nothing behind."""
    with pytest.raises(NoIndex, match="ggrep index"):
        key_of(Home(home))
    assert not home.exists()


def test_a_key_that_cannot_be_read_names_its_file(base: Home) -> None:
    """An operator sees what stands in the way, without the place of the home."""
    base.session_key.symlink_to(base.session_key.name)

    with pytest.raises(StoreError, match=r"^session-key: Too many levels"):
        key_of(base)
