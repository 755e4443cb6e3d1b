"""Options that several query commands share: text for agents, and workspaces."""

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
"""The option that shows the cut lines."""

_SIZE: Final = "With --format agent: maximum size of the text in bytes."
_BUDGET = Flag("--budget", _SIZE, least=256, most=MOST_BYTES)
_BUDGET_OR_BYTES = Flag("--budget --max-bytes", _SIZE, least=256, most=MOST_BYTES)


class AgentForm(Struct, frozen=True):
    """The option that turns an answer into text for agents."""

    title: ClassVar = "Text for agents"

    form: Annotated[
        str,
        Flag(
            "--format",
            "Output format: text, or agent (compact lines for programs).",
            words=("text", "agent"),
        ),
    ] = "text"


class AgentText(AgentForm, frozen=True):
    """`AgentForm` with a byte budget."""

    budget: Annotated[int | None, _BUDGET_OR_BYTES] = None


class AgentLines(AgentForm, frozen=True):
    """`AgentForm` for code, whose long comments are optional."""

    comments: Annotated[
        bool, Flag("--comments", "With --format agent: also show long comments.")
    ] = False


class AgentSearch(Struct, frozen=True):
    """Options of a search's answer for agents."""

    title: ClassVar = "Text for agents"

    bodies: Annotated[
        int | None,
        Flag(
            "--body",
            "With --format agent: show the whole definitions of the N best hits; default: up to 2"
            " that fit into the budget.",
            least=0,
            most=MAX_BODIES,
        ),
    ] = None
    budget: Annotated[int | None, _BUDGET] = None


def agent_view(flags: AgentForm, *, json: bool, stats: bool) -> AgentView | None:
    """Return the view of an answer for agents; None for other formats."""
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
    """Raise if flags contradict each other."""
    if agent and json:
        raise UsageError("--format agent and --json cannot go together")
    if given and not agent:
        raise UsageError(f"{' and '.join(given)}: allowed only with --format agent")


def refuse_flags_of_people(typed: TypedSearch, *, stats: bool = False) -> None:
    """Raise if a typed flag is not supported by text for agents."""
    unsupported = {
        "--receipt": typed.output.receipt is not None,
        "--compact": typed.hits.compact,
        "--scores": typed.hits.scores,
        "--explain": typed.hits.explain,
        "--stats": stats,
    }
    refuse(unsupported, "--format agent")


class WorkspaceOptions(Struct, frozen=True):
    """The workspace and repositories to query."""

    title: ClassVar = "Workspace"
    of: ClassVar = (FederatedRequest,)

    files: Annotated[
        tuple[Path, ...], Flag("--workspace", "Search all repositories of this workspace file.")
    ] = ()
    select: Annotated[
        tuple[str, ...],
        Flag(
            "--select",
            "Also search this repository, even if it is disabled; repeatable.",
            takes="repository",
        ),
    ] = ()
    only: Annotated[
        tuple[str, ...],
        Flag("--only", "Search only this repository; repeatable.", takes="repository"),
    ] = ()
    tags: Annotated[
        tuple[str, ...],
        Flag("--tag", "Search only repositories with this tag; repeatable.", takes="tag"),
    ] = ()
    repo_filter: Annotated[
        tuple[str, ...],
        Flag("--repo-filter", "Search only repositories that match this glob; repeatable."),
    ] = ()
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Also search disabled repositories.")
    ] = False
    concurrency: Annotated[int | None, Flag("--concurrency")] = None
    strict: Annotated[bool, Flag("--federated-strict")] = False
    stats: Annotated[bool, Flag("--stats")] = False
    all_repos: Annotated[bool, Flag("--all-repos")] = False
    include_paths: Annotated[bool, Flag("--debug-include-paths", "Show absolute paths.")] = False

    def refuse_without_file(self) -> None:
        """Raise if an option for workspaces is typed without `--workspace`."""
        if not self.files and (named := typed_flags(self)):
            raise UsageError(f"{', '.join(named)}: allowed only with --workspace")


class MergeOptions(WorkspaceOptions, frozen=True):
    """The workspace and repositories to search, and how their hits are merged."""

    title: ClassVar = "Workspace"
    of: ClassVar = (FederatedRequest,)

    max_repos: Annotated[
        int | None,
        Flag("--max-repos", "Search only the N repositories that fit the query best; 0 for all."),
    ] = None
    merge_strategy: Annotated[
        str | None, Flag("--merge", "Override the workspace file's strategy for merging hits")
    ] = None
    rrf_k: Annotated[
        int | None, Flag("--rrf-k", "Rank constant k of reciprocal rank fusion. [default: 60]")
    ] = None
    per_repo_top: Annotated[int | None, Flag("--top-per-repo")] = None
    fold: Annotated[
        bool | None,
        Flag("--fold/--no-fold", "Show identical text of several repositories only once."),
    ] = None
    cohort: Annotated[
        tuple[str, ...],
        Flag(
            "--cohort",
            "Search only this cohort, the repositories whose indexes have this key: KEY or"
            " CORPUS:KEY.",
        ),
    ] = ()
    cohort_policy: Annotated[
        str | None,
        Flag(
            "--cohort-policy",
            "If there are several cohorts: default searches the largest cohort, priority the"
            " cohort with the highest sum of priorities; strict fails.",
        ),
    ] = None
    allow_unsafe_mix: Annotated[
        bool,
        Flag(
            "--allow-unsafe-mix",
            "Merge hit lists of repositories even if their scores are not comparable.",
        ),
    ] = False
