"""Results of checks as Markdown, for the summary of a CI job."""

import re
from collections.abc import Iterator
from typing import Final

from ggrep.interfaces.evaluation.check_reports import summary
from ggrep.interfaces.evaluation.check_rules import Outcome
from ggrep.model.sanitise import sanitise_line

_SIGNS: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")


def check_markdown(outcome: Outcome) -> bytes:
    """Return a heading, and a table of the expectations that do not hold."""
    mark = "passed" if outcome.ok else "failed"
    lines = [f"### ggrep check {mark}: {summary(outcome)}", "", *_table(outcome)]
    return "".join(f"{line}\n" for line in lines).encode()


def _table(outcome: Outcome) -> Iterator[str]:
    excused = {verdict.check.question.id for verdict in outcome.excused}
    rows = [
        (verdict.check.question.id, verdict.check.question.query, miss)
        for verdict in outcome.verdicts
        for miss in verdict.misses
    ]
    if not rows:
        return
    yield "| check | question | wanted | came |"
    yield "|---|---|---|---|"
    for name, query, miss in rows:
        told = f"{_cell(name)} (as before)" if name in excused else _cell(name)
        wanted = f"{_cell(miss.wanted)} ({_cell(miss.rule)})"
        yield f"| {told} | {_cell(query)} | {wanted} | {_cell(miss.came)} |"


def _cell(text: str) -> str:
    """Return a text on one line that means nothing but itself."""
    return _SIGNS.sub(r"\\\1", sanitise_line(text))
