"""`ggrep health|list|clean`: inspects and deletes stores."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ggrep.base.clock import SystemClock, rfc3339
from ggrep.base.deadline import Deadline
from ggrep.base.decode import decode
from ggrep.base.errors import LoadError, UsageError
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.config.settings import home_from
from ggrep.index.maintenance.findings import FAIL, OK, Check
from ggrep.interfaces.cli.daemon_contact import address_of, running_link
from ggrep.interfaces.cli.flags import Argument, Flag
from ggrep.interfaces.cli.operate_json import inventory_json, removal_json
from ggrep.interfaces.cli.options import JsonFlag, PathFlag, PlainFlag, ProfileFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.sanitise import sanitise_line
from ggrep.service.places import open_engine, place_of

if TYPE_CHECKING:
    from ggrep.index.maintenance.inventory import StoreEntry
    from ggrep.model.schemas.health import HealthJson
    from ggrep.protocol.client.daemon_address import DaemonAddress


def health(
    path: PathFlag = None,
    deep: Annotated[bool, Flag("--deep", "Also verify the hash of every file.")] = False,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Check a repository's store; exit status 1 when a check fails."""
    terminal = open_terminal(plain=plain)
    address = address_of(place_of(path), terminal, {"profile": profile})
    document = _health_of_daemon(address, terminal, deep=deep)
    if document is None:
        document = _health_of_disk(address, terminal, deep=deep)
    if json:
        terminal.write_json(document, pretty=True)
    else:
        _print_health(document, terminal)
    return 0 if document["ok"] else 1


def _health_of_daemon(
    address: "DaemonAddress", terminal: Terminal, *, deep: bool
) -> Document | None:
    """Return the daemon's findings with its own load; None if no daemon runs."""
    from ggrep.protocol.client.link import Unreachable
    from ggrep.protocol.wire.message_types import Health

    try:
        link = running_link(address, terminal)
        if link is None:
            return None
        with link:
            reply = link.ask(Health(deep), Deadline.never(SystemClock()))
    except (LoadError, Unreachable) as error:
        terminal.tell(f"{error}; what follows is read from the disk")
        return None
    found = reply.body.get("health")
    return found if isinstance(found, dict) else None


def _health_of_disk(address: "DaemonAddress", terminal: Terminal, *, deep: bool) -> "HealthJson":
    from ggrep.index.maintenance.health import check_health
    from ggrep.index.maintenance.status_json import health_json

    engine = open_engine(address.identity.root, terminal.environ, flags=address.flags)
    identity = engine.identity
    engine.heal(Deadline.never(engine.clock))
    report = check_health(
        identity.store,
        identity.store_id,
        engine.settings,
        deep=deep,
        root=identity.root,
        clock=engine.clock,
    )
    return health_json(report)


def _print_health(document: Document, terminal: Terminal) -> None:
    for check in decode(tuple[Check, ...], document["checks"]):
        role = {OK: "good", FAIL: "bad"}.get(check.severity, "warning")
        mark = terminal.style.paint(role, f"{check.severity:<4}")
        terminal.write(f"{mark}  {check.code}: {sanitise_line(check.message)}\n")
        for path in check.paths[:10]:
            terminal.write(f"        {sanitise_line(path)}\n")
        if len(check.paths) > 10:
            terminal.write(f"        and {len(check.paths) - 10} more (--json has all)\n")


def list_command(json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """List the stores of this home, most recently used first."""
    from ggrep.index.maintenance.inventory import list_stores

    terminal = open_terminal(plain=plain)
    entries = list_stores(home_from(terminal.environ))
    if json:
        terminal.write_json(inventory_json(entries), pretty=True)
        return 0
    for entry in entries:
        terminal.write(_line(entry, terminal))
    if not entries:
        terminal.note("no stores yet; run: ggrep index\n")
    return 0


def _line(entry: "StoreEntry", terminal: Terminal) -> str:
    name = terminal.style.paint("name", entry.store_id)
    size = f"{entry.size_bytes / 1e6:8.1f} MB"
    used = rfc3339(entry.last_used_at or entry.modified_at)
    gone = " (gone)" if entry.root_exists is False else ""
    root = entry.canonical_root or "(not synced by its root yet)"
    what = entry.problem or f"{entry.files} files, {entry.chunks} chunks  {root}{gone}"
    return f"{name}  {size}  used {used}  {sanitise_line(what)}\n"


def clean(
    store: Annotated[str | None, Argument("A store id from `ggrep list`.")] = None,
    path: PathFlag = None,
    everything: Annotated[bool, Flag("--all", "Delete every store of this home.")] = False,
    json: JsonFlag = False,
) -> int:
    """Delete this repository's index, a store by id, or all stores."""
    from ggrep.index.maintenance.inventory import list_stores, remove_store

    terminal = open_terminal()
    home = home_from(terminal.environ)
    if sum((store is not None, path is not None, everything)) > 1:
        raise UsageError("give one of STORE, --path and --all")
    if everything:
        ids: list[str] = [entry.store_id for entry in list_stores(home)]
    elif store is not None:
        ids = [store]
    else:
        ids = [address_of(place_of(path), terminal, {}).identity.store_id]
    freed: dict[str, int] = {}
    with _daemons_stopped(home, ids):
        for store_id in ids:
            freed[store_id] = remove_store(home, store_id)
    if json:
        terminal.write_json(removal_json(freed), pretty=True)
    else:
        for key, size in freed.items():
            terminal.tell(f"removed {key}, {size / 1e6:.1f} MB")
    return 0


@contextmanager
def _daemons_stopped(home: Home, ids: Sequence[str]) -> Iterator[None]:
    """Stop the daemons of some stores, and keep others from starting meanwhile."""
    from ggrep.index.maintenance.inventory import list_stores
    from ggrep.protocol.client.daemon_listing import running
    from ggrep.protocol.client.stopping import stopped
    from ggrep.protocol.wire.socket_place import place_of_socket

    records = [record for record in running(home) if record.store_id in ids]
    sockets = {Path(record.socket) for record in records}
    for entry in list_stores(home):
        if entry.store_id in ids and entry.config_fingerprint is not None:
            sockets.add(place_of_socket(home, entry.store_id, entry.config_fingerprint))
    with stopped(records, sorted(sockets), "the index is being deleted", SystemClock()):
        yield
