"""The options of text for agents."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Flag, one_of
from ggrep.interfaces.surfaces.agent_search import MAX_BODIES, Wish
from ggrep.model.says import MOST_BYTES

MORE: Final = "--budget {}"
"""What to type for lines that were cut."""

_BUDGET = Flag(
    "--budget", "With --format agent: most bytes of the text.", least=256, most=MOST_BYTES
)


@dataclass(frozen=True, slots=True)
class AgentForm:
    """Whether an answer is text for agents."""

    title: ClassVar = "Text for agents"

    form: Annotated[
        str, Flag("--format", "Answer as text, or as agent: a line a place, and what was cut.")
    ] = "text"


@dataclass(frozen=True, slots=True)
class AgentText(AgentForm):
    """The same, of what has a budget for such a text alone."""

    budget: Annotated[int | None, _BUDGET] = None


@dataclass(frozen=True, slots=True)
class AgentSearch:
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


def wants_agent(flags: AgentForm, *, json: bool) -> bool:
    """Return whether an answer should be text for agents.

    Raises:
        InvalidRequest: there is no such format.
        UsageError: JSON was wanted as well, or a budget of another text.
    """
    agent = one_of("--format", flags.form, ("text", "agent")) == "agent"
    budget = flags.budget if isinstance(flags, AgentText) else None
    check_agent(agent=agent, json=json, given=["--budget"] if budget is not None else [])
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
