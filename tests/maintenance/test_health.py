"""Health names what is wrong, by its code, and writes nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.errors import NoIndex
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.maintenance.checks import check_health
from ggrep.index.store.filesystem import NETWORK_MAGICS
from ggrep.index.store.judging import open_active
from ggrep.model.daemons import DaemonLoad, EncodeLoad, OpenHandles
from ggrep.model.maintenance import FAIL, OK, WARN, HealthCheck
from ggrep.search.engine.engine import Engine
from tests.crash.corruption import put
from tests.crash.power_trial import by_name_and_size
from tests.fakes.built_store import built_once
from tests.fakes.daemons import busy_load, quiet_load
from tests.fakes.git import Git
from tests.fakes.leases import held_lease
from tests.fakes.repos import indexed, open_engine, write_tree


def build(root: Path, home: Path) -> None:
    """Make a store of two segments."""
    engine = indexed(
        root, home, {f"part{number}.py": "def retry():\n    pass\n" for number in range(6)}
    )
    write_tree(root, {"part1.py": "def retry_again():\n    pass\n"})
    engine.sync()


engine = built_once(build)


def checks(
    engine: Engine, load: DaemonLoad | None = None, *, deep: bool = False, **changes: object
) -> dict[str, HealthCheck]:
    identity = engine.identity
    settings = Settings(**changes) if changes else engine.settings  # type: ignore[arg-type] # vary
    report = check_health(
        identity.store,
        identity.store_id,
        settings,
        deep=deep,
        root=identity.root,
        clock=engine.clock,
        load=load,
    )
    results = {check.code: check for check in report.checks}
    assert len(results) == len(report.checks), "a code stands for one check"
    assert report.ok == all(check.severity != FAIL for check in report.checks)
    return results


def bad(
    engine: Engine, load: DaemonLoad | None = None, *, deep: bool = False, **changes: object
) -> dict[str, str]:
    result = checks(engine, load, deep=deep, **changes).items()
    return {code: check.severity for code, check in result if check.severity != OK}


def test_a_sound_store_is_sound(engine: Engine) -> None:
    """A check that warns without reason is switched off; a writer and growth are no damage."""
    assert bad(engine) == {}

    assert bad(engine, compaction_overdue_segments=2) == {"compaction_policy": WARN}
    assert bad(engine, max_segments=1) == {"compaction_policy": WARN}

    with held_lease(engine.identity.store, engine.clock):
        result = checks(engine)["lease"]

    assert result.severity == OK
    assert f"process {os.getpid()}" in result.message

    (store_files.images_dir(engine.identity.store) / "seg_x_0.image").write_bytes(b"12345")

    assert "uses: 5;" in checks(engine)["orphans"].message


def test_searches_without_counted_segments_are_not_denied(engine: Engine) -> None:
    """Queries of names and of whole workspaces have a duration only."""
    load = busy_load()
    load = replace(load, queries=replace(load.queries, segments_touched_max=None))
    messages = {code: check.message for code, check in checks(engine, load).items()}

    assert messages["perf_query_latency"].startswith("recent searches: median ")
    assert messages["perf_segments_touched"] == (
        "not measured: no recent search counted its segments"
    )


def test_a_store_that_is_not_there_has_no_health(root: Path, home: Path) -> None:
    with pytest.raises(NoIndex):
        checks(open_engine(root, home))


def _segment(engine: Engine) -> Path:
    return store_files.image_file(engine.identity.store, engine.view().manifest.segments[-1].table)


def _table_file(engine: Engine) -> Path:
    table = store_files.table_dir(engine.identity.store, engine.view().manifest.segments[0].table)
    return max((p for p in table.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)


DAMAGE: dict[str, tuple[Callable[[Engine], Path], str]] = {
    "pointer": (lambda e: store_files.active_file(e.identity.store), "manifest_present"),
    "manifest": (
        lambda e: store_files.manifest_file(e.identity.store, e.view().manifest.snapshot_id),
        "manifest_present",
    ),
    "image": (_segment, "segments_present"),
    "table": (_table_file, "artifact_integrity"),
    "visibility": (
        lambda e: e.identity.store / e.view().manifest.visibility.path,
        "segments_present",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_gone_fails_under_its_code(engine: Engine, what: str) -> None:
    """And what could not be looked at for it is not called sound."""
    pick, code = DAMAGE[what]
    pick(engine).unlink()
    result = checks(engine)

    assert result[code].severity == FAIL
    assert result["tombstones_enforced"].severity == WARN
    assert [c for c, check in result.items() if check.severity == FAIL] == ["damage", code]


@pytest.mark.parametrize("what", DAMAGE)
def test_what_was_changed_fails_under_its_code(engine: Engine, what: str) -> None:
    """Size and date are those of before; the inode tells."""
    pick, code = DAMAGE[what]
    path = pick(engine)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    put(path, bytes(data))
    failed = [c for c, severity in bad(engine).items() if severity == FAIL]

    assert failed == [
        "damage",
        code if code == "manifest_present" else "artifact_integrity",
    ]


def test_a_deep_look_finds_silent_rot(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is the bound of what is remembered: a disk says nothing of bits that rot."""
    monkeypatch.setattr("ggrep.index.store.verify._signature", by_name_and_size)
    store_files.verified_file(engine.identity.store).unlink()
    open_active(engine.identity.store)
    path = _segment(engine)
    _flip_in_place(path)

    assert bad(engine) == {}
    assert bad(engine, deep=True)["artifact_integrity"] == FAIL


def _flip_in_place(path: Path) -> None:
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(status.st_size - 1)
        last = file.read(1)
        file.seek(status.st_size - 1)
        file.write(bytes([last[0] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_damaged_stand_in_is_named(engine: Engine) -> None:
    store, active = engine.identity.store, engine.view().manifest.snapshot_id
    (older,) = (d for d in store_files.snapshots_dir(store).iterdir() if d.name != active)
    put(older / "manifest.json", b"{}")

    assert bad(engine) == {"older_snapshots": WARN}


@pytest.mark.parametrize(
    ("setting", "code"),
    [("max_store_bytes", "disk_budgets"), ("max_cache_bytes", "disk_budgets_cache")],
)
def test_budgets_are_held_apart(engine: Engine, setting: str, code: str) -> None:
    """Near one is a warning, over one a failure."""
    words = checks(engine)[code].message.split()
    used = int(words[words.index("uses") + 1])

    assert bad(engine, **{setting: used - 1}) == {code: FAIL}
    assert bad(engine, **{setting: used + 1}) == {code: WARN}
    assert bad(engine, **{setting: used * 2}) == {}


def test_logs_have_a_budget(engine: Engine) -> None:
    """Nothing else bounds what a program writes about itself."""
    engine.home.logs.mkdir()
    (engine.home.logs / "some.log").write_bytes(b"12345")

    assert bad(engine, max_log_bytes=4) == {"disk_budgets_logs": FAIL}


def test_the_record_of_the_last_sync_is_read(engine: Engine) -> None:
    """It is derived: without it health says less, and says so."""
    path = store_files.index_state_file(engine.identity.store)
    values = stable_json.loads(path.read_bytes())
    seen = []
    for text in (b"{", b"", stable_json.dumps(seal(values | {"active_snapshot_id": "x"}))):
        put(path, text)
        seen.append(bad(engine)["index_state"])
    put(path, stable_json.dumps(seal(values | {"last_result": "error"})))
    seen.append(bad(engine)["index_state"])
    put(path, stable_json.dumps(seal(values | {"schema_version": 99})))

    assert seen == [WARN] * 4
    assert bad(engine)["index_state"] == FAIL


@pytest.mark.parametrize("name", ["files.json", "verified.json"])
def test_a_damaged_cache_is_a_warning(engine: Engine, name: str) -> None:
    put(engine.identity.store / "cache" / name, b'{"a": ')

    assert bad(engine) == {"derived_caches": WARN}


def test_a_dead_writer_or_a_damaged_lease_record_is_a_warning(engine: Engine) -> None:
    """An epoch that runs backwards would let an older snapshot stand in for a newer."""
    record = store_files.lease_files(engine.identity.store).record
    values = stable_json.loads(record.read_bytes())
    put(record, stable_json.dumps(seal(values | {"released": False, "boot_id": "before"})))
    result = checks(engine)["lease"]

    assert result.severity == WARN
    assert "died" in result.message

    put(record, b"[]")
    first = bad(engine)
    put(record, stable_json.dumps(values | {"lease_epoch": 1}))

    assert first == {"lease": WARN}
    assert bad(engine) == {"lease": WARN}


def test_odd_permissions_are_told_of(engine: Engine) -> None:
    """A store holds the text of the repository."""
    store = engine.identity.store
    _segment(engine).chmod(0o644)
    first = bad(engine)
    store.chmod(0o755)

    assert first == {"permissions": WARN}
    assert bad(engine) == {"permissions": FAIL}


def test_a_network_file_system_fails(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its locks and renames hold on one machine at best."""
    magic = next(iter(NETWORK_MAGICS))
    monkeypatch.setattr("ggrep.index.store.filesystem.file_system_number", lambda _: magic)

    assert bad(engine) == {"filesystem": FAIL}


def test_paths_of_another_normal_form_are_named(root: Path, home: Path) -> None:
    """A user who types the name finds nothing."""
    engine = indexed(root, home, {"cafe\u0301.md": "# Retry\n"})
    result = checks(engine)["unicode_normalisation"]

    assert (result.severity, result.paths) == (WARN, ("cafe\u0301.md",))


def test_many_untracked_warn(engine: Engine, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are what one user has lying about; of a shared store all users see them."""
    git(engine.identity.root, "init", "-q")
    assert bad(engine) == {}
    monkeypatch.setattr("ggrep.index.maintenance.tree_checks._MANY_UNTRACKED", 5)

    assert bad(engine) == {"repo_hygiene": WARN}
    assert bad(engine, shared_store=True)["repo_hygiene"] == FAIL
    (engine.identity.root / ".gitignore").write_text("part*\n")
    assert bad(engine) == {}


Change = Callable[[DaemonLoad], DaemonLoad]


def queries(**changes: int) -> Change:
    return lambda load: replace(load, queries=replace(load.queries, **changes))


FIGURES: dict[str, tuple[Change, set[str]]] = {
    "median": (
        queries(query_total=10, latency_p50_ms=301, latency_p95_ms=400),
        {"perf_query_latency"},
    ),
    "tail": (
        queries(query_total=10, latency_p50_ms=1, latency_p95_ms=1_501),
        {"perf_query_latency"},
    ),
    "segments": (queries(segments_touched_max=65), {"perf_segments_touched"}),
    "handles": (lambda load: replace(load, handles=OpenHandles(461, 512)), {"open_handles"}),
    "slot": (lambda load: replace(load, encode=EncodeLoad(2, 1, stale=True)), {"embed_limiter"}),
    "stale": (lambda load: replace(load, stale=True, stale_reason="encoder"), {"daemon_stale"}),
    "nothing yet": (lambda load: load, set()),
    "a cold start": (queries(query_total=9, latency_p50_ms=400, latency_p95_ms=4_000), set()),
    "latency": (
        queries(query_total=10, latency_p50_ms=300, latency_p95_ms=1_500, segments_touched_max=64),
        set(),
    ),
    "most handles": (lambda load: replace(load, handles=OpenHandles(460, 512)), set()),
    "no bound": (lambda load: replace(load, handles=OpenHandles(10, 0)), set()),
    "slots in use": (lambda load: replace(load, encode=EncodeLoad(2, 2)), set()),
}


def test_a_figure_over_its_budget_warns_under_its_code(engine: Engine) -> None:
    """Each has its own name: an alarm must say where to look; the bound itself is allowed."""
    warned = {name: bad(engine, change(quiet_load())) for name, (change, _) in FIGURES.items()}

    assert warned == {name: dict.fromkeys(codes, WARN) for name, (_, codes) in FIGURES.items()}


def test_with_and_without_a_daemon_the_same_checks_are_listed(engine: Engine) -> None:
    without, beside = checks(engine, None), checks(engine, quiet_load())
    unmeasured = {code for code, check in without.items() if "no daemon" in check.message}

    assert list(without) == list(beside)
    assert unmeasured == {
        "daemon_stale",
        "embed_limiter",
        "open_handles",
        "perf_query_latency",
        "perf_segments_touched",
    }
    assert not any("no daemon" in check.message for check in beside.values())
