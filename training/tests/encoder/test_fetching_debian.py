"""What the Debian half of the corpus is fetched with, over an apt that is made up."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from training.encoder import fetching_debian
from training.encoder.apt import SUITES
from training.encoder.clients import Outcome
from training.encoder.fetching_debian import fetch_debian
from training.encoder.packages import Package, read_packages

TARBALL = b"an upstream tarball"
SOURCE = Package(
    registry="debian",
    name="sprocket",
    version="1:2.4+ds-3",
    sha256=hashlib.sha256(TARBALL).hexdigest(),
    licence="MIT",
    languages=("c",),
    suite="trixie",
    kind="source",
)
BINARY = replace(SOURCE, kind="binary")
ENTRY = "Types: deb\nURIs: mirror://debian\nSuites: bookworm\nComponents: main\n"


class FakeApt(Struct):
    """Lists packages and puts files where apt would.

    Attributes:
        listed: rows of `apt-cache madison`.
        files: that a fetch leaves behind, by name.
        status: a fetch ends with.
        commands: every command so far, its options left out.
    """

    listed: Sequence[str] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    status: int = 0
    update_status: int = 0
    commands: list[str] = field(default_factory=list)
    options: tuple[str, ...] = ()

    def __call__(self, command: Sequence[str], folder: Path) -> Outcome:
        """Do as apt does."""
        assert folder.is_dir()
        words = [word for word in command if word != "-q"]
        pairs = tuple(words[at + 1] for at, word in enumerate(words) if word == "-o")
        self.options = pairs
        said = [word for word in words if word != "-o" and word not in pairs]
        self.commands.append(" ".join(said))
        if said[1] == "update":
            return Outcome(self.update_status, "", "E: no route\n")
        if said[1] == "madison":
            return Outcome(0, "\n".join(self.listed), "")
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return Outcome(self.status, "", "E: not found\nE: some failed\n")


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """Return an apt configuration with Debian's entry in the newer form."""
    folder = tmp_path / "configuration"
    (folder / "sources.list.d").mkdir(parents=True)
    (folder / "sources.list.d" / "debian.sources").write_text(ENTRY)
    return folder


def source_apt(**changes: object) -> FakeApt:
    """Return an apt that has the source package."""
    rows = ("sprocket | 1:2.4+ds-3 | mirror://debian trixie/main Sources",)
    files = {"sprocket_2.4+ds.orig.tar.xz": TARBALL, "sprocket_2.4+ds.orig.tar.xz.asc": b"-"}
    return replace(FakeApt(listed=rows, files=files), **changes)  # type: ignore[arg-type]


def test_a_source_package_gives_its_upstream_tarball(tmp_path: Path, configuration: Path) -> None:
    """The packaging beside it is no source to learn from."""
    apt = source_apt()

    path = fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)

    assert path == tmp_path / "a" / "sprocket_2.4+ds.orig.tar.xz"
    assert path.read_bytes() == TARBALL
    assert apt.commands == [
        "apt-get update",
        "apt-cache madison sprocket",
        "apt-get source --download-only --only-source sprocket=1:2.4+ds-3",
    ]
    assert sorted(each.name for each in path.parent.iterdir()) == [".apt", path.name]


def test_a_binary_package_gives_its_deb_file(tmp_path: Path, configuration: Path) -> None:
    """Many sources are only had as packages that install them."""
    rows = ("sprocket | 1:2.4+ds-3 | mirror://debian trixie/main amd64 Packages",)
    apt = FakeApt(listed=rows, files={"sprocket_1%3a2.4+ds-3_all.deb": TARBALL})

    path = fetch_debian(BINARY, tmp_path / "a", run=apt, configuration=configuration)

    assert path.name == "sprocket_1%3a2.4+ds-3_all.deb"
    assert apt.commands[-1] == "apt-get download sprocket=1:2.4+ds-3"


def test_the_tarball_is_enough_when_apt_fails(tmp_path: Path, configuration: Path) -> None:
    """Mirrors lose packaging files that nobody here reads."""
    apt = source_apt(status=100)

    path = fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)

    assert path.read_bytes() == TARBALL


def test_what_is_there_is_not_fetched_again(tmp_path: Path, configuration: Path) -> None:
    """A second run works without a network."""
    archives = tmp_path / "a"
    fetch_debian(SOURCE, archives, run=source_apt(), configuration=configuration)
    idle = FakeApt()

    fetch_debian(SOURCE, archives, run=idle, configuration=configuration)

    assert idle.commands == []


def test_a_damaged_archive_is_fetched_again(tmp_path: Path, configuration: Path) -> None:
    """A fetch that broke off must not stay for good."""
    archives = tmp_path / "a"
    archives.mkdir()
    (archives / "sprocket_2.4+ds.orig.tar.xz").write_bytes(TARBALL[:3])

    path = fetch_debian(SOURCE, archives, run=source_apt(), configuration=configuration)

    assert path.read_bytes() == TARBALL


def test_lists_are_read_once_for_all_packages(tmp_path: Path, configuration: Path) -> None:
    """They are tens of megabytes."""
    archives = tmp_path / "a"
    fetch_debian(SOURCE, archives, run=source_apt(), configuration=configuration).unlink()
    apt = source_apt()

    fetch_debian(SOURCE, archives, run=apt, configuration=configuration)

    assert "apt-get update" not in apt.commands


def test_everything_apt_writes_lies_below_the_archives(tmp_path: Path, configuration: Path) -> None:
    """The system's own lists and cache stay as they are."""
    apt = source_apt()

    fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)

    below = f"{tmp_path / 'a' / '.apt'}/"
    folders = {pair.partition("=")[0]: pair.partition("=")[2] for pair in apt.options}
    for name in ("Dir::Etc::sourceparts", "Dir::State::lists", "Dir::Cache"):
        assert folders[name].startswith(below)
    assert (tmp_path / "a/.apt/parts/corpus.sources").read_text() == (
        "Types: deb deb-src\nURIs: mirror://debian\nSuites: bookworm trixie\nComponents: main\n"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sources.list", "deb [arch=amd64 signed-by=/key.gpg] mirror://old bookworm main contrib"),
        (
            "sources.list.d/d.sources",
            "# Types: deb-src\nTypes: deb\nURIs: mirror://old\nSuites: trixie\n"
            "Components: main\nSigned-By: /key.gpg\n",
        ),
    ],
)
def test_the_machines_entry_is_taken_over(tmp_path: Path, name: str, text: str) -> None:
    """Its mirror and its key are what works there; other vendors' and disabled ones are not it."""
    folder = tmp_path / "configuration"
    (folder / "sources.list.d").mkdir(parents=True)
    (folder / "sources.list.d" / "a.list").write_text("deb mirror://vendor stable main\n")
    (folder / "sources.list.d" / "a.sources").write_text(f"Enabled: no\n{ENTRY}")
    (folder / name).write_text(text)

    fetch_debian(SOURCE, tmp_path / "a", run=source_apt(), configuration=folder)

    stanza = (tmp_path / "a/.apt/parts/corpus.sources").read_text()
    assert "URIs: mirror://old\n" in stanza
    assert "Signed-By: /key.gpg\n" in stanza


def test_a_machine_without_debian_is_told_so(tmp_path: Path) -> None:
    """Nothing can be fetched there."""
    with pytest.raises(UsageError, match="no entry of Debian's bookworm or trixie"):
        fetch_debian(SOURCE, tmp_path / "a", run=FakeApt(), configuration=tmp_path)


def test_a_version_no_longer_listed_is_named(tmp_path: Path, configuration: Path) -> None:
    """Debian keeps only the newest; whoever pins has to pin anew."""
    rows = (
        "sprocket | 1:2.5-1 | mirror://debian trixie/main Sources",
        "sprocket | 1:2.4+ds-3 | mirror://debian trixie/main amd64 Packages",
    )
    apt = FakeApt(listed=rows)

    with pytest.raises(UsageError, match=r"1:2\.4\+ds-3 is no longer .*; listed is 1:2\.5-1$"):
        fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)


def test_another_tarball_of_that_name_is_refused(tmp_path: Path, configuration: Path) -> None:
    """The digest says what the corpus is made of, not the name."""
    apt = source_apt(files={"sprocket_2.4+ds.orig.tar.gz": b"something else"})

    with pytest.raises(UsageError, match=r"orig\.tar\.gz: its sha256 is not"):
        fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)

    assert [each.name for each in (tmp_path / "a").iterdir()] == [".apt"]


def test_an_archive_that_cannot_be_had_says_why(tmp_path: Path, configuration: Path) -> None:
    """Apt's first complaint names the file."""
    apt = source_apt(files={}, status=100)

    with pytest.raises(UsageError, match="cannot be had: E: not found"):
        fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)


def test_lists_that_cannot_be_had_are_asked_for_again(tmp_path: Path, configuration: Path) -> None:
    """Half a set-up must not count as one."""
    with pytest.raises(UsageError, match="lists cannot be had: E: no route"):
        fetch_debian(
            SOURCE, tmp_path / "a", run=source_apt(update_status=100), configuration=configuration
        )
    apt = source_apt()

    fetch_debian(SOURCE, tmp_path / "a", run=apt, configuration=configuration)

    assert apt.commands[0] == "apt-get update"


@pytest.mark.parametrize(
    "package",
    [
        replace(SOURCE, registry="npm", kind="", suite=""),
        replace(SOURCE, kind="sdist"),
        replace(SOURCE, suite="sid"),
    ],
)
def test_packages_that_are_not_debians_are_refused(tmp_path: Path, package: Package) -> None:
    """A slip in the table is told before anything is asked."""
    with pytest.raises(UsageError, match="sprocket"):
        fetch_debian(package, tmp_path, run=FakeApt(), configuration=tmp_path)


def test_the_corpus_table_can_be_fetched() -> None:
    """Every row is one of Debian's packages, in the order of the names."""
    table = Path(fetching_debian.__file__).with_name("corpus_debian.toml")

    packages = read_packages(table)

    assert [each.name for each in packages] == sorted(each.name for each in packages)
    assert {each.registry for each in packages} == {"debian"}
    assert {each.kind for each in packages} == {"source", "binary"}
    assert {each.suite for each in packages} <= set(SUITES)
    assert all(each.licence and each.languages for each in packages)
