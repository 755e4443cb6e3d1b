"""A list of a thousand packages, and what is made of their archives."""

import io
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from bench.many_packages import (
    EDITED_OF_EACH,
    LISTED,
    NPM_TO_ONE,
    Package,
    fork,
    in_order,
    listed,
    unpack,
)


def npm_archive(path: Path, *names: str) -> Path:
    """Write an archive of npm, with what a directory and a link take."""
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(f"package/{name}")
            member.size = 2
            archive.addfile(member, io.BytesIO(b"1\n"))
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "index.js"
        archive.addfile(link)
    return path


def wheel(path: Path, *names: str) -> Path:
    """Write a wheel."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "1\n")
    return path


def files(root: Path) -> list[str]:
    """Return the files below a directory."""
    return sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file())


def test_a_thousand_packages_are_listed_in_order() -> None:
    """A sorted list shows in a diff what was replaced."""
    lines = LISTED.read_text("utf-8").splitlines()

    assert lines == sorted(set(lines))
    assert Counter(line.split(" ")[0] for line in lines) == {"npm": 800, "pypi": 200}


def test_each_package_has_a_directory_of_its_own() -> None:
    """On file systems too that do not tell capitals from small letters."""
    folders = [package.folder.lower() for package in listed()]

    assert len(set(folders)) == len(folders)


def test_a_package_is_named_as_its_registry_names_it() -> None:
    """Scopes of npm hold an @ themselves."""
    scoped, plain = Package("npm", "@scope/name@1.0.0-a.1"), Package("pypi", "zope-event==5.0")

    assert (scoped.folder, scoped.version) == ("scope-name", "1.0.0-a.1")
    assert (plain.folder, plain.version) == ("zope-event", "5.0")


def test_a_beginning_is_mixed_like_the_whole() -> None:
    """Figures of the first hundred and of all thousand speak of the same kind of workspace."""
    ordered = in_order(listed())

    assert sorted(ordered, key=str) == sorted(listed(), key=str)
    for number in range(0, len(ordered), NPM_TO_ONE + 1):
        counted = Counter(package.registry for package in ordered[:number])
        assert counted["npm"] == NPM_TO_ONE * counted["pypi"]


def test_the_order_is_not_that_of_the_list() -> None:
    """By name, a beginning would hold little but one publisher's packages."""
    assert in_order(listed()) == in_order(listed()[::-1])
    assert in_order(listed())[:2] != listed()[:2]


def test_archives_of_both_registries_become_directories(tmp_path: Path) -> None:
    """Without what they bring along of others."""
    brought = ("index.js", "lib/a.js", "node_modules/other/index.js", "lib/node_modules/b.js")
    unpack(npm_archive(tmp_path / "a-1.0.tgz", *brought), tmp_path / "a")
    unpack(wheel(tmp_path / "b-1.0-py3-none-any.whl", *brought), tmp_path / "b")

    assert files(tmp_path / "a") == files(tmp_path / "b") == ["index.js", "lib/a.js"]


def test_an_archive_that_breaks_off_leaves_no_directory(tmp_path: Path) -> None:
    """What is there is taken for whole by the next run."""
    archive = npm_archive(tmp_path / "a-1.0.tgz", *(f"{number}.js" for number in range(99)))
    archive.write_bytes(archive.read_bytes()[:-200])

    with pytest.raises(EOFError):
        unpack(archive, tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == ["a-1.0.tgz"]


def test_a_fork_differs_in_every_tenth_file(tmp_path: Path) -> None:
    """As forks do: most of their texts are those of the repository that they come from."""
    root = tmp_path / "services/a"
    root.mkdir(parents=True)
    for number in range(2 * EDITED_OF_EACH):
        (root / f"{number:02}.js").write_text("1\n")
    made = fork(root, 1)
    texts = Counter(file.read_text() for file in made.iterdir())

    assert files(made) == files(root)
    assert sorted(texts.values()) == [2, 2 * EDITED_OF_EACH - 2]
    assert fork(root, 1) == made
    assert sorted(path.name for path in root.parent.iterdir()) == ["a", "a--1"]
