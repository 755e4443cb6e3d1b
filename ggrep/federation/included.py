"""Repositories that the `include` globs of a workspace file select.

`*`, `?`, `[ab]` and `{a,b}` match names in one directory, except hidden names. `**` matches any
number of directories; it selects only directories with `.git` or `.ggrep.toml`. Symbolic links are
followed if a name pattern matches them, but not below `**`. A glob that ends in `.jsonc` selects
workspace files and their repositories.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from msgspec.structs import replace
from wcmatch import fnmatch

from ggrep.base.errors import Issue, WorkspaceError
from ggrep.config.git import is_git_marker
from ggrep.config.settings_files import REPO_FILE
from ggrep.federation.validation import SHAPE, Locate, RootProblem
from ggrep.federation.workspace_draft import (
    MAX_REPOS,
    EntryDraft,
    IncludeDraft,
    LocatedRoot,
    RemoteEntry,
    WorkspaceDraft,
)

MOST_LOOKED_AT: Final = 100_000
"""Maximum number of files and directories that the globs of a file examine: about half a second."""

MOST_PARTS: Final = 32
"""Maximum number of names in a glob, and maximum depth of directories below `**`."""

_MOST_ALTERNATIVES: Final = 64
_MAGIC: Final = re.compile(r"[*?\[{]")
_ANY_DEPTH: Final = "**"
_FLAGS: Final = fnmatch.BRACE | fnmatch.CASE | fnmatch.DOTMATCH


WORKSPACE_ENDING: Final = ".jsonc"

NamesIn: TypeAlias = Callable[[Path], Collection[str] | None]
"""Returns None for a path that the caller may read. For other directories, returns the names in
them that lead to readable paths."""

AnyEntry = TypeVar("AnyEntry", EntryDraft, RemoteEntry)

ReadNested: TypeAlias = Callable[[Path], WorkspaceDraft | None]
"""Returns the repositories of another workspace file; None if the file was read before or is not
accessible."""


class GlobProblem(Exception):
    """A glob of `include` is not valid, or examines too many files."""


def with_included(
    draft: WorkspaceDraft,
    directory: Path,
    locate: Locate,
    names_in: NamesIn = lambda _: None,
    nested: ReadNested = lambda _: None,
) -> WorkspaceDraft:
    """Return the draft with an additional entry for each repository that its globs select.

    Entries of the file take precedence. A directory inside a repository is not a repository. The
    alias of a repository is the name of its directory, unless that alias is already used.

    Directories that `names_in` hides from the caller are not listed: the caller could otherwise
    infer the number of files in them from the limit on examined files.
    """
    if not draft.include:
        return draft
    known = {entry.located.canonical for entry in draft.entries if entry.located is not None}
    added: dict[Path, EntryDraft] = {}
    remotes = [*draft.remotes]
    means = {include.glob: False for include in draft.include}
    for path, include in _matching(draft.include, directory, names_in):
        if include.glob.endswith(WORKSPACE_ENDING):
            inner = _inner(draft, path, include, directory, nested)
            entries = _of_workspace(inner, include)
            remotes += [_within(each, include) for each in (inner.remotes if inner else ())]
            means[include.glob] |= bool(inner and inner.remotes)
        else:
            entries = _of_directory(path, include, directory, locate)
        for located, entry in entries:
            if names_in(located.canonical) is None:
                means[include.glob] = True
                if located.canonical not in known:
                    known.add(located.canonical)
                    added[located.absolute] = entry
    ordered = sorted(added.items(), key=lambda item: os.fsencode(item[0]))
    unmatched = tuple(glob for glob, is_meant in means.items() if not is_meant and glob[0] != "!")
    number = len(draft.entries) + len(ordered) + sum(len(each.repos) for each in remotes)
    if number > MAX_REPOS:
        message = f"matches {number} repositories; the maximum is {MAX_REPOS}"
        raise _refused("$.include", "too-many", message, "use more specific globs")
    aliases = aliases_of(
        (entry.alias for entry in draft.entries), [entry.alias for _, entry in ordered]
    )
    included = (
        replace(entry, index=index, root=os.path.relpath(absolute, directory), alias=alias)
        for index, ((absolute, entry), alias) in enumerate(
            zip(ordered, aliases, strict=True), len(draft.entries) + len(draft.remotes)
        )
    )
    every = (*draft.entries, *included)
    return replace(draft, entries=every, remotes=tuple(remotes), unmatched=unmatched)


def _of_directory(
    path: Path, include: IncludeDraft, directory: Path, locate: Locate
) -> Iterator[tuple[LocatedRoot, EntryDraft]]:
    """Yield the repository at a directory, with the directory's name as alias."""
    try:
        located = locate(os.path.relpath(path, directory))
    except RootProblem:
        return
    if located is None or located.missing is not None:
        return
    if located.is_root:
        tags, enabled, priority = include.tags, include.enabled, include.priority
        name = located.canonical.name
        yield located, EntryDraft(0, "", name, tags, enabled, priority, located, include.glob)


def _inner(
    draft: WorkspaceDraft,
    path: Path,
    include: IncludeDraft,
    directory: Path,
    nested: ReadNested,
) -> WorkspaceDraft | None:
    """Return the content of another workspace file; None if `nested` returns None."""
    try:
        return nested(path)
    except WorkspaceError as error:
        why = f"workspace {os.path.relpath(path, directory)}: {error.issues[0].message}"
        field = f"$.include[{draft.include.index(include)}]"
        raise _refused(field, "nested", why, f"run: ggrep workspace validate {path}") from error


def _of_workspace(
    inner: WorkspaceDraft | None, include: IncludeDraft
) -> Iterator[tuple[LocatedRoot, EntryDraft]]:
    """Yield the repositories of another workspace file; the tags of the glob are added."""
    for entry in inner.entries if inner else ():
        if entry.located is not None:
            yield entry.located, replace(_within(entry, include), included=include.glob)


def _within(entry: AnyEntry, include: IncludeDraft) -> AnyEntry:
    tags = tuple(sorted({*entry.tags, *include.tags}))
    return replace(entry, tags=tags, enabled=entry.enabled and include.enabled)


def _matching(
    includes: Sequence[IncludeDraft], directory: Path, names_in: NamesIn
) -> list[tuple[Path, IncludeDraft]]:
    """Return matching paths in the order of globs, each with the first glob that matches it."""
    globs = Globs(directory, names_in)
    include_of: dict[Path, IncludeDraft] = {}
    for index, include in enumerate(includes):
        leaves_out = include.glob.startswith("!")
        try:
            roots = list(globs.places(include.glob[leaves_out:]))
        except GlobProblem as problem:
            text = f"glob {include.glob!r}: {problem}"
            raise _refused(f"$.include[{index}]", "glob", text, "use fewer ** and braces") from None
        for root in roots:
            if leaves_out:
                include_of.pop(root, None)
            else:
                include_of.setdefault(root, include)
    order = {include.glob: index for index, include in reversed([*enumerate(includes)])}
    return sorted(include_of.items(), key=lambda item: (order[item[1].glob], os.fsencode(item[0])))


def aliases_of(aliases: Iterable[str | None], names: Sequence[str | None]) -> list[str | None]:
    """Return `names` with None in place of names that are used twice or cannot be aliases."""
    taken = Counter(name.casefold() for name in names if name is not None)
    taken.update(alias.casefold() for alias in aliases if alias is not None)
    return [
        name if name and taken[name.casefold()] == 1 and _is_alias(name) else None for name in names
    ]


def _is_alias(name: str) -> bool:
    """Return whether a name can be the alias in `alias:path`."""
    return name.isprintable() and name.strip() == name and not set(name) & set(":[]")


def _refused(field: str, reason: str, message: str, hint: str) -> WorkspaceError:
    return WorkspaceError((Issue(SHAPE, f"{field}: {message}", "", field, reason, hint),))


class Globs:
    """Finds directories that match a glob; limits the number of examined files."""

    def __init__(self, base: Path, names_in: NamesIn = lambda _: None) -> None:
        """Create the matcher; globs are relative to `base`."""
        self._base = base
        self._names_in = names_in
        self._left = MOST_LOOKED_AT

    def places(self, glob: str) -> Iterator[Path]:
        """Yield the directories or workspace files that match a glob, sorted by name."""
        parts = tuple(part for part in glob.split("/") if part not in {"", "."})
        if len(parts) > MOST_PARTS:
            raise GlobProblem(f"the glob has more than {MOST_PARTS} parts")
        start = "/" if glob.startswith("/") else os.fspath(self._base)
        if parts and parts[-1].endswith(WORKSPACE_ENDING):
            *parents, last = parts
            if _ANY_DEPTH in parents:
                raise GlobProblem(f"a glob of workspace files must not contain {_ANY_DEPTH}")
            for folder in self._below(start, parents, deep=False):
                yield from self._files(folder, _compiled(last))
            return
        for folder in self._below(start, parts, deep=False):
            yield Path(os.path.normpath(folder))

    def _files(self, at: str, matcher: fnmatch.WcMatcher[str]) -> Iterator[Path]:
        if self._names_in(Path(at)) is not None:
            return
        try:
            with os.scandir(at) as entries:
                names = [entry.name for entry in self._counted(entries) if entry.is_file()]
        except OSError:
            return
        for name in sorted(names, key=os.fsencode):
            if matcher.match(name):
                yield Path(os.path.normpath(f"{at}/{name}"))

    def _below(self, at: str, parts: Sequence[str], *, deep: bool) -> Iterator[str]:
        if not parts:
            if not deep or self._is_marked(at):
                yield at
            return
        first, *rest = parts
        if first == _ANY_DEPTH:
            yield from self._anywhere(at, rest, MOST_PARTS)
        elif not _MAGIC.search(first):
            self._look()
            below = os.path.join(at, first)  # noqa: PTH118 - a link keeps its name
            leads = self._names_in(Path(below)) != frozenset()
            if leads and os.path.isdir(below):  # noqa: PTH112
                yield from self._below(below, rest, deep=deep)
        else:
            matcher = _compiled(first)
            for name in self._folders(at, links=True):
                if (first.startswith(".") or not name.startswith(".")) and matcher.match(name):
                    yield from self._below(f"{at}/{name}", rest, deep=deep)

    def _anywhere(self, at: str, rest: Sequence[str], depth: int) -> Iterator[str]:
        """Yield the matches of `rest` in this directory and below, outside of repositories."""
        yield from self._below(at, rest, deep=True)
        for name in self._folders(at, links=False) if depth else ():
            below = f"{at}/{name}"
            if name.startswith("."):
                continue
            if not self._is_marked(below):
                yield from self._anywhere(below, rest, depth - 1)
            elif not rest:
                yield below

    def _is_marked(self, directory: str) -> bool:
        """Return whether a directory contains `.git` or the configuration file of a repository."""
        self._look()
        here = Path(directory)
        return is_git_marker(here / ".git") or (here / REPO_FILE).is_file()

    def _look(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise GlobProblem(
                f"the globs would examine more than {MOST_LOOKED_AT} files; use more specific globs"
            )

    def _folders(self, at: str, *, links: bool) -> list[str]:
        """Return the names of the subdirectories; empty if the directory is not readable."""
        if (leading := self._names_in(Path(at))) is not None:
            return sorted(leading, key=os.fsencode)
        try:
            with os.scandir(at) as entries:
                names = [
                    entry.name
                    for entry in self._counted(entries)
                    if entry.is_dir(follow_symlinks=links)
                ]
        except OSError:
            return []
        return sorted(names, key=os.fsencode)

    def _counted(self, entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
        for entry in entries:
            self._look()
            yield entry


def _compiled(part: str) -> fnmatch.WcMatcher[str]:
    try:
        return fnmatch.compile(part, flags=_FLAGS, limit=_MOST_ALTERNATIVES)
    # The glob library raises its own exception for too many alternatives, and recurses into braces.
    except Exception as error:
        raise GlobProblem(str(error) or "braces are nested too deep") from error
