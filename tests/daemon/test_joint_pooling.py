"""A host is asked about many of its stores at once."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from threading import Event
from typing import Any

import anyio
import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.config.home import Home
from ggrep.daemon import joint_members
from ggrep.daemon.joint_members import Described, HostPacks, JointMembers
from ggrep.index.packs.pack_directory import pack_files
from ggrep.model.batched_query import BatchedPoolRequest, Member, members_key
from ggrep.model.response import RepoDescription
from ggrep.protocol.wire.messages import Describe, JointDescribe, JointPool, Sync
from tests.fakes.clocks import ManualClock
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.packs import Stores, question, some_stores
from tests.fakes.repos import write_tree

FILES = {"a": "def fetch(page):\n    return page\n", "b": "def render(page):\n    return page\n"}


@pytest.fixture
def daemons(tmp_path: Path, home: Path) -> Iterator[dict[str, Served]]:
    """Return the daemons of two repositories in one host."""
    stores: dict[tuple[str, str], Any] = {}
    with ExitStack() as stack:
        results = {}
        for name, text in FILES.items():
            root = tmp_path.resolve() / name
            write_tree(root, {f"{name}.py": text})
            results[name] = stack.enter_context(served(root, home, stores=stores))
        for each in results.values():
            each.settled()
        yield results


def places(daemons: dict[str, Served]) -> tuple[Member, ...]:
    identities = [each.address.identity for each in daemons.values()]
    return tuple(
        Member(each.store_id, each.config_fingerprint, str(each.root)) for each in identities
    )


def described(daemons: dict[str, Served], known: str = "", *, said: bool = True) -> dict[str, Any]:
    """Return what the first one tells of both."""
    members = places(daemons)
    message = JointDescribe(members_key(members), members if said else (), known)
    result: Any = daemons["a"].ask(message).body["described"]
    return result


def pooled(daemons: dict[str, Served], epoch: str, *members: int) -> Any:
    asked = BatchedPoolRequest(question("fetch page"), epoch, members or (0, 1))
    reply = daemons["a"].ask(JointPool(asked))
    if reply.error is not None:
        raise reply.error
    return reply.body["pools"]


def test_what_is_known_is_not_told_again(daemons: dict[str, Served]) -> None:
    """Until something of it is another."""
    first = described(daemons)
    assert described(daemons, first["epoch"]) == {"epoch": first["epoch"], "descriptions": None}

    write_tree(daemons["b"].daemon.identity.root, {"more.py": "more = 1\n"})
    daemons["b"].ask(Sync())
    again = described(daemons, first["epoch"])

    assert again["epoch"] != first["epoch"]
    assert again["descriptions"][0] == first["descriptions"][0]
    assert again["descriptions"][1]["snapshot_id"] != first["descriptions"][1]["snapshot_id"]


def test_one_that_is_served_elsewhere_is_read_all_the_same(daemons: dict[str, Served]) -> None:
    """Its snapshot is what its own daemon would answer from; how current it is, is unknown."""
    both = described(daemons)
    daemons["a"].daemon.shared.stores.pop(daemons["b"].daemon.key)
    result = described(daemons)

    assert result["descriptions"][1] == {**both["descriptions"][1], "freshness": "unknown"}
    assert pooled(daemons, result["epoch"]) == pooled(daemons, both["epoch"])


def test_one_whose_settings_lead_elsewhere_is_asked_by_itself(daemons: dict[str, Served]) -> None:
    """The client goes by other settings than this process does."""
    first, second = places(daemons)
    members = first, replace(second, config_fingerprint="other")
    result = daemons["a"].ask(JointDescribe(members_key(members), members)).body["described"]

    assert [each is None for each in result["descriptions"]] == [False, True]


def test_both_are_asked_as_they_were_described(daemons: dict[str, Served]) -> None:
    """An answer is of one snapshot of each, even where one is published meanwhile."""
    epoch = described(daemons)["epoch"]
    before = pooled(daemons, epoch)
    write_tree(daemons["b"].daemon.identity.root, {"fetch.py": FILES["a"]})
    daemons["b"].ask(Sync())
    newer = described(daemons)["epoch"]

    assert pooled(daemons, epoch) == before
    assert pooled(daemons, newer) != before


def test_members_are_those_that_were_described_and_named(daemons: dict[str, Served]) -> None:
    """Not all that were described are asked, and none that was not."""
    epoch = described(daemons)["epoch"]

    assert len(pooled(daemons, epoch)["figures"]["chunks"]) == 2
    assert len(pooled(daemons, epoch, 1)["figures"]["chunks"]) == 1

    with pytest.raises(SnapshotGone):
        pooled(daemons, "no-such-epoch")

    with pytest.raises(SnapshotGone):
        pooled(daemons, epoch, 0, 7)


def test_described_again_an_image_that_was_touched_is_verified(daemons: dict[str, Served]) -> None:
    """A backup that links files touches all of them, and changes none."""
    epoch = described(daemons)["epoch"]
    before = pooled(daemons, epoch)
    for daemon in daemons.values():
        (image,) = (daemon.daemon.identity.store / "images").glob("*.image")
        image.with_suffix(".linked").hardlink_to(image)
    with pytest.raises(SnapshotGone):
        pooled(daemons, epoch)

    assert described(daemons)["epoch"] == epoch
    assert pooled(daemons, epoch) == before


def test_a_damaged_one_is_asked_by_itself(daemons: dict[str, Served]) -> None:
    """The others need not be because of it."""
    epoch = described(daemons)["epoch"]
    store = daemons["b"].daemon.identity.store
    for table in store.rglob("*.lance"):
        if table.is_file():
            table.write_bytes(b"damaged")
    with pytest.raises(SnapshotGone):
        pooled(daemons, epoch)
    result = described(daemons)

    assert [each is None for each in result["descriptions"]] == [False, True]
    pooled(daemons, result["epoch"], 0)


def test_many_unpacked_segments_are_packed_behind_the_answer(
    daemons: dict[str, Served], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next question finds them together, and gets the same."""
    monkeypatch.setattr(joint_members, "MANY_UNPACKED", 2)
    epoch = described(daemons)["epoch"]
    loose = pooled(daemons, epoch)
    daemons["a"].eventually(lambda: pack_files(Home(home)))

    assert pooled(daemons, epoch) == loose
    packs = daemons["a"].daemon.shared.packs
    members = daemons["a"].daemon.shared.joint.members(epoch, (0, 1))
    views = [view for _, view in members]
    assert packs.view(views).unpacked == ()
    assert packs.view(views) is packs.view(views)


def test_packs_that_somebody_deleted_are_made_again(
    daemons: dict[str, Served], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may be deleted at will, also while the host goes on."""
    monkeypatch.setattr(joint_members, "MANY_UNPACKED", 2)
    monkeypatch.setattr(joint_members, "_AGAIN_MS", 0.0)
    epoch = described(daemons)["epoch"]
    loose = pooled(daemons, epoch)
    packs = daemons["a"].daemon.shared.packs
    daemons["a"].eventually(lambda: pack_files(Home(home)) and not packs.packing)
    assert pooled(daemons, epoch) == loose
    (path,) = pack_files(Home(home))
    path.unlink()

    daemons["a"].eventually(lambda: pooled(daemons, epoch) != loose or pack_files(Home(home)))
    assert pooled(daemons, epoch) == loose


def test_a_packing_that_failed_is_tried_again(
    daemons: dict[str, Served], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was full, or a directory that could not be written, costs no question."""
    monkeypatch.setattr(joint_members, "MANY_UNPACKED", 2)
    monkeypatch.setattr(joint_members, "_AGAIN_MS", 0.0)
    failed = Event()
    monkeypatch.setattr(joint_members._LOG, "warning", lambda *_: failed.set())
    Home(home).packs.write_bytes(b"no directory")
    epoch = described(daemons)["epoch"]
    loose = pooled(daemons, epoch)
    assert failed.wait(60)
    Home(home).packs.unlink()

    assert pooled(daemons, epoch) == loose
    daemons["a"].eventually(lambda: pooled(daemons, epoch) != loose or pack_files(Home(home)))
    assert pooled(daemons, epoch) == loose


def test_a_list_of_members_is_said_once(daemons: dict[str, Served]) -> None:
    """A list is known by its own key alone; with a thousand members it is longer than all else."""
    members = places(daemons)
    with pytest.raises(InvalidRequest):
        daemons["a"].ask(JointDescribe(members_key(members), tuple(reversed(members))))

    assert described(daemons, said=False)["epoch"] == ""

    assert described(daemons, said=False) == {"epoch": "", "descriptions": None}
    first = described(daemons)

    assert [each["snapshot_id"] is not None for each in first["descriptions"]] == [True, True]
    assert described(daemons, said=False) == first


def test_whoever_is_asked_lends_neither_encoder_nor_settings(tmp_path: Path, home: Path) -> None:
    """It may be none of the members: another encoder, or other bounds."""
    stores: dict[tuple[str, str], Any] = {}
    with ExitStack() as stack:
        results = {}
        for name in ("odd", "a", "b"):
            root = tmp_path.resolve() / name
            write_tree(root, {f"{name}.py": "def fetch(page):\n    return page\n"})
            flags = {**FLAGS, "encoder": "none"} if name == "odd" else FLAGS
            results[name] = stack.enter_context(served(root, home, flags=flags, stores=stores))
        for each in results.values():
            each.settled()
        two = {name: results[name] for name in ("a", "b")}
        key = members_key(places(two))
        epoch = results["odd"].ask(JointDescribe(key, places(two))).body["described"]["epoch"]
        asked = JointPool(BatchedPoolRequest(question("fetch page"), epoch, (0, 1)))

        reports = [results[name].ask(asked).body["pools"] for name in ("odd",)]
        described(two)
        reports.append(pooled(two, described(two)["epoch"]))
        assert reports[0] == reports[1]


def test_text_of_a_table_that_was_touched_is_not_shown(
    daemons: dict[str, Served], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository whose table is not as it was published is queried alone."""
    monkeypatch.setattr(joint_members, "MANY_UNPACKED", 2)
    epoch = described(daemons)["epoch"]
    pooled(daemons, epoch)
    daemons["a"].eventually(lambda: pack_files(Home(home)))
    pooled(daemons, epoch)
    store = daemons["b"].daemon.identity.store
    table = next(store.glob("*.lance/data/*"))
    table.write_bytes(table.read_bytes())

    with pytest.raises(SnapshotGone):
        pooled(daemons, epoch)


def test_a_touched_image_is_not_read_until_it_is_healed(
    daemons: dict[str, Served],
) -> None:
    """It may be shorter than what is mapped; asking one by one is for the moment."""
    epoch = described(daemons)["epoch"]
    before = pooled(daemons, epoch)
    (image,) = (daemons["b"].daemon.identity.store / "images").glob("*.image")
    image.write_bytes(image.read_bytes())
    with pytest.raises(SnapshotGone):
        pooled(daemons, epoch)
    pooled(daemons, epoch, 0)
    daemons["b"].ask(Describe())

    assert pooled(daemons, described(daemons)["epoch"]) == before


def told(name: str) -> RepoDescription:
    return RepoDescription(
        store_id=name,
        config_fingerprint="c",
        ignore_fingerprint="i",
        snapshot_id="s",
        degraded=False,
        embed_key="e",
        lexical_key="l",
        schema_key="k",
        counts=(),
        has_vectors=False,
    )


def members(*every: RepoDescription | None) -> tuple[Described, ...]:
    return tuple(Described(description=each) for each in every)


def test_what_changed_alone_is_written_anew() -> None:
    """While a host starts, some of a thousand change with every question."""
    joint, first, second = JointMembers(), told("a"), told("b")
    begun = joint.begin("k", members(first, None, second))
    moved = replace(second, freshness="behind")
    after = joint.begin("k", members(first, None, moved))

    assert begun.document == [to_builtins(first), None, to_builtins(second)]
    assert after.document == [to_builtins(first), None, to_builtins(moved)]
    assert after.document[0] is begun.document[0]
    assert begun.name != after.name


def test_one_that_comes_or_goes_is_told() -> None:
    joint, first, second = JointMembers(), told("a"), told("b")
    joint.begin("k", members(first, second))

    assert joint.begin("k", members(first, None)).document == [to_builtins(first), None]
    assert joint.begin("k", members(second, first)).document == [
        to_builtins(second),
        to_builtins(first),
    ]


def test_what_did_not_change_has_its_name() -> None:
    joint, first = JointMembers(), told("a")
    begun = joint.begin("k", members(first))

    assert joint.begin("k", members(replace(first))).name == begun.name


MINUTE_MS = 60_000.0
CLOCK_START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    with some_stores(tmp_path) as made:
        yield made


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what workers are told, of which none does anything."""
    reports: list[Any] = []

    async def run_process(*_: object, **fields: Any) -> CompletedProcess[bytes]:
        reports.append(stable_json.loads(fields["input"]))
        return CompletedProcess([], 0, b"", b"")

    monkeypatch.setattr(joint_members.anyio, "run_process", run_process)
    return reports


def test_many_unpacked_segments_are_packed_once(
    stores: Stores, jobs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
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
        ref.table for each in members for ref in each.manifest.segments
    }
