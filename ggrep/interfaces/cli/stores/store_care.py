"""`ggrep health|audit|gc|compact|repair|upgrade-store`: checks and maintains one store."""

from typing import Annotated

from ggrep.base.clock import Deadline, SystemClock, rfc3339
from ggrep.base.errors import LoadError
from ggrep.base.stable_json import Document, decode
from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag, PathFlag, PlainFlag, ProfileFlag
from ggrep.interfaces.cli.stores.home_stores import collect_stores
from ggrep.interfaces.cli.terminal import Terminal, open_terminal, show_progress
from ggrep.model.index_freshness import DAMAGE_CODES, REPAIR
from ggrep.model.maintenance import FAIL, OK, HealthCheck
from ggrep.model.outline import counted
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_path
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.service.location import location_of, open_index

_GC_WAIT_MS = 5_000


def gc(
    path: PathFlag = None,
    stores: Annotated[
        bool,
        Flag(
            "--stores",
            "Instead of snapshots, list or delete stores that were unused for a long time.",
        ),
    ] = False,
    force: Annotated[bool, Flag("--force", "Delete; without this option, only list.")] = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """List snapshots and segments that no query needs any more, or delete them."""
    from ggrep.index.maintenance.collection import collect_garbage, preview, young_ms

    terminal = open_terminal(plain=plain)
    index = open_index(location_of(path).root, terminal.environ)
    if stores:
        return collect_stores(index, terminal, force=force, json=json)
    if force:
        with index.target() as target:
            deadline = Deadline.after(index.clock, _GC_WAIT_MS)
            report = collect_garbage(target, deadline=deadline, readers_ms=_GC_WAIT_MS)
    else:
        report = preview(index.identity.store, index.settings, index.clock)
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
        return 0
    verb = "would delete" if report.dry_run else "deleted"
    terminal.write(
        f"{verb} {counted(len(report.deleted_snapshots), 'snapshot')} and"
        f" {counted(len(report.deleted_segments), 'segment')}, {report.freed_bytes / 1e6:.1f} MB;"
        f" {len(report.retained_snapshots)} stay"
    )
    if len(report.retained_snapshots) > 1:
        secs = round(young_ms(index.settings) / 1000)
        terminal.write(f": the newest, pinned ones, and those younger than {secs} s")
    terminal.write("\n")
    if report.dry_run and report.freed_bytes:
        terminal.note(with_path("nothing was deleted; to delete: ggrep gc --force\n", path))
    return 0


def compact(
    path: PathFlag = None,
    force: Annotated[bool, Flag("--force", "Merge all segments, even if no merge is due.")] = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Merge the segments of an index into fewer segments without outdated rows."""
    from ggrep.index.maintenance.compaction import compact as run

    terminal = open_terminal(plain=plain)
    index = open_index(location_of(path).root, terminal.environ)
    with index.target() as target:
        report = run(target, force=force)
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
    elif report.performed:
        terminal.write(
            f"{report.segments_before} segments became {report.segments_after}, "
            f"{report.rows_before} rows {report.rows_after} ({report.reason}), "
            f"in {report.duration_ms / 1000:.1f} s\n"
        )
    else:
        terminal.write(f"nothing done: {report.reason}\n")
        if report.reason == "not overdue":
            terminal.note(with_path("to merge anyway: ggrep compact --force\n", path))
    return 0


def repair(path: PathFlag = None, json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """Hash the whole store and rebuild only its damaged parts."""
    from ggrep.index.maintenance.repair import repair as run
    from ggrep.index.sync.healing import read_healed

    terminal = open_terminal(plain=plain)
    index = open_index(location_of(path).root, terminal.environ)
    label, earlier = index.identity.root.name, read_healed(index.identity.store)
    with show_progress(terminal, label) as progress, index.target() as target:
        report = run(target, progress=progress)
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
    elif report.damage is None:
        history = ""
        if earlier:
            history = f"; the last damage was rebuilt at {rfc3339(earlier.at)} ({earlier.last})"
        terminal.write(
            f"nothing is damaged{sanitise_line(history)}; snapshot {report.snapshot_id}\n"
        )
    else:
        terminal.write(
            f"the index was damaged: {sanitise_line(report.damage)}; it is rebuilt\n"
            f"files rebuilt from the index itself: {len(report.healed)}; "
            f"lost segments: {len(report.lost_segments)}; "
            f"files read again: {report.files.rebuilt}, "
            f"kept: {report.files.kept}, gone: {report.files.deleted}\n"
            f"snapshot {report.snapshot_id} is whole, in {report.duration_ms / 1000:.1f} s\n"
        )
    return 0


def audit_command(path: PathFlag = None, json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """Verify a repository's whole store, byte for byte; exit with 1 when anything is wrong."""
    from ggrep.index.maintenance.checks import audit

    terminal = open_terminal(plain=plain)
    index = open_index(location_of(path).root, terminal.environ)
    report = audit(index.identity.store, index.identity.store_id, clock=index.clock)
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
        return 0 if report.ok else 1
    for error in report.errors:
        mark = terminal.style.paint("bad", "fail")
        terminal.write(f"{mark}  {error.code}: {sanitise_line(with_path(error.message, path))}\n")
    for name in report.orphans:
        mark = terminal.style.paint("muted", "note")
        terminal.write(f"{mark}  no snapshot names {sanitise_line(name)}\n")
    if report.ok:
        mark = terminal.style.paint("good", "ok  ")
        terminal.write(f"{mark}  snapshot {report.snapshot_id} is undamaged\n")
    elif not any(error.code in DAMAGE_CODES for error in report.errors):
        terminal.tell(with_path(f"the index is damaged; run: {REPAIR}", path))
    return 0 if report.ok else 1


def upgrade(path: PathFlag = None, json: JsonFlag = False) -> int:
    """Convert an index to the formats of this build, without indexing again."""
    terminal = open_terminal()
    report = open_index(location_of(path).root, terminal.environ).upgrade()
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
    elif report.upgraded:
        terminal.tell(f"upgraded {report.store_id}; active snapshot: {report.snapshot_id}")
    else:
        terminal.tell(f"{report.store_id} is in this build's formats; nothing to do")
    return 0


def health(
    path: PathFlag = None,
    deep: Annotated[bool, Flag("--deep", "Also verify the hash of every file.")] = False,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Check a repository's store; exit with 1 when a check fails."""
    terminal = open_terminal(plain=plain)
    address = address_of(location_of(path), terminal, {"profile": profile})
    document = _health_of_daemon(address, terminal, deep=deep)
    if document is None:
        document = _health_of_disk(address, terminal, deep=deep)
    if json:
        terminal.write_json(document, pretty=True)
        return 0 if document["ok"] else 1
    for check in decode(tuple[HealthCheck, ...], document["checks"]):
        role = {OK: "good", FAIL: "bad"}.get(check.severity, "warning")
        mark = terminal.style.paint(role, f"{check.severity:<4}")
        terminal.write(f"{mark}  {check.code}: {sanitise_line(with_path(check.message, path))}\n")
        for named in check.paths[:10]:
            terminal.write(f"        {sanitise_line(named)}\n")
        if len(check.paths) > 10:
            terminal.write(f"        and {len(check.paths) - 10} more (--json has all)\n")
    return 0 if document["ok"] else 1


def _health_of_daemon(
    address: "DaemonAddress", terminal: Terminal, *, deep: bool
) -> Document | None:
    """Return the daemon's health report with its load; None if no daemon answers."""
    from ggrep.protocol.client.connect_or_start import Connector
    from ggrep.protocol.client.link import Unreachable
    from ggrep.protocol.wire.messages import Health

    try:
        link = Connector(address, SystemClock(), terminal.environ).running()
        if link is None:
            return None
        with link:
            reply = link.ask(Health(deep), Deadline.never(SystemClock()))
    except (LoadError, Unreachable) as error:
        terminal.tell(f"{error}; the following comes from the files of the index")
        return None
    result = reply.body.get("health")
    return result if isinstance(result, dict) else None


def _health_of_disk(address: "DaemonAddress", terminal: Terminal, *, deep: bool) -> Document:
    from ggrep.index.maintenance.checks import check_health

    index = open_index(address.identity.root, terminal.environ, flags=address.flags)
    identity = index.identity
    index.heal(Deadline.never(index.clock))
    report = check_health(
        identity.store,
        identity.store_id,
        index.settings,
        deep=deep,
        root=identity.root,
        clock=index.clock,
    )
    return report.to_dict()
