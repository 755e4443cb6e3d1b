"""A federated request in a form that can be stored and repeated: no deadline, no local paths."""

from dataclasses import dataclass, fields
from pathlib import Path

from ggrep.federation.cohort import Policy
from ggrep.federation.request import FederatedRequest
from ggrep.model.request import SearchRequest


@dataclass(frozen=True, slots=True)
class FederatedQuestion:
    """The stored form of a workspace query; fields as in `FederatedRequest`."""

    search: SearchRequest
    top: int
    select: tuple[str, ...]
    tags: tuple[str, ...]
    repo_filter: tuple[str, ...]
    include_disabled: bool
    only: tuple[str, ...]
    merge_strategy: str | None
    rrf_k: int | None
    per_repo_top: int | None
    max_repos: int
    fold: bool | None
    concurrency: int
    cohort: tuple[str, ...]
    cohort_policy: Policy
    allow_unsafe_mix: bool
    strict: bool
    snippet_bytes: int


def question_of(request: FederatedRequest) -> FederatedQuestion:
    """Return the stored form of a request, without the place it was asked from."""
    asked = {field.name: getattr(request, field.name) for field in fields(FederatedQuestion)}
    return FederatedQuestion(**asked)


def request_of(question: FederatedQuestion, *base_dirs: Path) -> FederatedRequest:
    """Return the request that repeats a stored query.

    Args:
        question: what was asked.
        base_dirs: directories below which path tokens are tried.
    """
    asked = {field.name: getattr(question, field.name) for field in fields(question)}
    return FederatedRequest(**asked, base_dirs=base_dirs)
