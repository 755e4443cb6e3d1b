"""`ggrep audit`: verifies a store's active snapshot, byte for byte."""

from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base.formats import AUDIT_SCHEMA
from ggrep.interfaces.cli.options import JsonFlag, PathFlag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.hints import with_path
from ggrep.model.sanitise import sanitise_line
from ggrep.service.places import open_engine, place_of

if TYPE_CHECKING:
    from ggrep.index.maintenance.audit import AuditReport
    from ggrep.model.schemas.health import AuditErrorJson, AuditJson


def audit_command(
    path: PathFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Verify a repository's whole store, byte for byte; exit with 1 when anything is wrong."""
    from ggrep.index.maintenance.audit import audit

    terminal = open_terminal(plain=plain)
    engine = open_engine(place_of(path).root, terminal.environ)
    report = audit(engine.identity.store, engine.identity.store_id, clock=engine.clock)
    if json:
        terminal.write_json(audit_json(report), pretty=True)
    else:
        _print(report, terminal, path)
    return 0 if report.ok else 1


def audit_json(report: "AuditReport") -> "AuditJson":
    """Return the audit document."""
    errors: list[AuditErrorJson] = [
        {"code": code, "message": sanitise_line(message)} for code, message in report.errors
    ]
    return {
        "schema_version": AUDIT_SCHEMA,
        "store_id": report.store_id,
        "snapshot_id": report.snapshot_id,
        "ok": report.ok,
        "errors": errors,
        "orphans": [sanitise_line(name) for name in report.orphans],
    }


def _print(report: "AuditReport", terminal: Terminal, path: Path | None) -> None:
    for code, message in report.errors:
        mark = terminal.style.paint("bad", "fail")
        terminal.write(f"{mark}  {code}: {sanitise_line(message)}\n")
    for name in report.orphans:
        mark = terminal.style.paint("muted", "note")
        terminal.write(f"{mark}  no snapshot names {sanitise_line(name)}\n")
    if report.ok:
        mark = terminal.style.paint("good", "ok  ")
        terminal.write(f"{mark}  snapshot {report.snapshot_id} is what it says\n")
    else:
        terminal.tell(with_path("damaged; run: ggrep repair", path))
