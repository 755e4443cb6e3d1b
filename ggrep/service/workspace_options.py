"""Keyword options of a query over a workspace."""

from collections.abc import Sequence
from typing import TypedDict

from ggrep.federation.cohort import Policy
from ggrep.service.options import HitOptions, QueryOptions, ShapeOptions


class SelectOptions(TypedDict, total=False):
    """Which repositories of a workspace are asked, and how they are merged.

    See `FederatedRequest`, whose words these are.
    """

    select: Sequence[str]
    only: Sequence[str]
    tags: Sequence[str]
    repo_filter: Sequence[str]
    include_disabled: bool
    merge_strategy: str
    rrf_k: int
    per_repo_top: int
    max_repos: int
    fold: bool
    concurrency: int
    cohort: Sequence[str]
    cohort_policy: Policy
    allow_unsafe_mix: bool
    strict: bool
    snippet_bytes: int
    include_paths: bool
    stats: bool


class WorkspaceSearchOptions(HitOptions, SelectOptions, total=False):
    """Of a workspace's `search`."""


class WorkspaceSlateOptions(QueryOptions, ShapeOptions, SelectOptions, total=False):
    """Of a workspace's `slate`."""
