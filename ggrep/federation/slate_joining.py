"""Joins the slates of several repositories into one, and builds its answer.

Pure. The answer is that of the search that came before: its diagnostics and cuts, and those of the
slates beside them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import Ran
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import RepoOutcome
from ggrep.federation.federated_response import FederatedResponse, answered_json
from ggrep.federation.folding import REFILL_LIMIT
from ggrep.federation.repo_outcomes import RepoLimit, code_of
from ggrep.federation.repo_targets import label_of
from ggrep.model.limits import LimitHit
from ggrep.model.slate import Slate, SlateResponse
from ggrep.search.slate.combine import Combining, RepoSlate, combined
from ggrep.search.slate.overview import Asked

_AROUND: Final = 4_000
"""Bytes that stand around a slate of one repository; its usual budget leaves room for them."""

_OF_LISTS: Final = frozenset(
    {"per_repo_top", "max_candidates", REFILL_LIMIT, "low_confidence", "max_total_snippet_bytes"}
)
"""Cuts of lists of hits, which no slate shows."""


def joined(
    ran: Ran,
    outcomes: Mapping[RepoId, RepoOutcome[SlateResponse]],
    how: Combining,
    clamps: Sequence[LimitHit],
    *,
    fits_usual: bool,
    shows: bool,
) -> tuple[FederatedResponse, Slate]:
    """Return the search's answer completed by the slates, and the combined slate.

    Args:
        ran: the search, whose hits decided who was asked.
        outcomes: of those who were.
        how: level, budgets and what scores mean.
        clamps: budgets that were asked for beyond a cap.
        fits_usual: what is said of many repositories lessens the bytes of the slate.
        shows: their files are shown; else they only say what the question was taken for.
    """
    response, repos = ran.response, ran.asking.repos
    found = {repo: one.value for repo, one in sorted(outcomes.items()) if one.value is not None}
    shown = found if shows else {}
    slates = [
        RepoSlate(label_of(repos[repo]), one.slate, one.facts, _left_out(one))
        for repo, one in shown.items()
    ]
    told = [RepoLimit(limit) for limit in clamps]
    beside = _OF_LISTS if response.hits else _OF_LISTS - {"low_confidence"}
    told += [item for item in response.limits_hit if item.limit.code not in beside]
    told += _cuts_within(shown)
    response = replace(
        response,
        errors=_with_failures(response.errors, outcomes),
        repo_elapsed_ms=_spent(response, outcomes),
    )
    if fits_usual and how.level:
        around = replace(response, limits_hit=tuple(told))
        left = _left(around, how.budgets.total_bytes)
        how = replace(how, budgets=replace(how.budgets, total_bytes=left))
    slate, cuts = combined(slates, _asked(found.values()), how)
    told += [RepoLimit(limit) for limit in cuts]
    limits = tuple(dict.fromkeys(sorted(told, key=RepoLimit.order)))
    return replace(response, limits_hit=limits), slate


def _left_out(found: SlateResponse) -> int:
    """Return how many files of a repository match and had no place in its slate."""
    over = (hit for hit in found.limits_hit if hit.code == "max_slate_files")
    return sum((hit.observed or hit.limit) - hit.limit for hit in over)


def _cuts_within(found: Mapping[RepoId, SlateResponse]) -> list[RepoLimit]:
    """Return the limits hit inside the repositories' slates: content missing everywhere."""
    return [
        RepoLimit(limit, repo)
        for repo, response in found.items()
        for limit in response.limits_hit
        if limit.code not in _OF_LISTS
    ]


def _with_failures(
    errors: Sequence[Diagnostic], outcomes: Mapping[RepoId, RepoOutcome[SlateResponse]]
) -> tuple[Diagnostic, ...]:
    """Return the errors, with those of repositories that gave no slate."""
    failed = [
        Diagnostic(code_of(one.error), f"no slate: {one.error}", repo_id=repo)
        for repo, one in outcomes.items()
        if one.error is not None
    ]
    return sorted_diagnostics((*errors, *failed))


def _spent(
    response: FederatedResponse, outcomes: Mapping[RepoId, RepoOutcome[SlateResponse]]
) -> tuple[tuple[RepoId, float], ...]:
    """Return the milliseconds of each repository's calls, including those for its slate."""
    slates = {repo: one.elapsed_ms for repo, one in outcomes.items()}
    return tuple((repo, ms + slates.get(repo, 0.0)) for repo, ms in response.repo_elapsed_ms)


def _left(response: FederatedResponse, usual: int) -> int:
    """Return the bytes of a slate that remain beside the metadata of many repositories.

    So many that it would be less than half are let go beyond. Times are not counted: they differ
    from run to run, and a slate must not.
    """
    timeless = replace(response, request=replace(response.request, stats=False))
    around = len(stable_json.dumps(answered_json(timeless)))
    return max(usual - max(around - _AROUND, 0), usual // 2)


def _asked(found: Iterable[SlateResponse]) -> Asked:
    """Return the interpretation of the query, which is the same in every repository.

    Where none says so, for nothing but words.
    """
    for one in found:
        return Asked(one.slate.overview.terms, one.slate.overview.kind)
    return Asked((), "words")
