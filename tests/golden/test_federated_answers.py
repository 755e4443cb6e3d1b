"""Golden of several answers of a workspace."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.model.navigation import SymbolRequest
from ggrep.model.sync import SyncReport
from ggrep.render.failures import query_error
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes


def test_several_answers_are_the_contracts(
    golden: SnapshotAssertion, repos: Repos, indexed: dict[str, tuple[Engine, SyncReport]]
) -> None:
    """One document each, a failure where there is none."""
    asked = SymbolRequest("refnd", deterministic=True)
    found = repos.symbol(repos.workspace(*indexed), asked).to_json()
    refused = query_error(InvalidRequest("name: ' ' is not a name"))
    document = {"schema_version": ANSWERS_SCHEMA, "answers": [found, refused]}

    assert neutral_bytes(document, repos) == golden
