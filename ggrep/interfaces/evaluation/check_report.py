"""Results of checks as JSON: schema `check_report`, version 1."""

from typing import TYPE_CHECKING, Final

from ggrep.interfaces.evaluation.check_rules import Verdict
from ggrep.interfaces.evaluation.checking import Outcome

if TYPE_CHECKING:
    from ggrep.model.schemas.checks import CheckJson, CheckReportJson

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
        "checks": [_verdict_json(verdict) for verdict in outcome.verdicts],
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
        "files": list(answer.files[:_SHOWN_FILES]),
        "confidence": answer.confidence,
    }
