"""The workspace manifest: its hash, its warnings and its file, and the states of daemons."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.ids import RepoId
from ggrep.base.processes import own_start_ticks
from ggrep.base.stable_json import plain
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.cohort import cohort_key, compatibility_key
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_state import (
    NO_DAEMON,
    MemberState,
    WorkspaceState,
    described_entry,
    entry_of,
    manifest_hash,
    read_stored,
    read_workspace_state,
    records_of,
    store_manifest,
)
from ggrep.model.corpus import CORPORA
from ggrep.model.response import RepoDescription
from ggrep.model.workspace_state import Availability, Diagnostics
from ggrep.protocol.wire.endpoint import DaemonRecord, place_of_socket, record_bytes, record_path
from tests.fakes.hosts import FLAGS, served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.workspaces import (
    ENVIRON,
    FIRST,
    SECOND,
    index_all,
    load,
    make_workspace,
    publish,
    store_of,
    tree_of,
    write_workspace,
)

NOW = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def house(base: Path) -> Home:
    return Home(base / "home")


@pytest.fixture
def workspace(base: Path, house: Home) -> Workspace:
    """Return a workspace of two indexed repositories."""
    result = make_workspace(base, "beta", "alpha")
    index_all(result, house)
    return result


def look(workspace: Workspace, home: Home, **flags: object) -> WorkspaceState:
    """Return the manifest as it is now."""
    return read_workspace_state(workspace, home, ENVIRON, flags=flags)


def state_of(manifest: WorkspaceState, alias: str) -> MemberState:
    return next(state for state in manifest.members if state.repo.alias == alias)


def store_named(workspace: Workspace, home: Home, alias: str) -> Path:
    (repo,) = [repo for repo in workspace.repos if repo.alias == alias]
    return store_of(repo.root_canonical, home)


def test_repositories_come_by_id_with_what_their_snapshots_say(
    workspace: Workspace, house: Home
) -> None:
    """The order of the file must not show."""
    result = look(workspace, house)

    assert [state.repo.alias for state in result.members] == ["alpha", "beta"]
    assert all(state.availability == "present" for state in result.members)
    assert all(state.index.snapshot_id == FIRST for state in result.members)
    assert result.diagnostics == Diagnostics()


def test_every_corpus_has_a_key_and_equal_settings_equal_ones(
    workspace: Workspace, house: Home
) -> None:
    alpha, beta = look(workspace, house).members
    first, second = alpha.description(), beta.description()
    assert first is not None
    assert second is not None
    keys = [cohort_key(first, corpus) for corpus in CORPORA]

    assert None not in keys
    assert len(set(keys)) == len(CORPORA)
    assert keys == [cohort_key(second, corpus) for corpus in CORPORA]
    assert compatibility_key(first) == compatibility_key(second)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"repos": [{"root": "beta", "alias": "b"}, {"root": "alpha", "enabled": False}]},
        {"repos": [{"root": "alpha", "priority": 3}, {"root": "beta", "tags": ["x"]}]},
    ],
)
def test_what_is_only_shown_moves_no_hash(
    workspace: Workspace, house: Home, base: Path, change: dict[str, Any]
) -> None:
    """An edit of names must not throw answers away."""
    before = look(workspace, house).hash
    repos = [{"root": "beta"}, {"root": "alpha"}]
    edited = write_workspace(base / "ws.jsonc", {"repos": repos, **change})

    assert look(edited, house).hash == before


def lose_pointer(store: Path) -> None:
    store_files.active_file(store).unlink()


def break_pointer(store: Path) -> None:
    store_files.active_file(store).write_text("nonsense")


def lose_artifact(store: Path) -> None:
    (store / "seg_x_0.lance").rmdir()


def publish_again(store: Path) -> None:
    publish(store, SECOND)


def edit_ignores(store: Path) -> None:
    publish(store, ignore_fingerprint="i1")


@pytest.mark.parametrize(
    "change", [lose_pointer, break_pointer, lose_artifact, publish_again, edit_ignores]
)
def test_every_change_of_an_index_moves_the_hash(
    workspace: Workspace, house: Home, change: Any
) -> None:
    before = look(workspace, house).hash
    change(store_named(workspace, house, "beta"))
    after = look(workspace, house).hash

    assert after != before
    assert after.startswith("wm1-")


def test_another_encoder_moves_the_hash_of_what_is_indexed(
    workspace: Workspace, house: Home, base: Path
) -> None:
    empty = make_workspace(base, "gamma")

    assert look(workspace, house).hash != look(workspace, house, encoder="none").hash
    assert look(empty, house).hash == look(empty, house, encoder="none").hash


def test_the_hash_is_of_the_entries_in_any_order() -> None:
    described = RepoDescription("s", "c", "i", FIRST, False, "e", "l", "k", ())
    entries = [described_entry(RepoId(name), described, FIRST) for name in ("a", "b")]

    assert manifest_hash("ws1-0", entries) == manifest_hash("ws1-0", entries[::-1])
    assert manifest_hash("ws1-0", entries) != manifest_hash("ws1-1", entries)
    assert manifest_hash("ws1-0", entries) != manifest_hash("ws1-0", entries[:1])


def test_a_description_gives_the_entry_that_the_disk_gives(
    workspace: Workspace, house: Home
) -> None:
    result = look(workspace, house)
    entries = [
        described_entry(state.repo_id, state.description(), state.index.snapshot_id)
        for state in result.members
    ]

    assert entries == [entry_of(state) for state in result.members]
    assert manifest_hash(workspace.repo_set_id, entries) == result.hash


def test_who_did_not_describe_itself_has_no_index(base: Path, house: Home) -> None:
    (state,) = look(make_workspace(base, "alpha"), house).members

    assert described_entry(state.repo_id, None, None) == entry_of(state)


def newer(store: Path) -> None:
    publish(store, schema_version=99)


@pytest.mark.parametrize(
    ("change", "reason", "codes"),
    [
        (lose_pointer, "missing-index-dir", []),
        (break_pointer, "invalid-pointer", ["WARN_WORKSPACE_INVALID_BUILD_POINTER"]),
        (
            lose_artifact,
            "missing-required-artifacts",
            ["WARN_WORKSPACE_INDEX_STATE_PARSE_FAILED"],
        ),
        (newer, "compat-key-missing", ["WARN_WORKSPACE_COMPAT_KEY_MISSING"] * len(CORPORA)),
    ],
)
def test_each_fault_has_its_reason_and_its_warning(
    workspace: Workspace, house: Home, change: Any, reason: Availability, codes: list[str]
) -> None:
    change(store_named(workspace, house, "beta"))

    result = look(workspace, house)

    beta = state_of(result, "beta")
    assert beta.availability == reason
    assert beta.description() is None
    assert [warning.code for warning in result.diagnostics.warnings] == codes
    assert {warning.repo_id for warning in result.diagnostics.warnings} <= {beta.repo_id}
    assert state_of(result, "alpha").availability == "present"


def test_warnings_come_by_repository_then_corpus(workspace: Workspace, house: Home) -> None:
    for alias in ("beta", "alpha"):
        newer(store_named(workspace, house, alias))

    result = look(workspace, house)

    ids = [state.repo_id for state in result.members]
    modes = sorted(corpus.value for corpus in CORPORA)
    assert [(w.repo_id, w.mode) for w in result.diagnostics.warnings] == [
        (i, m) for i in ids for m in modes
    ]


def test_wrong_settings_are_the_repositorys_own_error(
    workspace: Workspace, house: Home, base: Path
) -> None:
    (base / "beta" / ".ggrep.toml").write_text("not toml [")
    result = look(workspace, house)
    beta = state_of(result, "beta")

    assert (beta.store_id, beta.availability) == (None, "missing-index-dir")
    assert [error.repo_id for error in result.diagnostics.errors] == [beta.repo_id]
    assert state_of(result, "alpha").availability == "present"


def test_a_store_that_was_copied_from_another_is_not_believed(
    workspace: Workspace, house: Home
) -> None:
    """Its hits would be another repository's."""
    publish(store_named(workspace, house, "beta"), store_id="somebody-else")

    beta = state_of(look(workspace, house), "beta")

    assert (beta.availability, beta.index.snapshot_id) == ("invalid-pointer", None)


def test_stores_under_other_settings_are_counted(workspace: Workspace, house: Home) -> None:
    result = look(workspace, house, encoder="none")

    assert [each.other_stores for each in result.members] == [1, 1]
    assert [each.other_stores for each in look(workspace, house).members] == [0, 0]
    elsewhere = look(workspace, Home(house.base / "none"))
    assert [each.other_stores for each in elsewhere.members] == [0, 0]


def test_the_file_lies_below_the_home_or_where_the_workspace_says(
    workspace: Workspace, house: Home, base: Path
) -> None:
    """Named after the set of repositories, which no edit of names moves."""
    elsewhere = make_workspace(base, "alpha", cacheRoot="fed")

    name = "workspace_manifest.json"
    here, there = look(workspace, house), look(elsewhere, house)
    assert here.cache_root == house.cache
    assert here.manifest_file == house.cache / "federation" / workspace.repo_set_id / name
    assert there.manifest_file == base / "fed" / "federation" / elsewhere.repo_set_id / name


def test_the_manifest_is_written_when_its_hash_moves_and_only_then(
    workspace: Workspace, house: Home
) -> None:
    path = look(workspace, house).manifest_file

    assert store_manifest(look(workspace, house), NOW)
    before = (path.stat().st_ino, path.read_bytes())
    assert not store_manifest(look(workspace, house), NOW.replace(year=2032))
    assert (path.stat().st_ino, path.read_bytes()) == before
    publish_again(store_named(workspace, house, "beta"))
    assert store_manifest(look(workspace, house), NOW)
    assert path.read_bytes() != before[1]


def test_the_file_is_stable_json_with_a_line_end(workspace: Workspace, house: Home) -> None:
    """Equal states give equal bytes but for the time."""
    result = look(workspace, house)
    store_manifest(result, NOW)
    data = look(workspace, house).manifest_file.read_bytes()

    document = plain(result.manifest(NOW))
    assert data == stable_json.dumps_pretty(document)
    assert data.endswith(b"}\n")
    kept = read_stored(look(workspace, house).manifest_file)
    assert kept is not None
    assert (kept.manifest_hash, kept.repo_set_id) == (result.hash, workspace.repo_set_id)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"manifestHash": 1}'])
def test_a_kept_file_that_cannot_be_read_is_replaced(
    workspace: Workspace, house: Home, content: bytes
) -> None:
    path = look(workspace, house).manifest_file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)

    assert read_stored(path) is None
    assert store_manifest(look(workspace, house), NOW)
    assert read_stored(path) is not None


def test_a_link_in_place_of_the_file_is_replaced_and_never_followed(
    workspace: Workspace, house: Home, base: Path
) -> None:
    store_manifest(look(workspace, house), NOW)
    path = look(workspace, house).manifest_file
    path.rename(base / "theirs")
    path.symlink_to(base / "theirs")
    theirs = (base / "theirs").read_bytes()

    assert read_stored(base / "theirs") is not None
    assert read_stored(path) is None
    assert store_manifest(look(workspace, house), NOW.replace(year=2032))
    assert not path.is_symlink()
    assert (base / "theirs").read_bytes() == theirs


def test_a_workspace_file_that_moved_claims_its_directory_and_a_copy_does_not(
    workspace: Workspace, house: Home, base: Path
) -> None:
    """The collection would take it for a dead workspace's; two files would write it in turns."""
    store_manifest(look(workspace, house), NOW)
    (base / "copy.jsonc").write_bytes(workspace.workspace_path.read_bytes())
    assert not store_manifest(look(load(base / "copy.jsonc"), house), NOW)

    moved = load(workspace.workspace_path.rename(base / "moved.jsonc"))
    assert store_manifest(look(moved, house), NOW)
    kept = read_stored(look(moved, house).manifest_file)
    assert kept is not None
    assert kept.workspace.workspace_path == str(base / "moved.jsonc")


WRITER = """
import select
import sys
from datetime import UTC, datetime
from pathlib import Path

from ggrep.federation.workspace_state import read_workspace_state, store_manifest
from ggrep.config.home import Home
from tests.fakes.workspaces import load

home = Home(Path(sys.argv[2]))
found = read_workspace_state(load(Path(sys.argv[1])), home, {"GGREP_ENCODER": sys.argv[3]})
while not select.select([sys.stdin], [], [], 0)[0]:
    store_manifest(found, datetime(2031, 2, 3, tzinfo=UTC))
"""


def writer(workspace: Workspace, house: Home, encoder: str) -> subprocess.Popen[bytes]:
    """Start a process that keeps its manifest again and again, until its input ends."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, workspace.workspace_path, house.base, encoder],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
    )


@pytest.mark.slow
def test_two_processes_that_write_it_at_once_leave_a_whole_one(
    workspace: Workspace, house: Home
) -> None:
    path = look(workspace, house).manifest_file
    store_manifest(look(workspace, house), NOW)
    seen = [path.read_bytes()]
    with writer(workspace, house, "hashed") as each, writer(workspace, house, "none") as other:
        while len(seen) < 12 and each.poll() is None and other.poll() is None:
            result = path.read_bytes()
            if result != seen[-1]:
                seen.append(result)

    assert (each.returncode, other.returncode) == (0, 0)
    documents = [stable_json.loads(data) for data in {*seen[1:], path.read_bytes()}]
    assert len({document["manifestHash"] for document in documents}) == len(documents) == 2
    assert [left.name for left in path.parent.iterdir()] == [path.name]


def test_looking_writes_nothing(workspace: Workspace, house: Home, base: Path) -> None:
    before = tree_of(base)

    look(workspace, house).hash  # noqa: B018 - a property that is worked out

    assert tree_of(base) == before


def test_another_snapshot_moves_the_hash_though_it_is_as_faulty(
    workspace: Workspace, house: Home
) -> None:
    """Its index was changed, whatever can be made of it."""
    store = store_named(workspace, house, "beta")
    lose_artifact(store)
    before = look(workspace, house).hash
    publish_again(store)
    lose_artifact(store)

    assert state_of(look(workspace, house), "beta").availability == "missing-required-artifacts"
    assert look(workspace, house).hash != before


CLOCK = SystemClock()


@pytest.fixture
def short() -> Iterator[Path]:
    """Return a directory of so short a path that sockets lie below it."""
    with short_directory() as base:
        yield base


@pytest.mark.slow
def test_a_daemon_tells_its_state_and_its_chunks(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other repository has none, and none is started for it."""
    # The daemon of a test is a thread: the process that its record names is made up.
    monkeypatch.setattr("ggrep.protocol.client.daemon_files.is_running", lambda *_: True)
    home = Home(short / "home")
    workspace = make_workspace(short, "alpha", "beta")
    write_tree(short / "alpha", {"a.py": "def alpha():\n    return 1\n"})
    open_engine(short / "alpha", home.base).sync()
    with served(short / "alpha", home.base) as host:
        host.settled()
        state = read_workspace_state(workspace, home, {}, flags=FLAGS, clock=CLOCK)

    alpha, beta = state.members
    daemon, live = alpha.daemon, alpha.reported
    assert (daemon.state, daemon.pid, daemon.protocol) == ("ready", 4242, 1)
    assert live is not None
    assert live.snapshot_id == alpha.index.snapshot_id
    assert sum(number for _, number in live.counts) > 0
    assert beta.daemon == NO_DAEMON
    # The disk tells the keys that the daemon tells, so that both find the same cohorts.
    disk = alpha.description()
    assert disk is not None
    assert (live.embed_key, live.lexical_key, live.schema_key) == (
        disk.embed_key,
        disk.lexical_key,
        disk.schema_key,
    )
    assert live.ignore_fingerprint == disk.ignore_fingerprint
    assert live.config_fingerprint == disk.config_fingerprint


def test_a_daemon_that_does_not_answer_is_silent(short: Path) -> None:
    home = Home(short / "home")
    workspace = make_workspace(short, "alpha")
    (state,) = read_workspace_state(workspace, home, {}).members
    assert state.store_id is not None
    assert state.config_fingerprint is not None
    socket = place_of_socket(home, state.store_id, state.config_fingerprint)
    socket.parent.mkdir(parents=True)
    record = DaemonRecord(
        state.store_id,
        state.config_fingerprint,
        str(short / "alpha"),
        str(socket),
        os.getpid(),
        own_start_ticks(),
        "2031-01-01T00:00:00Z",
        "0.1.0",
        "b",
        (1,),
        "h",
        "none",
    )
    record_path(socket).write_bytes(record_bytes(record))

    (asked,) = read_workspace_state(workspace, home, {}, clock=CLOCK).members
    daemon = asked.daemon

    assert set(records_of([state], home)) == {state.repo_id}
    assert (daemon.state, daemon.pid, daemon.running) == ("silent", os.getpid(), True)
    assert daemon.problem
