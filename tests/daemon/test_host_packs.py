"""When a host has packs made, and their texts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import anyio
import pytest

from ggrep.base import stable_json
from ggrep.daemon import joint_members
from ggrep.daemon.joint_members import HostPacks
from tests.fakes.clocks import ManualClock
from tests.fakes.packs import Stores, some_stores

MINUTE_MS = 60_000.0
CLOCK_START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    with some_stores(tmp_path) as made:
        yield made


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what workers are told, of which none does anything."""
    told: list[Any] = []

    async def run_process(*_: object, **fields: Any) -> CompletedProcess[bytes]:
        told.append(stable_json.loads(fields["input"]))
        return CompletedProcess([], 0, b"", b"")

    monkeypatch.setattr(joint_members.anyio, "run_process", run_process)
    return told


def test_many_unpacked_segments_are_packed_once(
    stores: Stores, jobs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes to nothing is not tried for ever."""
    clock, members = ManualClock(CLOCK_START), stores.views()
    host = HostPacks(stores.home, clock)
    view = host.view(members)
    assert not host.wants_packing(view)
    monkeypatch.setattr(joint_members, "MANY_UNPACKED", 3)
    assert host.wants_packing(view)
    anyio.run(host.pack, view)
    clock.advance(MINUTE_MS)

    assert not host.wants_packing(view)
    ((base, segments),) = jobs
    assert base == str(stores.home.base)
    assert {segment for _, segment, _ in segments} == {
        ref.table for one in members for ref in one.manifest.segments
    }
