"""The options of a question to a workspace."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from ggrep.base.errors import UsageError
from ggrep.federation.request import FederatedRequest
from ggrep.interfaces.cli.flags import Flag, typed_flags


@dataclass(frozen=True, slots=True)
class Repositories:
    """Which workspace is asked, which repositories of it, and how their answers are joined.

    Attributes:
        files: every occurrence of `--workspace`.
    """

    title: ClassVar = "Workspace"

    files: Annotated[
        tuple[Path, ...], Flag("--workspace", "Ask all repositories of this workspace file.")
    ] = ()
    select: Annotated[
        tuple[str, ...], Flag("--select", "Ask this repo too; repeatable.", of=FederatedRequest)
    ] = ()
    only: Annotated[
        tuple[str, ...], Flag("--only", "Ask only this repo; repeatable.", of=FederatedRequest)
    ] = ()
    tags: Annotated[
        tuple[str, ...],
        Flag("--tag", "Ask only repos with this tag; repeatable.", of=FederatedRequest),
    ] = ()
    repo_filter: Annotated[
        tuple[str, ...],
        Flag(
            "--repo-filter", "Ask only repos that match this glob; repeatable.", of=FederatedRequest
        ),
    ] = ()
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Ask disabled repos too.", of=FederatedRequest)
    ] = False
    max_repos: Annotated[
        int | None,
        Flag("--max-repos", "Ask so many repos, the best ones; 0 for all.", of=FederatedRequest),
    ] = None
    merge_strategy: Annotated[
        str | None,
        Flag("--merge", "Merge by, unless the workspace says", of=FederatedRequest),
    ] = None
    rrf_k: Annotated[
        int | None,
        Flag("--rrf-k", "Damping of rank merges. [default: 60]", of=FederatedRequest),
    ] = None
    per_repo_top: Annotated[int | None, Flag("--top-per-repo", of=FederatedRequest)] = None
    fold: Annotated[
        bool | None,
        Flag("--fold/--no-fold", "Show a text once that several repos hold.", of=FederatedRequest),
    ] = None
    concurrency: Annotated[int | None, Flag("--concurrency", of=FederatedRequest)] = None
    cohort: Annotated[
        tuple[str, ...],
        Flag("--cohort", "Ask this cohort: KEY or CORPUS:KEY.", of=FederatedRequest),
    ] = ()
    cohort_policy: Annotated[
        str | None,
        Flag("--cohort-policy", "Which of several cohorts is asked", of=FederatedRequest),
    ] = None
    allow_unsafe_mix: Annotated[
        bool,
        Flag("--allow-unsafe-mix", "Merge lists whose scores do not compare.", of=FederatedRequest),
    ] = False
    strict: Annotated[bool, Flag("--federated-strict", of=FederatedRequest)] = False
    stats: Annotated[bool, Flag("--stats", of=FederatedRequest)] = False
    include_paths: Annotated[
        bool, Flag("--debug-include-paths", "Show absolute paths.", of=FederatedRequest)
    ] = False

    def refuse_without_file(self) -> None:
        """Raise where an option was given that only a workspace heeds, and none was named.

        Raises:
            UsageError: names the flags; a flag without effect would be a wrong answer in silence.
        """
        if not self.files and (named := typed_flags(self)):
            raise UsageError(f"{', '.join(named)}: only with --workspace")
