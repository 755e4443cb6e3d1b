"""Results of checks as JUnit XML."""

import re
from html import escape
from typing import Final

from ggrep.interfaces.evaluation.check_rules import Verdict
from ggrep.interfaces.evaluation.checking import Outcome
from ggrep.model.sanitise import sanitise_line

_NOT_XML: Final = re.compile("[\ufffe\uffff]")


def junit_xml(outcome: Outcome) -> bytes:
    """Return the report; a check is a test case of the class `ggrep.check`, without times."""
    total, failed = len(outcome.verdicts), outcome.failed
    counts = f'tests="{total}" failures="{failed}" errors="0" skipped="0"'
    name = _text(outcome.file.label)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="ggrep check" {counts}>',
        f'  <testsuite name="{name}" {counts}>',
        *(line for verdict in outcome.verdicts for line in _case(verdict, name)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _case(verdict: Verdict, file: str) -> list[str]:
    check = verdict.check
    place = f'file="{file}" line="{check.line}"'
    head = f'    <testcase classname="ggrep.check" name="{_text(check.question.id)}" {place}'
    if verdict.holds:
        return [head + "/>"]
    said = [f"{miss.rule}: wanted {miss.wanted}; came {miss.came}" for miss in verdict.misses]
    lines = [f"query: {check.question.query}", *said]
    body = "\n".join(_text(line) for line in lines)
    kind = verdict.misses[0].rule
    message = f'<failure type="{kind}" message="{_text(said[0])}">'
    return [head + ">", f"      {message}{body}</failure>", "    </testcase>"]


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", sanitise_line(text)), quote=True)
