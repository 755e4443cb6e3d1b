"""Results of checks for people: one line each, and the details of those that fail."""

from ggrep.interfaces.evaluation.check_rules import Miss, Verdict
from ggrep.interfaces.evaluation.checking import Outcome
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

_LABEL_COLUMNS = 8


def render_checks(outcome: Outcome, style: Style) -> str:
    """Return the verdicts and what they come to."""
    lines: list[str] = []
    for verdict in outcome.verdicts:
        mark = style.paint("good", "ok  ") if verdict.holds else style.paint("bad", "FAIL")
        lines.append(f"{mark}  {sanitise_line(verdict.check.question.id)}")
        if not verdict.holds:
            lines += _story(verdict, outcome.file.label, style)
    total, failed = len(outcome.verdicts), outcome.failed
    allowed = outcome.file.allow_failures
    summary = f"{total} {'check' if total == 1 else 'checks'}, {failed} failed"
    if allowed:
        summary += f", {allowed} allowed"
    lines += ["", style.paint("good" if outcome.ok else "bad", summary)]
    return "\n".join(lines) + "\n"


def _story(verdict: Verdict, file: str, style: Style) -> list[str]:
    check = verdict.check
    lines = [_line("query", check.question.query, style)]
    for miss in verdict.misses:
        lines += _miss(miss, style)
    lines.append(_line("stands", f"{file}:{check.line}", style))
    return lines


def _miss(miss: Miss, style: Style) -> list[str]:
    return [
        _line("wanted", f"{miss.wanted}  ({miss.rule})", style),
        _line("came", miss.came, style),
    ]


def _line(label: str, text: str, style: Style) -> str:
    return f"      {style.paint('muted', f'{label:<{_LABEL_COLUMNS}}')}{sanitise_line(text)}"
