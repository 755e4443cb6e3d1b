"""The options of a query over a workspace."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.federation.federated_request import FederatedRequest
from ggrep.interfaces.cli.parsing.flags import Flag, typed_flags


class Members(Struct, frozen=True):
    """Which workspace and repositories are asked.

    Attributes:
        files: every occurrence of `--workspace`.
    """

    title: ClassVar = "Workspace"

    files: Annotated[
        tuple[Path, ...], Flag("--workspace", "Search all repositories of this workspace file.")
    ] = ()
    select: Annotated[
        tuple[str, ...],
        Flag(
            "--select",
            "Also search this repo; repeatable.",
            of=FederatedRequest,
            takes="repository",
        ),
    ] = ()
    only: Annotated[
        tuple[str, ...],
        Flag(
            "--only", "Search only this repo; repeatable.", of=FederatedRequest, takes="repository"
        ),
    ] = ()
    tags: Annotated[
        tuple[str, ...],
        Flag(
            "--tag",
            "Search only repos with this tag; repeatable.",
            of=FederatedRequest,
            takes="tag",
        ),
    ] = ()
    repo_filter: Annotated[
        tuple[str, ...],
        Flag(
            "--repo-filter",
            "Search only repos that match this glob; repeatable.",
            of=FederatedRequest,
        ),
    ] = ()
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Search disabled repos too.", of=FederatedRequest)
    ] = False
    concurrency: Annotated[int | None, Flag("--concurrency", of=FederatedRequest)] = None
    strict: Annotated[bool, Flag("--federated-strict", of=FederatedRequest)] = False
    stats: Annotated[bool, Flag("--stats", of=FederatedRequest)] = False
    all_repos: Annotated[bool, Flag("--all-repos", of=FederatedRequest)] = False
    include_paths: Annotated[
        bool, Flag("--debug-include-paths", "Show absolute paths.", of=FederatedRequest)
    ] = False

    def refuse_without_file(self) -> None:
        """Raise when an option that only affects workspaces is given without `--workspace`.

        Raises:
            UsageError: names the flags; ignoring them would silently give a wrong answer.
        """
        if not self.files and (named := typed_flags(self)):
            raise UsageError(f"{', '.join(named)}: only with --workspace")


class Repositories(Members, frozen=True):
    """Which workspace and repositories are searched, and how their answers are merged."""

    title: ClassVar = "Workspace"

    max_repos: Annotated[
        int | None,
        Flag(
            "--max-repos", "Search only the N most promising repos; 0 for all.", of=FederatedRequest
        ),
    ] = None
    merge_strategy: Annotated[
        str | None,
        Flag("--merge", "How to merge instead of as the workspace file says", of=FederatedRequest),
    ] = None
    rrf_k: Annotated[
        int | None,
        Flag(
            "--rrf-k",
            "Rank constant k of reciprocal rank fusion. [default: 60]",
            of=FederatedRequest,
        ),
    ] = None
    per_repo_top: Annotated[int | None, Flag("--top-per-repo", of=FederatedRequest)] = None
    fold: Annotated[
        bool | None,
        Flag(
            "--fold/--no-fold", "Show text that several repos share only once.", of=FederatedRequest
        ),
    ] = None
    cohort: Annotated[
        tuple[str, ...],
        Flag("--cohort", "Search this cohort: KEY or CORPUS:KEY.", of=FederatedRequest),
    ] = ()
    cohort_policy: Annotated[
        str | None,
        Flag("--cohort-policy", "Which of several cohorts to search", of=FederatedRequest),
    ] = None
    allow_unsafe_mix: Annotated[
        bool,
        Flag(
            "--allow-unsafe-mix",
            "Merge lists even if their scores are not comparable.",
            of=FederatedRequest,
        ),
    ] = False
