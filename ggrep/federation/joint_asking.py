"""Asks many repositories at once, where one process serves all of them.

What comes back is merged as their own lists would be: the same bytes come of it. Where something
stands in the way, each is asked by itself.
"""

from collections.abc import Sequence

from ggrep.base.ids import RepoId
from ggrep.federation.memory import Given
from ggrep.federation.repo_requests import RepoRequests
from ggrep.model.confidence import Leading, Wording
from ggrep.model.joint_pools import (
    FiguresByMember,
    JointPoolResponse,
    JointQuestion,
    MemberLists,
)
from ggrep.model.limits import Notice
from ggrep.model.request import Find
from ggrep.model.response import PoolResponse, Provenance, RepoDescription

_FOUND_BY_WORDS = frozenset({Find.AUTO, Find.CONCEPT})
_NOBODY_LEADS = Leading((), 0.0, 1.0, Wording.PLAIN)


def joint_question(asking: RepoRequests) -> JointQuestion | None:
    """Return the one question to all admitted repositories; None where each must be asked alone.

    That is so unless they compare in every corpus, cut their answers alike, and show plain lists
    of their active snapshots.
    """
    force, search = asking.force, asking.search
    admitted = asking.plan.admitted()
    plain = (
        force.strategy.compares
        and force.strategy.exact
        and search.find in _FOUND_BY_WORDS
        and 0 < force.top <= force.per_repo_top
        and not force.max_repos
        and not asking.kept
    )
    if not plain or len(admitted) < 2:
        return None
    if any(part.admitted != admitted for part in asking.plan.corpora):
        return None
    if not _alike([asking.descriptions[repo] for repo in admitted]):
        return None
    return JointQuestion(
        search=search,
        top=force.top,
        per_list=force.per_repo_top,
        folds=force.fold,
        weighs=force.strategy.weighs,
        vector=asking.vector_of(admitted[0]),
    )


def given_jointly(
    asking: RepoRequests, response: JointPoolResponse, repos: Sequence[RepoId]
) -> Given:
    """Return what the repositories gave; `repos` are the members, in their order."""
    lists = {found.member: found for found in response.lists}
    notices: dict[int, list[Notice]] = {}
    for told in response.notices:
        notices.setdefault(told.member, []).append(told.notice)
    partial = frozenset(response.partial)
    nothing = tuple((corpus, ()) for corpus in asking.search.corpora)
    pools = {}
    for place, repo in enumerate(repos):
        found = lists.get(place, MemberLists(place, nothing))
        pools[repo] = PoolResponse(
            provenance=_provenance(asking.descriptions[repo], partial=place in partial),
            blended=(),
            corpora=found.corpora,
            # What all of them lead with is told once.
            leading=_NOBODY_LEADS if place else response.leading,
            limits_hit=response.limits_hit,
            warnings=tuple(notices.get(place, ())),
        )
    return Given(
        strategy=asking.force.strategy.name,
        pools=pools,
        figures=FiguresByMember(repos, response.figures),
        asked=dict.fromkeys(pools, asking.force.per_repo_top),
    )


def _alike(descriptions: Sequence[RepoDescription]) -> bool:
    keys = {
        (one.embed_key, one.lexical_key, one.schema_key, one.answers_key) for one in descriptions
    }
    plain = all(one.snapshot_id and one.answers_key and not one.profile for one in descriptions)
    return plain and len(keys) == 1


def _provenance(description: RepoDescription, *, partial: bool) -> Provenance:
    return Provenance(
        store_id=description.store_id,
        config_fingerprint=description.config_fingerprint,
        ignore_fingerprint=description.ignore_fingerprint,
        embed_config_fingerprint="",
        snapshot_id=description.snapshot_id or "",
        git=None,
        degraded=description.degraded,
        partial=partial,
        indexed_files=0,
        eligible_files=0,
    )
