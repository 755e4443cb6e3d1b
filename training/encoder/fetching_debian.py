"""Archives of Debian packages, fetched by an apt whose set-up lies below the archives."""

import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ggrep.base.errors import UsageError
from training.encoder.apt import CONFIGURATION, SUITES, last_complaint, set_up
from training.encoder.archives import digest_of
from training.encoder.clients import Outcome, Runner, run_client
from training.encoder.packages import Package

_SET_UP: Final = ".apt"
_COMPRESSIONS: Final = ("xz", "gz", "bz2")
_EPOCH: Final = re.compile(r"^\d+:")


def fetch_debian(
    package: Package,
    archives: Path,
    *,
    run: Runner = run_client,
    configuration: Path = CONFIGURATION,
) -> Path:
    """Return a package's archive in `archives`, fetched unless it is there already.

    That is the `.deb` file of a binary package, the upstream tarball of a source package.

    Args:
        package: one of either kind, of one of `SUITES`.
        archives: is made; the set-up lies in it and is used again by the next package.
        run: runs apt.
        configuration: apt's own, with the machine's Debian entry.

    Raises:
        UsageError: the package is none of Debian's, the version is no longer listed, the archive
            cannot be had, or it is not the one that the digest stands for.
    """
    _check(package)
    archives.mkdir(parents=True, exist_ok=True)
    there = debian_archive(package, archives)
    if there is not None:
        return there
    options = set_up(archives.absolute() / _SET_UP, run, configuration)
    _refuse_unlisted(package, run(("apt-cache", *options, "madison", package.name), archives))
    with TemporaryDirectory(dir=archives) as folder:
        outcome = run((*_fetching(package, options), _pinned(package)), Path(folder))
        # A source package has two more files, and apt fails when either cannot be had. Only the
        # tarball is wanted: its digest decides, not the exit status.
        fetched = debian_archive(package, Path(folder))
        if fetched is None:
            raise UsageError(_why_not(package, Path(folder), outcome))
        return fetched.replace(archives / fetched.name)


def _check(package: Package) -> None:
    if package.registry != "debian" or package.kind not in {"source", "binary"}:
        raise UsageError(f"{package.name}: neither a source nor a binary package of Debian")
    if package.suite not in SUITES:
        raise UsageError(f"{package.name}: unknown suite {package.suite!r}")


def _pinned(package: Package) -> str:
    return f"{package.name}={package.version}"


def _fetching(package: Package, options: Iterable[str]) -> tuple[str, ...]:
    if package.kind == "binary":
        return ("apt-get", *options, "download")
    return ("apt-get", *options, "source", "--download-only", "--only-source")


def debian_archive(package: Package, folder: Path) -> Path | None:
    """Return a package's archive in a folder if it is there and has the right digest."""
    found = _archives_in(folder, package)
    return next((path for path in found if digest_of(path) == package.sha256), None)


def _archives_in(folder: Path, package: Package) -> list[Path]:
    """Return the files whose names are those of the package's archive."""
    if package.kind == "binary":
        # apt writes the colon of an epoch as file systems bear it.
        return sorted(folder.glob(f"{package.name}_{package.version.replace(':', '%3a')}_*.deb"))
    upstream = _EPOCH.sub("", package.version).rpartition("-")[0]
    names = (f"{package.name}_{upstream}.orig.tar.{suffix}" for suffix in _COMPRESSIONS)
    return [folder / name for name in names if (folder / name).is_file()]


def _why_not(package: Package, folder: Path, outcome: Outcome) -> str:
    other = _archives_in(folder, package)
    if other:
        return f"{other[0].name}: its sha256 is not {package.sha256}"
    return f"{package.name} {package.version} cannot be had: {last_complaint(outcome)}"


def _refuse_unlisted(package: Package, outcome: Outcome) -> None:
    """Raise unless a line `name | version | where Packages` lists the version; or `Sources`."""
    index = "Packages" if package.kind == "binary" else "Sources"
    rows = [line.split("|") for line in outcome.output.splitlines()]
    listed = [row[1].strip() for row in rows if len(row) == 3 and row[2].split()[-1:] == [index]]
    if package.version not in listed:
        others = f"; listed is {', '.join(dict.fromkeys(listed))}" if listed else ""
        raise UsageError(
            f"{package.name} {package.version} is no longer a {package.kind} package "
            f"of {' or '.join(SUITES)}{others}"
        )
