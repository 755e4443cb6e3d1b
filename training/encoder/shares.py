"""How much of a package is learnt from: which of its folders, and how many bytes of them."""

from typing import Final

from msgspec import Struct

from training.encoder.packages import Package

MAX_PACKAGE_BYTES: Final = 1_500_000
"""Taken of one package: the largest would otherwise be most of the corpus."""

_DEBIAN_BYTES: Final = 400_000
_SCARCE_BYTES: Final = 2_500_000
_MOBILE_BYTES: Final = 2_000_000
_SCARCE: Final = frozenset(
    {"bash", "csharp", "elixir", "haskell", "kotlin", "lua", "scala", "swift", "zig"}
)
_MOBILE: Final = frozenset({"kotlin", "swift"})


class Share(Struct, frozen=True):
    """What of an archive is taken.

    Attributes:
        max_bytes: of its sources at most.
        folders: beginnings of paths, the archive's top folder off; nothing else is taken. Empty:
            everything is.
        without: beginnings of paths that are left out all the same.
    """

    max_bytes: int = MAX_PACKAGE_BYTES
    folders: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Return whether a path, the archive's top folder off, is in one of the folders."""
        return (not self.folders or path.startswith(self.folders)) and not (
            path.startswith(self.without)
        )


def share_of(package: Package) -> Share:
    """Return what is taken of a package; its own cap, or that of its registry and languages.

    Debian has many small packages of the common languages and few of the scarce ones.
    """
    max_bytes = package.max_bytes or _usual_bytes(package)
    return Share(max_bytes, package.folders, package.without)


def _usual_bytes(package: Package) -> int:
    if package.registry == "debian":
        return _SCARCE_BYTES if package.languages[0] in _SCARCE else _DEBIAN_BYTES
    return _MOBILE_BYTES if not _MOBILE.isdisjoint(package.languages) else MAX_PACKAGE_BYTES
