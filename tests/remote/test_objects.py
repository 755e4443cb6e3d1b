"""What every kind of remote promises: whole objects, one creator, one winner of a swap."""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest, NotTrusted, RemoteError
from ggrep.config.remotes import Remote
from ggrep.config.repo_key import is_key, key_by_history, normalised, repo_key
from ggrep.config.settings import Settings
from ggrep.index.remote.objects import open_objects
from tests.fakes.git import run_git
from tests.fakes.remotes import clone, commit, objects_of
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
    objects = objects_of(remote)
    objects.put("blobs/x", {"shorter": b"12", "longer": b"1234", "other": b"124"}[what])

    with pytest.raises(NotTrusted, match="the content of blobs/x does not match"):
        objects.fetch("blobs/x", tmp_path / "x", 3, digest(b"123"))
    assert list(tmp_path.glob("x*")) == []


@on_every_remote
def test_a_document_larger_than_it_may_be_is_not_read(remote: Remote) -> None:
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
                result = objects.read("refs/n", 9)
                assert result is not None
                if objects.swap("refs/n", b"%d" % (int(result[0]) + 1), result[1]):
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


def test_a_directory_is_made_but_not_its_parent(tmp_path: Path) -> None:
    made = Remote("origin", f"file://{tmp_path}/made")
    open_objects(made, time.sleep, making=True).put("blobs/x", b"x")
    below = Remote("origin", f"file://{tmp_path}/gone/below")

    with pytest.raises(RemoteError, match=f"remote origin: .*{tmp_path}/gone does not exist"):
        open_objects(below, time.sleep, making=True)


def test_a_server_that_is_not_there_fails_soon(credentials: None) -> None:
    remote = Remote("origin", "s3://bucket/x", "http://127.0.0.1:9", "us-east-1", plain_http=True)

    with pytest.raises(RemoteError, match="origin: refs/x: "):
        objects_of(remote).read("refs/x", 9)


SAME = (
    "https://github.com/Team/shop",
    "https://github.com/Team/shop.git",
    "https://github.com/Team/shop/",
    "https://user:token@GitHub.com:443/Team/shop.git",
    "git@github.com:Team/shop.git",
    "ssh://git@github.com/Team/shop",
    "ssh://git@github.com:22/Team/shop.git",
    "git+ssh://git@github.com/Team/shop.git",
    "git://github.com:9418/Team/shop.git",
    "github.com:Team/shop",
)
NONE = (
    "",
    "/srv/shop.git",
    "../shop",
    "./host:path",
    "file:///srv/shop.git",
    "https://github.com",
    "https://github.com/",
    "https://github.com/../x",
    "https://host:port/x",
    "https://github.com/a b",
    "https://github.com/" + "a" * 300,
    "git@host:",
)


def test_a_url_has_one_key_however_it_is_typed() -> None:
    """No user, password or usual port is part of it."""
    assert {normalised(url) for url in SAME} == {"github.com/Team/shop"}


@pytest.mark.parametrize("url", NONE)
def test_a_place_of_this_machine_is_no_key(url: str) -> None:
    """Nor is what could lead elsewhere on a remote."""
    assert normalised(url) == ""


def test_another_port_is_another_host() -> None:
    """Two services of one machine hold two repositories."""
    assert normalised("https://host:8443/shop") == "host:8443/shop"
    assert is_key("host:8443/shop")


def test_a_user_s_home_is_that_user_s() -> None:
    """But for the user that all share."""
    assert normalised("alice@host:proj.git") == "alice@host/proj"
    assert normalised("ssh://bob@host/~/proj") == "bob@host/~/proj"
    assert normalised("ssh://bob@host/proj") == normalised("git@host:proj") == "host/proj"
    assert normalised("C:repo") == ""


@pytest.mark.parametrize("name", ["../../x", "a/../b", ".", "k" * 300])
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    """A repository may bring its own settings."""
    with pytest.raises(InvalidRequest, match="repo_key: "):
        repo_key(tmp_path, Settings(repo_key=name))


def test_the_settings_name_it_first(tmp_path: Path) -> None:
    commit(tmp_path, {"a.py": "a = 1\n"})
    first = run_git(tmp_path, "rev-list", "--max-parents=0", "HEAD").strip()

    assert repo_key(tmp_path, Settings()) == ""
    assert key_by_history(tmp_path) == f"commit/{first}"
    run_git(tmp_path, "remote", "add", "origin", "git@github.com:team/shop.git")
    assert repo_key(tmp_path, Settings()) == "github.com/team/shop"
    assert repo_key(tmp_path, Settings(repo_key="team/other")) == "team/other"


def test_clones_of_a_local_repository_have_its_history(tmp_path: Path) -> None:
    """Their origin is a path, which says nothing elsewhere."""
    commit(tmp_path / "a", {"a.py": "a = 1\n"})
    clone(tmp_path / "a", tmp_path / "b")

    assert repo_key(tmp_path / "b", Settings()) == ""
    assert key_by_history(tmp_path / "a") == key_by_history(tmp_path / "b") != ""


def test_a_shallow_clone_does_not_know_its_first_commit(tmp_path: Path) -> None:
    commit(tmp_path / "a", {"a.py": "a = 1\n"})
    commit(tmp_path / "a", {"a.py": "a = 2\n"})
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path}/a", str(tmp_path / "b"))

    assert key_by_history(tmp_path / "b") == ""
    assert key_by_history(tmp_path) == ""
