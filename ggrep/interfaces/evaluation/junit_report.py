"""Results of checks as JUnit XML, in the form that the strictest readers take.

The schema of Ant's reports (`JUnit.xsd`) allows no attribute and no element beyond those written
here, wants them in this order, and has one failure or error a case; what Jenkins reads is wider. A
check that got no answer is an error, one whose answer is another a failure.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Final

from ggrep.interfaces.evaluation.check_rules import Outcome, Verdict
from ggrep.interfaces.evaluation.see_commands import commands
from ggrep.model.sanitise import sanitise_line

_CLASS: Final = "ggrep.check"
_HOST: Final = "localhost"
"""Stands for a host that is not told: reports are compared, and travel."""
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When a report that may not differ from run to run says that it was made."""

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no document of XML 1.0 may hold, as references neither."""


def junit_xml(outcome: Outcome, base: Path, began: datetime | None) -> bytes:
    """Return the report, one test case a check.

    Args:
        outcome: of the checks.
        base: commands are for somebody who stands here.
        began: when the checks began; None for a report without times.
    """
    name, timed = _text(outcome.file.label), began is not None
    when = (began or _NEVER).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    elapsed_ms = sum(_milliseconds(verdict) for verdict in outcome.verdicts)
    errors = sum(_is_error(verdict) for verdict in outcome.verdicts)
    counts = (
        f'tests="{len(outcome.verdicts)}" failures="{outcome.failed - errors}"'
        f' errors="{errors}" skipped="0"'
    )
    place = f'package="{_CLASS}" id="0" timestamp="{when}" hostname="{_HOST}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'  <testsuite name="{name}" {place} {counts} time="{_time(elapsed_ms, timed=timed)}">',
        "    <properties>",
        f'      <property name="digest" value="{outcome.file.digest}"/>',
        f'      <property name="allow_failures" value="{outcome.file.allow_failures}"/>',
        "    </properties>",
        *(line for each in outcome.verdicts for line in _case(each, name, base, timed=timed)),
        "    <system-out/>",
        "    <system-err/>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _case(verdict: Verdict, file: str, base: Path, *, timed: bool) -> Iterator[str]:
    check = verdict.check
    head = (
        f'    <testcase name="{_text(check.question.id)}" classname="{_CLASS}"'
        f' time="{_time(_milliseconds(verdict), timed=timed)}"'
    )
    if verdict.holds:
        yield head + "/>"
        return
    said = [f"{miss.rule}: wanted {miss.wanted}; came {miss.came}" for miss in verdict.misses]
    rules = [miss.rule for miss in verdict.misses]
    seen = [f"to see: {command}" for command in commands(check, rules, base)]
    body = [_text(line) for line in (f"query: {check.question.query}", *said, *seen)]
    text = "\n".join((*body, f"stands: {file}:{check.line}"))
    kind = "error" if _is_error(verdict) else "failure"
    yield head + ">"
    yield f'      <{kind} type="{rules[0]}" message="{_text(said[0])}">{text}</{kind}>'
    yield "    </testcase>"


def _is_error(verdict: Verdict) -> bool:
    return bool(verdict.answer.error)


def _milliseconds(verdict: Verdict) -> int:
    return round(verdict.answer.elapsed_ms)


def _time(elapsed_ms: int, *, timed: bool) -> str:
    """Return seconds; the sum of what cases say is what their suite says."""
    return f"{elapsed_ms // 1000}.{elapsed_ms % 1000:03}" if timed else "0"


def _text(text: str) -> str:
    told = _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text)
    return escape(sanitise_line(told), quote=True)
