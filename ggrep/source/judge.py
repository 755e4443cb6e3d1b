"""Decides from rules and names whether an entry is a candidate, or which rule leaves it out.

Weakest first: the built-in lists, `.gitignore`, `.smignore` and `.ggignore`, the patterns of the
settings. A re-inclusion in an ignore file beats the built-in lists; one of our own files also
makes a name eligible that no list knows. Nothing beats the list of secrets.
"""

from dataclasses import dataclass
from enum import Enum

from ggrep.source import eligibility
from ggrep.source.ignore_rules import RuleChain
from ggrep.source.listing import Listing


class Verdict(Enum):
    """What becomes of an entry; the value names the rule where there is one."""

    ELIGIBLE = "eligible"
    IGNORED = "ignored"
    BUILTIN = "builtin"
    DOTFILE = "dotfile"
    EXTENSION = "extension"
    SECRET = "secret"  # noqa: S105 - the name of a rule


@dataclass(frozen=True, slots=True)
class Place:
    """A directory on the way down.

    Attributes:
        prefix: its path below the root with a trailing slash; empty for the root.
        own: rules of `.smignore` and `.ggignore` files; `git` those of `.gitignore` files.
        hidden: it lies in a product directory, where only tracked files are candidates.
    """

    prefix: bytes
    own: RuleChain
    git: RuleChain
    hidden: bool


@dataclass(frozen=True, slots=True)
class Judge:
    """What holds for a whole walk.

    Attributes:
        extra: patterns of the settings.
        listing: None outside a git work tree.
    """

    extra: RuleChain
    listing: Listing | None

    def directory(self, place: Place, path: bytes, name: str) -> Verdict:
        """Return ELIGIBLE when the walk goes into the directory, else why not."""
        own = place.own.decide(path, is_directory=True)
        if own is True or self.extra.decide(path, is_directory=True):
            return Verdict.IGNORED
        listing = self.listing
        if listing is None and place.git.decide(path, is_directory=True):
            return Verdict.IGNORED
        if self.hides(place, path, name) and (
            listing is None or path not in listing.tracked_directories
        ):
            return Verdict.BUILTIN
        if name.startswith(".") and own is None and not eligibility.is_shared_dot_directory(name):
            return Verdict.DOTFILE
        unlisted = listing is not None and path not in listing.directories
        return Verdict.IGNORED if unlisted else Verdict.ELIGIBLE

    def hides(self, place: Place, path: bytes, name: str) -> bool:
        """Tell whether untracked files below this directory are left out as products."""
        return place.hidden or (
            eligibility.is_product_directory(name)
            and place.own.decide(path, is_directory=True) is not False
            and place.git.decide(path, is_directory=True) is not False
        )

    def file(self, place: Place, path: bytes, name: str, *, listable: bool = True) -> Verdict:
        """Return whether anything but a directory is a candidate by its name.

        Args:
            place: the directory it lies in.
            path: its path below the root.
            name: the last part of `path`.
            listable: False for what git never lists: FIFOs, sockets, devices.
        """
        own = place.own.decide(path, is_directory=False)
        if (
            own is True
            or self.extra.decide(path, is_directory=False)
            or self._is_git_ignored(place, path, listable=listable)
        ):
            return Verdict.IGNORED
        if eligibility.is_secret(name):
            return Verdict.SECRET
        if self._is_product(place, path, name, own=own):
            return Verdict.BUILTIN
        if own is False or eligibility.is_text_name(name):
            return Verdict.ELIGIBLE
        return Verdict.DOTFILE if name.startswith(".") else Verdict.EXTENSION

    def _is_git_ignored(self, place: Place, path: bytes, *, listable: bool) -> bool:
        if self.listing is None or not listable:
            return place.git.decide(path, is_directory=False) is True
        return path not in self.listing.tracked and path not in self.listing.untracked

    def _is_product(self, place: Place, path: bytes, name: str, *, own: bool | None) -> bool:
        if place.hidden and (self.listing is None or path not in self.listing.tracked):
            return True
        return (
            eligibility.is_product_file(name)
            and own is not False
            and place.git.decide(path, is_directory=False) is not False
        )
