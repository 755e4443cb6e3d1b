"""Finds problems of a workspace, and the command that fixes each problem. Performs no I/O."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.federation.cohort import Candidate, cohort_key, compatibility_key, plan_cohorts
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.editing import MERGE_LINE
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_state import MemberState, WorkspaceState
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.response import RepoDescription
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import if_moved, on_root, remove_repo, with_file
from ggrep.model.workspace_reports import Component, Doctor, DoctorCohort, DoctorCohorts, Finding
from ggrep.model.workspace_state import Availability, DaemonWord

NO_INDEX: Final = "no index"
"""Message about a repository without any index."""
_COMPONENTS: Final[Mapping[Component, tuple[str, str]]] = {
    "embedding": ("embed_key", "its vectors come from another encoder"),
    "lexical": ("lexical_key", "its term statistics have another layout"),
    "schema": ("schema_key", "another build of ggrep serves it"),
}
"""Components of a cohort's key: the field of a description, and the reason for a split."""


def examine(
    state: WorkspaceState,
    overlaps: Iterable[Diagnostic] = (),
    servers: Iterable[str] = (),
    *,
    merge_is_set: bool = False,
) -> Doctor:
    """Return the problems of a workspace's enabled repositories, including missing ones.

    `servers` are the problems of team servers. `merge_is_set` is true if the user's settings define
    the merge strategy.
    """
    enabled = [each for each in state.members if each.repo.enabled and each.repo.missing is None]
    candidates = _candidates(enabled)
    cohorts = DoctorCohorts(*(_cohorts(candidates, corpus) for corpus in CORPORA))
    findings = [
        *_of_roots(state.workspace),
        # Two work trees of one repository in a workspace are usually intended.
        *(Finding(each.code, each.message, None, each.repo_id, needed=False) for each in overlaps),
        *(finding for member in enabled for finding in _of_member(member)),
        *_of_cohorts(enabled, candidates, cohorts),
        *(Finding("server", problem) for problem in servers),
    ]
    remotes = state.workspace.remotes
    if not any(each.repo.enabled for each in state.members) and not remotes:
        findings.append(Finding("nothing_enabled", "no repository is enabled"))
    merge = state.workspace.merge
    if not merge_is_set and len(enabled) > 1 and merge.strategy is None and merge.rrf_k is None:
        message = (
            "hits are merged by rank only; to rank them like a single index, add this line "
            "to the file:"
        )
        findings.append(Finding("merge_unsaid", message, f"{MERGE_LINE},", needed=False))
    findings.sort(key=lambda finding: (finding.repo_id or "", finding.code, finding.message))
    return Doctor(
        ok=not any(finding.needed for finding in findings),
        workspace_path=str(state.workspace.workspace_path),
        repo_set_id=state.workspace.repo_set_id,
        findings=tuple(
            replace(
                finding,
                message=sanitise_line(finding.message),
                hint=sanitise_line(finding.hint or "") or None,
            )
            for finding in findings
        ),
        cohorts=cohorts,
    )


def _candidates(members: Sequence[MemberState]) -> list[Candidate]:
    """Return the searchable repositories, with descriptions from their daemons or from disk."""
    candidates = []
    for member in members:
        reported = member.reported
        known = reported if reported is not None and reported.snapshot_id else member.description()
        if known is not None:
            candidates.append(Candidate(member.repo_id, member.repo.priority, known))
    return candidates


def _cohorts(candidates: Sequence[Candidate], corpus: Corpus) -> tuple[DoctorCohort, ...]:
    members: dict[str | None, list[Candidate]] = {}
    for candidate in candidates:
        members.setdefault(cohort_key(candidate.description, corpus), []).append(candidate)
    queried = plan_cohorts(candidates, (corpus,)).corpora[0]
    reference = next((c.description for c in candidates if c.repo_id in queried.admitted), None)
    cohorts = [
        DoctorCohort(
            key,
            compatibility_key(group[0].description),
            tuple(candidate.repo_id for candidate in group),
            asked=group[0].repo_id in queried.admitted,
            differs=tuple(
                component
                for component, (field, _) in _COMPONENTS.items()
                if reference is not None
                and getattr(group[0].description, field) != getattr(reference, field)
            ),
        )
        for key, group in members.items()
    ]
    return tuple(sorted(cohorts, key=lambda cohort: (not cohort.asked, cohort.cohort_key or "")))


def _of_cohorts(
    members: Sequence[MemberState], candidates: Sequence[Candidate], cohorts: DoctorCohorts
) -> Iterator[Finding]:
    """Yield a finding for each repository whose cohort a search does not query."""
    known = {candidate.repo_id: candidate.description for candidate in candidates}
    for member in members:
        left_out = [
            (corpus, cohort)
            for corpus, parts in cohorts.by_corpus()
            for cohort in parts
            if not cohort.asked and member.repo_id in cohort.repo_ids
        ]
        if not left_out:
            continue
        queried = next(cohort for cohort in cohorts.code if cohort.asked)
        described, reference = known[member.repo_id], known[queried.repo_ids[0]]
        differs = {component for _, cohort in left_out for component in cohort.differs}
        reasons = [reason for each, (_, reason) in _COMPONENTS.items() if each in differs]
        message = "; ".join(reasons) or "its daemon did not report its cohort"
        ours, theirs = _encoder(described), _encoder(reference)
        if "embedding" in differs:
            message += f" ({ours} here, {theirs} in the others)"
        if "embedding" in differs and ours != theirs:
            message += (
                "; to use one encoder, write into config.toml of the ggrep home: encoder = "
                f'"{theirs}"'
            )
        root = member.repo.root_canonical
        yield Finding(
            "cohort_split",
            f"searches omit this repository: {message}",
            # An index with another encoder would not help: searches use the settings' encoder.
            # Only a daemon of another build reports other keys; a restarted daemon has this build.
            "" if ours != theirs else f"{on_root('stop', root)}; {on_root('index', root)}",
            member.repo_id,
            tuple(corpus for corpus, _ in left_out),
        )


def _encoder(description: RepoDescription) -> str:
    return description.embed_key.partition("|")[0] or "none"


def _of_roots(workspace: Workspace) -> Iterator[Finding]:
    """Yield findings about missing repositories; disabled repositories need no action."""
    left = len(workspace.repos)
    for repo in workspace.repos:
        if repo.missing is None:
            continue
        left -= 1
        # The last repository of a workspace cannot be removed.
        command = remove_repo(repo.alias, repo.repo_id) if left else ""
        hint = with_file(command, workspace.workspace_path)
        message = f"{repo.missing}; {with_file(if_moved(repo.alias), workspace.workspace_path)}"
        yield Finding("missing_root", message, hint, repo.repo_id, needed=repo.enabled)


_INDEXES: Final[Mapping[Availability, tuple[str, Callable[[Path], str]]]] = {
    "missing-index-dir": ("missing_index", lambda root: on_root("index", root)),
    "invalid-pointer": ("invalid_pointer", lambda root: on_root("repair", root)),
    "missing-required-artifacts": ("damaged_index", lambda root: on_root("repair", root)),
    "compat-key-missing": ("other_build", lambda root: on_root("index --reset", root)),
}
"""Finding codes and commands for indexes that cannot be searched."""
_DAEMONS: Final[Mapping[DaemonWord, tuple[str, str, str]]] = {
    "silent": ("daemon_silent", "its daemon does not answer: ", "no reply"),
    "other_version": ("daemon_other_version", "", "its daemon has another version"),
    "stale": ("daemon_stale", "its daemon uses outdated settings: ", "the settings were edited"),
}
"""Codes and messages about daemons that must be stopped; the last text is the default reason."""


def _of_member(member: MemberState) -> Iterator[Finding]:
    """Yield the problems of a repository's settings, index and daemon."""
    root, repo_id, index = member.repo.root_canonical, member.repo_id, member.index
    if member.error is not None:
        yield Finding("settings", str(member.error), repo_id=repo_id)
    elif index.availability in _INDEXES:
        code, command = _INDEXES[index.availability]
        problem = index.pointer.problem or ""
        if code == "missing_index":
            problem = NO_INDEX
            problem += "; an index with other settings exists" if member.other_stores else ""
        yield Finding(code, problem, command(root), repo_id)
    if index.availability == "present" and index.degraded:
        message = "some files could not be indexed"
        yield Finding("degraded", message, on_root("health", root), repo_id)
    if index.availability == "present" and index.partial and index.counts is not None:
        done = f"{index.counts.files_indexed} of {index.counts.files_eligible} files"
        message = f"the first index is not complete: {done}"
        yield Finding("partial", message, on_root("index", root), repo_id)
    daemon = member.daemon
    if daemon.state in _DAEMONS:
        code, begin, usual = _DAEMONS[daemon.state]
        problem = f"{begin}{daemon.problem or usual}"
        yield Finding(code, problem, on_root("stop", root), repo_id)
    elif daemon.state == "indexing":
        yield Finding("indexing", "indexing is in progress", repo_id=repo_id, needed=False)
