"""Fetching, with clients that only leave files."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from training.encoder import no_build
from training.encoder.clients import Outcome, run_client
from training.encoder.fetching import fetch
from training.encoder.packages import Package

DATA = b"an archive"
DIGEST = hashlib.sha256(DATA).hexdigest()
WHEEL = Package("pypi", "Good.Thing", "1.2", DIGEST, "MIT", ("python",), kind="wheel")
SOURCE = replace(WHEEL, kind="sdist")
SCOPED = Package("npm", "@good/thing", "1.2.0", DIGEST, "MIT", ("typescript",))


class Client:
    """Leaves files of those names and keeps what it was asked."""

    def __init__(self, *names: str, status: int = 0, errors: str = "") -> None:
        self.names = names
        self.outcome = Outcome(status, "", errors)
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, command: Sequence[str], folder: Path) -> Outcome:
        self.asked.append(tuple(command))
        for name in self.names:
            (folder / name).write_bytes(DATA)
        return self.outcome


@pytest.mark.parametrize(
    ("package", "name", "words"),
    [
        (WHEEL, "good_thing-1.2-py3-none-any.whl", {"--only-binary", "Good.Thing==1.2"}),
        (SOURCE, "good_thing-1.2.tar.gz", {"--no-binary", "Good.Thing==1.2"}),
        (SCOPED, "good-thing-1.2.0.tgz", {"npm", "--ignore-scripts", "@good/thing@1.2.0"}),
    ],
    ids=["wheel", "sdist", "npm"],
)
def test_an_archive_is_fetched_once(
    tmp_path: Path, package: Package, name: str, words: set[str]
) -> None:
    client = Client(name)
    path = fetch(package, tmp_path, run=client)
    assert path == tmp_path / package.registry / name
    assert path.read_bytes() == DATA
    assert fetch(package, tmp_path, run=client) == path
    assert len(client.asked) == 1
    assert words <= set(client.asked[0])
    assert list(path.parent.iterdir()) == [path]


def test_another_digest_is_an_error_and_nothing_stays(tmp_path: Path) -> None:
    package = replace(SCOPED, sha256="0" * 64)
    with pytest.raises(UsageError, match=f"@good/thing 1.2.0: digest {DIGEST}, not 0000"):
        fetch(package, tmp_path, run=Client("good-thing-1.2.0.tgz"))
    assert list((tmp_path / "npm").iterdir()) == []


def test_a_damaged_archive_is_fetched_again(tmp_path: Path) -> None:
    client = Client("good-thing-1.2.0.tgz")
    path = fetch(SCOPED, tmp_path, run=client)
    path.write_bytes(b"damaged")
    assert fetch(SCOPED, tmp_path, run=client).read_bytes() == DATA


def test_a_client_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Good\.Thing 1\.2 cannot be fetched: no such version"):
        fetch(WHEEL, tmp_path, run=Client(status=1, errors="no such version\n"))


def test_a_client_that_leaves_nothing_of_the_kind_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such archive came"):
        fetch(SOURCE, tmp_path, run=Client("good_thing-1.2-py3-none-any.whl"))


def test_a_kind_that_the_registry_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no packages of kind ''"):
        fetch(replace(WHEEL, kind=""), tmp_path, run=Client())


def test_a_client_that_is_not_installed_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no-such-client is not installed"):
        run_client(["no-such-client"], tmp_path)
    assert run_client(["sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path) == Outcome(
        3, "out\n", "err\n"
    )


def test_no_build_system_is_asked_for_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("PKG-INFO").write_text("Name: good-thing\nVersion: 1.2\nRequires-Dist: all\n\nLong.\n")
    assert no_build.prepare_metadata_for_build_wheel(".") == "good_thing-1.2.dist-info"
    said = Path("good_thing-1.2.dist-info/METADATA").read_text()
    assert said == "Metadata-Version: 2.1\nName: good-thing\nVersion: 1.2\n"
    assert no_build.get_requires_for_build_wheel() == []
    with pytest.raises(NotImplementedError):
        no_build.build_wheel(".")


def test_it_stands_under_the_names_of_build_systems(tmp_path: Path) -> None:
    no_build.lay_out(tmp_path)
    assert (tmp_path / "maturin.py").is_file()
    assert (tmp_path / "poetry/core/masonry/api.py").is_file()
    assert (tmp_path / "poetry/core/__init__.py").is_file()
    assert not (tmp_path / "__init__.py").exists()
