"""Results of checks as SARIF 2.1.0: one result for each failed expectation."""

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ggrep.base.stable_json import Json
from ggrep.interfaces.evaluation.check_rules import RULES, Miss, Verdict
from ggrep.interfaces.evaluation.checking import Outcome
from ggrep.model.sanitise import sanitise_line

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
