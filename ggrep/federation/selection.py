"""Which repositories of a workspace are asked: baseline, explicit, tags, globs, in one order.

Pure: what a token means as a path comes from outside.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from wcmatch import glob

from ggrep.domain.ids import RepoId
from ggrep.errors import Issue, WorkspaceError
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.request import FederatedRequest
from ggrep.federation.tokens import PathResolver
from ggrep.federation.workspace import Workspace, WorkspaceRepo

_GLOB_FLAGS: Final = (
    glob.IGNORECASE
    | glob.DOTGLOB
    | glob.GLOBSTAR
    | glob.BRACE
    | glob.NEGATE
    | glob.NEGATEALL
    | glob.FORCEUNIX
)


@dataclass(frozen=True, slots=True)
class Selection:
    """The repositories a request means.

    Attributes:
        repos: by priority (highest first), alias (none last), id.
        explicit_selects: the tokens as read, as are `tags`, `repo_filter` and `only`.
    """

    repos: tuple[WorkspaceRepo, ...]
    explicit_selects: tuple[str, ...]
    tags: tuple[str, ...]
    repo_filter: tuple[str, ...]
    only: tuple[str, ...]
    include_disabled: bool
    warnings: tuple[Diagnostic, ...]

    @property
    def repo_ids(self) -> tuple[RepoId, ...]:
        """Return the ids in their own order."""
        return tuple(sorted(repo.repo_id for repo in self.repos))


def select_repos(
    workspace: Workspace, request: FederatedRequest, resolve: PathResolver
) -> Selection:
    """Return the selection of `request` over `workspace`.

    Raises:
        WorkspaceError: a glob cannot be read.
    """
    explicit, tags = _trimmed(request.select), _trimmed(request.tags)
    patterns, only = _trimmed(request.repo_filter), _trimmed(request.only)
    chosen = {repo.repo_id for repo in workspace.repos if repo.enabled or request.include_disabled}
    named, unmatched = _matching(workspace.repos, explicit, resolve)
    chosen |= named
    if tags:
        wanted = {tag.lower() for tag in tags}
        chosen &= {repo.repo_id for repo in workspace.repos if wanted & set(repo.tags)}
    if patterns:
        _check_globs(patterns)
        chosen &= {repo.repo_id for repo in workspace.repos if _globbed(repo, patterns)}
    if only:
        kept, missed = _matching(workspace.repos, only, resolve)
        chosen &= kept
        unmatched += missed
    repos = sorted((r for r in workspace.repos if r.repo_id in chosen), key=selection_order)
    return Selection(
        repos=tuple(repos),
        explicit_selects=explicit,
        tags=tuple(sorted({tag.lower() for tag in tags})),
        repo_filter=patterns,
        only=only,
        include_disabled=request.include_disabled,
        warnings=_warnings(unmatched, empty=not repos),
    )


def selection_order(repo: WorkspaceRepo) -> tuple[int, bool, str, RepoId]:
    """Return what selected repositories are sorted by."""
    alias = (repo.alias or "").lower()
    return -repo.priority, not alias, alias, repo.repo_id


def _trimmed(values: Iterable[str]) -> tuple[str, ...]:
    found = (value.strip() for value in values)
    return tuple(dict.fromkeys(value for value in found if value))


def _matching(
    repos: Sequence[WorkspaceRepo], tokens: Sequence[str], resolve: PathResolver
) -> tuple[set[RepoId], list[str]]:
    """Return what the tokens match, and the tokens that match nothing."""
    matched: set[RepoId] = set()
    unmatched = []
    for token in tokens:
        found = _matched_by(repos, token, resolve)
        matched |= found
        if not found:
            unmatched.append(token)
    return matched, unmatched


def _matched_by(repos: Sequence[WorkspaceRepo], token: str, resolve: PathResolver) -> set[RepoId]:
    folded = token.casefold()
    paths = resolve(token)
    found = {
        repo.repo_id
        for repo in repos
        if folded in {(repo.alias or "").casefold(), repo.repo_id.casefold()}
        or repo.root_canonical in paths
    }
    if found:
        return found
    # A directory inside a repository means that repository, but only when nothing is so named:
    # an alias must not pull in the repository whose folder happens to hold such a name.
    for path in paths:
        around = [repo for repo in repos if path.is_relative_to(repo.root_canonical)]
        if around:
            return {max(around, key=lambda repo: len(repo.root_canonical.parts)).repo_id}
    return set()


def _globbed(repo: WorkspaceRepo, patterns: Sequence[str]) -> bool:
    names = (repo.repo_id, repo.alias or "", str(repo.root_canonical))
    return any(
        glob.globmatch(name, pattern, flags=_GLOB_FLAGS)
        for name in names
        for pattern in patterns
        # An empty name matches nothing, not even `**` or a negation.
        if name
    )


def _check_globs(patterns: Sequence[str]) -> None:
    for pattern in patterns:
        try:
            glob.compile(pattern, flags=_GLOB_FLAGS)
        except Exception as error:
            issue = Issue(
                code="ERR_FEDERATED_INVALID_REPO_FILTER",
                message=f"repo filter {pattern!r} cannot be read: {error}",
                field="$.select.repoFilter",
                reason="glob",
            )
            raise WorkspaceError((issue,)) from error


def _warnings(unmatched: Sequence[str], *, empty: bool) -> tuple[Diagnostic, ...]:
    found = [
        Diagnostic("WARN_FEDERATED_SELECT_UNMATCHED", f"no repository matches {token!r}")
        for token in unmatched
    ]
    if empty:
        found.append(Diagnostic("WARN_FEDERATED_EMPTY_SELECTION", "no repository is selected"))
    return tuple(found)
