"""The whole corpus in a folder: archives fetched, and trees unpacked from them, by registry."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from training.encoder.clients import Runner, run_client
from training.encoder.fetching import archive_of, fetch
from training.encoder.packages import Package, excluded, read_packages
from training.encoder.shares import share_of
from training.encoder.unpacking import unpack

LISTS: Final = tuple(
    Path(__file__).with_name(f"corpus_{registry}.toml") for registry in ("debian", "npm", "pypi")
)

Tell = Callable[[str], None]
"""Takes a line about a package that was left out."""


class Done(Struct):
    """What came of a step.

    Attributes:
        packages: that it was done for.
        left_out: that it could not be done for.
        files: written; 0 when fetching.
    """

    packages: int = 0
    left_out: int = 0
    files: int = 0


def read_corpus(exclusions: frozenset[str], lists: tuple[Path, ...] = LISTS) -> tuple[Package, ...]:
    """Return the packages of all lists.

    Raises:
        UsageError: a list is wrong, or a package on it has an excluded name.
    """
    packages = tuple(package for path in lists for package in read_packages(path))
    for package in packages:
        if excluded(package.name, exclusions):
            raise UsageError(f"{package.registry} package {package.name} is excluded, yet listed")
    return packages


def fetch_all(
    packages: tuple[Package, ...], folder: Path, tell: Tell, *, run: Runner = run_client
) -> Done:
    """Fetch the archives into `folder/archives`; one that cannot be had is told and left out."""
    done = Done()
    for package in packages:
        try:
            fetch(package, folder / "archives", run=run)
        except UsageError as error:
            tell(str(error))
            done.left_out += 1
        else:
            done.packages += 1
    return done


def unpack_all(
    packages: tuple[Package, ...], folder: Path, exclusions: frozenset[str], tell: Tell
) -> Done:
    """Unpack the archives anew into `folder/sources`; trees of other packages are deleted.

    A package without an archive is told and left out, and so is one whose archive is damaged.
    """
    done = Done()
    for stray in strays(packages, folder):
        shutil.rmtree(stray)
    for package in packages:
        tree = _tree(package, folder)
        if tree.exists():
            shutil.rmtree(tree)
        try:
            archive = _archive(package, folder)
            done.files += unpack(archive, tree, exclusions, share=share_of(package)).files
        except UsageError as error:
            # What a damaged archive gave until then is not to be mined.
            shutil.rmtree(tree, ignore_errors=True)
            tell(str(error))
            done.left_out += 1
        else:
            done.packages += 1
    return done


def strays(packages: tuple[Package, ...], folder: Path) -> Iterator[Path]:
    """Yield the trees in `folder/sources` that belong to no package."""
    trees = {_tree(package, folder) for package in packages}
    yield from sorted(set(folder.glob("sources/*/*")) - trees)


def _archive(package: Package, folder: Path) -> Path:
    found = archive_of(package, folder / "archives")
    if found is None:
        raise UsageError(f"{package.registry} package {package.name} is not fetched")
    return found


def _tree(package: Package, folder: Path) -> Path:
    return folder / "sources" / package.registry / package.folder_name
