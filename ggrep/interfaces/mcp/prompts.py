"""The prompts: the four usual questions, each with the tools that answer it, in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ggrep.base.errors import InvalidRequest

MOST_BYTES: Final = 256 << 10
"""Of an argument: a diff is the longest that is meant."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question that people put often.

    Attributes:
        argument: what it is about.
        ask: the question; `{}` stands for the argument.
        steps: which tools to call, in order.
        report: what to come back with.
        usual: what stands for an argument that is not given; empty where it has to be.
    """

    name: str
    title: str
    argument: str
    says: str
    ask: str
    steps: tuple[str, ...]
    report: str
    usual: str = ""

    def text(self, given: Mapping[str, str]) -> str:
        """Return what is put to the model.

        Raises:
            InvalidRequest: the argument is missing, too long, or another.
        """
        for name in sorted(given.keys() - {self.argument}):
            raise InvalidRequest(
                f"{self.name}: unknown argument {name!a:.80}; it takes {self.argument}"
            )
        value = given.get(self.argument, "").strip() or self.usual
        if not value:
            raise InvalidRequest(f"{self.name}: the argument {self.argument!a} is missing")
        if len(value.encode(errors="replace")) > MOST_BYTES:
            raise InvalidRequest(f"{self.name}: {self.argument} has more than {MOST_BYTES} bytes")
        steps = [f"{number}. {step}" for number, step in enumerate(self.steps, start=1)]
        end = f"{self.report} Cite every claim as path:line; say what you did not find."
        return "\n".join([self.ask.replace("{}", value), "", *steps, "", end])


PROMPTS: Final = (
    Prompt(
        "how_does_it_work",
        "How does it work?",
        "question",
        "What to explain",
        "Explain how this works: {}",
        (
            "`context` with the question.",
            "`expand` places that decide and are cut short.",
            "`symbol` for names whose definition you miss.",
            "`references` to see who calls the entry.",
        ),
        "Tell it in the order in which it happens.",
    ),
    Prompt(
        "what_to_change",
        "What do I change?",
        "change",
        "The change you have in mind",
        "Plan this change, without making it: {}",
        (
            "`context` with the change as its query.",
            "`search` with `find: similar-code` for places that do the like.",
            "`references` of each name that would change.",
            "`expand` what you would edit.",
        ),
        "List the files and lines to edit, in order, and the tests.",
    ),
    Prompt(
        "what_breaks",
        "What breaks?",
        "name",
        "The function, class or field that would change",
        "Who depends on {}, and what breaks if it changes?",
        (
            "`symbol` with the name.",
            "`references` with it, and with `strings=true` in `options` for names in text.",
            "`expand` usages that rely on more than the name.",
            "`search_workspace` with `find=usage` in `options`, where there is a workspace.",
        ),
        "Tell callers, tests and configuration apart.",
    ),
    Prompt(
        "review_diff",
        "Review this diff",
        "diff",
        "A diff; without one the work tree's own is meant",
        "Review this diff:\n\n{}",
        (
            "`ggrep_status` with `sync: true`, so that the index has it.",
            "`references` of each definition that it changes or removes.",
            "`search` with `find: similar-code` for places that need the same change.",
            "`context` on its subject, for tests and docs that it leaves behind.",
        ),
        "Report what is wrong, worst first.",
        usual="(what `git diff HEAD` prints)",
    ),
)
"""In the order that they are listed in."""

PROMPT_OF: Final = {prompt.name: prompt for prompt in PROMPTS}
