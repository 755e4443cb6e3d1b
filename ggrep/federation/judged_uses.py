"""Has every repository judge usages of a qualified name by the definitions of all of them.

Each judges by its own at first. Whoever would judge otherwise by those of all is asked anew.
"""

from ggrep.base.ids import RepoId
from ggrep.federation.name_merging import MergedDefinitions, merge_definitions, own_family
from ggrep.federation.name_rounds import NameRounds
from ggrep.model.containers import Family
from ggrep.model.name_pools import NameStep, ReferencesPool


async def judge_all(
    rounds: NameRounds[ReferencesPool], step: NameStep, owners: tuple[str, ...]
) -> MergedDefinitions:
    """Return the definitions by which all usages that were given are judged.

    Who fails meanwhile has no part in the answer, nor have its definitions; then the others are
    asked once more where that changes anything.

    Args:
        rounds: who has answered so far.
        step: the rule that decides.
        owners: what the name is qualified by, outermost first; nothing is judged without.
    """
    told: dict[RepoId, Family] = {}
    while True:
        pools = rounds.given[step]
        defined = merge_definitions(pools, owners)
        if (family := defined.family) is None:
            return defined
        other = [
            repo
            for repo, pool in sorted(pools.items())
            if family != (told.get(repo) or own_family(pool, owners))
            and any(dict(pool.totals).values())
        ]
        if not other or rounds.asking.is_over:
            return defined
        await rounds.judge(other, step, family)
        told |= dict.fromkeys(other, family)
