"""The answer of a whole workspace, as a value that nothing was rendered of."""

import hashlib
from dataclasses import dataclass

from ggrep import stable_json
from ggrep.domain.confidence import Confidence
from ggrep.domain.corpus import Corpus
from ggrep.domain.ids import RepoId
from ggrep.domain.limits import LimitHit
from ggrep.domain.response import Freshness
from ggrep.errors import GgrepError
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.coverage import Coverage
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.merge import MergedHit
from ggrep.federation.report import RepoReport
from ggrep.federation.request import FederatedRequest, InForce
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace
from ggrep.stable_json import Json


@dataclass(frozen=True, slots=True)
class RepoLimit:
    """A bound that changed the answer; `repo_id` is None for the coordinator's own."""

    limit: LimitHit
    repo_id: RepoId | None = None


@dataclass(frozen=True, slots=True)
class FederatedAnswer:
    """Everything one federated request returns.

    Attributes:
        in_force: the limits that applied and the strategy that was asked for.
        strategy: the one that was used.
        plan: who was asked for what.
        reports: one for each selected repository, by id.
        corpora: one merged list for each requested corpus.
        hits: the blended list, best first; a weak answer's is shortened.
        confidence: how well the best hits fit the query, judged on the merged list.
        statistics_repos: whose figures scores were measured against; empty but under `global`.
        coverage: what each repository means for the lists, in the order of `reports`.
        freshness: whether each repository's index holds its work tree, as far as is known.
        from_memory: the repositories gave their lists to an earlier question.
        error: None, or why there is no answer at all.
        elapsed_ms: from request to answer; `repo_elapsed_ms` sums each repository's calls.
    """

    workspace: Workspace
    request: FederatedRequest
    in_force: InForce
    strategy: str
    selection: Selection
    plan: CohortPlan
    reports: tuple[RepoReport, ...]
    corpora: tuple[tuple[Corpus, tuple[MergedHit, ...]], ...]
    hits: tuple[MergedHit, ...]
    confidence: Confidence
    limits_hit: tuple[RepoLimit, ...]
    warnings: tuple[Diagnostic, ...]
    errors: tuple[Diagnostic, ...]
    statistics_repos: tuple[RepoId, ...]
    error: GgrepError | None
    elapsed_ms: float
    repo_elapsed_ms: tuple[tuple[RepoId, float], ...]
    coverage: tuple[Coverage, ...]
    freshness: tuple[tuple[RepoId, Freshness], ...]
    from_memory: bool

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.error is None

    @property
    def exit_status(self) -> int:
        """Return the process status that goes with the answer."""
        return 0 if self.error is None else self.error.exit_status

    @property
    def manifest_hash(self) -> str:
        """Return the identity of the index state that the selected repositories are in."""
        repos: list[Json] = [_manifest_entry(report) for report in self.reports]
        payload: Json = {
            "v": 1,
            "schemaVersion": 1,
            "repoSetId": self.workspace.repo_set_id,
            "repos": repos,
        }
        return "wm1-" + hashlib.sha256(stable_json.dumps(payload)).hexdigest()


def _manifest_entry(report: RepoReport) -> dict[str, Json]:
    description = report.description
    return {
        "repoId": report.repo.repo_id,
        "storeId": description.store_id if description else None,
        "configFingerprint": description.config_fingerprint if description else None,
        "ignoreFingerprint": description.ignore_fingerprint if description else None,
        "snapshotId": report.snapshot_id,
    }
