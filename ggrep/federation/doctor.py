"""Finds problems of a workspace and the command that fixes each.

Pure: from the manifest, from what daemons say and from what was found of overlapping roots.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.cohort import Candidate, cohort_key, compatibility_key, plan_cohorts
from ggrep.federation.daemon_upkeep import DaemonState
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.editing import MERGE_LINE
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.response import RepoDescription
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import MOVED, on_root, remove_repo, with_file
from ggrep.model.workspace_reports import Component, Doctor, DoctorCohort, DoctorCohorts, Finding

_COMPONENTS: Final[tuple[Component, ...]] = ("embedding", "lexical", "schema")
_WORDS: Final[Mapping[Component, str]] = {
    "embedding": "its vectors come from another encoder",
    "lexical": "its term statistics have another layout",
    "schema": "another build of ggrep serves it",
}


def examine(
    manifest: WorkspaceManifest,
    daemons: Mapping[RepoId, DaemonState],
    overlaps: Iterable[Diagnostic] = (),
    *,
    other_stores: Mapping[RepoId, int] | None = None,
    merge_said: bool = False,
) -> Doctor:
    """Return the problems of a workspace's enabled repositories, and which are missing.

    `other_stores` says how many indexes under other settings a repository has; `merge_said`
    whether the user's settings say how lists are merged.
    """
    findings = list(_of_roots(manifest))
    enabled = [s for s in manifest.repos if s.repo.enabled and s.repo.missing is None]
    candidates = _candidates(enabled, daemons)
    cohorts = DoctorCohorts(*(_cohorts(candidates, corpus) for corpus in CORPORA))
    # Two work trees of one repository side by side are mostly intended.
    findings += [
        Finding(warning.code, warning.message, repo_id=warning.repo_id, needed=False)
        for warning in overlaps
    ]
    if not any(state.repo.enabled for state in manifest.repos):
        findings.append(Finding("nothing_enabled", "no repository is enabled"))
    if not merge_said and len(enabled) > 1:
        findings += _of_merging(manifest)
    for state in enabled:
        daemon = daemons.get(state.repo_id, DaemonState())
        findings += _of_index(state, (other_stores or {}).get(state.repo_id, 0))
        findings += _of_daemon(state, daemon)
    findings += _of_cohorts(enabled, candidates, cohorts.by_corpus())
    findings.sort(key=lambda finding: (finding.repo_id or "", finding.code, finding.message))
    return Doctor(
        ok=not any(finding.needed for finding in findings),
        workspace_path=str(manifest.workspace.workspace_path),
        repo_set_id=manifest.workspace.repo_set_id,
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


def _candidates(
    states: Sequence[RepoState], daemons: Mapping[RepoId, DaemonState]
) -> list[Candidate]:
    """Return the searchable repositories, described by their daemons or else from disk."""
    candidates = []
    for state in states:
        reported = daemons.get(state.repo_id, DaemonState()).description
        known = reported if reported is not None and reported.snapshot_id else state.description()
        if known is not None:
            candidates.append(Candidate(state.repo_id, state.repo.priority, known))
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
            differs=_differences(group[0].description, reference),
        )
        for key, group in members.items()
    ]
    return tuple(sorted(cohorts, key=lambda cohort: (not cohort.asked, cohort.cohort_key or "")))


def _differences(one: RepoDescription, reference: RepoDescription | None) -> tuple[Component, ...]:
    if reference is None:
        return ()
    pairs = (
        (one.embed_key, reference.embed_key),
        (one.lexical_key, reference.lexical_key),
        (one.schema_key, reference.schema_key),
    )
    return tuple(name for name, (a, b) in zip(_COMPONENTS, pairs, strict=True) if a != b)


def _of_cohorts(
    states: Sequence[RepoState],
    candidates: Sequence[Candidate],
    cohorts: Sequence[tuple[Corpus, tuple[DoctorCohort, ...]]],
) -> Iterator[Finding]:
    """Yield one finding for each repository that a search excludes."""
    known = {candidate.repo_id: candidate.description for candidate in candidates}
    for state in states:
        left_out = [
            (corpus, cohort)
            for corpus, parts in cohorts
            for cohort in parts
            if not cohort.asked and state.repo_id in cohort.repo_ids
        ]
        if not left_out:
            continue
        differs = [c for c in _COMPONENTS if any(c in cohort.differs for _, cohort in left_out)]
        queried = next(c for c in cohorts[0][1] if c.asked)
        reference = known[queried.repo_ids[0]]
        yield Finding(
            "cohort_split",
            f"searches omit it: {_why(differs, known[state.repo_id], reference)}",
            _mended(state, known[state.repo_id], reference),
            state.repo_id,
            tuple(corpus for corpus, _ in left_out),
        )


def _why(differs: Sequence[Component], one: RepoDescription, reference: RepoDescription) -> str:
    reason = "; ".join(_WORDS[component] for component in differs)
    if "embedding" in differs:
        ours, theirs = _encoder(one), _encoder(reference)
        reason = f"{reason} ({ours} here, {theirs} in the others)"
        if ours != theirs:
            reason += f'; config.toml in the ggrep home chooses it: encoder = "{theirs}"'
    return reason or "its daemon did not report its cohort"


def _encoder(description: RepoDescription) -> str:
    return description.embed_key.partition("|")[0] or "none"


def _mended(state: RepoState, one: RepoDescription, reference: RepoDescription) -> str:
    root = state.repo.root_canonical
    if _encoder(one) != _encoder(reference):
        # The settings in force say so: an index under a flag would not be the one that is asked.
        return ""
    # Only a daemon of another build says so of an index: the next one is of this build.
    return f"{on_root('stop', root)}; {on_root('index', root)}"


def _of_roots(manifest: WorkspaceManifest) -> Iterator[Finding]:
    """Yield the missing repositories; disabled ones are only mentioned."""
    workspace = manifest.workspace
    left = len(workspace.repos)
    for repo in workspace.repos:
        if repo.missing is None:
            continue
        left -= 1
        # A workspace is never left empty.
        command = remove_repo(repo.alias, repo.repo_id) if left else ""
        hint = with_file(command, workspace.workspace_path)
        message = f"{repo.missing}; {with_file(MOVED, workspace.workspace_path)}"
        yield Finding("missing_root", message, hint, repo.repo_id, needed=repo.enabled)


def _of_merging(manifest: WorkspaceManifest) -> Iterator[Finding]:
    """Yield one where the file leaves the merge to the contract, whose way finds least."""
    merge = manifest.workspace.merge
    if merge.strategy is None and merge.rrf_k is None:
        yield Finding(
            "merge_unsaid",
            "hits are merged by rank only; this line in the file ranks them like a single index:",
            f"{MERGE_LINE},",
            needed=False,
        )


def _of_index(state: RepoState, other_stores: int) -> Iterator[Finding]:
    root, repo_id, index = state.repo.root_canonical, state.repo_id, state.index
    problem = index.pointer.problem or ""
    if state.error is not None:
        yield Finding("settings", str(state.error), repo_id=repo_id)
        return
    match state.availability:
        case "missing-index-dir":
            more = "; an index with other settings exists" if other_stores else ""
            yield Finding("missing_index", f"no index{more}", on_root("index", root), repo_id)
        case "invalid-pointer":
            yield Finding("invalid_pointer", problem, on_root("repair", root), repo_id)
        case "missing-required-artifacts":
            yield Finding("damaged_index", problem, on_root("repair", root), repo_id)
        case "compat-key-missing":
            yield Finding("other_build", problem, on_root("index --reset", root), repo_id)
        case "missing-root":
            pass  # said already
        case "present":
            yield from _of_snapshot(state)


def _of_snapshot(state: RepoState) -> Iterator[Finding]:
    facts, root = state.index.facts, state.repo.root_canonical
    if facts is None:
        return
    if facts.degraded:
        yield Finding(
            "degraded",
            "some files could not be indexed",
            on_root("health", root),
            state.repo_id,
        )
    if facts.partial:
        done = f"{facts.counts.files_indexed} of {facts.counts.files_eligible} files"
        yield Finding(
            "partial",
            f"the first index is not complete: {done}",
            on_root("index", root),
            state.repo_id,
        )


def _of_daemon(state: RepoState, daemon: DaemonState) -> Iterator[Finding]:
    root, repo_id = state.repo.root_canonical, state.repo_id
    match daemon.state:
        case "silent":
            problem = f"its daemon does not answer: {daemon.problem or 'no reply'}"
            yield Finding("daemon_silent", problem, on_root("stop", root), repo_id)
        case "other_version":
            problem = daemon.problem or "its daemon has another version"
            yield Finding("daemon_other_version", problem, on_root("stop", root), repo_id)
        case "stale":
            problem = f"its daemon has old settings: {daemon.problem or 'they were edited'}"
            yield Finding("daemon_stale", problem, on_root("stop", root), repo_id)
        case "indexing":
            yield Finding("indexing", "it is being indexed", repo_id=repo_id, needed=False)
        case "none" | "ready":
            pass
