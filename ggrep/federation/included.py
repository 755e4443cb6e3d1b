"""Directories that a workspace file's `include` globs mean; each of them is a repository's.

`*`, `?`, `[ab]` and `{a,b}` stand for names of one directory, hidden ones aside; `**` for any
number of directories, and then only those are meant that hold `.git` or `.ggrep.toml`. Links are
followed where a name is matched and nowhere below `**`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from wcmatch import fnmatch

from ggrep.base.errors import Issue, WorkspaceError
from ggrep.config.files import REPO_FILE
from ggrep.config.git import is_git_marker
from ggrep.federation.validation import SHAPE, Locate, RootProblem
from ggrep.federation.workspace_draft import (
    MAX_REPOS,
    EntryDraft,
    IncludeDraft,
    LocatedRoot,
    WorkspaceDraft,
)

MOST_LOOKED_AT: Final = 100_000
"""Entries of directories that one file's globs may have read: some 200 ms."""

_MOST_ALTERNATIVES: Final = 64
_MAGIC: Final = re.compile(r"[*?\[{]")
_ANY_DEPTH: Final = "**"
_FLAGS: Final = fnmatch.BRACE | fnmatch.CASE | fnmatch.DOTMATCH


class GlobProblem(Exception):
    """A glob cannot be used."""


def with_included(draft: WorkspaceDraft, directory: Path, locate: Locate) -> WorkspaceDraft:
    """Return the draft with an entry for each repository that its globs mean.

    One that stands in the file itself is as that says. A directory inside of a repository is none.
    Each is named after its directory, unless another has that name.

    Raises:
        WorkspaceError: a glob cannot be used, or there are more repositories than may be.
    """
    if not draft.include:
        return draft
    held = {entry.located.canonical for entry in draft.entries if entry.located is not None}
    found: list[tuple[IncludeDraft, str, LocatedRoot]] = []
    meant, unmatched = _meant(draft.include, directory)
    for root, include in meant:
        written = os.path.relpath(root, directory)
        place = _own_place(written, locate)
        if place is not None and place.canonical not in held:
            held.add(place.canonical)
            found.append((include, written, place))
    if len(draft.entries) + len(found) > MAX_REPOS:
        number = len(draft.entries) + len(found)
        message = f"means {number} repositories, at most {MAX_REPOS} are read"
        raise _refused("$.include", "too-many", message, "be more exact")
    aliases = _aliases(draft.entries, [place.canonical.name for _, _, place in found])
    included = (
        EntryDraft(
            index=len(draft.entries) + place,
            root=root,
            alias=aliases[place],
            tags=include.tags,
            enabled=include.enabled,
            priority=include.priority,
            located=where,
            included=include.glob,
        )
        for place, (include, root, where) in enumerate(found)
    )
    return replace(draft, entries=(*draft.entries, *included), unmatched=unmatched)


def _meant(
    includes: Sequence[IncludeDraft], directory: Path
) -> tuple[list[tuple[Path, IncludeDraft]], tuple[str, ...]]:
    """Return the directories, each with the first glob that means it, by path; and idle globs."""
    globs = Globs(directory)
    found: dict[Path, IncludeDraft] = {}
    idle: list[str] = []
    for place, include in enumerate(includes):
        leaves_out = include.glob.startswith("!")
        try:
            roots = list(globs.directories(include.glob[leaves_out:]))
        except GlobProblem as problem:
            text = f"glob {include.glob!r}: {problem}"
            raise _refused(f"$.include[{place}]", "glob", text, "use fewer ** and braces") from None
        if not roots:
            idle.append(include.glob)
        for root in roots:
            if leaves_out:
                found.pop(root, None)
            else:
                found.setdefault(root, include)
    return sorted(found.items(), key=lambda one: os.fsencode(one[0])), tuple(idle)


def _own_place(root: str, locate: Locate) -> LocatedRoot | None:
    """Return where a root is; None for one that is gone, or inside of another."""
    try:
        place = locate(root)
    except RootProblem:
        return None
    if place is None or place.missing is not None:
        return None
    return place if os.path.realpath(place.absolute) == str(place.canonical) else None


def _aliases(entries: Sequence[EntryDraft], names: Sequence[str]) -> list[str | None]:
    taken = Counter(name.casefold() for name in names)
    taken.update(entry.alias.casefold() for entry in entries if entry.alias is not None)
    return [name if taken[name.casefold()] == 1 and _is_alias(name) else None for name in names]


def _is_alias(name: str) -> bool:
    return name.isprintable() and name.strip() == name


def _refused(field: str, reason: str, message: str, hint: str) -> WorkspaceError:
    return WorkspaceError((Issue(SHAPE, f"{field}: {message}", "", field, reason, hint),))


class Globs:
    """Finds directories below one, and counts what it has to look at."""

    def __init__(self, base: Path, most: int = MOST_LOOKED_AT) -> None:
        """Look at nothing yet; globs are relative to `base`."""
        self._base = base
        self._left = most

    def directories(self, glob: str) -> Iterator[Path]:
        """Yield what a glob means, in the order of names.

        Raises:
            GlobProblem: it cannot be read, or looks at too much.
        """
        parts = tuple(part for part in glob.split("/") if part not in {"", "."})
        start = "/" if glob.startswith("/") else os.fspath(self._base)
        for found in self._below(start, parts, deep=False):
            yield Path(os.path.normpath(found))

    def _below(self, at: str, parts: Sequence[str], *, deep: bool) -> Iterator[str]:
        if not parts:
            if not deep or is_marked(at):
                yield at
            return
        first, *rest = parts
        if first == _ANY_DEPTH:
            yield from self._anywhere(at, rest)
        elif not _MAGIC.search(first):
            below = os.path.join(at, first)  # noqa: PTH118 - a link keeps its name
            if os.path.isdir(below):  # noqa: PTH112
                yield from self._below(below, rest, deep=deep)
        else:
            matcher = _compiled(first)
            for name in self._folders(at, links=True):
                if (first.startswith(".") or not name.startswith(".")) and matcher.match(name):
                    yield from self._below(f"{at}/{name}", rest, deep=deep)

    def _anywhere(self, at: str, rest: Sequence[str]) -> Iterator[str]:
        """Yield what `rest` means here and below, and nothing inside of a repository."""
        yield from self._below(at, rest, deep=True)
        for name in self._folders(at, links=False):
            below = f"{at}/{name}"
            if name.startswith("."):
                continue
            if not is_marked(below):
                yield from self._anywhere(below, rest)
            elif not rest:
                yield below

    def _folders(self, at: str, *, links: bool) -> list[str]:
        """Return the names of the directories in one; none where it may not be read."""
        try:
            with os.scandir(at) as entries:
                found = [
                    entry.name
                    for entry in self._counted(entries)
                    if entry.is_dir(follow_symlinks=links)
                ]
        except OSError:
            return []
        return sorted(found, key=os.fsencode)

    def _counted(self, entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
        for entry in entries:
            self._left -= 1
            if self._left < 0:
                raise GlobProblem(f"looks at more than {MOST_LOOKED_AT} files; be more exact")
            yield entry


def is_marked(directory: str) -> bool:
    """Return whether a directory says itself that it is a repository's root."""
    here = Path(directory)
    return is_git_marker(here / ".git") or (here / REPO_FILE).is_file()


def _compiled(part: str) -> fnmatch.WcMatcher[str]:
    try:
        return fnmatch.compile(part, flags=_FLAGS, limit=_MOST_ALTERNATIVES)
    # The library has exceptions of its own for too many alternatives, and recurses into braces.
    except Exception as error:
        raise GlobProblem(str(error) or "too deep") from error
