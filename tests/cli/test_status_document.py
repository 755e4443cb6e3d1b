"""A status document is read whichever build wrote it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import Incompatible
from ggrep.config.home import Home
from ggrep.index.maintenance.status import with_load
from ggrep.interfaces.cli.daemons.status import _with_fan_out
from ggrep.interfaces.cli.daemons.status_text import row_of
from ggrep.model.daemons import DaemonLoad, DaemonState, SyncLoad
from ggrep.model.index_freshness import UP_TO_DATE
from ggrep.model.status import Status
from ggrep.service.status_reading import read_document
from tests.fakes.daemons import busy_load, quiet_load
from tests.fakes.statuses import EMPTY_STATUS

INDEXED = {"snapshot": {"active_snapshot_id": "0" * 26, "files": 7}}


def shown(load: DaemonLoad | None, **changes: Any) -> Status:
    """Return what a client reads of a document, through bytes."""
    document = with_load(EMPTY_STATUS, load, UP_TO_DATE).to_dict() | changes
    return read_document(stable_json.loads(stable_json.dumps(document)))


def test_what_was_measured_becomes_a_line() -> None:
    """Document and table agree."""
    row = row_of(shown(replace(busy_load(), stale=False, stale_reason="")))

    assert (row.root, row.state, row.progress_percent) == ("/code/shop", DaemonState.INDEXING, 45)
    assert (row.pid, row.query_total, row.in_flight) == (4711, 1_200, 3)
    assert (row.query_latency_p50_ms, row.rss_bytes, row.uptime_ms) == (301, 412_000_000, 7_300_000)
    assert row.problem == "no watches left"


def test_the_state_that_matters_most_is_shown() -> None:
    """A stale daemon takes in no change, whatever else it does."""
    syncing = replace(quiet_load(), sync=SyncLoad(state="indexing"))

    assert row_of(shown(busy_load())).state is DaemonState.STALE
    assert row_of(shown(syncing)).state is DaemonState.INDEXING
    assert row_of(shown(syncing)).progress_percent is None
    assert row_of(shown(quiet_load())).state is DaemonState.STARTING
    assert row_of(shown(quiet_load(), **INDEXED)).state is DaemonState.READY


def test_a_document_of_another_build_is_read_as_far_as_it_goes() -> None:
    """Daemons of several builds may run on a host."""
    bare = {"store_id": "shop-0", "canonical_root": "/code/shop", "surprise": {"of": 2}}

    assert row_of(read_document(bare)).state is DaemonState.STARTING


@pytest.mark.parametrize(("daemons", "codes"), [(0, []), (1, []), (2, ["several_daemons"])])
def test_a_status_counts_the_daemons_of_its_root(
    monkeypatch: pytest.MonkeyPatch, daemons: int, codes: list[str]
) -> None:
    """Each of them watches the same files, and scripts read no notes for people."""
    roots = ["/code/other", *["/code/shop"] * daemons]
    records = [SimpleNamespace(root=root) for root in roots]
    monkeypatch.setattr("ggrep.protocol.client.daemon_files.running", lambda _: records)
    document = {"canonical_root": "/code/shop", "warnings": []}

    found = _with_fan_out(document, Home(Path("/h")))
    assert [warning["code"] for warning in found["warnings"]] == codes  # type: ignore[index, union-attr] # JSON


@pytest.mark.parametrize("document", [{}, {"store_id": 1, "canonical_root": "/"}])
def test_a_document_that_makes_no_sense_is_named(document: dict[str, Any]) -> None:
    """The table then shows another version, not a traceback."""
    with pytest.raises(Incompatible, match="status: "):
        read_document(document)
