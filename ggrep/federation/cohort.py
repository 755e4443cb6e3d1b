"""Groups repositories into cohorts for each corpus; lists are only merged within a cohort.

The key of a cohort consists of the encoder, the layout of term statistics and the schema. The key
is independent of a repository's size and content.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import Issue, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.federation.diagnostics import Diagnostic
from ggrep.model.corpus import CORPUS_WORDS, Corpus
from ggrep.model.response import RepoDescription

Policy: TypeAlias = Literal["default", "strict", "priority"]
POLICIES: Final[tuple[Policy, ...]] = ("default", "strict", "priority")

_KEY_LENGTH = 16
_MOST_KEYS = 64
"""Number of cached keys: thousands of repositories mostly have the same key."""


class Candidate(Struct, frozen=True):
    """A repository that has an index."""

    repo_id: RepoId
    priority: int
    description: RepoDescription


class CohortSelectors(Struct, frozen=True):
    """Cohorts that the request names."""

    everywhere: str | None = None
    by_corpus: tuple[tuple[Corpus, str], ...] = ()

    def of(self, corpus: Corpus) -> str | None:
        """Return the key that the request names for a corpus."""
        return dict(self.by_corpus).get(corpus, self.everywhere)


class CorpusCohort(Struct, frozen=True):
    """The repositories to query for one corpus.

    Attributes:
        key: key of the chosen cohort; None if several cohorts are mixed, no repository was chosen,
            or the repositories do not report their keys.
    """

    corpus: Corpus
    key: str | None
    admitted: tuple[RepoId, ...]
    excluded: tuple[RepoId, ...]


@dataclass(frozen=True, slots=True)
class CohortPlan:
    """Repositories to query, by corpus."""

    policy: str
    corpora: tuple[CorpusCohort, ...]
    warnings: tuple[Diagnostic, ...]
    _by_repo: Mapping[RepoId, tuple[Corpus, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Collect the corpora of each repository once: there may be thousands of repositories."""
        corpora_of: dict[RepoId, tuple[Corpus, ...]] = {}
        for part in self.corpora:
            for repo in part.admitted:
                corpora_of[repo] = (*corpora_of.get(repo, ()), part.corpus)
        object.__setattr__(self, "_by_repo", corpora_of)

    def admitted(self) -> tuple[RepoId, ...]:
        """Return the repositories that are queried for any corpus."""
        return tuple(sorted(self._by_repo))

    def corpora_of(self, repo_id: RepoId) -> tuple[Corpus, ...]:
        """Return the corpora that one repository is queried for."""
        return self._by_repo.get(repo_id, ())


def parse_selectors(tokens: Sequence[str]) -> CohortSelectors:
    """Return the cohorts that `KEY` and `CORPUS:KEY` select; the last selector of a corpus wins."""
    words = {**{corpus.value: corpus for corpus in Corpus}, **CORPUS_WORDS}
    everywhere: set[str] = set()
    by_corpus: dict[Corpus, str] = {}
    for token in tokens:
        word, colon, key = token.strip().rpartition(":")
        corpus = words.get(word.strip()) if colon else None
        if not key.strip() or (colon and corpus is None):
            raise _invalid_selector(f"{token!r} must have the form KEY or CORPUS:KEY")
        if corpus is None:
            everywhere.add(key.strip())
        else:
            by_corpus[corpus] = key.strip()
    if len(everywhere) > 1:
        raise _invalid_selector(
            "only one cohort key can apply to all corpora, but several were given: "
            f"{sorted(everywhere)}"
        )
    return CohortSelectors(next(iter(everywhere), None), tuple(by_corpus.items()))


def cohort_key(description: RepoDescription, corpus: Corpus) -> str | None:
    """Return the cohort's key for a corpus; lists with equal keys can be merged."""
    return _key(description, corpus.value)


def compatibility_key(description: RepoDescription) -> str | None:
    """Return a cohort key that does not depend on a corpus."""
    return _key(description, "")


def plan_cohorts(
    candidates: Sequence[Candidate],
    corpora: Sequence[Corpus],
    *,
    policy: Policy = "default",
    selectors: CohortSelectors | None = None,
    allow_unsafe_mix: bool = False,
) -> CohortPlan:
    """Return the repositories to query for `corpora`; the order of `candidates` has no effect."""
    selectors = selectors or CohortSelectors()
    rule = _Rule(policy, allow_unsafe_mix=allow_unsafe_mix)
    ordered = sorted(candidates, key=lambda candidate: candidate.repo_id)
    parts = [_plan(ordered, corpus, rule, selectors.of(corpus)) for corpus in corpora]
    warnings = [warning for _, each in parts for warning in each]
    return CohortPlan(
        policy="unsafe-mix" if allow_unsafe_mix else policy,
        corpora=tuple(part for part, _ in parts),
        warnings=tuple(warnings),
    )


def comparable(descriptions: Iterable[RepoDescription]) -> bool:
    """Return whether scores of all these repositories have the same scale."""
    keys = {compatibility_key(description) for description in descriptions}
    return len(keys) <= 1 and None not in keys


class _Rule(Struct, frozen=True):
    policy: Policy
    allow_unsafe_mix: bool


_Buckets: TypeAlias = Mapping[str | None, list[Candidate]]


def _plan(
    candidates: Sequence[Candidate], corpus: Corpus, rule: _Rule, wanted: str | None
) -> tuple[CorpusCohort, list[Diagnostic]]:
    buckets: dict[str | None, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        buckets[cohort_key(candidate.description, corpus)].append(candidate)
    warnings = [
        Diagnostic(
            "WARN_FEDERATED_COHORT_KEY_MISSING",
            "its daemon did not report its cohort",
            repo_id=candidate.repo_id,
            mode=corpus.value,
        )
        for candidate in buckets.get(None, ())
    ]
    if wanted is not None:
        chosen = _named(buckets, corpus, wanted)
        return _cohort(corpus, chosen, candidates, warnings)
    if len(buckets) > 1 and rule.allow_unsafe_mix:
        mixed = f"{len(buckets)} cohorts are mixed; their scores are not comparable"
        warnings.append(Diagnostic("WARN_FEDERATED_UNSAFE_MIXING", mixed, mode=corpus.value))
        return CorpusCohort(corpus, None, _ids(candidates), ()), warnings
    if len(buckets) > 1 and rule.policy == "strict":
        raise _cohort_error(
            "ERR_FEDERATED_MULTI_COHORT",
            f"corpus {corpus.value}: the indexes of the selected repositories are not "
            f"comparable: they form {len(buckets)} cohorts",
            "choose one with --cohort, or index all repositories with the same settings",
        )
    best = min(buckets, key=lambda key: _rank(buckets[key], rule), default=None)
    if len(buckets) > 1:
        kept = f"{len(buckets)} cohorts exist; only cohort {best} is queried"
        warnings.append(Diagnostic("WARN_FEDERATED_MULTI_COHORT", kept, mode=corpus.value))
    return _cohort(corpus, buckets.get(best, []), candidates, warnings)


def _cohort(
    corpus: Corpus,
    chosen: Sequence[Candidate],
    candidates: Sequence[Candidate],
    warnings: list[Diagnostic],
) -> tuple[CorpusCohort, list[Diagnostic]]:
    admitted = set(_ids(chosen))
    excluded = tuple(repo for repo in _ids(candidates) if repo not in admitted)
    key = cohort_key(chosen[0].description, corpus) if chosen else None
    warnings += [
        Diagnostic(
            "WARN_FEDERATED_COHORT_EXCLUDED",
            "its scores are not comparable with those of the queried cohort",
            repo_id=repo,
            mode=corpus.value,
        )
        for repo in excluded
    ]
    return CorpusCohort(corpus, key, _ids(chosen), excluded), warnings


def _named(buckets: _Buckets, corpus: Corpus, wanted: str) -> list[Candidate]:
    for key, members in buckets.items():
        if key is not None and wanted in {key, compatibility_key(members[0].description)}:
            return members
    raise _cohort_error(
        "ERR_FEDERATED_COHORT_NOT_FOUND",
        f"corpus {corpus.value}: no selected repository is in cohort {wanted!r}",
        "an answer lists its cohorts under meta.cohort.byMode",
    )


def _rank(members: Sequence[Candidate], rule: _Rule) -> tuple[int, int, bool, str]:
    """Return the sort key of a cohort; the cohort with the smallest key is chosen.

    The sort key does not depend on the corpus. The same cohort is therefore chosen for all corpora,
    and its scores can be merged into one list.
    """
    # An empty repository does not count, as adding one must not change an answer.
    counts = ((member, member.description.counts) for member in members)
    voters = [member for member, rows in counts if not rows or any(number for _, number in rows)]
    count, priority = len(voters), sum(voter.priority for voter in voters)
    key = compatibility_key(members[0].description)
    if rule.policy == "priority":
        return -priority, -count, key is None, key or ""
    return -count, -priority, key is None, key or ""


def _ids(candidates: Sequence[Candidate]) -> tuple[RepoId, ...]:
    return tuple(candidate.repo_id for candidate in candidates)


def _key(description: RepoDescription, corpus: str) -> str | None:
    if not description.lexical_key and not description.schema_key:
        return None
    return _key_of(corpus, description.embed_key, description.lexical_key, description.schema_key)


@lru_cache(maxsize=_MOST_KEYS)
def _key_of(corpus: str, embed: str, lexical: str, schema: str) -> str:
    inputs: dict[str, stable_json.Json] = {
        "v": 1,
        "corpus": corpus,
        "embed": embed,
        "lexical": lexical,
        "schema": schema,
    }
    return hashlib.sha256(stable_json.dumps(inputs)).hexdigest()[:_KEY_LENGTH]


def _invalid_selector(message: str) -> WorkspaceError:
    return _cohort_error("ERR_FEDERATED_INVALID_COHORT_SELECTOR", f"cohort: {message}", "")


def _cohort_error(code: str, message: str, hint: str) -> WorkspaceError:
    return WorkspaceError((Issue(code, message, field="$.cohort", reason="cohort", hint=hint),))
