"""Golden of what a file and a folder define."""

from syrupy.assertion import SnapshotAssertion

from ggrep.model.outline import OutlineRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes


def test_a_file_and_a_folder_in_a_tree_are_outlined_again(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """An answer that moves must be seen to move before it is shipped."""
    request = OutlineRequest(("shop/pricing.py", "shop"), deterministic=True)

    assert neutral_bytes(answer_json(shop.ask(request)), repos) == golden
