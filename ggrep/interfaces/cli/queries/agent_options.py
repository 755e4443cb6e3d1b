"""The options of text for agents."""

from typing import Annotated, ClassVar, Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Flag, refuse
from ggrep.interfaces.cli.queries.search_options import Typed
from ggrep.interfaces.surfaces.agent_search import MAX_BODIES, Wish
from ggrep.model.says import MOST_BYTES
from ggrep.render.agent_text import AgentView

MORE: Final = "--budget {}"
"""What to type for lines that were cut."""

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
    """The same, of what has a budget for such a text alone."""

    budget: Annotated[int | None, _BUDGET] = None


class AgentLines(AgentText, frozen=True):
    """The same, of what opens places."""

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

    @property
    def wish(self) -> Wish:
        """Return how the answer is to be written."""
        return Wish(self.bodies, self.budget or 0)


def agent_view(flags: AgentText, *, json: bool, stats: bool) -> AgentView | None:
    """Return how an agent is shown an answer; None for people and programs.

    Raises:
        UsageError: flags that do not go together.
    """
    if not wants_agent(flags, json=json):
        return None
    refuse({"--stats": stats}, "--format agent")
    comments = isinstance(flags, AgentLines) and flags.comments
    return AgentView(flags.budget or 0, MORE, comments)


def wants_agent(flags: AgentForm, *, json: bool) -> bool:
    """Return whether an answer should be text for agents.

    Raises:
        UsageError: JSON was wanted as well, or a budget of another text.
    """
    agent = flags.form == "agent"
    given = {
        "--budget": isinstance(flags, AgentText) and flags.budget is not None,
        "--comments": isinstance(flags, AgentLines) and flags.comments,
    }
    check_agent(agent=agent, json=json, given=[flag for flag, is_so in given.items() if is_so])
    return agent


def check_agent(*, agent: bool, json: bool, given: list[str]) -> None:
    """Raise if flags do not go together.

    Raises:
        UsageError: says which.
    """
    if agent and json:
        raise UsageError("--format agent and --json cannot go together")
    if given and not agent:
        raise UsageError(f"{' and '.join(given)}: only with --format agent")


def refuse_flags_of_people(typed: Typed, *, stats: bool = False) -> None:
    """Raise if a flag was given that such a text does not heed.

    Raises:
        UsageError: says which.
    """
    heeded_elsewhere = {
        "--receipt": typed.output.receipt is not None,
        "--compact": typed.hits.compact,
        "--scores": typed.hits.scores,
        "--explain": typed.hits.explain,
        "--stats": stats,
    }
    refuse(heeded_elsewhere, "--format agent")
