"""Traverses a tree one directory after the other, and classifies each entry once.

No symbolic link is followed, not even if it replaces a directory during the walk. Only directories,
ignore files and the beginnings of possible texts are opened. A hostile tree can therefore neither
make the walk leave the root nor block it.
"""

import errno
import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config.confined import Linked, NotRegular, TooLarge, read_small
from ggrep.config.declarations import MAX_IGNORE_FILE_BYTES
from ggrep.config.git import is_git_marker
from ggrep.config.settings import Settings
from ggrep.model.files import SkippedFile, SourceFile
from ggrep.parse.source.dir_stack import DirStack, open_dir_stack
from ggrep.parse.source.entry_rules import DirRules, EntryRules, Verdict
from ggrep.parse.source.file_failures import failure_reason
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.ignore_rules import GIT_FILE, OWN_FILES, RuleChain, parse_rules
from ggrep.parse.source.inclusion import inclusion_of
from ggrep.parse.source.links import link_problem
from ggrep.parse.source.notebooks import most_bytes
from ggrep.parse.source.path_keys import printable, problem
from ggrep.parse.source.stamps import Stamp, stamp_of_open
from ggrep.parse.source.unlisted_names import is_text, may_be_text

MOST_LEFT_OUT: Final = 10_000
"""Maximum number of excluded entries that are recorded by name."""
_PLAIN: Final = re.compile(rb"[\w-][\w.-]*(?:/[\w-][\w.-]*)*").fullmatch
"""Matches most paths; `problem` returns None for these."""
_BARE: Final = frozenset({"HEAD", "objects", "refs"})
"""Entries by which a bare repository, which has no work tree, is recognised."""


class Walker:
    """A walk in progress. Directories to visit are in a list, so a tree can have any depth."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        listing: Listing | None,
        apart: frozenset[bytes] = frozenset(),
    ) -> None:
        rules = parse_rules("\n".join(settings.extra_ignores).encode())
        self._root = root
        self._cap = settings.max_file_size_bytes
        inclusion = inclusion_of(settings.profile_include)
        self._judge = EntryRules(RuleChain().with_file(b"", rules), listing, inclusion)
        self._asked_git = listing is not None
        self._apart = apart
        self._ahead: list[DirRules] = []
        self.files: list[SourceFile] = []
        self.included: set[PathKey] = set()
        self.skipped: list[SkippedFile] = []
        self.excluded: Counter[str] = Counter()
        self.left_out: list[tuple[str, str]] = []
        self.ignore_files: list[tuple[PathKey, bytes]] = []
        self.unknown: set[PathKey] = set()
        self.directories: dict[bytes, Stamp | None] = {}
        self.inner: list[bytes] = []
        self.beside: list[SourceFile] = []
        self.unlisted: list[bytes] = []
        self._listed = -1

    def run(self) -> None:
        """Visit the root and everything below it."""
        self._ahead.append(DirRules(b"", RuleChain(), RuleChain(), hidden=False))
        with open_dir_stack(self._root) as stack:
            while self._ahead:
                self._visit(self._ahead.pop(), stack)

    def _visit(self, place: DirRules, stack: DirStack) -> None:
        try:
            self._listed = stack.enter(place.prefix)
            before = stamp_of_open(self._listed)
            with os.scandir(self._listed) as listed:
                entries = sorted(listed, key=_raw_name)
        except OSError as error:
            self._unreadable(place, error)
            return
        self.directories[place.prefix] = before
        names = {entry.name for entry in entries}
        if place.prefix and ".git" in names:
            self.inner.append(place.prefix)
        if self._judge.is_submodule(place.prefix.rstrip(b"/")):
            place = replace(place, git=RuleChain())
        elif place.prefix and self._is_nested(place.prefix, names):
            self._leave_out(place.prefix, "nested_repo")
            return
        try:
            place = self._with_ignore_files(place, names)
        except OSError as error:
            # Files that the ignore file excludes must not be indexed, so the directory counts as
            # unknown.
            self._unreadable(place, error)
            return
        for entry in entries:
            if entry.name != ".git":
                self._entry(place, entry)

    def _unreadable(self, place: DirRules, error: OSError) -> None:
        if not place.prefix:
            raise InvalidRequest(f"{self._root}: cannot be read: {error.strerror}") from error
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            self._lost(place.prefix.rstrip(b"/"), error)

    def _lost(self, path: bytes, error: OSError) -> None:
        """Record an entry whose state the file system did not return; it possibly exists."""
        self._skip(path, failure_reason(error), error.strerror or "cannot be read")
        self.unknown.add(PathKey(os.fsdecode(path)))

    def _with_ignore_files(self, place: DirRules, names: Iterable[str]) -> DirRules:
        chain, git = place.ggignore, place.git
        for name in (GIT_FILE, *OWN_FILES):
            if name not in names:
                continue
            alone = name == GIT_FILE and not place.prefix and not self._asked_git
            data = self._read_ignore_file(place.prefix + name.encode())
            rules = parse_rules(data, sparing=alone)
            if name == GIT_FILE:
                git = git.with_file(place.prefix, rules)
            else:
                chain = chain.with_file(place.prefix, rules)
        return replace(place, ggignore=chain, git=git)

    def _read_ignore_file(self, path: bytes) -> bytes:
        key = PathKey(os.fsdecode(path))
        try:
            data = read_small(self._root, key, cap_bytes=MAX_IGNORE_FILE_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except Linked:
            # git does not follow such links either.
            self._skip(path, "special", "an ignore file that is a symbolic link is not read")
        except NotRegular as error:
            self._skip(path, "special", str(error))
        except TooLarge as error:
            self._skip(path, "too_large", str(error))
        except PermissionError as error:
            self._skip(path, failure_reason(error), error.strerror or str(error))
        else:
            self.ignore_files.append((key, data))
            return data
        return b""

    def _leave_out(self, path: bytes, rule: str) -> None:
        self.excluded[rule] += 1
        if len(self.left_out) < MOST_LEFT_OUT:
            self.left_out.append((printable(os.fsdecode(path)), rule))

    def _entry(self, place: DirRules, entry: os.DirEntry[str]) -> None:
        path = place.prefix + os.fsencode(entry.name)
        try:
            if entry.is_symlink():
                self._link(place, path, entry)
            elif entry.is_dir(follow_symlinks=False):
                self._directory(place, path, entry.name)
            else:
                self._file(place, path, entry)
        except FileNotFoundError:
            return  # deleted since its directory was read: treated as missing
        except OSError as error:
            self._lost(path, error)

    def _directory(self, place: DirRules, path: bytes, name: str) -> None:
        if path in self._apart:
            self._leave_out(path, "own_home")
            return
        verdict = self._judge.directory(place, path, name)
        if verdict is Verdict.SECRET:
            self._skip(path, "secret", "a folder in which programs keep keys or passwords")
        elif verdict is not Verdict.ELIGIBLE and verdict is not Verdict.INCLUDED:
            self._shut_out(place, path, verdict)
        elif self._has_good_name(path):
            below = DirRules(
                path + b"/",
                place.ggignore,
                place.git,
                hidden=self._judge.hides(place, path, name),
                included=self._judge.inclusion.covers(path, included=place.included),
                closed=verdict is Verdict.INCLUDED,
            )
            self._ahead.append(below)

    def _shut_out(self, place: DirRules, path: bytes, verdict: Verdict) -> None:
        if self._judge.is_unlisted(place, path):
            if not os.access(self._root / os.fsdecode(path), os.R_OK | os.X_OK):
                # git does not list such entries, so its listing does not show whether they exist.
                self._lost(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
                return
            self.unlisted.append(path)
        nested = verdict is Verdict.IGNORED and self._is_repository(path)
        self._leave_out(path, "nested_repo" if nested else verdict.value)

    def _link(self, place: DirRules, path: bytes, entry: os.DirEntry[str]) -> None:
        verdict = self._judge.file(place, path, entry.name)
        if verdict is Verdict.SECRET:
            self._skip(path, "secret", "the name of a file with keys or passwords")
            return
        if verdict not in {Verdict.ELIGIBLE, Verdict.INCLUDED, Verdict.EXTENSION}:
            self._leave_out(path, verdict.value)
            return
        where = self._root / os.fsdecode(path)
        reason = link_problem(self._root, str(where), is_text=verdict is not Verdict.EXTENSION)
        if reason is None:
            # The link's target is in the root and is visited under its own name.
            self._leave_out(path, "alias")
        else:
            self._skip(path, *reason)

    def _file(self, place: DirRules, path: bytes, entry: os.DirEntry[str]) -> None:
        regular = entry.is_file(follow_symlinks=False)
        verdict = self._judge.file(place, path, entry.name, listable=regular)
        if verdict is Verdict.EXTENSION and regular and self._is_text(path, entry):
            verdict = Verdict.ELIGIBLE
        if verdict is Verdict.SECRET:
            self._skip(path, "secret", "the name of a file with keys or passwords")
        elif verdict is not Verdict.ELIGIBLE and verdict is not Verdict.INCLUDED:
            self._leave_out(path, verdict.value)
            if regular and self._counts(path, verdict):
                self.beside.append(_source_file(path, entry.stat(follow_symlinks=False)))
        elif not regular:
            self._skip(path, "special", "a FIFO, socket or device")
        elif self._has_good_name(path):
            self._regular(place, path, entry)

    def _regular(self, place: DirRules, path: bytes, entry: os.DirEntry[str]) -> None:
        status = entry.stat(follow_symlinks=False)
        if status.st_size > self._cap:
            most = most_bytes(entry.name, self._cap)
            if status.st_size > most:
                self._skip(path, "too_large", f"{status.st_size} bytes, the limit is {most}")
                return
        self.files.append(_source_file(path, status))
        if self._judge.inclusion.has(path, included=place.included):
            self.included.add(self.files[-1].path_key)

    def _is_text(self, path: bytes, entry: os.DirEntry[str]) -> bool:
        whole = os.fsdecode(path)
        if not may_be_text(whole) or problem(whole) is not None:
            return False
        size = entry.stat(follow_symlinks=False).st_size
        return is_text(entry.name, size, self._listed)

    def _counts(self, path: bytes, verdict: Verdict) -> bool:
        """Return whether edits of an ineligible file matter, see `Walk.beside`."""
        whole = os.fsdecode(path)
        may_be_eligible = verdict is Verdict.EXTENSION and may_be_text(whole)
        return (may_be_eligible or self._judge.is_tracked_file(path)) and problem(whole) is None

    def _has_good_name(self, path: bytes) -> bool:
        reason = None if _PLAIN(path) else problem(os.fsdecode(path))
        if reason is not None:
            self._skip(path, "bad_name", reason)
        return reason is None

    def _is_nested(self, prefix: bytes, names: set[str]) -> bool:
        """Return whether a directory is a separate repository, bare or not."""
        if ".git" in names:
            return self._is_repository(prefix)
        return names >= _BARE and not self._judge.is_tracked(prefix[:-1])

    def _is_repository(self, path: bytes) -> bool:
        return is_git_marker(self._root / os.fsdecode(path) / ".git")

    def _skip(self, path: bytes, reason: str, detail: str) -> None:
        self.skipped.append(SkippedFile(printable(os.fsdecode(path)), reason, detail))


def _raw_name(entry: os.DirEntry[str]) -> bytes:
    return os.fsencode(entry.name)


def _source_file(path: bytes, status: os.stat_result) -> SourceFile:
    return SourceFile(
        PathKey(path.decode()),
        size_bytes=status.st_size,
        mtime_ns=status.st_mtime_ns,
        ctime_ns=status.st_ctime_ns,
        inode=status.st_ino,
    )
