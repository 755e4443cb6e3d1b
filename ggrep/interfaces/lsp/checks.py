"""Diagnostics from `ggrep check`, which runs in a separate process."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import anyio
from lsprotocol import types

from ggrep.base import stable_json

_LINE: Final = re.compile(r"\.toml:(\d+): ")


async def check_diagnostics(file: Path, environ: Mapping[str, str]) -> list[types.Diagnostic]:
    """Return a diagnostic for each failing check, or a single diagnostic if no check can run.

    The indexes are queried as they are, without a sync.
    """
    command = [sys.executable, "-m", "ggrep", "check", file.name, "--json", "--no-sync"]
    # Cancellation ends the process.
    done = await anyio.run_process(command, cwd=file.parent, env=environ, check=False)
    try:
        report = stable_json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        return [_diagnostic(1, lines[-1] if lines else "the checks ended without a report")]
    if "checks" not in report:
        message = str(report["error"]["message"])
        named = _LINE.search(message)
        return [_diagnostic(int(named[1]) if named else 1, message)]
    severity = types.DiagnosticSeverity.Error
    if report["ok"]:  # the file or a baseline allows these failures
        severity = types.DiagnosticSeverity.Warning
    return [
        _diagnostic(check["line"], _story(check), severity)
        for check in report["checks"]
        if not check["holds"]
    ]


def _story(check: Mapping[str, Any]) -> str:
    misses = [f"{miss['rule']}: {miss['wanted']}; came: {miss['came']}" for miss in check["misses"]]
    return "\n".join([f"check {check['id']!r} fails", *misses])


def _diagnostic(
    line: int,
    message: str,
    severity: types.DiagnosticSeverity = types.DiagnosticSeverity.Error,
) -> types.Diagnostic:
    start, end = types.Position(line - 1, 0), types.Position(line, 0)
    return types.Diagnostic(types.Range(start, end), message, severity=severity, source="ggrep")
