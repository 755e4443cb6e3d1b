"""Results of checks: as JSON, for people, and as SARIF 2.1.0.

The JSON is of schema `check_report`, version 1; SARIF has one result for each failed expectation.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from ggrep.base.stable_json import Json
from ggrep.interfaces.evaluation.check_misses import RULES, Miss
from ggrep.interfaces.evaluation.check_rules import Outcome, Verdict
from ggrep.interfaces.evaluation.see_commands import commands
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

if TYPE_CHECKING:
    from ggrep.model.schemas.checks import CheckBaselineJson, CheckJson, CheckReportJson


CHECK_SCHEMA: Final = 1
_SHOWN_FILES: Final = 10


def check_json(outcome: Outcome, *, version: str) -> "CheckReportJson":
    """Return the report; nothing in it differs from run to run over the same state."""
    return {
        "schema_version": CHECK_SCHEMA,
        "ggrep_version": version,
        "file": outcome.file.label,
        "digest": outcome.file.digest,
        "ok": outcome.ok,
        "summary": {
            "checks": len(outcome.verdicts),
            "failed": outcome.failed,
            "allow_failures": outcome.file.allow_failures,
        },
        "baseline": _baseline_json(outcome),
        "checks": [_verdict_json(verdict) for verdict in outcome.verdicts],
    }


def _baseline_json(outcome: Outcome) -> "CheckBaselineJson | None":
    if outcome.baseline is None:
        return None
    return {
        "excused": [verdict.check.question.id for verdict in outcome.excused],
        "max_drop": outcome.baseline.max_drop,
    }


def _verdict_json(verdict: Verdict) -> "CheckJson":
    check, answer = verdict.check, verdict.answer
    return {
        "id": check.question.id,
        "query": check.question.query,
        "line": check.line,
        "holds": verdict.holds,
        "misses": [
            {"rule": miss.rule, "wanted": miss.wanted, "came": miss.came} for miss in verdict.misses
        ],
        "files": list(answer.named[:_SHOWN_FILES]),
        "confidence": answer.confidence,
    }


_LABEL_COLUMNS = 8


def render_checks(outcome: Outcome, style: Style, base: Path) -> str:
    """Return the verdicts and what they come to; commands are for who stands in `base`."""
    lines: list[str] = []
    for verdict in outcome.verdicts:
        mark = style.paint("good", "ok  ") if verdict.holds else style.paint("bad", "FAIL")
        lines.append(f"{mark}  {sanitise_line(verdict.check.question.id)}")
        if not verdict.holds:
            lines += _story(verdict, style, base)
            place = f"{outcome.file.label}:{verdict.check.line}"
            lines.append(_line("stands", place, style))
    lines += ["", style.paint("good" if outcome.ok else "bad", summary(outcome))]
    return "\n".join(lines) + "\n"


def summary(outcome: Outcome) -> str:
    """Return how many checks there are, and what became of them."""
    total = len(outcome.verdicts)
    told = f"{total} {'check' if total == 1 else 'checks'}, {outcome.failed} failed"
    if outcome.excused:
        told += f", {len(outcome.excused)} as before"
    return f"{told}, {outcome.allowed} allowed" if outcome.allowed else told


def _story(verdict: Verdict, style: Style, base: Path) -> list[str]:
    check = verdict.check
    lines = [_line("query", check.question.query, style)]
    for miss in verdict.misses:
        lines += _miss_lines(miss, style)
    rules = [miss.rule for miss in verdict.misses]
    lines += [_line("to see", command, style) for command in commands(check, rules, base)]
    return lines


def _miss_lines(miss: Miss, style: Style) -> list[str]:
    return [
        _line("wanted", f"{miss.wanted}  ({miss.rule})", style),
        _line("came", miss.came, style),
    ]


def _line(label: str, text: str, style: Style) -> str:
    return f"      {style.paint('muted', f'{label:<{_LABEL_COLUMNS}}')}{sanitise_line(text)}"


_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_json(outcome: Outcome, *, version: str, base: Path) -> dict[str, Json]:
    """Return the report; the place of a result is the check's line in its file.

    Args:
        outcome: of the checks.
        version: of this program.
        base: files below it are named relative to it, as tools that show results expect.
    """
    names = list(RULES)
    rules: list[Json] = [
        {"id": name, "shortDescription": {"text": f"{text[0].upper()}{text[1:]}."}}
        for name, text in RULES.items()
    ]
    uri = _uri(outcome.file.path, base)
    # Failures that the file allows are still said, as warnings.
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
    message = f"{check.question.id}: wanted {miss.wanted}; came {miss.came}"
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
        return quote(Path(os.path.relpath(absolute, base.resolve())).as_posix())
    return absolute.as_uri()
