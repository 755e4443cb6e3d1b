"""Receipts of a workspace's answers, and the outcome of their replay."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from ggrep.federation.question import FederatedQuestion, question_of
from ggrep.federation.repo_outcomes import RepoReport
from ggrep.federation.response import FederatedResponse
from ggrep.model.receipt import ReceiptHit, receipt_hit

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""A longer answer is not kept whole in its receipt; its digest and its hits are."""


@dataclass(frozen=True, slots=True)
class RepoOrigin:
    """What one repository's part of an answer depends on.

    Attributes:
        status: what became of it, see `ggrep.federation.repo_outcomes`.
        encoder: its key; equal ones make comparable vectors.
        answers_key: of the settings and the ranking that shape answers and no index.
    """

    repo_id: str
    alias: str | None
    status: str
    store_id: str
    snapshot_id: str | None
    config_fingerprint: str
    ignore_fingerprint: str
    encoder: str
    answers_key: str


@dataclass(frozen=True, slots=True)
class WorkspaceOrigin:
    """What a workspace's answer depends on.

    Attributes:
        answer_sha256: digest of the bytes that `--json --deterministic` prints, the newline too.
        repos: by id.
    """

    version: str
    build: str
    repo_set_id: str
    answer_sha256: str
    repos: tuple[RepoOrigin, ...]


@dataclass(frozen=True, slots=True)
class RepoHit:
    """A hit of a receipt, with its repository."""

    repo_id: str
    hit: ReceiptHit


@dataclass(frozen=True, slots=True)
class WorkspaceReceipt:
    """A query that a workspace answered; `answer` is None if it was too long to store."""

    question: FederatedQuestion
    origin: WorkspaceOrigin
    hits: tuple[RepoHit, ...]
    answer: bytes | None


def make_workspace_receipt(
    response: FederatedResponse, answer: bytes, *, version: str, build: str
) -> WorkspaceReceipt:
    """Return the receipt of a workspace's answer.

    Args:
        response: what was answered.
        answer: the same as bytes.
        version: of the program.
        build: of the installation.
    """
    return WorkspaceReceipt(
        question=question_of(response.request),
        origin=origin_of(response, answer, version=version, build=build),
        hits=tuple(RepoHit(merged.repo_id, receipt_hit(merged.hit)) for merged in response.hits),
        answer=answer if len(answer) <= MAX_ANSWER_BYTES else None,
    )


def origin_of(
    response: FederatedResponse, answer: bytes, *, version: str, build: str
) -> WorkspaceOrigin:
    """Return what an answer depends on."""
    return WorkspaceOrigin(
        version=version,
        build=build,
        repo_set_id=response.workspace.repo_set_id,
        answer_sha256=sha256(answer).hexdigest(),
        repos=tuple(_repo_origin(report) for report in response.reports),
    )


def _repo_origin(report: RepoReport) -> RepoOrigin:
    known = report.description
    return RepoOrigin(
        repo_id=report.repo.repo_id,
        alias=report.repo.alias,
        status=report.status,
        store_id=known.store_id if known else "",
        snapshot_id=report.snapshot_id,
        config_fingerprint=known.config_fingerprint if known else "",
        ignore_fingerprint=known.ignore_fingerprint if known else "",
        encoder=known.embed_key if known else "",
        answers_key=known.answers_key if known else "",
    )
