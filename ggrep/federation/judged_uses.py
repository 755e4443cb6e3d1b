"""Has every repository judge usages of a qualified name by the definitions of all of them.

Each judges by its own at first. Whoever would judge otherwise by those of all is asked anew.
"""

from ggrep.base.ids import RepoId
from ggrep.federation.name_merging import (
    MergedDefinitions,
    is_mentioned,
    merge_definitions,
    own_family,
)
from ggrep.federation.name_rounds import NameRounds
from ggrep.model.containers import Family
from ggrep.model.name_pools import NameStep, ReferencesPool


async def judge_all(
    rounds: NameRounds[ReferencesPool], owners: tuple[str, ...]
) -> tuple[NameStep | None, MergedDefinitions]:
    """Return the rule that decides, and the definitions by which all usages are judged.

    Who fails meanwhile has no part in the answer, nor have its definitions; who publishes anew
    may spell the name otherwise. Then it is looked again who has to judge anew.

    Args:
        rounds: who has answered so far.
        owners: what the name is qualified by, outermost first; nothing is judged without.
    """
    told: dict[tuple[NameStep, RepoId], Family] = {}
    while True:
        step = rounds.decided()
        pools = rounds.given.get(step, {}) if step is not None else {}
        defined = merge_definitions(pools, owners)
        family = defined.family
        if step is None or family is None or rounds.asking.is_over:
            return step, defined
        other = [
            repo
            for repo, pool in sorted(pools.items())
            if is_mentioned(pool) and family != (told.get((step, repo)) or own_family(pool, owners))
        ]
        if not other:
            return step, defined
        await rounds.judge(other, step, family)
        told |= {(step, repo): family for repo in other}
