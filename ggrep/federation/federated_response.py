"""A federated answer, and its JSON: the contract's full shape, and our additional keys.

Equal states give equal bytes. No absolute path stands in it unless the request asks, and what
differs from run to run stands in `stats` alone.
"""

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from ggrep.base.errors import GgrepError, WorkspaceError
from ggrep.base.formats import FEDERATED_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import redact
from ggrep.federation.envelope import (
    Clean,
    Envelope,
    envelope_json,
    failed_json,
    path_cleaner,
    shown_repos,
)
from ggrep.federation.federated_request import EffectiveSettings
from ggrep.federation.merge import MergedHit
from ggrep.model.confidence import Confidence
from ggrep.model.corpus import Corpus
from ggrep.model.response import MatchTotals, federated_key
from ggrep.render.answer_json import document_of

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import (
        AskedJson,
        FederatedAnswerJson,
        FederatedErrorJson,
        FederatedHitJson,
        FederatedJson,
        FederatedMatchesJson,
        FederatedMetaJson,
        FederatedMoreJson,
        MergeJson,
        MergeRulesJson,
    )


class FederatedResponse(Envelope, frozen=True, kw_only=True):
    """Everything one federated request returns.

    Attributes:
        in_force: the limits that applied and the strategy that was asked for.
        strategy: the strategy that was used.
        hits: the blended list, best first; a weak answer's lists are shortened.
        confidence: how well the best hits fit the query, judged on the merged list.
        statistics_repos: repositories whose statistics scores depend on; only under `global`.
        matched: how much matches in each repository that answered; empty unless lines are matched.
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
        """Return whether several lists were merged by rank alone for lack of a setting."""
        said = self.request.merge_strategy or self.workspace.merge.strategy
        # Setting the constant of a strategy implies that strategy.
        said_k = self.request.rrf_k or self.workspace.merge.rrf_k
        gave = sum(report.status in {"ok", "partial"} for report in self.reports)
        return said is None and said_k is None and gave > 1

    def to_json(self) -> "FederatedJson | FederatedErrorJson":
        """Return the contract's JSON object."""
        return federated_json(self)


def federated_json(response: FederatedResponse) -> "FederatedJson | FederatedErrorJson":
    """Return the answer, or its failure with all that is known of the repositories."""
    if response.error is not None:
        return failed_json(_asked(response), response.error, path_cleaner(response))
    lists = {corpus: [hit_json(merged) for merged in found] for corpus, found in response.corpora}
    return {
        **answered_json(response),
        **_more(response),
        "results": [hit_json(merged) for merged in response.hits],
        "code": lists.get(Corpus.CODE, []),
        "prose": lists.get(Corpus.PROSE, []),
        "extractedProse": lists.get(Corpus.EXTRACTED_PROSE, []),
        "records": lists.get(Corpus.RECORDS, []),
    }


def _more(response: FederatedResponse) -> "FederatedMoreJson":
    """Return the keys that only some answers have."""
    if not response.matched:
        return {}
    aliases = {report.repo.repo_id: report.repo.alias for report in response.reports}
    document: FederatedMatchesJson = {
        "lines": sum(totals.lines for _, totals in response.matched),
        "files": sum(totals.files for _, totals in response.matched),
    }
    if response.request.search.list_files:
        document["byFile"] = [
            {"repoId": repo, "repoAlias": aliases[repo], "file": one.path, "lines": one.lines}
            for repo, totals in response.matched
            for one in totals.by_file
        ]
    return {"matches": document}


def answered_json(response: FederatedResponse) -> "FederatedAnswerJson":
    """Return an answer without its lists.

    Requires: there is one; a failure has a shape of its own.
    """
    return {**_asked(response), "ok": True, "confidence": response.confidence.value}


def _asked(response: FederatedResponse) -> "AskedJson":
    listed = shown_repos(response, _shown(response))
    document = envelope_json(response, listed)
    meta: FederatedMetaJson = {**document["meta"], **_rules(response, listed)}
    return {**document, "schema_version": FEDERATED_SCHEMA, "meta": meta}


def _shown(response: FederatedResponse) -> Iterator[RepoId]:
    """Yield the repositories that hits are of, or copies of them."""
    for hits in (response.hits, *(hits for _, hits in response.corpora)):
        for merged in hits:
            yield merged.repo_id
            yield from (copy.repo_id for copy in merged.also_in)


def hit_json(merged: MergedHit) -> "FederatedHitJson":
    """Return a hit with the repository it came from; `file` is relative to that."""
    hit = merged.hit
    values = {federated_key(name): value for name, value in document_of(hit).items()}
    values.pop(None, None)
    document = cast("FederatedHitJson", values)
    document |= {
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
        document["alsoIn"] = [
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
        document["explain"] = dict(hit.components)
    return document


def failure_json(error: GgrepError, *, include_paths: bool) -> "FederatedErrorJson":
    """Return the envelope of a request that came to nothing before any repository was asked.

    Absolute paths are for the caller's own terminal.
    """
    known = {"backend": "federated", "diagnostics": {"warnings": [], "errors": []}}
    return failed_json(known, error, str if include_paths else _naming_files(error))


def _naming_files(error: GgrepError) -> Clean:
    """Return the redaction that leaves a wrong file its name, so that it can be found."""
    issues = error.issues if isinstance(error, WorkspaceError) else ()
    files = sorted({issue.path for issue in issues if issue.path}, key=len, reverse=True)

    def clean(text: str) -> str:
        for file in files:
            text = text.replace(file, PurePath(file).name)
        return redact(text)

    return clean


def _rules(response: FederatedResponse, listed: frozenset[RepoId]) -> "MergeRulesJson":
    force = response.in_force
    merge: MergeJson = {"strategy": response.strategy, "rrfK": force.rrf_k, "fold": force.fold}
    if response.strategy != force.strategy:
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
            "policy": response.plan.policy,
            "byMode": {
                part.corpus.value: {
                    "cohortKey": part.key,
                    "repoIds": [repo for repo in part.admitted if repo in listed],
                    "excludedRepoIds": [repo for repo in part.excluded if repo in listed],
                }
                for part in response.plan.corpora
            },
        },
        "statistics": {"repoIds": [repo for repo in response.statistics_repos if repo in listed]},
    }
