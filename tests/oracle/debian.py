"""Debian's archive: binary packages, and source packages as their authors released them."""

import os
import re
from contextlib import suppress
from pathlib import Path

from tests.oracle.clients import Unavailable, downloaded, run
from tests.oracle.packages import DEBIAN_SUITE


class Apt:
    """Debian's archive, source packages included; the machine's own set-up is left as it is."""

    def __init__(self, folder: Path) -> None:
        for part in ("parts", "lists/partial", "cache/archives/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        uri, key = _debian_entry()
        lines = ["Types: deb deb-src", f"URIs: {uri}", f"Suites: {DEBIAN_SUITE}"]
        lines += ["Components: main", f"Signed-By: {key}", ""]
        (folder / "parts" / "oracle.sources").write_text("\n".join(lines))
        self._options = ["-q", "-o", "Dir::Etc::sourcelist=/dev/null"]
        for name, part in (
            ("Dir::Etc::sourceparts", "parts"),
            ("Dir::State::lists", "lists"),
            ("Dir::Cache", "cache"),
        ):
            self._options += ["-o", f"{name}={folder / part}"]
        if os.geteuid() == 0:
            self._options += ["-o", "APT::Sandbox::User=root"]
        if not list((folder / "lists").glob("*_Sources*")):
            run(["apt-get", *self._options, "update"], folder)

    def binary(self, name: str, version: str, work: Path) -> Path:
        """Return a downloaded binary package: the pinned version, else the suite's own."""
        listed = run(["apt-cache", *self._options, "madison", name], work).decode()
        versions = [
            line.split("|")[1].strip() for line in listed.splitlines() if "Packages" in line
        ]
        wanted = _nearest(name, version, versions)
        run(["apt-get", *self._options, "download", f"{name}={wanted}"], work)
        return downloaded(work.glob("*.deb"), name)

    def source(self, name: str, version: str, work: Path) -> Path:
        """Return a downloaded upstream archive: of the pinned version, else the suite's own."""
        command = ["apt-cache", *self._options, "showsrc", "--only-source", name]
        listed = run(command, work).decode()
        versions = re.findall(
            rf"^Package: {re.escape(name)}$.*?^Version: (\S+)$", listed, re.MULTILINE | re.DOTALL
        )
        wanted = _nearest(name, version, versions)
        command = ["apt-get", *self._options, "source", "--download-only", "--only-source"]
        # The packaging files beside it may be gone from a mirror; nobody here needs them.
        with suppress(Unavailable):
            run([*command, f"{name}={wanted}"], work)
        return downloaded(work.glob("*.orig.tar.*[!c]"), name)


def _nearest(name: str, version: str, listed: list[str]) -> str:
    if not listed:
        raise Unavailable(f"{DEBIAN_SUITE} lists no {name}")
    return version if version in listed else listed[0]


def _debian_entry() -> tuple[str, str]:
    """Return the archive's address and key as this machine's apt has them."""
    for path in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", stanza, re.MULTILINE))
            suites = fields.get("Suites", "").split()
            named = any(re.fullmatch(r"[a-z]+", suite) for suite in suites)
            if "deb" in fields.get("Types", "").split() and named and "Signed-By" in fields:
                return fields["URIs"].split()[0], fields["Signed-By"]
    raise Unavailable("apt has no Debian archive set up")
