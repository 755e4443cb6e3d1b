"""`ggrep remote`, `push` and `pull` as they are typed."""

import contextlib
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.config.remotes import Remote, checked, read_remotes, remote_named
from tests.fakes.remotes import SHOP, clone, commit
from tests.fakes.repos import write_tree
from tests.journeys.command import Command, fits

pytestmark = pytest.mark.slow

REFUSED = {
    "memory://x": "must start with one of",
    "ftp://user:secret@host/x": "origin: remove user, password and query from the URL",
    "s3://bucket/../x": "must not contain . or .. as a part",
    "ftp://host/x": "must start with one of s3://, gs://, az://, file://",
    "/srv/ggrep": "must start with one of",
    "s3:///folder": "does not name a bucket",
    "s3://user:secret@bucket/x": "credentials come from the environment",
    "s3://bucket/x?token=1": "credentials come from the environment",
    "file://host/srv": "file:///absolute/path",
    "file:///": "file:///absolute/path",
    "s3://bucket/a b": "printable ASCII without spaces",
    "s3://bucket/\x1b[31m": "printable ASCII without spaces",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a committed repository."""
    commit(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Return the URL of a remote."""
    return f"file://{tmp_path}/remote"


@pytest.mark.parametrize("url", REFUSED)
def test_what_cannot_be_a_remote_is_refused_in_words(url: str) -> None:
    with pytest.raises(InvalidRequest, match=REFUSED[url]):
        checked(Remote("origin", url))


def test_an_endpoint_without_tls_has_to_be_allowed() -> None:
    remote = Remote("origin", "s3://bucket/x", "http://storage:9000")
    with pytest.raises(InvalidRequest, match="--plain-http"):
        checked(remote)

    checked(Remote("origin", "s3://bucket/x", "http://storage:9000", plain_http=True))
    for more in ("https://u:secret@host", "https://host/?token=secret", "https://host/x"):
        with pytest.raises(InvalidRequest, match="https://host:port") as refused:
            checked(Remote("origin", "s3://bucket/x", more))
        assert "secret" not in str(refused.value)
    with pytest.raises(InvalidRequest, match="only work with s3://"):
        checked(Remote("origin", "file:///srv/x", "https://host"))
    with pytest.raises(InvalidRequest, match="https://host:port"):
        checked(Remote("origin", "s3://bucket/x", "storage:9000"))


def test_which_remote_is_meant() -> None:
    """The only one, else `origin`, else the one that is named."""
    first, origin, two = (Remote(name, "s3://b/x") for name in ("one", "origin", "two"))

    assert remote_named([first], None) is first
    assert remote_named([first, origin], None) is origin
    assert remote_named([first, origin], "one") is first
    with pytest.raises(InvalidRequest, match="several remotes, but none is named origin"):
        remote_named([first, two], None)
    with pytest.raises(
        InvalidRequest, match="there is no remote 'three'; name one of these remotes: one, two"
    ):
        remote_named([first, two], "three")


def test_remotes_are_added_replaced_and_removed(ggrep: Command, home: Path, place: str) -> None:
    assert ggrep("remote", "add", "origin", "s3://old/place").status == 0
    assert ggrep("remote", "add", "origin", place).status == 0
    assert ggrep("remote", "add", "other", "gs://bucket/x", "--readable").status == 0
    listed = ggrep("remote", "list")
    document = stable_json.loads(ggrep("remote", "list", "--json").out)
    fits(document, "remotes")

    assert listed.out.splitlines() == [f"origin  {place}", "other  gs://bucket/x  (readable)"]
    assert [each.name for each in read_remotes(Home(home).remotes)] == ["origin", "other"]
    assert ggrep("remote", "remove", "none").status == 2
    assert ggrep("remote", "remove", "origin").status == 0
    assert ggrep("remote", "remove", "other").status == 0
    assert not Home(home).remotes.exists()
    assert "no remote is configured" in ggrep("remote", "list").err


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("/srv/our indexes/", "file:///srv/our%20indexes"),
        ("../shared", "file://{above}/shared"),
        ("./remote", "file://{here}/remote"),
        ("~/remote", "file://{home}/remote"),
    ],
)
def test_a_directory_may_be_typed_as_a_path(
    ggrep: Command, home: Path, monkeypatch: pytest.MonkeyPatch, typed: str, url: str
) -> None:
    here = Path.cwd()
    monkeypatch.setenv("HOME", "/home/someone")
    done = ggrep("remote", "add", "origin", typed)

    result = url.format(here=here, above=here.parent, home="/home/someone")
    assert (done.status, [each.url for each in read_remotes(Home(home).remotes)]) == (0, [result])


def test_a_damaged_file_is_told_of(ggrep: Command, home: Path) -> None:
    home.mkdir(mode=0o700)
    Home(home).remotes.write_bytes(b"{")
    done = ggrep("push")

    assert (done.status, "remotes.json cannot be read" in done.err) == (2, True)
    assert Home(home).remotes.read_bytes() == b"{"


def test_a_push_and_a_pull_are_told_of(
    ggrep: Command, shop: Path, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the terminal in a line each, in JSON with all figures."""
    ggrep("remote", "add", "origin", place)
    assert ggrep("push", shop).err.startswith("error: this repository has no index yet")
    (tmp_path / "notes").mkdir()
    refused = ggrep("push", tmp_path / "notes")
    assert (refused.status, f"{tmp_path}/notes is not a repository; to push" in refused.err) == (
        2,
        True,
    )
    assert ggrep("index", shop).status == 0
    first = ggrep("push", shop)
    again = ggrep("push", shop, "--json")
    fits(stable_json.loads(again.out), "remotes")
    assert "pushed team/shop, commit " in first.err
    assert "3 of 3 blobs" in first.err
    assert stable_json.loads(again.out)["traffic"]["puts"] == 0
    assert "origin has team/shop" in ggrep("push", shop).err

    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "elsewhere"))
    ggrep("remote", "add", "origin", place)
    other = clone(shop, tmp_path / "other")
    write_tree(other, {"src/new.py": "fresh = 1\n"})
    reported = ggrep("pull", other)
    assert "pulled 4 of 5 files of commit " in reported.err
    assert "other: 1 indexed, 4 unchanged" in reported.err
    document = stable_json.loads(ggrep("pull", other, "--json").out)
    fits(document, "remotes")
    assert (document["outcome"], document["indexed"]) == ("current", 0)
    assert "the index is already current: 5 files\n" in ggrep("pull", other).err


def test_a_pull_indexes_what_cannot_be_had(ggrep: Command, shop: Path, place: str) -> None:
    """Without a remote, with one that is not there, and with one that has nothing."""
    refused = ggrep("pull", shop)
    assert (refused.status, "no remote is configured" in refused.err) == (2, True)
    without = ggrep("pull", shop, "--auto", "--json")
    document = stable_json.loads(without.out)
    fits(document, "remotes")
    assert (document["outcome"], document["remote"], document["indexed"]) == ("failed", None, 4)

    ggrep("remote", "add", "origin", place)
    write_tree(shop, {"src/new.py": "fresh = 1\n"})
    typo = ggrep("pull", shop)
    assert (typo.status, "does not exist" in typo.err) == (1, True)
    Path(place.removeprefix("file://")).mkdir()
    nothing = ggrep("pull", shop)
    assert (nothing.status, "nothing was pulled from origin" in nothing.err) == (0, True)
    assert "1 indexed" in nothing.err

    blocked = place.removeprefix("file://")
    Path(blocked).rename(f"{blocked}.gone")
    Path(blocked).write_bytes(b"")
    write_tree(shop, {"src/more.py": "fresh = 2\n"})
    failed = ggrep("pull", shop)
    assert (failed.status, "remote" in failed.err) == (1, True)
    assert ggrep("pull", shop, "--auto").status == 0


def test_a_collection_of_a_remote_is_told_of(ggrep: Command, shop: Path, place: str) -> None:
    ggrep("remote", "add", "origin", place)
    ggrep("index", shop)
    ggrep("push", shop)
    reported = ggrep("remote", "gc")
    document = stable_json.loads(ggrep("remote", "gc", "--force", "--json").out)
    fits(document, "remotes")

    assert reported.out == "would delete 0 objects, 0 B; 6 kept, 1 ref\n"
    assert (document["dry_run"], document["kept"], document["deleted"]) == (False, 6, 0)


def test_a_remote_may_be_named_as_with_git(ggrep: Command, shop: Path, tmp_path: Path) -> None:
    """Not only behind `--remote`; with several there is no default."""
    for name in ("one", "two"):
        assert ggrep("remote", "add", name, f"file://{tmp_path}/{name}").status == 0
    assert ggrep("index", "--path", shop).status == 0
    with contextlib.chdir(shop):
        pushed = ggrep("push", "two")

    assert pushed.status == 0, pushed.err
    assert "to two" in pushed.out + pushed.err
    assert ggrep("push", "three").status != 0
