"""What is believed of a store: pointers that lie are never followed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.config import store_files
from ggrep.federation.published_state import MAX_BYTES, NOTHING, read_index_state
from ggrep.model.workspace_state import IndexState
from tests.fakes.workspaces import FIRST, SECOND, publish, snapshot_values


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "data" / "repo-1"
    publish(path)
    return path


def problem_of(state: IndexState) -> str:
    """Return the problem of a state that has one."""
    assert state.pointer.problem is not None
    return state.pointer.problem


def is_invalid(state: IndexState, *, parse_ok: bool) -> bool:
    """Return whether nothing at all is taken from where the pointer leads."""
    return (
        state.availability == "invalid-pointer"
        and state.pointer.exists
        and state.pointer.parse_ok is parse_ok
        and state.snapshot_id is None
        and state.counts is None
    )


def test_a_sound_snapshot_is_present_with_its_facts(store: Path) -> None:
    """The manifest is all that is read of it."""
    state = read_index_state(store, store.name)

    assert (state.availability, state.snapshot_id) == ("present", FIRST)
    assert state.pointer.problem is None
    assert state.counts is not None
    assert state.counts.chunks_visible == 12
    assert state.dirty is True


@pytest.mark.parametrize("gone", ["store", "pointer"])
def test_without_a_pointer_there_is_nothing(store: Path, gone: str) -> None:
    """A repository that was never indexed is no fault."""
    store_files.active_file(store).unlink()
    if gone == "store":
        store = store.with_name("never")

    assert read_index_state(store, store.name) == NOTHING


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"not an id\n",
        b"\xff\xfe",
        f"{FIRST} ".encode(),
        f"{FIRST}\n\n".encode(),
        f"../{FIRST}".encode(),
        f"/srv/{FIRST}".encode(),
        f"{FIRST}/..".encode(),
        b"..",
        FIRST.lower().encode(),
    ],
)
def test_a_pointer_that_holds_no_id_is_invalid(store: Path, content: bytes) -> None:
    """Separators and dots would lead out of the snapshots."""
    store_files.active_file(store).write_bytes(content)

    state = read_index_state(store, store.name)

    assert is_invalid(state, parse_ok=False)
    assert problem_of(state) == "ACTIVE_SNAPSHOT does not contain a snapshot id"


def without_line_end(store: Path) -> None:
    """Earlier writers, or a hand, may have left it out."""
    store_files.active_file(store).write_bytes(FIRST.encode())


def linked_within(store: Path) -> None:
    manifest = store_files.manifest_file(store, FIRST)
    manifest.rename(store / "kept.json")
    manifest.symlink_to(store / "kept.json")


def linked_as_a_whole(store: Path) -> None:
    """A home may lie on another disk."""
    moved = store.rename(store.with_name("moved"))
    store.symlink_to(moved)


def of_the_first_layout(store: Path) -> None:
    """Its manifests spelt no path of a table."""
    publish(store, segments=[{"table": "seg_x_0"}])


@pytest.mark.parametrize(
    "change", [without_line_end, linked_within, linked_as_a_whole, of_the_first_layout]
)
def test_an_unusual_store_is_present(store: Path, change: Callable[[Path], None]) -> None:
    change(store)

    assert read_index_state(store, store.name).availability == "present"


def test_a_pointer_to_a_snapshot_without_manifest_is_invalid(store: Path) -> None:
    """It was collected, or never came through; the message, which reaches answers, has no path."""
    store_files.active_file(store).write_text(SECOND)
    state = read_index_state(store, store.name)

    assert is_invalid(state, parse_ok=True)
    assert problem_of(state) == f"snapshot {SECOND} has no manifest"


@pytest.mark.parametrize("linked", ["manifest", "snapshot", "snapshots"])
def test_a_manifest_outside_the_store_is_invalid(store: Path, linked: str) -> None:
    """Though it lies there, whole and under the right name."""
    outside = store.with_name("elsewhere")
    place = {
        "manifest": store_files.manifest_file(store, FIRST),
        "snapshot": store_files.snapshot_dir(store, FIRST),
        "snapshots": store_files.snapshots_dir(store),
    }[linked]
    place.rename(outside)
    place.symlink_to(outside)

    state = read_index_state(store, store.name)

    assert is_invalid(state, parse_ok=True)
    assert problem_of(state) == "manifest.json is a link to a place outside the store"


@pytest.mark.parametrize("there", [True, False])
def test_a_pointer_that_is_a_link_out_of_the_store_is_invalid(store: Path, *, there: bool) -> None:
    outside = store.with_name("pointer")
    pointer = store_files.active_file(store)
    pointer.unlink()
    pointer.symlink_to(outside)
    if there:
        outside.write_text(FIRST)

    state = read_index_state(store, store.name)

    assert is_invalid(state, parse_ok=False)
    reported = "is a link to a place outside the store" if there else "is a broken link"
    assert problem_of(state) == f"ACTIVE_SNAPSHOT {reported}"


def test_a_loop_of_links_or_a_pipe_in_place_of_the_pointer_is_invalid(store: Path) -> None:
    pointer = store_files.active_file(store)
    pointer.unlink()
    pointer.symlink_to(pointer.name)

    assert is_invalid(read_index_state(store, store.name), parse_ok=False)

    store_files.active_file(store).unlink()
    os.mkfifo(store_files.active_file(store))

    state = read_index_state(store, store.name)

    assert is_invalid(state, parse_ok=False)
    assert problem_of(state) == "ACTIVE_SNAPSHOT is not a regular file"


@pytest.mark.parametrize("large", ["pointer", "manifest"])
def test_files_are_read_up_to_a_bound(store: Path, large: str) -> None:
    """A file of gigabytes must not become memory."""
    path = (
        store_files.active_file(store)
        if large == "pointer"
        else store_files.manifest_file(store, FIRST)
    )
    os.truncate(path, MAX_BYTES + 1)

    state = read_index_state(store, store.name)

    assert is_invalid(state, parse_ok=large == "manifest")
    assert problem_of(state) == f"{path.name} is larger than {MAX_BYTES} bytes"


def rewrite(store: Path, values: object) -> None:
    store_files.manifest_file(store, FIRST).write_bytes(stable_json.dumps(values))  # type: ignore[arg-type] # any


DAMAGED: dict[str, Any] = {
    "no_object": lambda store: [],
    "not_sealed": lambda store: snapshot_values(store, FIRST),
    "other_snapshot": lambda store: seal(snapshot_values(store, SECOND)),
    "field_missing": lambda store: seal(
        {k: v for k, v in snapshot_values(store, FIRST).items() if k != "counts"}
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_manifest_is_told_from_a_missing_index(store: Path, case: str) -> None:
    """Indexing anew would not help; a repair does."""
    rewrite(store, DAMAGED[case](store))

    state = read_index_state(store, store.name)

    assert (state.availability, state.snapshot_id) == ("missing-required-artifacts", FIRST)
    assert state.counts is None
    assert state.pointer.parse_ok
    assert "cannot be read" in problem_of(state)


@pytest.mark.parametrize("field", ["schema_version", "chunk_row_schema_version"])
def test_a_manifest_of_a_newer_build_compares_with_nothing(store: Path, field: str) -> None:
    """It is no damage: the newer build reads it."""
    rewrite(store, seal(snapshot_values(store, FIRST, **{field: 99})))

    state = read_index_state(store, store.name)

    assert (state.availability, state.snapshot_id, state.counts) == (
        "compat-key-missing",
        FIRST,
        None,
    )
    assert "99" in problem_of(state)


@pytest.mark.parametrize("lost", ["seg_x_0.lance", f"snapshots/{FIRST}/visibility.image"])
def test_a_missing_artifact_is_named(store: Path, lost: str) -> None:
    path = store / lost
    path.rename(store / "away")

    state = read_index_state(store, store.name)

    assert state.availability == "missing-required-artifacts"
    assert state.counts is not None
    assert problem_of(state) == f"{lost} is missing"


@pytest.mark.parametrize("path", ["", "../repo-1/seg_x_0.lance", "/etc/hostname"])
def test_an_artifact_outside_the_store_is_none(store: Path, path: str) -> None:
    """A path in a manifest is a claim, not a fact."""
    publish(store, visibility={"path": path})

    assert read_index_state(store, store.name).availability == "missing-required-artifacts"


def test_a_publish_between_the_two_readings_is_followed(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The snapshot pointed at may be collected before its manifest is read."""
    find = store_files.manifest_file

    def collected(directory: Path, snapshot_id: Any) -> Path:
        if snapshot_id == FIRST:
            publish(store, SECOND)
            find(store, FIRST).unlink(missing_ok=True)
        return find(directory, snapshot_id)

    monkeypatch.setattr("ggrep.federation.published_state.store_files.manifest_file", collected)

    state = read_index_state(store, store.name)

    assert (state.availability, state.snapshot_id) == ("present", SECOND)
