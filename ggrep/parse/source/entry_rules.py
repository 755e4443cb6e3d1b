"""Decides from rules and names whether an entry is a candidate, or which rule excludes it.

The rules in increasing order of precedence: the built-in lists, a profile's inclusions,
`.gitignore`, `.smignore` and `.ggignore`, the patterns of the settings. A re-inclusion in an ignore
file overrides the built-in lists; in a `.smignore` or `.ggignore`, it also makes files eligible
whose names no list contains. The list of secrets overrides everything.
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
    """The decision about an entry; its value is the decisive rule, if any."""

    ELIGIBLE = "eligible"
    INCLUDED = "included"
    """The entry is eligible only because a profile includes it."""
    IGNORED = "ignored"
    BUILTIN = "builtin"
    DOTFILE = "dotfile"
    EXTENSION = "extension"
    SECRET = "secret"  # noqa: S105 - the name of a rule


class DirRules(Struct, frozen=True):
    """The rules that apply in one directory of the walk.

    Attributes:
        prefix: the directory's path below the root, with a trailing slash; empty for the root.
        ggignore: rules of `.smignore` and `.ggignore` files; `git`: rules of `.gitignore` files.
        hidden: whether the directory is in a product directory, where only tracked files are
            candidates.
        included: whether a profile includes everything in the directory.
        closed: whether the directory was entered only because a profile includes something below
            it; nothing else in it is a candidate.
    """

    prefix: bytes
    ggignore: RuleChain
    git: RuleChain
    hidden: bool
    included: bool = False
    closed: bool = False


class EntryRules(Struct, frozen=True):
    """The rules of a whole walk.

    Attributes:
        extra: patterns of the settings.
        listing: git's listing; None outside of a git work tree.
        inclusion: the additions of the current profile.
    """

    extra: RuleChain
    listing: Listing | None
    inclusion: Inclusion = field(default_factory=lambda: inclusion_of(()))

    def directory(self, place: DirRules, path: bytes, name: str) -> Verdict:
        """Return ELIGIBLE or INCLUDED to enter a directory, else the rule that excludes it."""
        ignored, listing = place.ggignore.decide(path, is_directory=True), self.listing
        if (
            ignored is True
            or self.extra.decide(path, is_directory=True)
            or (listing is None and place.git.decide(path, is_directory=True))
        ):
            return Verdict.IGNORED
        listed = listing is None or path in listing.directories
        if listed and is_private_directory(os.fsdecode(path)):
            return Verdict.SECRET
        shut = self._shut(place, path, name, ignored=ignored)
        if shut is not None and not self.inclusion.leads_into(path, included=place.included):
            return shut
        if not listed:
            return Verdict.IGNORED
        return Verdict.ELIGIBLE if shut is None else Verdict.INCLUDED

    def is_submodule(self, path: bytes) -> bool:
        """Return whether a directory is the top level of a submodule whose files git listed."""
        return self.listing is not None and path in self.listing.submodules

    def is_tracked(self, path: bytes) -> bool:
        """Return whether a directory contains a file in git's index."""
        return self.listing is not None and path in self.listing.tracked_directories

    def is_tracked_file(self, path: bytes) -> bool:
        """Return whether a file is in git's index."""
        return self.listing is not None and path in self.listing.tracked

    def is_unlisted(self, place: DirRules, path: bytes) -> bool:
        """Return whether git listed no file of a directory that no rule excludes."""
        return (
            self.listing is not None
            and path not in self.listing.directories
            and place.ggignore.decide(path, is_directory=True) is not True
            and not self.extra.decide(path, is_directory=True)
            and place.git.decide(path, is_directory=True) is not True
            and self._shut(
                place, path, path.rpartition(b"/")[2].decode(errors="replace"), ignored=None
            )
            is None
        )

    def _shut(
        self, place: DirRules, path: bytes, name: str, *, ignored: bool | None
    ) -> Verdict | None:
        """Return the rule by which a built-in list excludes a directory; None if no list does."""
        if place.closed or (self.hides(place, path, name) and not self.is_tracked(path)):
            return Verdict.BUILTIN
        hidden = name.startswith(".") and ignored is None
        return Verdict.DOTFILE if hidden and not is_shared_dot_directory(name) else None

    def hides(self, place: DirRules, path: bytes, name: str) -> bool:
        """Return whether the untracked files in a directory are excluded as build products."""
        return place.hidden or (
            eligibility.is_product_directory(name)
            and place.ggignore.decide(path, is_directory=True) is not False
            and place.git.decide(path, is_directory=True) is not False
        )

    def file(self, place: DirRules, path: bytes, name: str, *, listable: bool = True) -> Verdict:
        """Return the decision, based on the name, about an entry that is not a directory.

        Args:
            place: the entry's directory.
            path: the entry's path below the root.
            name: the last part of `path`.
            listable: False for entries that git does not list: FIFOs, sockets, devices.
        """
        ignored = place.ggignore.decide(path, is_directory=False)
        if (
            ignored is True
            or self.extra.decide(path, is_directory=False)
            or self._is_git_ignored(place, path, listable=listable)
        ):
            return Verdict.IGNORED
        if is_secret(os.fsdecode(path)):
            return Verdict.SECRET
        verdict = self._by_name(place, path, name, ignored=ignored)
        if verdict is not Verdict.ELIGIBLE and self.inclusion.has(path, included=place.included):
            return Verdict.INCLUDED
        return verdict

    def _by_name(self, place: DirRules, path: bytes, name: str, *, ignored: bool | None) -> Verdict:
        """Return the built-in lists' decision about a file that no rule ignores."""
        if place.closed or self._is_product(place, path, name, ignored=ignored):
            return Verdict.BUILTIN
        if ignored is False or eligibility.is_text_name(name):
            return Verdict.ELIGIBLE
        return Verdict.DOTFILE if name.startswith(".") else Verdict.EXTENSION

    def _is_git_ignored(self, place: DirRules, path: bytes, *, listable: bool) -> bool:
        if self.listing is None or not listable:
            return place.git.decide(path, is_directory=False) is True
        return path not in self.listing.tracked and path not in self.listing.untracked

    def _is_product(self, place: DirRules, path: bytes, name: str, *, ignored: bool | None) -> bool:
        if place.hidden and (self.listing is None or path not in self.listing.tracked):
            return True
        return (
            eligibility.is_product_file(name)
            and ignored is not False
            and place.git.decide(path, is_directory=False) is not False
        )
