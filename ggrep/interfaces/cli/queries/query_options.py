"""Options of several query commands: text for agents, and workspaces."""

from pathlib import Path
from typing import Annotated, ClassVar, Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.federation.federated_request import FederatedRequest
from ggrep.interfaces.cli.parsing.flags import Flag, refuse, typed_flags
from ggrep.interfaces.cli.queries.search_options import TypedSearch
from ggrep.interfaces.surfaces.agent_search import MAX_BODIES
from ggrep.model.field_meta import MOST_BYTES
from ggrep.render.agent_text import AgentView

MORE: Final = "--budget {}"
"""Option that shows lines that were cut."""

_BUDGET = Flag(
    "--budget",
    "With --format agent: maximum size of the text in bytes.",
    least=256,
    most=MOST_BYTES,
)


class AgentForm(Struct, frozen=True):
    """Whether an answer is text for agents."""

    title: ClassVar = "Text for agents"

    form: Annotated[
        str,
        Flag(
            "--format",
            "Output format: text, or agent (one line for each place, and what was cut).",
            words=("text", "agent"),
        ),
    ] = "text"


class AgentText(AgentForm, frozen=True):
    """The same, with a budget."""

    budget: Annotated[int | None, _BUDGET] = None


class AgentLines(AgentForm, frozen=True):
    """The same, for code around places, whose bytes are bounded in any form."""

    comments: Annotated[
        bool, Flag("--comments", "With --format agent: show long comments, too.")
    ] = False


class AgentSearch(Struct, frozen=True):
    """How a search is written for agents."""

    title: ClassVar = "Text for agents"

    bodies: Annotated[
        int | None,
        Flag(
            "--body",
            "With --format agent: open this many of the best hits; by default up to 2 that fit.",
            least=0,
            most=MAX_BODIES,
        ),
    ] = None
    budget: Annotated[int | None, _BUDGET] = None


def agent_view(flags: AgentForm, *, json: bool, stats: bool) -> AgentView | None:
    """Return how an agent is shown an answer; None for people and programs."""
    if not wants_agent(flags, json=json):
        return None
    refuse({"--stats": stats}, "--format agent")
    comments = isinstance(flags, AgentLines) and flags.comments
    budget = flags.budget if isinstance(flags, AgentText) else 0
    return AgentView(budget or 0, MORE, comments)


def wants_agent(flags: AgentForm, *, json: bool) -> bool:
    """Return whether an answer should be text for agents."""
    agent = flags.form == "agent"
    given = {
        "--budget": isinstance(flags, AgentText) and flags.budget is not None,
        "--comments": isinstance(flags, AgentLines) and flags.comments,
    }
    check_agent(agent=agent, json=json, given=[flag for flag, is_so in given.items() if is_so])
    return agent


def check_agent(*, agent: bool, json: bool, given: list[str]) -> None:
    """Raise if flags do not go together."""
    if agent and json:
        raise UsageError("--format agent and --json cannot go together")
    if given and not agent:
        raise UsageError(f"{' and '.join(given)}: only with --format agent")


def refuse_flags_of_people(typed: TypedSearch, *, stats: bool = False) -> None:
    """Raise if a flag was given that text for agents does not support."""
    unsupported = {
        "--receipt": typed.output.receipt is not None,
        "--compact": typed.hits.compact,
        "--scores": typed.hits.scores,
        "--explain": typed.hits.explain,
        "--stats": stats,
    }
    refuse(unsupported, "--format agent")


class WorkspaceOptions(Struct, frozen=True):
    """Which workspace and repositories are asked."""

    title: ClassVar = "Workspace"
    of: ClassVar = (FederatedRequest,)

    files: Annotated[
        tuple[Path, ...], Flag("--workspace", "Search all repositories of this workspace file.")
    ] = ()
    select: Annotated[
        tuple[str, ...], Flag("--select", "Also search this repo; repeatable.", takes="repository")
    ] = ()
    only: Annotated[
        tuple[str, ...], Flag("--only", "Search only this repo; repeatable.", takes="repository")
    ] = ()
    tags: Annotated[
        tuple[str, ...], Flag("--tag", "Search only repos with this tag; repeatable.", takes="tag")
    ] = ()
    repo_filter: Annotated[
        tuple[str, ...],
        Flag("--repo-filter", "Search only repos that match this glob; repeatable."),
    ] = ()
    include_disabled: Annotated[bool, Flag("--include-disabled", "Search disabled repos too.")] = (
        False
    )
    concurrency: Annotated[int | None, Flag("--concurrency")] = None
    strict: Annotated[bool, Flag("--federated-strict")] = False
    stats: Annotated[bool, Flag("--stats")] = False
    all_repos: Annotated[bool, Flag("--all-repos")] = False
    include_paths: Annotated[bool, Flag("--debug-include-paths", "Show absolute paths.")] = False

    def refuse_without_file(self) -> None:
        """Raise when an option that only affects workspaces is given without `--workspace`."""
        if not self.files and (named := typed_flags(self)):
            raise UsageError(f"{', '.join(named)}: only with --workspace")


class MergeOptions(WorkspaceOptions, frozen=True):
    """Which workspace and repositories are searched, and how their answers are merged."""

    title: ClassVar = "Workspace"
    of: ClassVar = (FederatedRequest,)

    max_repos: Annotated[
        int | None, Flag("--max-repos", "Search only the N most promising repos; 0 for all.")
    ] = None
    merge_strategy: Annotated[
        str | None, Flag("--merge", "How to merge instead of as the workspace file says")
    ] = None
    rrf_k: Annotated[
        int | None, Flag("--rrf-k", "Rank constant k of reciprocal rank fusion. [default: 60]")
    ] = None
    per_repo_top: Annotated[int | None, Flag("--top-per-repo")] = None
    fold: Annotated[
        bool | None, Flag("--fold/--no-fold", "Show text that several repos share only once.")
    ] = None
    cohort: Annotated[
        tuple[str, ...], Flag("--cohort", "Search this cohort: KEY or CORPUS:KEY.")
    ] = ()
    cohort_policy: Annotated[
        str | None, Flag("--cohort-policy", "Which of several cohorts to search")
    ] = None
    allow_unsafe_mix: Annotated[
        bool, Flag("--allow-unsafe-mix", "Merge lists even if their scores are not comparable.")
    ] = False
