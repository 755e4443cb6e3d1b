"""Archives of Debian packages, fetched by apt in a set-up of its own below the archives.

The set-up takes over the machine's own Debian entry, so that a mirror or proxy stays in use, and
adds source packages and the suites of the corpus. The system's lists, cache and configuration
are neither changed nor consulted beyond that entry.
"""

import hashlib
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ggrep.errors import UsageError
from ggrep.evaluation.training.packages import Package

SUITES: Final = ("bookworm", "trixie")
CONFIGURATION: Final = Path("/etc/apt")

_SET_UP: Final = ".apt"
_ARCHITECTURE: Final = "amd64"
_CLIENT_SECONDS: Final = 900
_COMPRESSIONS: Final = ("xz", "gz", "bz2")
_ENTRY_LINE: Final = re.compile(r"deb\s+(?:\[([^]]*)]\s+)?(\S+)\s+(\S+)\s+(.+)")
_FIELD: Final = re.compile(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE)
_SIGNED_BY: Final = re.compile(r"signed-by=(\S+)")
_EPOCH: Final = re.compile(r"^\d+:")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a client ended: its exit status and what it wrote."""

    status: int
    output: str
    errors: str


Runner = Callable[[Sequence[str], Path], Outcome]
"""Runs a command in a folder to its end."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where the machine gets Debian from; `signed_by` is a path, a key, or nothing."""

    address: str
    signed_by: str


def run_client(command: Sequence[str], folder: Path) -> Outcome:
    """Run a command without a terminal and return how it ended.

    Raises:
        UsageError: it is not installed, or was not done in time.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the command is ours, its words come from checked tables
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CLIENT_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise UsageError(f"{command[0]} is not installed; Debian packages need it") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{command[0]} was not done after {_CLIENT_SECONDS} s") from error
    return Outcome(done.returncode, done.stdout, done.stderr)


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
    there = _intact(package, archives)
    if there is not None:
        return there
    options = _set_up(archives.absolute() / _SET_UP, run, configuration)
    _refuse_unlisted(package, run(("apt-cache", *options, "madison", package.name), archives))
    with TemporaryDirectory(dir=archives) as folder:
        outcome = run((*_fetching(package, options), _pinned(package)), Path(folder))
        # A source package has two more files, and apt fails when either cannot be had. Only the
        # tarball is wanted: its digest decides, not the exit status.
        fetched = _intact(package, Path(folder))
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


def _intact(package: Package, folder: Path) -> Path | None:
    """Return the archive in a folder if it is there and has the right digest."""
    return next((path for path in _archives_in(folder, package) if _is(path, package)), None)


def _archives_in(folder: Path, package: Package) -> list[Path]:
    """Return the files whose names are those of the package's archive."""
    if package.kind == "binary":
        # apt writes the colon of an epoch as file systems bear it.
        return sorted(folder.glob(f"{package.name}_{package.version.replace(':', '%3a')}_*.deb"))
    upstream = _EPOCH.sub("", package.version).rpartition("-")[0]
    names = (f"{package.name}_{upstream}.orig.tar.{suffix}" for suffix in _COMPRESSIONS)
    return [folder / name for name in names if (folder / name).is_file()]


def _is(path: Path, package: Package) -> bool:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == package.sha256


def _why_not(package: Package, folder: Path, outcome: Outcome) -> str:
    other = _archives_in(folder, package)
    if other:
        return f"{other[0].name}: its sha256 is not {package.sha256}"
    return f"{package.name} {package.version} cannot be had: {_last_complaint(outcome)}"


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


def _last_complaint(outcome: Outcome) -> str:
    lines = [line.strip() for line in outcome.errors.splitlines()]
    complaints = [line for line in lines if line.startswith("E:")]
    return complaints[0] if complaints else f"apt ended with status {outcome.status}"


def _set_up(folder: Path, run: Runner, configuration: Path) -> tuple[str, ...]:
    """Return the options that keep apt within a folder, once its package lists are there.

    The mark is written last: a set-up whose lists were cut short is read anew.
    """
    options = _options(folder)
    mark = folder / "ready"
    if mark.exists():
        return options
    entry = _debian_entry(configuration)
    for below in ("parts", "lists/partial", "cache/archives/partial"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    (folder / "parts" / "corpus.sources").write_text(_stanza(entry), encoding="utf-8")
    outcome = run(("apt-get", *options, "update"), folder)
    if outcome.status != 0:
        raise UsageError(f"Debian's package lists cannot be had: {_last_complaint(outcome)}")
    mark.touch()
    return options


def _options(folder: Path) -> tuple[str, ...]:
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": f"{folder}/parts",
        "Dir::State::lists": f"{folder}/lists",
        "Dir::Cache": f"{folder}/cache",
        # Compiled packages are pinned by digest, whatever the machine is.
        "APT::Architecture": _ARCHITECTURE,
        "APT::Architectures": _ARCHITECTURE,
        # Else root's apt fetches as a user who may not write here.
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "1",
    }
    return ("-q", *(word for pair in settings.items() for word in ("-o", "=".join(pair))))


def _stanza(entry: _Entry) -> str:
    signed = f"Signed-By: {entry.signed_by}\n" if entry.signed_by else ""
    return (
        f"Types: deb deb-src\nURIs: {entry.address}\nSuites: {' '.join(SUITES)}\n"
        f"Components: main\n{signed}"
    )


def _debian_entry(configuration: Path) -> _Entry:
    """Return the first entry of a suite of the corpus, in either of apt's two forms."""
    parts = configuration / "sources.list.d"
    for path in sorted(parts.glob("*.sources")):
        for entry in _stanza_entries(path.read_text(encoding="utf-8")):
            return entry
    for path in (configuration / "sources.list", *sorted(parts.glob("*.list"))):
        for entry in _line_entries(path.read_text(encoding="utf-8") if path.exists() else ""):
            return entry
    raise UsageError(f"{configuration}: no entry of Debian's {' or '.join(SUITES)}")


def _stanza_entries(text: str) -> Iterator[_Entry]:
    said = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", said):
        fields = {each[1].lower(): each[2].strip() for each in _FIELD.finditer(stanza)}
        suites, components = fields.get("suites", ""), fields.get("components", "")
        named = "deb" in fields.get("types", "").split() and fields.get("uris")
        if named and fields.get("enabled", "yes") != "no" and _is_debian(suites, components):
            yield _Entry(fields["uris"].split()[0], fields.get("signed-by", ""))


def _line_entries(text: str) -> Iterator[_Entry]:
    for line in text.splitlines():
        match = _ENTRY_LINE.match(line.strip())
        if match and _is_debian(match[3], match[4]):
            key = _SIGNED_BY.search(match[1] or "")
            yield _Entry(match[2], key[1] if key else "")


def _is_debian(suites: str, components: str) -> bool:
    # Entries of other vendors name suites of their own, or no `main`.
    return not set(SUITES).isdisjoint(suites.split()) and "main" in components.split()
