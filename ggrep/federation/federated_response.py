"""The answer to a search of a workspace, and its JSON.

Equal states give equal bytes. The answer contains absolute paths only on request. Only `stats`
contains values that differ from run to run.
"""

from collections.abc import Container, Iterator
from itertools import chain
from pathlib import PurePath
from typing import Any

from ggrep.base.errors import GgrepError, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import redact
from ggrep.federation.envelope import Clean, Envelope, failed_json
from ggrep.federation.federated_request import EffectiveSettings
from ggrep.federation.merge import MergedHit
from ggrep.model.confidence import Confidence
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.response import MatchTotals, federated_key
from ggrep.render.answer_json import document_of


class FederatedResponse(Envelope, frozen=True, kw_only=True):
    """The answer to a search of a workspace.

    Attributes:
        in_force: the effective limits and the requested strategy.
        strategy: the strategy that was used.
        hits: the blended list, best first; low confidence shortens all lists.
        confidence: how well the best hits of the merged list fit the query.
        statistics_repos: repositories whose statistics affect scores; only with `global`.
        matched: counts of matches in each repository that answered; empty unless lines are matched.
    """

    in_force: EffectiveSettings
    strategy: str
    plan: CohortPlan
    corpora: tuple[tuple[Corpus, tuple[MergedHit, ...]], ...]
    hits: tuple[MergedHit, ...]
    confidence: Confidence
    statistics_repos: tuple[RepoId, ...]
    matched: tuple[tuple[RepoId, MatchTotals], ...] = ()

    @property
    def merge_unsaid(self) -> bool:
        """Return whether lists were merged by rank because no merge strategy is set."""
        strategy = self.request.merge_strategy or self.workspace.merge.strategy
        # Setting `rrf_k` implies the strategy `rrf`.
        rrf_k = self.request.rrf_k or self.workspace.merge.rrf_k
        gave = sum(report.status in {"ok", "partial"} for report in self.reports)
        return strategy is None and rrf_k is None and gave > 1

    def shown(self) -> Iterator[RepoId]:
        """Yield the repositories of the hits and of their copies."""
        for merged in chain(self.hits, *(hits for _, hits in self.corpora)):
            yield merged.repo_id
            yield from (copy.repo_id for copy in merged.also_in)

    def rules(self, listed: Container[RepoId]) -> dict[str, Any]:
        """Return the merge settings, limits and cohorts of the lists."""
        force = self.in_force
        merge = {"strategy": self.strategy, "rrfK": force.rrf_k, "fold": force.fold}
        if self.strategy != force.strategy:
            merge["requested"] = force.strategy
        return {
            "merge": merge,
            "limits": {
                "top": force.top,
                "perRepoTop": force.per_repo_top,
                "concurrency": force.concurrency,
                "maxRepos": force.max_repos,
            },
            "cohort": {
                "policy": self.plan.policy,
                "byMode": {
                    part.corpus.value: {
                        "cohortKey": part.key,
                        "repoIds": [repo for repo in part.admitted if repo in listed],
                        "excludedRepoIds": [repo for repo in part.excluded if repo in listed],
                    }
                    for part in self.plan.corpora
                },
            },
            "statistics": {"repoIds": [repo for repo in self.statistics_repos if repo in listed]},
        }

    def body(self) -> dict[str, Any]:
        """Return the lists, and the counts of matches if lines are matched."""
        lists: dict[str, list[Any]] = {each.value: [] for each in CORPORA}
        lists |= {corpus.value: list(map(hit_json, hits)) for corpus, hits in self.corpora}
        return {
            "confidence": self.confidence.value,
            **({"matches": self._matches()} if self.matched else {}),
            "results": list(map(hit_json, self.hits)),
            **lists,
        }

    def _matches(self) -> dict[str, Any]:
        aliases = {report.repo.repo_id: report.repo.alias for report in self.reports}
        document: dict[str, Any] = {
            "lines": sum(totals.lines for _, totals in self.matched),
            "files": sum(totals.files for _, totals in self.matched),
        }
        if self.request.search.list_files:
            document["byFile"] = [
                {"repoId": repo, "repoAlias": aliases[repo], "file": each.path, "lines": each.lines}
                for repo, totals in self.matched
                for each in totals.by_file
            ]
        return document


def hit_json(merged: MergedHit) -> dict[str, Any]:
    """Return the JSON of a hit with its repository; `file` is relative to the repository."""
    hit = merged.hit
    named = ((federated_key(name), value) for name, value in document_of(hit).items())
    values = {key: value for key, value in named if key is not None}
    values |= {
        "id": hit.row_id,
        "globalId": merged.global_id,
        "repoId": merged.repo_id,
        "repoAlias": merged.repo_alias,
        "file": hit.path,
        "start": hit.start_line,
        "end": hit.end_line,
        "score": merged.score,
        "localScore": merged.local_score,
        "localRank": merged.local_rank,
    }
    if merged.also_in:
        values["alsoIn"] = [
            {
                "repoId": copy.repo_id,
                "repoAlias": copy.repo_alias,
                "file": copy.file,
                "start": copy.start,
                "end": copy.end,
                "id": copy.row_id,
            }
            for copy in merged.also_in
        ]
    if hit.components:
        values["explain"] = dict(hit.components)
    return values


def failure_json(error: GgrepError, *, include_paths: bool) -> dict[str, Any]:
    """Return the JSON of a request that failed before any repository was queried.

    Absolute paths are included only for the caller's own terminal.
    """
    known = {"backend": "federated", "diagnostics": {"warnings": [], "errors": []}}
    return failed_json(known, error, str if include_paths else _naming_files(error))


def _naming_files(error: GgrepError) -> Clean:
    """Return a redaction that removes directories but keeps the name of the invalid file."""
    issues = error.issues if isinstance(error, WorkspaceError) else ()
    files = sorted({issue.path for issue in issues if issue.path}, key=len, reverse=True)

    def clean(text: str) -> str:
        for file in files:
            text = text.replace(file, PurePath(file).name)
        return redact(text)

    return clean
