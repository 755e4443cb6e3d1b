"""Decides from rules and names whether an entry is a candidate, or which rule excludes it.

Weakest first: the built-in lists, what a profile includes, `.gitignore`, `.smignore` and
`.ggignore`, the patterns of the settings. A re-inclusion in an ignore file beats the built-in
lists; one of our own files also makes a name eligible that no list knows. Nothing beats the list
of secrets.
"""

import os
from enum import Enum

from msgspec import Struct, field

from ggrep.parse.source import eligibility
from ggrep.parse.source.eligibility import is_shared_dot_directory
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.ignore_rules import RuleChain
from ggrep.parse.source.inclusion import Inclusion, inclusion_of
from ggrep.parse.source.secret_files import is_private_directory, is_secret


class Verdict(Enum):
    """What becomes of an entry; the value names the rule where there is one."""

    ELIGIBLE = "eligible"
    INCLUDED = "included"
    """Eligible for a profile's sake alone."""
    IGNORED = "ignored"
    BUILTIN = "builtin"
    DOTFILE = "dotfile"
    EXTENSION = "extension"
    SECRET = "secret"  # noqa: S105 - the name of a rule


class Place(Struct, frozen=True):
    """A directory on the way down.

    Attributes:
        prefix: its path below the root with a trailing slash; empty for the root.
        own: rules of `.smignore` and `.ggignore` files; `git` those of `.gitignore` files.
        hidden: it lies in a product directory, where only tracked files are candidates.
        included: a profile includes all that lies in it.
        closed: it was gone into for a profile's sake alone: nothing else in it is a candidate.
    """

    prefix: bytes
    own: RuleChain
    git: RuleChain
    hidden: bool
    included: bool = False
    closed: bool = False


class EntryRules(Struct, frozen=True):
    """What holds for a whole walk.

    Attributes:
        extra: patterns of the settings.
        listing: None outside a git work tree.
        inclusion: what the profile in force adds.
    """

    extra: RuleChain
    listing: Listing | None
    inclusion: Inclusion = field(default_factory=lambda: inclusion_of(()))

    def directory(self, place: Place, path: bytes, name: str) -> Verdict:
        """Return ELIGIBLE or INCLUDED when the walk goes into the directory, else why not."""
        own, listing = place.own.decide(path, is_directory=True), self.listing
        if (
            own is True
            or self.extra.decide(path, is_directory=True)
            or (listing is None and place.git.decide(path, is_directory=True))
        ):
            return Verdict.IGNORED
        listed = listing is None or path in listing.directories
        if listed and is_private_directory(os.fsdecode(path)):
            return Verdict.SECRET
        shut = self._shut(place, path, name, own=own)
        if shut is not None and not self.inclusion.leads_into(path, included=place.included):
            return shut
        if not listed:
            return Verdict.IGNORED
        return Verdict.ELIGIBLE if shut is None else Verdict.INCLUDED

    def is_submodule(self, path: bytes) -> bool:
        """Tell whether a directory is the top of a submodule, whose files git listed."""
        return self.listing is not None and path in self.listing.submodules

    def is_tracked(self, path: bytes) -> bool:
        """Tell whether a directory holds a file in git's index."""
        return self.listing is not None and path in self.listing.tracked_directories

    def is_unlisted(self, place: Place, path: bytes) -> bool:
        """Tell whether git listed nothing in a directory that no rule leaves out."""
        return (
            self.listing is not None
            and path not in self.listing.directories
            and place.own.decide(path, is_directory=True) is not True
            and not self.extra.decide(path, is_directory=True)
            and place.git.decide(path, is_directory=True) is not True
            and self._shut(place, path, path.rpartition(b"/")[2].decode(errors="replace"), own=None)
            is None
        )

    def _shut(self, place: Place, path: bytes, name: str, *, own: bool | None) -> Verdict | None:
        """Return the rule by which the built-in lists leave a directory out; None for none."""
        if place.closed or (self.hides(place, path, name) and not self.is_tracked(path)):
            return Verdict.BUILTIN
        hidden = name.startswith(".") and own is None
        return Verdict.DOTFILE if hidden and not is_shared_dot_directory(name) else None

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
        if is_secret(os.fsdecode(path)):
            return Verdict.SECRET
        said = self._by_name(place, path, name, own=own)
        if said is not Verdict.ELIGIBLE and self.inclusion.has(path, included=place.included):
            return Verdict.INCLUDED
        return said

    def _by_name(self, place: Place, path: bytes, name: str, *, own: bool | None) -> Verdict:
        """Return what the built-in lists make of a file that nobody ignores."""
        if place.closed or self._is_product(place, path, name, own=own):
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
