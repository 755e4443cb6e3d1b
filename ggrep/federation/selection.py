"""Which repositories of a workspace are queried: baseline, explicit, tags, globs, in order.

Pure but for `path_resolver`, which looks where tokens lead on the disk.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.federation.containment import is_inside
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.globs import compile_globs
from ggrep.federation.workspace import Workspace, WorkspaceRepo

PathResolver: TypeAlias = Callable[[str], tuple[Path, ...]]
"""Returns the existing paths, free of symbolic links, that a token may mean; best first."""


Matches: TypeAlias = dict[str, set[RepoId]]
"""What each value of one flag matches, in the order the values were given."""


class Selection(Struct, frozen=True):
    """The repositories that a request selects.

    Attributes:
        repos: by priority (highest first), alias (none last), id.
        named: those of them that the request names by alias, id or path.
        explicit_selects: the tokens as read, as are `tags`, `repo_filter` and `only`.
    """

    repos: tuple[WorkspaceRepo, ...]
    named: frozenset[RepoId]
    explicit_selects: tuple[str, ...]
    tags: tuple[str, ...]
    repo_filter: tuple[str, ...]
    only: tuple[str, ...]
    include_disabled: bool
    warnings: tuple[Diagnostic, ...]

    @property
    def repo_ids(self) -> tuple[RepoId, ...]:
        """Return their ids, sorted."""
        return tuple(sorted(repo.repo_id for repo in self.repos))


def select_repos(
    workspace: Workspace, request: FederatedRequest, resolve: PathResolver
) -> Selection:
    """Return the selection of `request` over `workspace`.

    Raises:
        WorkspaceError: a glob cannot be read, or matching it could take too long.
    """
    explicit, tags = _trimmed(request.select), _lowered(request.tags)
    patterns, only = _trimmed(request.repo_filter), _trimmed(request.only)
    chosen = {repo.repo_id for repo in workspace.repos if repo.enabled or request.include_disabled}
    named = _by_token(workspace.repos, explicit, resolve)
    chosen = chosen.union(*named.values())
    unmatched = _unmatched("--select", named)
    if tags:
        tagged = _by_tag(workspace.repos, tags)
        chosen &= set().union(*tagged.values())
        unmatched += _unmatched("--tag", tagged)
    if patterns:
        globbed = _by_glob(workspace.repos, patterns)
        chosen &= set().union(*globbed.values())
        unmatched += _unmatched("--repo-filter", globbed)
    by_name = set().union(*named.values())
    if only:
        kept = _by_token(workspace.repos, only, resolve)
        by_name |= set().union(*kept.values())
        chosen &= set().union(*kept.values())
        unmatched += _unmatched("--only", kept)
    repos = sorted((r for r in workspace.repos if r.repo_id in chosen), key=selection_order)
    return Selection(
        repos=tuple(repos),
        named=frozenset(by_name & chosen),
        explicit_selects=explicit,
        tags=tags,
        repo_filter=patterns,
        only=only,
        include_disabled=request.include_disabled,
        warnings=_warnings(unmatched, empty=not repos),
    )


def path_resolver(bases: Sequence[Path]) -> PathResolver:
    """Return a resolver that tries a token below each of `bases` in turn."""

    def resolve(token: str) -> tuple[Path, ...]:
        found: dict[Path, None] = {}
        for base in bases:
            try:
                found[Path(os.path.realpath(base / token, strict=True))] = None
            except (OSError, ValueError):
                continue
        return tuple(found)

    return resolve


def selection_order(repo: WorkspaceRepo) -> tuple[int, bool, str, RepoId]:
    """Return the sort key of selected repositories."""
    alias = (repo.alias or "").lower()
    return -repo.priority, not alias, alias, repo.repo_id


def _trimmed(values: Iterable[str]) -> tuple[str, ...]:
    found = (value.strip() for value in values)
    return tuple(dict.fromkeys(value for value in found if value))


def _lowered(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({tag.lower() for tag in _trimmed(tags)}))


def _by_token(
    repos: Sequence[WorkspaceRepo], tokens: Sequence[str], resolve: PathResolver
) -> Matches:
    return {token: _matched_by(repos, token, resolve) for token in tokens}


def _by_tag(repos: Sequence[WorkspaceRepo], tags: Sequence[str]) -> Matches:
    return {tag: {repo.repo_id for repo in repos if tag in repo.tags} for tag in tags}


def _by_glob(repos: Sequence[WorkspaceRepo], patterns: Sequence[str]) -> Matches:
    names = {
        repo.repo_id: (repo.repo_id, repo.alias or "", str(repo.root_canonical)) for repo in repos
    }
    globs = compile_globs(patterns, [name for own in names.values() for name in own])
    return {
        found.text: {repo_id for repo_id, own in names.items() if found.matches(own)}
        for found in globs
    }


def _matched_by(repos: Sequence[WorkspaceRepo], token: str, resolve: PathResolver) -> set[RepoId]:
    folded = token.casefold()
    named = {
        repo.repo_id
        for repo in repos
        if folded in {(repo.alias or "").casefold(), repo.repo_id.casefold()}
    }
    for path in resolve(token):
        meant = {repo.repo_id for repo in repos if repo.root_canonical == path}
        # A directory inside a repository means that repository, but only when nothing is so
        # named: an alias must not pull in the repository whose folder happens to hold such a name.
        if not meant and not named:
            meant = _around(repos, path)
        if meant:
            return named | meant
    return named


def _around(repos: Sequence[WorkspaceRepo], path: Path) -> set[RepoId]:
    """Return the innermost repository that holds `path`, if any."""
    around = [repo for repo in repos if is_inside(path, repo.root_canonical)]
    deepest = max(around, key=lambda repo: len(repo.root_canonical.parts), default=None)
    return set() if deepest is None else {deepest.repo_id}


def _unmatched(flag: str, matches: Matches) -> list[str]:
    return [f"{flag} {value!r}" for value, found in matches.items() if not found]


def _warnings(unmatched: Sequence[str], *, empty: bool) -> tuple[Diagnostic, ...]:
    found = [
        Diagnostic("WARN_FEDERATED_SELECT_UNMATCHED", f"no repository matches {what}")
        for what in unmatched
    ]
    if empty:
        found.append(Diagnostic("WARN_FEDERATED_EMPTY_SELECTION", "no repository is selected"))
    return tuple(found)
