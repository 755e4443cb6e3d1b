"""How this build of ggrep came here, and what removes it."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import invalidate_caches, metadata, util
from pathlib import Path
from typing import Final

ONE_CALL: Final = "uvx"
"""It was fetched for one call, into a cache."""
_UNKNOWN: Final = "unknown"
_PIPS: Final = frozenset({"pip", "uv"})
_RECEIPTS: Final = {"uv-receipt.toml": ("uv", "tool"), "pipx_metadata.json": ("pipx",)}
"""What programs that install tools leave in the environment of each."""
_CACHE_MARK: Final = "CACHEDIR.TAG"


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed package.

    Attributes:
        installer: what brought it, for people.
        remove: the command that removes it; empty where nobody knows, or nothing has to be.
    """

    installer: str
    remove: tuple[str, ...] = ()


def installation() -> Installation:
    """Return how the running build was installed."""
    try:
        named = metadata.distribution("ggrep").read_text("INSTALLER") or ""
    except metadata.PackageNotFoundError:
        return Installation(_UNKNOWN)
    return installation_in(Path(sys.prefix), sys.executable, named.strip())


def is_installed() -> bool:
    """Return whether the package is still there."""
    invalidate_caches()
    try:
        metadata.distribution("ggrep")
    except metadata.PackageNotFoundError:
        return False
    return True


def installation_in(
    prefix: Path,
    python: str,
    named: str,
    *,
    which: Callable[[str], str | None] = shutil.which,
    has_pip: Callable[[], bool] = lambda: util.find_spec("pip") is not None,
) -> Installation:
    """Return how a package was installed, from what its environment says.

    Args:
        prefix: of the environment.
        python: its interpreter.
        named: what the package's record says of its installer.
        which: finds a program.
        has_pip: tells whether that interpreter has pip.
    """
    for receipt, tool in _RECEIPTS.items():
        if (prefix / receipt).is_file():
            return Installation(" ".join(tool), (*tool, "uninstall", "ggrep"))
    remove: tuple[str, ...] = ()
    if named == "uv" and any((above / _CACHE_MARK).is_file() for above in prefix.parents):
        named = ONE_CALL
    elif named in _PIPS and has_pip():
        remove = python, "-m", "pip", "uninstall", "--yes", "ggrep"
    elif named in _PIPS and which("uv"):
        remove = "uv", "pip", "uninstall", "--python", python, "ggrep"
    return Installation(named or _UNKNOWN, remove)
