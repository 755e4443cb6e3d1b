"""Results of checks as text, JSON, SARIF 2.1.0, JUnit XML and Markdown."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from shlex import quote
from typing import Final
from urllib.parse import quote as quoted_url

from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Json
from ggrep.interfaces.evaluation.check_file import DEFAULT_CHECK_LIMIT, Check, CheckFile
from ggrep.interfaces.evaluation.check_rules import SLATE_RULES, CheckResult, Verdict
from ggrep.interfaces.evaluation.questions import DEFAULT_PER_FILE
from ggrep.model.corpus import Mode
from ggrep.model.evaluation import (
    RULES,
    CheckBaseline,
    CheckedQuery,
    CheckReport,
    CheckSummary,
    Miss,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

_SHOWN_FILES: Final = 10


def check_report(outcome: CheckResult, *, version: str) -> CheckReport:
    """Return the report, which is equal for all runs on the same index."""
    file, baseline = outcome.file, None
    if outcome.baseline is not None:
        excused = tuple(verdict.check.question.id for verdict in outcome.excused)
        baseline = CheckBaseline(excused, outcome.baseline.max_drop)
    return CheckReport(
        ggrep_version=version,
        file=file.label,
        digest=file.digest,
        ok=outcome.ok,
        summary=CheckSummary(len(outcome.verdicts), outcome.failed, file.allow_failures),
        baseline=baseline,
        checks=tuple(map(_checked_query, outcome.verdicts)),
    )


def _checked_query(verdict: Verdict) -> CheckedQuery:
    check, answer = verdict.check, verdict.answer
    return CheckedQuery(
        id=check.question.id,
        query=check.question.query,
        line=check.line,
        holds=verdict.holds,
        misses=verdict.misses,
        files=answer.named[:_SHOWN_FILES],
        confidence=answer.confidence,
    )


_LABEL_COLUMNS = 8


def render_checks(outcome: CheckResult, style: Style, base: Path) -> str:
    """Return the text of the verdicts and a summary; commands are relative to `base`."""
    lines: list[str] = []
    for verdict in outcome.verdicts:
        mark = style.paint("good", "ok  ") if verdict.holds else style.paint("bad", "FAIL")
        known = " (as before)" if verdict in outcome.excused else ""
        lines.append(f"{mark}  {sanitise_line(verdict.check.question.id)}{known}")
        if not verdict.holds:
            lines += _story(verdict, style, base)
            place = f"{outcome.file.label}:{verdict.check.line}"
            lines.append(_line("check", place, style))
    lines += ["", style.paint("good" if outcome.ok else "bad", summary(outcome))]
    return "\n".join(lines) + "\n"


def summary(outcome: CheckResult) -> str:
    """Return the numbers of checks, failures and allowed failures as text."""
    total = len(outcome.verdicts)
    text = f"{total} {'check' if total == 1 else 'checks'}, {outcome.failed} failed"
    if outcome.excused:
        text += f", {len(outcome.excused)} as before"
    return f"{text}, {outcome.allowed} allowed" if outcome.allowed else text


def _story(verdict: Verdict, style: Style, base: Path) -> list[str]:
    check = verdict.check
    lines = [_line("query", check.question.query, style)]
    for miss in verdict.misses:
        lines.append(_line("wanted", f"{miss.wanted}  ({miss.rule})", style))
        lines.append(_line("came", miss.came, style))
    rules = [miss.rule for miss in verdict.misses]
    lines += [_line("to see", command, style) for command in commands(check, rules, base)]
    return lines


def _line(label: str, text: str, style: Style) -> str:
    return f"      {style.paint('muted', f'{label:<{_LABEL_COLUMNS}}')}{sanitise_line(text)}"


_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_json(outcome: CheckResult, *, version: str, base: Path) -> dict[str, Json]:
    """Return the report as SARIF; each result is located at the check's line in its file.

    Args:
        outcome: the results of the checks.
        version: version of this program.
        base: directory; paths below it are relative to it, as SARIF tools expect.
    """
    names = list(RULES)
    rules: list[Json] = [
        {"id": name, "shortDescription": {"text": f"{text[0].upper()}{text[1:]}."}}
        for name, text in RULES.items()
    ]
    uri = _uri(outcome.file.path, base)
    # Allowed failures are reported as warnings.
    level = "warning" if outcome.ok else "error"
    results = [
        _result(verdict, miss, names.index(miss.rule), uri, level)
        for verdict in outcome.verdicts
        for miss in verdict.misses
    ]
    driver: dict[str, Json] = {"name": "ggrep check", "version": version, "rules": rules}
    run: dict[str, Json] = {"tool": {"driver": driver}, "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(verdict: Verdict, miss: Miss, index: int, uri: str, level: str) -> Json:
    check = verdict.check
    message = f"{check.question.id}: expected {miss.wanted}; actual {miss.came}"
    return {
        "ruleId": miss.rule,
        "ruleIndex": index,
        "level": level,
        "message": {"text": sanitise_line(message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {"startLine": check.line},
                }
            }
        ],
        "partialFingerprints": {"checkId": sanitise_line(f"{check.question.id}/{miss.rule}")},
    }


def _uri(path: Path, base: Path) -> str:
    absolute = path.resolve()
    if absolute.is_relative_to(base.resolve()):
        return quoted_url(Path(os.path.relpath(absolute, base.resolve())).as_posix())
    return absolute.as_uri()


_SIGNS: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")


def check_markdown(outcome: CheckResult) -> bytes:
    """Return a heading and a table of the unmet expectations, as Markdown."""
    mark = "passed" if outcome.ok else "failed"
    lines = [f"### ggrep check {mark}: {summary(outcome)}", "", *_table(outcome)]
    return "".join(f"{line}\n" for line in lines).encode()


def _table(outcome: CheckResult) -> Iterator[str]:
    excused = {verdict.check.question.id for verdict in outcome.excused}
    rows = [
        (verdict.check.question.id, verdict.check.question.query, miss)
        for verdict in outcome.verdicts
        for miss in verdict.misses
    ]
    if not rows:
        return
    yield "| check | question | expected | actual |"
    yield "|---|---|---|---|"
    for name, query, miss in rows:
        name_cell = f"{_cell(name)} (as before)" if name in excused else _cell(name)
        wanted = f"{_cell(miss.wanted)} ({_cell(miss.rule)})"
        yield f"| {name_cell} | {_cell(query)} | {wanted} | {_cell(miss.came)} |"


def _cell(text: str) -> str:
    return _SIGNS.sub(r"\\\1", sanitise_line(text))


_CLASS: Final = "ggrep.check"
_HOST: Final = "localhost"
"""A placeholder for the host name, as reports are compared and sent to other machines."""
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The timestamp of reports that must not differ between runs."""

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids, even as references."""


def junit_xml(outcome: CheckResult, base: Path, began: datetime | None) -> bytes:
    """Return the report as JUnit XML, with one test case for each check."""
    name, timed = _text(outcome.file.label), began is not None
    elapsed_ms = sum(_milliseconds(verdict) for verdict in outcome.verdicts)
    errors = sum(_is_error(verdict) for verdict in outcome.verdicts)
    counts = (
        f'tests="{len(outcome.verdicts)}" failures="{outcome.failed - errors}"'
        f' errors="{errors}" skipped="0"'
    )
    cases = [line for each in outcome.verdicts for line in _case(each, name, base, timed=timed)]
    time = f'time="{_time(elapsed_ms, timed=timed)}"'
    return _suite(outcome.file, f"{counts} {time}", cases, began)


def failed_junit_xml(file: CheckFile, error: GgrepError, began: datetime | None) -> bytes:
    """Return JUnit XML for checks that could not run: one test case with the error."""
    message = _text(str(error))
    case = (
        f'    <testcase name="checks" classname="{_CLASS}" time="0">',
        f'      <error type="{error.code}" message="{message}">{message}</error>',
        "    </testcase>",
    )
    return _suite(file, 'tests="1" failures="0" errors="1" skipped="0" time="0"', case, began)


def _suite(file: CheckFile, counts: str, cases: Iterable[str], began: datetime | None) -> bytes:
    when = (began or _NEVER).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    place = f'package="{_CLASS}" id="0" timestamp="{when}" hostname="{_HOST}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'  <testsuite name="{_text(file.label)}" {place} {counts}>',
        "    <properties>",
        f'      <property name="digest" value="{file.digest}"/>',
        f'      <property name="allow_failures" value="{file.allow_failures}"/>',
        "    </properties>",
        *cases,
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
    misses = [f"{miss.rule}: expected {miss.wanted}; actual {miss.came}" for miss in verdict.misses]
    rules = [miss.rule for miss in verdict.misses]
    seen = [f"to see: {command}" for command in commands(check, rules, base)]
    body = [_text(line) for line in (f"query: {check.question.query}", *misses, *seen)]
    text = "\n".join((*body, f"check: {file}:{check.line}"))
    kind = "error" if _is_error(verdict) else "failure"
    yield head + ">"
    yield f'      <{kind} type="{rules[0]}" message="{_text(misses[0])}">{text}</{kind}>'
    yield "    </testcase>"


def _is_error(verdict: Verdict) -> bool:
    return bool(verdict.answer.error)


def _milliseconds(verdict: Verdict) -> int:
    return round(verdict.answer.elapsed_ms)


def _time(elapsed_ms: int, *, timed: bool) -> str:
    """Return seconds as text, in whole milliseconds, so that the cases' times add up exactly."""
    return f"{elapsed_ms // 1000}.{elapsed_ms % 1000:03}" if timed else "0"


def _text(text: str) -> str:
    readable = _NOT_XML.sub(lambda match: ascii(match[0])[1:-1], text)
    return escape(sanitise_line(readable), quote=True)


def commands(check: Check, rules: Collection[str], base: Path) -> Iterator[str]:
    """Yield the commands that, run in `base`, show an answer that broke some of the `rules`.

    Yields none for a target that is a root inside another repository: no command can query it.
    """
    if check.target.alone:
        return
    if check.question.searched and not SLATE_RULES.issuperset(rules):
        yield see_search(check, base)
    if check.question.slates and (not check.question.searched or not SLATE_RULES.isdisjoint(rules)):
        yield see_slate(check, base)


def see_search(check: Check, base: Path) -> str:
    """Return the command that, run in `base`, shows a check's hits."""
    question = check.question
    flags = []
    if question.limit != DEFAULT_CHECK_LIMIT:
        flags.append(f"-m {question.limit}")
    if question.per_file != DEFAULT_PER_FILE:
        flags.append(f"--per-file {question.per_file}")
    if check.target.is_workspace:
        flags.append("--no-fold")
    return f"ggrep search {_asked(check, base, flags)}"


def see_slate(check: Check, base: Path) -> str:
    """Return the command that, run in `base`, shows a check's slate."""
    sizes = [f"--max-bytes {size}" for size in check.question.slates if size]
    return f"ggrep slate {_asked(check, base, sizes)}"


def _asked(check: Check, base: Path, first_flags: list[str]) -> str:
    question, target = check.question, check.target
    path = quote(os.path.relpath(target.path.resolve(), base.resolve()))
    flags = [*first_flags, *_flags(check)]
    if target.is_workspace:
        flags.append(f"--workspace {path}")
    words = [quote(question.query)] + ([] if target.is_workspace else [path])
    # A query that begins with a dash is parsed as a flag unless a bare -- precedes it.
    parts = [*flags, "--", *words] if question.query.startswith("-") else [*words, *flags]
    return " ".join(parts)


def _flags(check: Check) -> Iterator[str]:
    question = check.question
    if question.mode != Mode.BALANCED.value:
        yield f"--mode {question.mode}"
    yield from (f"--corpus {quote(word)}" for word in question.corpora)
    # A negated filter begins with a dash.
    yield from (f"--filter={quote(text)}" for text in question.filters)
