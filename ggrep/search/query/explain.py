"""The explanation of an answer for `--explain`: its figures and the rules that applied."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ggrep.model.confidence import TopFiles
from ggrep.model.corpus import CORPORA, quotas
from ggrep.model.request import Find
from ggrep.model.response import Explanation, Hit, Term
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.weights import KIND_WEIGHTS

_WEIGHTS: Final = (
    *("definition", "file", "function", "further", "location", "name", "passage", "path"),
    *("spelling", "stem", "symbol", "text", "verbatim", "wordless"),
)
_PROMISES = {
    Find.DEFINITION: "must define the name",
    Find.USAGE: "must contain the name without defining it",
    Find.EXACT_TEXT: "must contain the exact text",
    Find.REGEX: "must match the regular expression",
}


def explain(
    ranked: Ranked, hits: Sequence[Hit], leading: TopFiles, cuts: dict[str, int]
) -> Explanation:
    """Return the explanation of the ranking.

    Args:
        ranked: the scored snapshot.
        hits: the hits of the answer.
        leading: the features from which the answer's confidence was computed.
        cuts: numbers of omitted hits, by reason.
    """
    scored = {
        corpus: sum(int(best.numbers[place]) for best in ranked.best)
        for place, corpus in enumerate(CORPORA)
    }
    request, weights, query = ranked.request, ranked.weights, ranked.query
    returned = Counter(hit.corpus for hit in hits)
    in_force = {name: float(getattr(weights, name)) for name in _WEIGHTS}
    fusion = ranked.fusion
    in_force |= {
        "dense": weights.dense * fusion.row,
        "dense_file": weights.dense * fusion.file,
        "dense_floor": fusion.floor,
    }
    return Explanation(
        kind=query.kind.value,
        rules=tuple(_rules(ranked)),
        terms=tuple(Term(term, ranked.statistics.frequency(term).chunks) for term in query.terms),
        quotas={b.value: n for b, n in quotas(request.mode, request.limit).items()},
        candidate_mix={corpus.value: number for corpus, number in scored.items()},
        returned_mix={corpus.value: returned[corpus] for corpus in CORPORA},
        cuts={name: number for name, number in sorted(cuts.items()) if number},
        confidence=dict(_confidence(leading)),
        weights=dict(sorted(in_force.items())),
        segments=len(ranked.segments),
    )


def _rules(ranked: Ranked) -> list[str]:
    query = ranked.query
    changed = ", ".join(f"{name} {value:g}" for name, value in KIND_WEIGHTS[query.kind].items())
    rules = [changed or "the usual weights"]
    rules += [f"must contain {phrase!r} word for word" for phrase in query.phrases]
    rules += [f"means files at {place.path}" for place in query.places]
    if ranked.request.find in _PROMISES:
        rules.append(_PROMISES[ranked.request.find])
    if query.wants_tests:
        rules.append("query mentions tests: tests are not ranked lower")
    return rules


def _confidence(leading: TopFiles) -> tuple[tuple[str, float], ...]:
    if not leading.leaders:
        return ()
    return (
        ("evidence", leading.evidence),
        ("found", leading.found),
        ("row", leading.row),
        ("topic", leading.topic),
        ("unknown", leading.unknown),
        ("weight", leading.weight),
    )
