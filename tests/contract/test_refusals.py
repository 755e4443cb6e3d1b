"""Wrong input is told of in the same words until somebody means to change them."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from tests.contract.refusing import FILE, said

REFUSALS = stable_json.loads(FILE.read_bytes())


@pytest.mark.parametrize("reader", REFUSALS)
def test_wrong_input_is_named(reader: str, tmp_path: Path) -> None:
    """Who reads the message mends the input by it: field, bound and value stand there."""
    kept = REFUSALS[reader]

    assert {given: said(reader, given, tmp_path) for given in kept} == kept
    assert all(kept.values())
