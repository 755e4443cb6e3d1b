"""Receipts of workspaces: what they keep, and what is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.errors import InvalidRequest
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_receipts import (
    WorkspaceReceipt,
    workspace_receipt_document,
    workspace_receipt_of,
)
from ggrep.model.request import SearchRequest
from tests.fakes.receipts import everywhere, workspace_replay_of
from tests.fakes.receipts import workspace_receipt_of as kept_of
from tests.golden.documents import Repos


@pytest.fixture(scope="module")
def repos(tmp_path_factory: pytest.TempPathFactory) -> Repos:
    """Return copies of fixture repositories, of which one is indexed."""
    made = Repos(tmp_path_factory.mktemp("receipts").resolve())
    made.index("shop")
    return made


@pytest.fixture(scope="module")
def receipt(repos: Repos) -> WorkspaceReceipt:
    """Return the receipt of an answer that one of two repositories gave."""
    asked = FederatedRequest(SearchRequest("refund", deterministic=True), top=3)
    return kept_of(repos.federate(repos.workspace("shop", "ledger"), asked))


def test_a_question_comes_back_as_the_request_it_was(repos: Repos) -> None:
    asked = FederatedRequest(
        SearchRequest("x", deterministic=True),
        top=7,
        only=("shop",),
        rrf_k=3,
        fold=True,
        all_repos=True,
    )
    here = replace(asked, base_dirs=(Path("/a"),), stats=True, include_paths=True)
    document = workspace_receipt_document(kept_of(repos.federate(repos.workspace("shop"), here)))

    assert not {"base_dirs", "stats", "include_paths", "deadline"} & {*document["question"]}
    assert workspace_receipt_of(stable_json.loads(stable_json.dumps(document))).question == asked


def test_a_receipt_comes_back_as_it_was(receipt: WorkspaceReceipt) -> None:
    """The repository without an index has its row too."""
    document = stable_json.loads(stable_json.dumps(workspace_receipt_document(receipt)))

    assert workspace_receipt_of(document) == receipt
    assert {repo.status for repo in receipt.origin.repos} == {"ok", "missing_index"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda values: values["hits"].pop(), "differ from the hits in"),
        (lambda values: values["hits"][0]["hit"].update(row_id="x"), r"\$.hits\[0\].row_id"),
        (lambda values: values["answer"].update(backend="x"), "does not match answer_sha256"),
        (lambda values: values["question"].update(cohort_policy="x"), "cohort_policy"),
        (lambda values: values["question"].pop("search"), "search"),
        (lambda values: values["question"].pop("per_repo_top"), "per_repo_top: missing"),
        (lambda values: values["question"]["search"].update(limit=-1), "limit"),
        (lambda values: values["question"]["search"].update(deterministic=False), "determin"),
        (lambda values: values["origin"]["repos"][0].update(snapshot_id="/x"), "snapshot id"),
        (lambda values: values.update(kind="repository"), "its kind"),
    ],
)
def test_what_is_sealed_anew_is_read_strictly(
    receipt: WorkspaceReceipt, change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    """The seal is no signature, so nothing is believed for its sake."""
    values = stable_json.loads(stable_json.dumps(workspace_receipt_document(receipt)))
    del values["sha256"]
    change(values)

    with pytest.raises(InvalidRequest, match=fault):
        workspace_receipt_of(dict(seal(values)))


def test_the_same_answer_is_reproduced(repos: Repos, receipt: WorkspaceReceipt) -> None:
    asked = receipt.question
    today = repos.federate(repos.workspace("shop", "ledger"), asked)
    result = workspace_replay_of(receipt, today, everywhere(receipt))

    assert result.reproduced
    assert (result.changes, result.new_hits) == ((), ())
    assert [kept.rank_now for kept in result.hits] == [0, 1, 2]
