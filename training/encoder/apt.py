"""An apt of the corpus's own, kept below a folder.

It takes over the machine's own Debian entry, so that a mirror or proxy stays in use, and adds
source packages and the suites of the corpus. The system's lists, cache and configuration are
neither changed nor consulted beyond that entry.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from training.encoder.clients import Outcome, Runner

SUITES: Final = ("bookworm", "trixie")
CONFIGURATION: Final = Path("/etc/apt")

_ARCHITECTURE: Final = "amd64"
_ENTRY_LINE: Final = re.compile(r"deb\s+(?:\[([^]]*)]\s+)?(\S+)\s+(\S+)\s+(.+)")
_FIELD: Final = re.compile(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE)
_SIGNED_BY: Final = re.compile(r"signed-by=(\S+)")


class _Entry(Struct, frozen=True):
    """Where the machine gets Debian from; `signed_by` is a path, a key, or nothing."""

    address: str
    signed_by: str


def set_up(folder: Path, run: Runner, configuration: Path) -> tuple[str, ...]:
    """Return the options that keep apt within a folder, once its package lists are there.

    Args:
        folder: absolute; what is in it is used again.
        run: runs apt.
        configuration: apt's own, with the machine's Debian entry.

    Raises:
        UsageError: the machine has no such entry, or the lists cannot be had.
    """
    # The mark is written last: a set-up whose lists were cut short is read anew.
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
        raise UsageError(f"Debian's package lists cannot be had: {last_complaint(outcome)}")
    mark.touch()
    return options


def last_complaint(outcome: Outcome) -> str:
    """Return why apt failed, in its words."""
    lines = [line.strip() for line in outcome.errors.splitlines()]
    complaints = [line for line in lines if line.startswith("E:")]
    return complaints[0] if complaints else f"apt ended with status {outcome.status}"


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
