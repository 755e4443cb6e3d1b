"""Receipts as bytes, and bytes that are none."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.model.receipt import Receipt
from ggrep.render.receipts import open_sealed, receipt_bytes, receipt_document, receipt_of
from tests.fakes.receipts import RECEIPT


def changed(place: list[str | int], value: object) -> Callable[[dict[str, Any]], None]:
    """Return what sets a value of a document."""

    def change(document: Any) -> None:
        *above, last = place
        for step in above:
            document = document[step]
        document[last] = value

    return change


def parsed(data: bytes) -> Receipt:
    """Return what `ggrep replay` makes of a file's bytes."""
    return receipt_of(open_sealed(data))


@pytest.mark.parametrize("receipt", [RECEIPT, replace(RECEIPT, answer=None)])
def test_a_receipt_comes_back_as_it_was(receipt: Receipt) -> None:
    """Floats to the bit, the answer to the byte."""
    assert parsed(receipt_bytes(receipt)) == receipt


def test_other_white_space_is_no_change() -> None:
    """Formatters run over committed JSON."""
    assert parsed(stable_json.dumps_pretty(receipt_document(RECEIPT))) == RECEIPT


@pytest.mark.parametrize(
    "change",
    [
        changed(["hits", 0, "start_line"], 3),
        changed(["answer", "results", 0, "score"], 0.2),
        changed(["question", "query"], "another"),
        changed(["origin", "snapshot_id"], "1" * 26),
        changed(["budgets", "max_query_results"], 100),
        changed(["surprise"], 1),
        changed(["sha256"], "0" * 64),
        lambda document: document.pop("sha256"),
        lambda document: document.pop("answer"),
    ],
)
def test_a_changed_value_shows(change: Callable[[dict[str, Any]], None]) -> None:
    """A receipt that was tampered with must not pass."""
    document = receipt_document(RECEIPT)
    document = stable_json.loads(stable_json.dumps(document))
    change(document)

    with pytest.raises(InvalidRequest, match="was changed"):
        parsed(stable_json.dumps(document))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (changed(["hits", 0, "row_id"], "z" * 64), r"\$.hits\[0\].row_id"),
        (changed(["hits", 0, "row_id"], "d" * 64), "not those of the answer"),
        (changed(["answer", "results", 0, "score"], 0.2), "not the one of the digest"),
        (changed(["answer"], [1]), "not those of the answer"),
        (changed(["origin", "snapshot_id"], "../../etc"), "not a snapshot id"),
        (changed(["origin", "git_head"], 7), r"\$.origin.git_head"),
        (changed(["question", "deterministic"], False), "deterministically"),
        (changed(["question", "limit"], -1), r"\$.question.limit"),
        (changed(["budgets"], {"timeout": 1}), r"\$.budgets"),
        (changed(["kind"], "town"), "of a kind"),
        (changed(["surprise"], 1), "of a kind"),
    ],
)
def test_what_is_sealed_anew_is_read_strictly(
    change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    """The seal is no signature, so nothing is believed for its sake."""
    document = stable_json.loads(receipt_bytes(RECEIPT))
    del document["sha256"]
    change(document)

    with pytest.raises(InvalidRequest, match=fault):
        parsed(stable_json.dumps(seal(document)))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"null", b"\xff", b'{"kind": 1}'])
def test_other_files_are_no_receipts(data: bytes) -> None:
    """Whatever is named by mistake is told apart."""
    with pytest.raises(InvalidRequest, match="no receipt"):
        parsed(data)


def test_a_receipt_of_a_newer_build_is_told() -> None:
    """It may be sealed in another way."""
    newer = receipt_document(RECEIPT) | {"schema_version": 2}

    with pytest.raises(Incompatible, match="this build reads 1 to 1"):
        parsed(stable_json.dumps(newer))
