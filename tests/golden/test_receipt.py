"""Goldens of `ggrep search --receipt`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.model.corpus import Mode
from ggrep.model.filters import Filter
from ggrep.model.request import SnippetMode
from ggrep.render.receipts import receipt_document
from ggrep.search.engine.engine import Engine
from tests.fakes.receipts import receipt_of, without_builds
from tests.golden.documents import Repos, neutral_bytes


def test_a_receipt_of_an_answer(golden: SnapshotAssertion, repos: Repos, shop: Engine) -> None:
    """Whoever keeps receipts relies on their shape."""
    receipt = receipt_of(
        shop,
        "refund",
        limit=2,
        mode=Mode.DEBUG,
        filters=(Filter("test", "true", negated=True),),
        snippet=SnippetMode.SHORT,
    )

    assert neutral_bytes(without_builds(receipt_document(receipt)), repos) == golden
