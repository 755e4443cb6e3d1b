"""A compaction changes how a snapshot is stored, and nothing that it shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from ggrep.base import durable
from ggrep.index.maintenance.checks import audit
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.compaction_policy import overdue
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.salvage import implied_mask
from ggrep.index.store.view import SnapshotView
from ggrep.model.maintenance import CompactionReport
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import answer_bytes, open_engine, write_tree
from tests.fakes.stored_rows import scan_rows
from tests.properties.trees import PATHS, bodies, content, requests

BUILT = "compaction.after_build"
KINDS = ("static", "none")

paths = st.sampled_from(PATHS)


class Edit(Struct, frozen=True):
    """One change of the tree; a file deleted and written again is one like others."""

    kind: str
    path: str
    other: str = ""
    body: tuple[str, ...] = ()


edits = st.one_of(
    st.builds(Edit, st.just("write"), paths, body=bodies.map(tuple)),
    st.builds(Edit, st.just("write"), paths, body=bodies.map(tuple)),
    st.builds(Edit, st.just("delete"), paths),
    st.builds(Edit, st.just("rename"), paths, other=paths),
)
rounds = st.lists(edits, min_size=1, max_size=4)
"""What happens between two syncs."""


class Shown(Struct, frozen=True):
    """All that a snapshot shows.

    Attributes:
        rows: of each visible row its id, text and vector, in the order of the ids.
        counts: visible chunks, files, and lengths.
    """

    rows: tuple[tuple[str, str, bytes], ...]
    files: dict[str, str]
    counts: tuple[object, ...]
    answers: tuple[bytes, ...]


def shown(engine: Engine, asked: list[SearchRequest]) -> Shown:
    """Return what a store's active snapshot shows."""
    view = engine.view()
    counts = view.manifest.counts
    return Shown(
        rows=tuple(sorted(visible_rows(view))),
        files=dict(view.live_files()),
        counts=(counts.chunks_visible, counts.files_indexed, counts.files_eligible, counts.lengths),
        answers=tuple(answer_bytes(engine, request) for request in asked),
    )


def visible_rows(view: SnapshotView) -> Iterator[tuple[str, str, bytes]]:
    for segment in view.segments:
        image = segment.image
        visible = segment.visible_rows()
        vectors = image.whole_vectors() if image.dimension else None
        for number, row in enumerate(scan_rows(view.store, image.name)):
            if visible[number]:
                kept = b"" if vectors is None else vectors[number].tobytes()
                scale = b"" if vectors is None else image.scales[number].tobytes()
                yield row.row_id, row.text, kept + scale


def masks_agree(view: SnapshotView) -> bool:
    """Tell whether the masks are what tombstones and segment map say, in words."""
    hidden = read_tombstones(view.store, view.manifest.tombstones)
    places = read_segment_map(view.store, view.manifest.segment_map)
    return all(
        np.array_equal(implied_mask(segment.image, hidden, places), segment.visible_files)
        for segment in view.segments
    )


@contextmanager
def meanwhile(engine: Engine, some: list[Edit]) -> Iterator[list[str]]:
    """Have the edits synced by another engine once the first merge is built."""
    other = open_engine(engine.identity.root, engine.home.base, **FLAGS, **encoder_of(engine))
    reports: list[str] = []

    def hook(point: str) -> None:
        if point == BUILT and not reports:
            reports.append(point)
            make(engine.identity.root, some)
            other.sync()

    with durable.watched(hook):
        yield reports


NEW = ("parser", "parsing", "queue", "token", "retry", "row9")
"""More words than a drawn body has, so that it is always another file."""
FLAGS = {"max_segments": 12, "compaction_overdue_segments": 6}


def encoder_of(engine: Engine) -> dict[str, object]:
    return {"encoder": engine.settings.encoder}


def make(root: Path, some: list[Edit]) -> None:
    """Make the edits that the present tree allows."""
    for edit in some:
        path = root / edit.path
        if edit.kind == "write":
            write_tree(root, {edit.path: content(edit.path, list(edit.body))})
        elif edit.kind == "delete":
            path.unlink(missing_ok=True)
        elif path.is_file():
            (root / edit.other).parent.mkdir(parents=True, exist_ok=True)
            path.replace(root / edit.other)


def lived(base: Path, encoder: str, history: list[list[Edit]]) -> Engine:
    """Return an engine over a store of several segments, some with dead rows."""
    root = base / "repo"
    root.mkdir()
    engine = open_engine(root, base / "home", **FLAGS, encoder=encoder)
    make(root, [Edit("write", path, body=("retry", "queue")) for path in PATHS[:12]])
    engine.sync()
    make(root, [Edit("write", PATHS[0], body=("token",)), Edit("delete", PATHS[1])])
    engine.sync()
    make(root, [Edit("rename", PATHS[2], PATHS[13]), Edit("write", PATHS[1], body=("Cache",))])
    engine.sync()
    for some in history:
        make(root, some)
        engine.sync()
    return engine


def run(engine: Engine, *, force: bool) -> CompactionReport:
    with engine.target() as target:
        return compact(target, force=force)


def prove(
    encoder: str,
    history: list[list[Edit]],
    during: list[Edit],
    asked: list[SearchRequest],
    *,
    force: bool,
) -> None:
    """Compact a store twice, the second time while it changes."""
    with TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        engine = lived(base, encoder, history)
        before = shown(engine, asked)
        wanted = force or overdue(engine.view(), engine.settings) is not None
        report = run(engine, force=force)

        assert report.performed == wanted
        assert shown(engine, asked) == before
        check(engine)
        if force:
            check_clean(engine)

        root = engine.identity.root
        make(root, [Edit("write", path, body=NEW) for path in PATHS[3:7]])
        engine.sync()
        soon = FLAGS | {"encoder": encoder, "compaction_overdue_segments": 2}
        engine = open_engine(root, base / "home", **soon)
        with meanwhile(engine, during) as reported:
            run(engine, force=force)
        fresh = open_engine(root, base / "fresh", **soon)
        fresh.sync()

        assert reported == [BUILT]
        assert shown(engine, asked) == shown(fresh, asked)
        check(engine)


def check(engine: Engine) -> None:
    identity = engine.identity

    assert masks_agree(engine.view())
    assert audit(identity.store, identity.store_id).errors == ()


def check_clean(engine: Engine) -> None:
    view = engine.view()

    assert view.manifest.counts.tombstones_added == 0
    assert all(segment.visible_files.all() for segment in view.segments)
    assert len(view.segments) == 1


histories = given(
    history=st.lists(rounds, min_size=2, max_size=5),
    during=st.lists(edits, min_size=1, max_size=4),
    asked=st.lists(requests, min_size=3, max_size=4, unique=True),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoder", "force"),
    [("static", True), pytest.param("static", False, marks=pytest.mark.deep)],
)
@settings(max_examples=2)
@histories
def test_a_compaction_shows_the_same(
    encoder: str,
    force: bool,
    history: list[list[Edit]],
    during: list[Edit],
    asked: list[SearchRequest],
) -> None:
    prove(encoder, history, during, asked, force=force)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("encoder", KINDS)
@settings(max_examples=200)
@histories
def test_over_many_histories_a_compaction_shows_the_same(
    encoder: str,
    force: bool,
    history: list[list[Edit]],
    during: list[Edit],
    asked: list[SearchRequest],
) -> None:
    """The same over many more histories."""
    prove(encoder, history, during, asked, force=force)
