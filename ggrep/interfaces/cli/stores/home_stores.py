"""`ggrep list|clean`, and `gc --stores`: the stores of a home."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import convert
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.errors import UsageError
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    Flag,
    JsonFlag,
    PathFlag,
    PlainFlag,
    YesFlag,
)
from ggrep.interfaces.cli.terminal import Terminal, confirmed, open_terminal
from ggrep.model.maintenance import Candidate, Removal, RemovedStore, Store, Stores
from ggrep.model.outline import counted
from ggrep.model.sanitise import sanitise_line
from ggrep.render.failures import query_error
from ggrep.service.location import location_of

if TYPE_CHECKING:
    from ggrep.index.maintenance.inventory import StoreEntry, StoresReport
    from ggrep.model.schemas.stores import StoresCollectionJson
    from ggrep.search.engine.repo_index import RepoIndex


def list_command(json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """List the stores (indexes on disk) of the ggrep home, most recently used first."""
    from ggrep.index.maintenance.inventory import list_stores

    terminal = open_terminal(plain=plain)
    entries = list_stores(home_from(terminal.environ))
    if json:
        terminal.write_json(inventory_json(entries), pretty=True)
        return 0
    for entry in entries:
        name = terminal.style.paint("name", entry.store_id)
        size = f"{entry.size_bytes / 1e6:8.1f} MB"
        used = entry.last_used_at or entry.modified_at
        gone = " (gone)" if entry.root_exists is False else ""
        root = entry.canonical_root or "(not synced by its root yet)"
        counts = f"{counted(entry.files, 'file')}, {counted(entry.chunks, 'chunk')}"
        what = entry.problem or f"{counts}  {root}{gone}"
        terminal.write(f"{name}  {size}  used {used}  {sanitise_line(what)}\n")
    if not entries:
        terminal.note("no stores yet; run: ggrep index\n")
    return 0


def inventory_json(entries: "Sequence[StoreEntry]") -> Document:
    """Return the document of `ggrep list`."""
    stores = convert(entries, tuple[Store, ...], from_attributes=True)
    shown = (replace(store, store_id=sanitise_line(store.store_id)) for store in stores)
    return Stores(stores=tuple(shown)).to_dict()


def clean(
    store: Annotated[str | None, Argument("A store id from `ggrep list`.", takes="store")] = None,
    path: PathFlag = None,
    everything: Annotated[
        bool, Flag("--all", "Delete every store of the ggrep home directory.")
    ] = False,
    yes: YesFlag = False,
    json: JsonFlag = False,
) -> int:
    """Delete this repository's index, a store (index on disk) by id, or all stores.

    On a terminal, ggrep asks for confirmation. Source code is not changed, and a deleted index can
    be built again.
    """
    from ggrep.index.maintenance.inventory import list_stores, remove_store

    terminal = open_terminal()
    home = home_from(terminal.environ)
    if sum((store is not None, path is not None, everything)) > 1:
        raise UsageError("use only one of STORE, --path and --all")
    sizes: dict[str, int] = {entry.store_id: entry.size_bytes for entry in list_stores(home)}
    if everything:
        ids = list(sizes)
    elif store is not None:
        ids = [store]
    else:
        ids = [address_of(location_of(path), terminal, {}).identity.store_id]
    known = {each: sizes[each] for each in ids if each in sizes}
    if known and not (yes or json or _confirmed(known)):
        terminal.tell("nothing was deleted")
        return 1
    with daemons_stopped(home, ids):
        freed = {store_id: remove_store(home, store_id) for store_id in ids}
    if json:
        removed = tuple(starmap(RemovedStore, freed.items()))
        terminal.write_json(Removal(removed=removed).to_dict(), pretty=True)
    else:
        for key, size in freed.items():
            terminal.tell(f"removed {key}, {size / 1e6:.1f} MB")
    return 0


def _confirmed(sizes: Mapping[str, int]) -> bool:
    from ggrep.interfaces.cli.text_tables import bytes_text, plural

    whose = next(iter(sizes)) if len(sizes) == 1 else plural(len(sizes), "index", "indexes")
    return confirmed(f"delete {whose}, {bytes_text(sum(sizes.values()))}?")


@contextmanager
def daemons_stopped(home: Home, ids: Sequence[str]) -> Iterator[None]:
    """Stop the daemons of some stores; no daemon of these stores can start in the block."""
    from ggrep.index.maintenance.inventory import list_stores
    from ggrep.protocol.client.daemon_control import stopped
    from ggrep.protocol.client.daemon_files import running
    from ggrep.protocol.wire.endpoint import place_of_socket

    records = [record for record in running(home) if record.store_id in ids]
    sockets = {Path(record.socket) for record in records}
    for entry in list_stores(home):
        if entry.store_id in ids and entry.config_fingerprint is not None:
            sockets.add(place_of_socket(home, entry.store_id, entry.config_fingerprint))
    with stopped(records, sorted(sockets), "the index is being deleted", SystemClock()):
        yield


def collect_stores(index: "RepoIndex", terminal: Terminal, *, force: bool, json: bool) -> int:
    """List the stores to delete or, with `force`, delete them.

    Returns the exit status of the first failure, else 0.
    """
    from ggrep.index.maintenance import inventory

    report = inventory.collect_stores(
        index.home, index.settings, current=index.identity.store_id, force=force, clock=index.clock
    )
    if json:
        terminal.write_json(stores_gc_json(report), pretty=True)
    else:
        _tell(report, terminal)
    for refusal in report.refused:
        terminal.tell_error(f"{refusal.store_id}: {refusal.error}")
    return report.refused[0].error.exit_status if report.refused else 0


def stores_gc_json(report: "StoresReport") -> "StoresCollectionJson":
    """Return the document of `ggrep gc --stores`."""
    return {
        "schema_version": 1,
        "dry_run": report.dry_run,
        "candidates": convert(report.candidates, list[Candidate], from_attributes=True),
        "deleted": convert(report.deleted, list[Candidate], from_attributes=True),
        "refused": [
            {"store_id": refusal.store_id, **query_error(refusal.error)}
            for refusal in report.refused
        ],
    }


def _tell(report: "StoresReport", terminal: Terminal) -> None:
    verb = "would delete" if report.dry_run else "deleted"
    shown = report.candidates if report.dry_run else report.deleted
    for item in shown:
        size = f"{item.size_bytes / 1e6:.1f} MB"
        root = f", {item.canonical_root}" if item.canonical_root else ""
        used = f", used {item.last_used_at}" if item.last_used_at else ""
        # Leftovers of a store have their own directory, so the store's id would mislead.
        name = item.path.name if item.reason == "remains" else item.store_id
        line = f"{verb} {name}, {size}: {item.reason}{used}{root}"
        terminal.write(sanitise_line(line) + "\n")
    if not shown:
        terminal.note("no store to delete\n")
    elif report.dry_run:
        terminal.note("nothing was deleted; to delete: ggrep gc --stores --force\n")
