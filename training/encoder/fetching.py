"""Archives of the corpus, fetched by the registries' own clients and held to their digests."""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ggrep.base.errors import UsageError
from training.encoder import no_build
from training.encoder.archives import digest_of
from training.encoder.clients import Outcome, Runner, run_client
from training.encoder.fetching_debian import debian_archive, fetch_debian
from training.encoder.packages import Package, plain_name

_PIP: Final = (sys.executable, "-m", "pip", "download", "--no-deps", "--ignore-requires-python")
_AS_WHEEL: Final = ("--only-binary", ":all:")
_AS_SOURCE: Final = ("--no-binary", ":all:", "--use-pep517", "--no-build-isolation")
_NPM: Final = ("npm", "pack", "--ignore-scripts", "--pack-destination", ".")
_ENDINGS: Final = {"sdist": (".tar.gz", ".zip"), "wheel": (".whl",), "": (".tgz",)}
_SHOWN_ERRORS: Final = 300


def fetch(package: Package, archives: Path, *, run: Runner = run_client) -> Path:
    """Return a package's archive in a folder, fetched unless it is there already.

    Nothing is built and no script of the package is run. A wheel for one platform can be had on
    that platform only.

    Args:
        package: of any registry.
        archives: holds a folder for each registry; both are made.
        run: runs the client.

    Raises:
        UsageError: the client has not got that version, or its archive has another digest.
    """
    there = archive_of(package, archives)
    if there is not None:
        return there
    folder = archives / package.registry
    if package.registry == "debian":
        return fetch_debian(package, folder, run=run)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as scratch:
        got = Path(scratch, "archive")
        got.mkdir()
        path = _fetched(package, got, _asked(package, Path(scratch), got, run))
        return path.replace(folder / path.name)


def archive_of(package: Package, archives: Path) -> Path | None:
    """Return a package's archive if it is there and has the right digest."""
    folder = archives / package.registry
    if package.registry == "debian":
        return debian_archive(package, folder)
    found = _archives(package, folder) if folder.is_dir() else iter(())
    return next((path for path in found if digest_of(path) == package.sha256), None)


def _asked(package: Package, scratch: Path, got: Path, run: Runner) -> Outcome:
    """Have the client put the archive into the folder `got`."""
    match package.registry, package.kind:
        case "npm", _:
            return run((*_NPM, f"{package.name}@{package.version}"), got)
        case "pypi", "wheel":
            return run((*_PIP, *_AS_WHEEL, "--dest", ".", _pinned(package)), got)
        case "pypi", "sdist":
            backends = scratch / "backends"
            no_build.lay_out(backends)
            # pip hands its environment on to the build system that it asks.
            environment = ("env", f"PYTHONPATH={backends.absolute()}")
            return run((*environment, *_PIP, *_AS_SOURCE, "--dest", ".", _pinned(package)), got)
        case registry, kind:
            raise UsageError(f"{package.name}: {registry} has no packages of kind {kind!r}")


def _pinned(package: Package) -> str:
    return f"{package.name}=={package.version}"


def _fetched(package: Package, folder: Path, outcome: Outcome) -> Path:
    """Return the one archive that the client left, if it is the right one."""
    said = f"{package.registry} package {package.name} {package.version}"
    found = list(_archives(package, folder))
    if outcome.status or len(found) != 1:
        why = outcome.errors.strip()[-_SHOWN_ERRORS:] or "no such archive came"
        raise UsageError(f"{said} cannot be fetched: {why}")
    digest = digest_of(found[0])
    if digest != package.sha256:
        raise UsageError(f"{said}: digest {digest}, not {package.sha256} as the corpus says")
    return found[0]


def _archives(package: Package, folder: Path) -> Iterator[Path]:
    """Yield the files named like a package's archive; clients write separators as they like."""
    begin = plain_name(f"{package.name}-{package.version}").replace("/", "-")
    for path in sorted(folder.iterdir()):
        if path.name.endswith(_ENDINGS[package.kind]) and plain_name(path.name).startswith(begin):
            yield path
