"""Goldens of one repository's answers."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import SnippetMode
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes, search_document

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "balanced": ("retry when the payment provider is unavailable", {}),
    "debug": ("PaymentDeclined", {"mode": Mode.DEBUG, "snippet": SnippetMode.SHORT}),
    "discovery": ("reservation expires", {"mode": Mode.DISCOVERY, "limit": 6}),
    "filtered": ("refund", {"filters": (Filter("test", "true", negated=True),), "limit": 4}),
    "implementation": ("round_cents", {"mode": Mode.IMPLEMENTATION, "limit": 5}),
    "nothing_found": ("zyzzyva", {}),
    "one_corpus": ("checkout", {"corpora": (Corpus.EXTRACTED_PROSE,)}),
    "planning": ("what happens at checkout", {"mode": Mode.PLANNING, "limit": 6}),
    "scoped": ("checkout", {"scope": "docs", "snippet": SnippetMode.NONE}),
    "whole_chunks": ("bulk discount", {"limit": 2, "snippet": SnippetMode.FULL}),
}


@pytest.mark.parametrize("case", CASES)
def test_equal_trees_give_equal_answers(
    case: str, golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """A ranking that moves must be seen to move before it is shipped."""
    query, wanted = CASES[case]

    assert neutral_bytes(search_document(shop, query, **wanted), repos) == golden


def test_an_explained_answer_tells_terms_weights_and_parts(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """Whoever tunes a query reads these figures."""
    document = search_document(shop, "refund a charge", mode=Mode.DEBUG, limit=3, explain=True)

    assert neutral_bytes(document, repos) == golden


def test_a_clamped_answer_names_the_bounds(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """A cut that is not named looks like the end of the list."""
    document = search_document(
        shop, "reservation", limit=100_000, per_file=100_000, corpora=(Corpus.RECORDS,)
    )

    assert neutral_bytes(document, repos) == golden


def test_timings_are_told_outside_deterministic_mode(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """All zero here, because the clock stands still."""
    document = search_document(shop, "price list", deterministic=False, limit=1)

    assert neutral_bytes(document, repos) == golden
