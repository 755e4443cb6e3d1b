"""A publish writes portions, folds segments and keeps a short journal with true figures."""

import dataclasses
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.manifest import MAX_PROBLEMS
from ggrep.index.store.view import SegmentView
from ggrep.index.sync import snapshot_assembly as assembly
from ggrep.index.sync.portions import FIRST_BYTES, next_portion, portions
from ggrep.index.sync.publication import Publication, is_needed, most_segments
from ggrep.index.sync.segment_merging import choose
from ggrep.index.sync.snapshot_assembly import Facts
from ggrep.model.files import SourceFile
from ggrep.model.sync import DegradedFile
from tests.fakes.repos import indexed, open_engine, write_tree


def journals(root: Path, home: Path, *, edits: int, **bounds: int) -> list[tuple[int, int, int]]:
    """Edit one file of two again and again; return tombstones told, their files, and maps."""
    write_tree(root, {"a.md": "# A\n", "b.md": "# B\n"})
    engine = open_engine(root, home, encoder="none", **bounds)
    results = []
    for number in range(edits + 1):
        write_tree(root, {"a.md": f"# A\n\n{number}\n"})
        engine.sync()
        manifest = engine.view().manifest
        reported = manifest.counts.tombstones_added
        results.append((reported, len(manifest.tombstones), len(manifest.segment_map)))
    return results


def test_tombstones_are_counted_and_written_anew_beyond_their_bound(root: Path, home: Path) -> None:
    """Every opening reads them all: their number is bounded however small each publish is."""
    result = journals(root, home, edits=5, max_tombstones_per_snapshot=3)

    assert result == [(0, 0, 1), (1, 1, 2), (2, 2, 3), (3, 3, 4), (1, 1, 1), (2, 2, 2)]


def test_a_long_journal_is_folded(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is opened and verified, so there may be no more of them than the bound says."""
    monkeypatch.setattr(assembly, "MAX_DELTAS", 3)
    result = journals(root, home, edits=4)

    assert result == [(0, 0, 1), (1, 1, 2), (2, 2, 3), (1, 1, 1), (2, 2, 2)]


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


def test_a_change_of_the_manifest_is_published(root: Path, home: Path) -> None:
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
    reported: Any = SimpleNamespace(
        damage=None,
        manifest=replace(manifest, errors=(problem,) * MAX_PROBLEMS, errors_total=number),
    )
    named = (problem,) * MAX_PROBLEMS
    as_many = with_facts(problems=named, problems_total=number)
    assert not is_needed(as_many, reported, root=root, most=1)
    one_more = with_facts(problems=named, problems_total=number + 1)
    assert is_needed(one_more, reported, root=root, most=1)
    others = with_facts(
        problems=(replace(problem, code="vanished"), *named[1:]), problems_total=number
    )
    assert is_needed(others, reported, root=root, most=1)


def test_a_snapshot_has_no_more_segments_than_a_query_may_open() -> None:
    assert most_segments(Settings(max_segments=9, max_open_segments_per_query=4)) == 4
    assert most_segments(Settings(max_segments=3, max_open_segments_per_query=4)) == 3


def test_what_a_dead_writer_staged_goes_with_the_next_publish(root: Path, home: Path) -> None:
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


def segment(name: str, live: int, rows: int | None = None, *, hidden: int = 0) -> SegmentView:
    mask = np.arange(rows or live) < live
    files = np.arange(hidden + 1) >= hidden
    image: Any = SimpleNamespace(name=name, rows=len(mask))
    reported = SimpleNamespace(image=image, visible_rows=lambda: mask, visible_files=files)
    return cast(SegmentView, reported)


def chosen(segments: list[SegmentView], most: int, most_hidden: int = 1000) -> list[str]:
    return [item.image.name for item in choose(segments, most=most, most_hidden=most_hidden)]


def test_large_segments_are_left_alone_while_there_is_room() -> None:
    """A saved file waits for a fold."""
    large = [segment(f"l{number}", 20_001 + number) for number in range(7)]
    small = [segment(f"s{number}", 10) for number in range(5)]

    assert sorted(chosen([*large, *small], 12)) == ["s0", "s1", "s2", "s3", "s4"]


@pytest.mark.parametrize(("live", "folded"), [(19_999, True), (20_001, False)])
def test_a_worn_segment_is_folded_if_what_is_left_of_it_is_small(live: int, folded: bool) -> None:
    """Its dead rows cost every query; a large one is left to a compaction."""
    large = [segment("worn", live, 50_000), segment("good", 30_000)]
    small = [segment(f"s{number}", 10) for number in range(3)]

    assert ("worn" in chosen([*large, *small], 5)) == folded
    assert "good" not in chosen([*large, *small], 5)


@pytest.mark.parametrize("most", [1, 2, 3, 12])
def test_the_bound_holds_even_over_large_segments(most: int) -> None:
    """A query that may not open all segments answers nothing."""
    large = [segment(f"l{number:02}", 20_001) for number in range(most)]

    assert len(large) - len(choose(large, most=most, most_hidden=1000)) + 1 <= most


@pytest.mark.parametrize(("segments", "folded"), [(3, 0), (4, 3)])
def test_segments_are_folded_once_the_next_one_has_no_room(segments: int, folded: int) -> None:
    """Each fold rewrites rows: one too early is work at every publish."""
    small = [segment(f"s{number}", 10 + number) for number in range(segments)]

    assert len(chosen(small, 4)) == folded


@pytest.mark.parametrize(
    ("most_hidden", "folded"),
    [(9, []), (8, ["b"]), (4, ["b"]), (3, ["b", "c"]), (1, ["b", "c"]), (0, ["b", "c", "a"])],
)
def test_segments_that_hide_most_are_folded(most_hidden: int, folded: list[str]) -> None:
    """Hidden files count together: tombstones of all segments are read at each opening."""
    segments = [segment("a", 10, hidden=1), segment("b", 10, hidden=5), segment("c", 10, hidden=3)]

    assert chosen(segments, 12, most_hidden) == folded


def file(name: str, size: int) -> SourceFile:
    return SourceFile(PathKey(name), size, 0, 0, 0)


def names_of(files: list[SourceFile], most: int) -> list[list[str]]:
    return [[item.path_key for item in run] for run in portions(files, most)]


def test_small_files_come_first_and_what_fits_is_one_portion() -> None:
    """Search works after the first portion; the same tree gives the same portions."""
    assert names_of([file("b", 3), file("a", 1)], 4) == [["b", "a"]]
    assert names_of([], 4) == [[]]

    files = [file("z", 5), file("b", 1), file("a", 9), file("c", 1)]

    assert names_of(files, 6) == [["b", "c"], ["z"], ["a"]]
    assert names_of(list(reversed(files)), 6) == names_of(files, 6)


def test_the_first_portion_is_small_whatever_the_bound() -> None:
    files = [file(f"f{number:02}", 1 << 20) for number in range(40)]
    runs = portions(files, 24 << 20)

    assert [sum(item.size_bytes for item in run) for run in runs] == [
        FIRST_BYTES,
        24 << 20,
        8 << 20,
    ]
    assert sorted(chain.from_iterable(runs), key=lambda item: item.path_key) == files


def keys(run: list[SourceFile]) -> list[str]:
    return [item.path_key for item in run]


def test_a_first_index_begins_with_a_small_run_of_what_was_asked_for() -> None:
    files = [file(f"f{number:02}", 1 << 20) for number in range(40)]

    assert len(next_portion(files, 1 << 30, (), first=True)) == 8
    assert next_portion(files, 1 << 30, (), first=False) == files
    assert next_portion(files[:16], 1 << 30, (), first=True) == files[:16]

    asked = (PathKey("f30"), PathKey("gone"), PathKey("f07"))

    assert keys(next_portion(files, 1 << 30, asked, first=True))[:3] == ["f30", "f07", "f00"]
    assert keys(next_portion(files[:8], 1 << 30, asked, first=True))[:2] == ["f07", "f00"]
    large = [file("a", 1), file("big", 3 * FIRST_BYTES)]
    assert keys(next_portion(large, 1 << 30, (PathKey("big"),), first=True)) == ["big"]

    assert keys(next_portion([file("a", 9), file("b", 8)], 4, (), first=True)) == ["b"]
