"""What a publish writes beside its segments: a journal that stays short, figures that are true."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.manifest import MAX_PROBLEMS
from ggrep.index.sync import snapshot_assembly as assembly
from ggrep.index.sync.publication import Publication, is_needed, most_segments
from ggrep.index.sync.snapshot_assembly import Facts
from ggrep.model.sync import DegradedFile
from tests.fakes.repos import indexed, open_engine, write_tree


def journals(root: Path, home: Path, *, edits: int, **bounds: int) -> list[tuple[int, int, int]]:
    """Edit one file of two again and again; return tombstones told, their files, and maps."""
    write_tree(root, {"a.md": "# A\n", "b.md": "# B\n"})
    engine = open_engine(root, home, encoder="none", **bounds)
    found = []
    for number in range(edits + 1):
        write_tree(root, {"a.md": f"# A\n\n{number}\n"})
        engine.sync()
        manifest = engine.view().manifest
        told = manifest.counts.tombstones_added
        found.append((told, len(manifest.tombstones), len(manifest.segment_map)))
    return found


def test_tombstones_are_counted_and_written_anew_beyond_their_bound(root: Path, home: Path) -> None:
    """Every opening reads them all: their number is bounded however small each publish is."""
    found = journals(root, home, edits=5, max_tombstones_per_snapshot=3)

    assert found == [(0, 0, 1), (1, 1, 2), (2, 2, 3), (3, 3, 4), (1, 1, 1), (2, 2, 2)]


def test_a_journal_of_many_files_is_written_anew(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is opened and verified, so there may be no more of them than the bound says."""
    monkeypatch.setattr(assembly, "MAX_DELTAS", 3)
    found = journals(root, home, edits=4)

    assert found == [(0, 0, 1), (1, 1, 2), (2, 2, 3), (1, 1, 1), (2, 2, 2)]


def test_a_manifest_and_its_journal_say_what_the_view_shows(root: Path, home: Path) -> None:
    """Audits, statistics and the next publish go by what is written."""
    engine = open_engine(root, home, encoder="none", max_segments=4)
    steps: tuple[dict[str, str | None], ...] = (
        {f"{name}.md": f"# {name}\n" for name in ("a1", "a2", "a3", "a4", "b", "c")},
        {"b.md": "# B\n\nmore\n"},
        {"c.md": None, "d.md": "# D\n"},
        {"e.md": "# E\n"},
        {"f.md": "# F\n"},
    )
    parent, hidden, kinds = None, [], []
    for step in steps:
        write_tree(root, step)
        engine.sync()
        store, view = engine.identity.store, engine.view()
        manifest, counts = view.manifest, view.manifest.counts
        live = {
            segment.image.path(int(file)): segment.image.name
            for segment in view.segments
            for file in segment.visible_files.nonzero()[0]
        }

        assert manifest.parent_snapshot_id == parent
        assert read_segment_map(store, manifest.segment_map) == live
        assert counts.files_indexed == len(live)
        assert counts.chunks_visible == sum(int(s.visible_rows().sum()) for s in view.segments)
        assert counts.chunks_indexed == sum(segment.image.rows for segment in view.segments)
        parent = manifest.snapshot_id
        hidden.append(
            "".join(sorted(key[0] for key in read_tombstones(store, manifest.tombstones)))
        )
        kinds.append([ref.kind for ref in manifest.segments])

    assert hidden == ["", "b", "bc", "bc", "bcde"]
    assert kinds[3:] == [["delta"] * 4, ["delta", "compacted"]]


def test_whatever_a_manifest_would_say_otherwise_is_a_reason_to_publish(
    root: Path, home: Path
) -> None:
    """And nothing else is: a publish costs its files and wakes whoever watches the pointer."""
    engine = indexed(root, home, {"a.md": "# A\n"}, encoder="none")
    view = engine.view()
    manifest = view.manifest
    problem = DegradedFile("parse_exhausted", "", "a.md")
    same = Publication(
        builder=cast(Any, None),
        indexed=(),
        gone=(),
        facts=Facts.of(manifest),
    )

    def with_facts(**facts: object) -> Publication:
        return replace(same, facts=dataclasses.replace(same.facts, **facts))

    changed = [
        replace(same, indexed=(PathKey("a.md"),)),
        replace(same, gone=(PathKey("a.md"),)),
        with_facts(ignore_fingerprint="another"),
        with_facts(problems=(problem,)),
    ]

    assert not is_needed(same, view, root=root, most=1)
    assert is_needed(same, None, root=root, most=1)
    assert is_needed(same, view, root=root.parent, most=1)
    assert is_needed(same, view, root=root, most=0)
    assert all(is_needed(other, view, root=root, most=1) for other in changed)
    assert not is_needed(
        with_facts(ignore_fingerprint="another", partial=True), view, root=root, most=1
    )
    number = MAX_PROBLEMS + 1
    told: Any = SimpleNamespace(
        damage=None,
        manifest=replace(manifest, errors=(problem,) * MAX_PROBLEMS, errors_total=number),
    )
    named = (problem,) * MAX_PROBLEMS
    as_many = with_facts(problems=named, problems_total=number)
    assert not is_needed(as_many, told, root=root, most=1)
    one_more = with_facts(problems=named, problems_total=number + 1)
    assert is_needed(one_more, told, root=root, most=1)
    others = with_facts(
        problems=(replace(problem, code="vanished"), *named[1:]), problems_total=number
    )
    assert is_needed(others, told, root=root, most=1)


def test_a_snapshot_has_no_more_segments_than_a_query_may_open() -> None:
    """It could not be searched."""
    assert most_segments(Settings(max_segments=9, max_open_segments_per_query=4)) == 4
    assert most_segments(Settings(max_segments=3, max_open_segments_per_query=4)) == 3


def test_what_a_dead_writer_staged_goes_with_the_next_publish(root: Path, home: Path) -> None:
    """Nobody would ever name it."""
    engine = indexed(root, home, {"a.md": "# A\n"}, encoder="none")
    store = engine.identity.store
    dead = store_files.staging_dir(store) / "dead"
    dead.mkdir(parents=True)
    (dead / store_files.VISIBILITY).write_bytes(b"half")
    torn = store_files.active_file(store).with_name(
        f".{store_files.active_file(store).name}.0123456789ab.tmp"
    )
    torn.write_bytes(b"")
    write_tree(root, {"a.md": "# B\n"})
    engine.sync()

    assert not dead.exists()
    assert not torn.exists()
