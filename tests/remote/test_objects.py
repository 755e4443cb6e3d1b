"""What every kind of remote promises: whole objects, one creator, one winner of a swap."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ggrep.base.errors import NotTrusted, RemoteError
from ggrep.config.remotes import Remote
from tests.fakes.remotes import objects_of
from tests.remote.conftest import on_every_remote

MANY = 8
EACH = 10


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@on_every_remote
def test_an_object_is_read_as_it_was_written(remote: Remote, tmp_path: Path) -> None:
    """From memory, from a file, and in several parts."""
    objects = objects_of(remote)
    large = bytes(range(256)) * (5 << 12)
    file = tmp_path / "large"
    file.write_bytes(large * 3)
    objects.put("blobs/small", b"small")
    objects.put("blobs/large", file)

    assert objects.read("blobs/small", 5) == (b"small", objects.stat("blobs/small").version)  # type: ignore[union-attr] # it is there
    objects.fetch("blobs/large", tmp_path / "copy", 3 * len(large), digest(large * 3))
    assert (tmp_path / "copy").read_bytes() == file.read_bytes()
    assert {stat.key for stat in objects.list("blobs")} == {"blobs/small", "blobs/large"}


@on_every_remote
def test_what_is_not_there_is_told_apart(remote: Remote, tmp_path: Path) -> None:
    """From a remote that fails."""
    objects = objects_of(remote)

    assert objects.read("refs/none", 10) is None
    assert objects.stat("refs/none") is None
    assert list(objects.list("refs")) == []
    objects.delete("refs/none")
    with pytest.raises(NotTrusted, match="remote origin: the object blobs/none is missing"):
        objects.fetch("blobs/none", tmp_path / "none", 1, digest(b""))


@on_every_remote
@pytest.mark.parametrize("what", ["shorter", "longer", "other"])
def test_an_object_that_is_another_is_not_taken(remote: Remote, tmp_path: Path, what: str) -> None:
    """And nothing of it stays behind."""
    objects = objects_of(remote)
    objects.put("blobs/x", {"shorter": b"12", "longer": b"1234", "other": b"124"}[what])

    with pytest.raises(NotTrusted, match="the content of blobs/x does not match"):
        objects.fetch("blobs/x", tmp_path / "x", 3, digest(b"123"))
    assert list(tmp_path.glob("x*")) == []


@on_every_remote
def test_a_document_larger_than_it_may_be_is_not_read(remote: Remote) -> None:
    """Its size is told before it is."""
    objects = objects_of(remote)
    objects.put("refs/x", b"12345")

    with pytest.raises(NotTrusted, match="larger than 4 bytes"):
        objects.read("refs/x", 4)


@on_every_remote
def test_one_of_many_creates(remote: Remote) -> None:
    """The others learn that they did not."""
    objects = objects_of(remote)
    with ThreadPoolExecutor(MANY) as pool:
        won = list(pool.map(lambda n: objects.create("by-state/x", b"%d" % n), range(MANY)))

    assert won.count(True) == 1
    assert objects.read("by-state/x", 9)[0] == b"%d" % won.index(True)  # type: ignore[index] # it is there


@on_every_remote
def test_no_swap_is_lost(remote: Remote) -> None:
    """Many count up one number, each by what it has read."""
    objects = objects_of(remote)
    assert objects.swap("refs/n", b"0", None)

    def count(_: int) -> None:
        for _ in range(EACH):
            while True:
                found = objects.read("refs/n", 9)
                assert found is not None
                if objects.swap("refs/n", b"%d" % (int(found[0]) + 1), found[1]):
                    break

    with ThreadPoolExecutor(MANY) as pool:
        list(pool.map(count, range(MANY)))
    assert objects.read("refs/n", 9)[0] == b"%d" % (MANY * EACH)  # type: ignore[index] # it is there


@on_every_remote
def test_a_swap_of_an_older_version_does_nothing(remote: Remote) -> None:
    """Nor one of an object that is gone, or that came meanwhile."""
    objects = objects_of(remote)
    objects.swap("refs/x", b"1", None)
    version = objects.read("refs/x", 9)[1]  # type: ignore[index] # it is there
    assert objects.swap("refs/x", b"22", version)

    assert not objects.swap("refs/x", b"333", version)
    assert not objects.swap("refs/x", b"333", None)
    assert objects.read("refs/x", 9)[0] == b"22"  # type: ignore[index] # it is there
    objects.delete("refs/x")
    assert not objects.swap("refs/x", b"333", version)


def test_a_remote_that_is_not_there_fails_in_words(tmp_path: Path) -> None:
    """Within seconds, with its name and what the system said."""
    (tmp_path / "file").write_bytes(b"")
    remote = Remote("origin", f"file://{tmp_path}/file/below")

    with pytest.raises(RemoteError, match="origin: "):
        objects_of(remote).put("blobs/x", b"x")


def test_a_server_that_is_not_there_fails_soon(credentials: None) -> None:
    """Nothing listens there."""
    remote = Remote("origin", "s3://bucket/x", "http://127.0.0.1:9", "us-east-1", plain_http=True)

    with pytest.raises(RemoteError, match="origin: refs/x: "):
        objects_of(remote).read("refs/x", 9)
