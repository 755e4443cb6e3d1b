"""Golden of several answers of one command."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import dumps_pretty
from ggrep.render.answer_json import answers_json
from tests.fakes.navigations import symbol_response


def test_several_answers_are_the_contracts(golden: SnapshotAssertion) -> None:
    """One document each, a failure where there is none."""
    refused = InvalidRequest("name: ' ' is not a name")

    assert dumps_pretty(answers_json([symbol_response(), refused])) == golden
