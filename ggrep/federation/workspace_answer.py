"""The answer of a whole workspace, as a value that is not yet rendered."""

from dataclasses import dataclass

from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.coverage import Coverage
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.federated_request import FederatedRequest, InForce
from ggrep.federation.merge import MergedHit
from ggrep.federation.repo_outcomes import RepoReport
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_manifest import described_entry, manifest_hash
from ggrep.model.confidence import Confidence
from ggrep.model.corpus import Corpus
from ggrep.model.limits import LimitHit
from ggrep.model.response import Freshness


@dataclass(frozen=True, slots=True)
class RepoLimit:
    """A limit that changed the answer; `repo_id` is None for the coordinator's own."""

    limit: LimitHit
    repo_id: RepoId | None = None

    def order(self) -> tuple[str, str, str]:
        """Return the key that the limits of an answer are sorted by."""
        return self.repo_id or "", self.limit.code, self.limit.path_key or ""


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
        entries = [
            described_entry(report.repo.repo_id, report.description, report.snapshot_id)
            for report in self.reports
        ]
        return manifest_hash(self.workspace.repo_set_id, entries)
