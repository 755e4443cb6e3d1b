"""Selects the repositories of a workspace that a request names, and parses `alias:path:line`."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct
from wcmatch import glob

from ggrep.base.errors import InvalidRequest, Issue, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.federation.containment import is_inside, lexical_path
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.limits import LimitHit

MAX_ALTERNATIVES: Final = 64
"""Maximum number of plain globs that the braces of a pattern expand to."""

MAX_GLOB_STEPS: Final = 5_000_000
"""Maximum number of characters that the `**` of all patterns may read in all names: some 250 ms."""

_GROUP: Final = re.compile(r"(?<!\\)([@?+*!])\(([^()]*)\)")
_FIXED: Final = re.compile(r"(?:\[[^\[\]/]+\]|[^\[\]{}\\*])+")
"""A pattern whose matches all have the same length: no `*` and no braces."""

_LITERAL: Final = re.compile(r"[^\[\]{}\\*?]+")
_MOST_GROUPS: Final = 4
_SHOWN = 80
_FLAGS: Final = (
    glob.IGNORECASE
    | glob.DOTGLOB
    | glob.GLOBSTAR
    | glob.BRACE
    | glob.EXTMATCH
    | glob.NEGATE
    | glob.NEGATEALL
    | glob.FORCEUNIX
)


class Glob(Struct, frozen=True):
    """A compiled pattern."""

    text: str
    matcher: glob.WcMatcher[str]

    def matches(self, names: Sequence[str]) -> bool:
        """Return whether any name matches; an empty name does not match, not even `**`."""
        return any(self.matcher.match(name) for name in names if name)


def compile_globs(patterns: Sequence[str], names: Sequence[str]) -> tuple[Glob, ...]:
    """Return the compiled globs of `patterns`."""
    steps = 0
    compiled = []
    for pattern in patterns:
        steps += MAX_ALTERNATIVES ** ("{" in pattern) * _steps(pattern.count("**"), names)
        if steps > MAX_GLOB_STEPS:
            raise _refused(pattern, "the `**` in the pattern could match in too many ways")
        _check_groups(pattern)
        try:
            matcher = glob.compile(pattern, flags=_FLAGS, limit=MAX_ALTERNATIVES)
        # The glob library has its own exception for too many alternatives and recurses into braces.
        except Exception as error:
            raise _refused(pattern, str(error) or "braces are nested too deep") from error
        compiled.append(Glob(pattern, matcher))
    return tuple(compiled)


def _check_groups(pattern: str) -> None:
    """Check that each group, such as `+(a|b)`, can match a name in at most one way."""
    groups = _GROUP.findall(pattern)
    if _GROUP.search(_GROUP.sub("x", pattern)):
        raise _refused(pattern, "groups such as `+(a|b)` cannot be nested")
    if len(groups) > _MOST_GROUPS:
        raise _refused(
            pattern, f"the pattern has {len(groups)} groups; the maximum is {_MOST_GROUPS}"
        )
    for sign, body in groups:
        if sign in "+*" and not _repeats_in_one_way(body.casefold().split("|")):
            why = (
                f"{sign}({body}) could match in too many ways; use alternatives that do not begin"
                " with each other, or a single one of fixed length"
            )
            raise _refused(pattern, why)


def _repeats_in_one_way(alternatives: Sequence[str]) -> bool:
    """Return whether every text can be split into `alternatives` in at most one way."""
    if len(alternatives) == 1:
        return bool(_FIXED.fullmatch(alternatives[0]))
    ordered = sorted(alternatives)
    joined = any(after.startswith(before) for before, after in pairwise(ordered))
    return all(map(_LITERAL.fullmatch, ordered)) and not joined


def _steps(crossings: int, names: Sequence[str]) -> int:
    """Return the cost of a match: the ways to split each name at `**`, times a part's length."""
    total = 0
    for name in names:
        parts = name.count("/") + 1
        total += comb(parts + crossings, crossings) * (1 + len(name) // parts)
    return total


def _refused(pattern: str, why: str) -> WorkspaceError:
    shown = pattern if len(pattern) <= _SHOWN else pattern[:_SHOWN] + "..."
    message = f"repo filter {shown!r} cannot be used: {why}"
    hint = "name repositories with --only, or use fewer braces and `**`"
    code, field = "ERR_FEDERATED_INVALID_REPO_FILTER", "$.select.repoFilter"
    return WorkspaceError((Issue(code, message, field=field, reason="glob", hint=hint),))


PathResolver: TypeAlias = Callable[[str], tuple[Path, ...]]
"""Returns the existing paths that a token can refer to, free of symbolic links, best first."""


Matches: TypeAlias = dict[str, set[RepoId]]
"""Matching repositories for each value of a flag, in the order of the values."""


class Selection(Struct, frozen=True):
    """The repositories that a request selects.

    Attributes:
        repos: sorted by priority (highest first), alias (missing last) and id.
        named: repositories that the request names by alias, id or path.
        disabled: number of disabled repositories that only `include_disabled` would add.
        explicit_selects: normalised values of `select`; `tags`, `repo_filter` and `only` likewise.
    """

    repos: tuple[WorkspaceRepo, ...]
    named: frozenset[RepoId]
    explicit_selects: tuple[str, ...]
    tags: tuple[str, ...]
    repo_filter: tuple[str, ...]
    only: tuple[str, ...]
    include_disabled: bool
    disabled: int
    warnings: tuple[Diagnostic, ...]

    @property
    def repo_ids(self) -> tuple[RepoId, ...]:
        """Return the sorted ids of the repositories."""
        return tuple(sorted(repo.repo_id for repo in self.repos))

    def disabled_cut(self) -> tuple[LimitHit, ...]:
        """Return the limit for an empty answer: the disabled repositories were not searched."""
        selected = len(self.repos)
        cut = LimitHit("disabled_repos", selected, selected + self.disabled)
        return (cut,) if self.disabled else ()


def select_repos(
    workspace: Workspace, request: FederatedRequest, resolve: PathResolver | None = None
) -> Selection:
    """Return the selection of `request` over `workspace`.

    Without `resolve`, paths are resolved in the workspace's directory and in `base_dirs`.

    Raises:
        WorkspaceError: a glob is invalid, or matching it could take too long.
    """
    resolve = resolve or path_resolver(
        (workspace.workspace_dir, *request.base_dirs), workspace.hides
    )
    repos, patterns = workspace.repos, _trimmed(request.repo_filter)
    tags = tuple(sorted({tag.lower() for tag in _trimmed(request.tags)}))
    selects = {token: _matched_by(repos, token, resolve) for token in _trimmed(request.select)}
    only = {token: _matched_by(repos, token, resolve) for token in _trimmed(request.only)}
    filters: dict[str, Matches] = {
        "--tag": {tag: {repo.repo_id for repo in repos if tag in repo.tags} for tag in tags},
        "--repo-filter": _by_glob(repos, patterns) if patterns else {},
        "--only": only,
    }
    allowed = {repo.repo_id for repo in repos}
    for matches in filters.values():
        if matches:
            allowed &= set().union(*matches.values())
    chosen = {repo.repo_id for repo in repos if repo.enabled or request.include_disabled}
    chosen = chosen.union(*selects.values()) & allowed
    warnings = [
        Diagnostic("WARN_FEDERATED_SELECT_UNMATCHED", f"no repository matches {flag} {value!r}")
        for flag, matches in {"--select": selects, **filters}.items()
        for value, matched in matches.items()
        if not matched
    ]
    if not chosen:
        warnings.append(Diagnostic("WARN_FEDERATED_EMPTY_SELECTION", "no repository is selected"))
    return Selection(
        repos=tuple(sorted((r for r in repos if r.repo_id in chosen), key=selection_order)),
        named=frozenset(set().union(*selects.values(), *only.values()) & chosen),
        explicit_selects=tuple(selects),
        tags=tags,
        repo_filter=patterns,
        only=tuple(only),
        include_disabled=request.include_disabled,
        disabled=len(allowed - chosen),
        warnings=tuple(warnings),
    )


def path_resolver(
    bases: Sequence[Path], hides: Callable[[Path], bool] = lambda _: False
) -> PathResolver:
    """Return a resolver that resolves a token in each directory of `bases`, in this order.

    A path for which `hides` is true is not resolved, and its existence is not checked.
    """

    def resolve(token: str) -> tuple[Path, ...]:
        paths: dict[Path, None] = {}
        for base in bases:
            path = base / token
            try:
                real = lexical_path(path) if hides(path) else os.path.realpath(path, strict=True)
                paths[Path(real)] = None
            except (OSError, ValueError):
                continue
        return tuple(paths)

    return resolve


def selection_order(repo: WorkspaceRepo) -> tuple[int, bool, str, RepoId]:
    """Return the sort key of selected repositories."""
    alias = (repo.alias or "").lower()
    return -repo.priority, not alias, alias, repo.repo_id


def _trimmed(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, values))))


def _by_glob(repos: Sequence[WorkspaceRepo], patterns: Sequence[str]) -> Matches:
    names = {repo.repo_id: (repo.repo_id, repo.alias or "", repo.place) for repo in repos}
    globs = compile_globs(patterns, [name for texts in names.values() for name in texts])
    return {
        pattern.text: {repo_id for repo_id, texts in names.items() if pattern.matches(texts)}
        for pattern in globs
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
        # A directory inside a repository selects this repository only if no alias or id has the
        # directory's name: an alias must not also select other repositories.
        if not meant and not named:
            around = [repo for repo in repos if is_inside(path, repo.root_canonical)]
            innermost = max(around, key=lambda repo: len(repo.root_canonical.parts), default=None)
            meant = set() if innermost is None else {innermost.repo_id}
        if meant:
            return named | meant
    return named


_BRACKETED: Final = re.compile(r"\[(?P<repo>[^\]]+)\]\s*(?P<rest>.+)", re.DOTALL)
"""A location as a search prints it: the repository in brackets, then the file."""


class RepoTarget(Struct, frozen=True):
    """A target in a workspace, with its repository."""

    repo: WorkspaceRepo | None
    target: str


def label_of(repo: WorkspaceRepo) -> str:
    """Return the name of a repository in locations: its alias, else its id."""
    return repo.alias or repo.repo_id


def repo_target(typed: str, workspace: Workspace, selection: Selection) -> RepoTarget:
    """Return the typed target and its repository; a leading alias or id takes precedence."""
    bracketed = _BRACKETED.fullmatch(typed)
    head, colon, rest = (
        (bracketed["repo"], ":", bracketed["rest"]) if bracketed else typed.partition(":")
    )
    folded = head.casefold()
    named = [
        repo
        for repo in workspace.repos
        if folded in {(repo.alias or "").casefold(), repo.repo_id.casefold()}
    ]
    if not (colon and rest and head and named):
        return RepoTarget(None, typed)
    if named[0].repo_id not in selection.repo_ids:
        raise InvalidRequest(f"target: the repository {label_of(named[0])} is not selected")
    return RepoTarget(named[0], rest)
