"""An audit believes nothing: it reads all of the active snapshot and counts again."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.base.errors import NoIndex
from ggrep.config import store_files
from ggrep.index.maintenance.checks import audit
from ggrep.index.store import table_columns
from ggrep.index.store.image import Array, open_image, write_image
from ggrep.index.store.manifest import FileRef, SnapshotManifest, to_bytes
from ggrep.index.store.row_texts import TextsBuilder
from ggrep.index.store.segment import image_ref
from ggrep.index.store.table_scan import scan_table
from ggrep.model.maintenance import Audit
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.repos import indexed, open_engine, write_tree

Arrays = dict[str, Array]


def build(root: Path, home: Path) -> None:
    """Make a store of two segments with hidden rows."""
    tree: dict[str, str | bytes] = {
        "a.py": "def retry():\n    pass\n",
        "b.md": "# Queue\n\nWaits.\n",
    }
    engine = indexed(root, home, tree)
    write_tree(root, {"a.py": "def retry_again():\n    pass\n\n\ndef queue():\n    pass\n"})
    engine.sync()


engine = built_once(build)


def run(engine: Engine) -> Audit:
    return audit(engine.identity.store, engine.identity.store_id)


def codes(engine: Engine) -> list[str]:
    return [error.code for error in run(engine).errors]


def publish(engine: Engine, manifest: SnapshotManifest) -> None:
    path = store_files.manifest_file(engine.identity.store, manifest.snapshot_id)
    path.write_bytes(to_bytes(manifest))


def rewrite(engine: Engine, path: Path, change: Callable[[Arrays], Arrays]) -> FileRef:
    """Write an image anew, and return the reference that fits it."""
    image = open_image(path)
    arrays = change({name: np.array(values) for name, values in image.arrays.items()})
    path.unlink()
    write_image(path, arrays, image.meta)
    return image_ref(engine.identity.store, path)


def publish_image(engine: Engine, change: Callable[[Arrays], Arrays]) -> None:
    """Publish the active snapshot with another image of its last segment."""
    manifest = engine.view().manifest
    last = manifest.segments[-1]
    image = rewrite(engine, store_files.image_file(engine.identity.store, last.table), change)
    publish(
        engine, replace(manifest, segments=(*manifest.segments[:-1], replace(last, image=image)))
    )


def flipped(values: Array, place: int) -> Array:
    """Return an array with another bit in one of its bytes."""
    data = values.view(np.uint8).reshape(-1).copy()
    data[place] ^= 1
    return data.view(values.dtype).reshape(values.shape)


def test_a_sound_store_passes_and_what_no_snapshot_names_is_listed(engine: Engine) -> None:
    """Hidden rows, several segments and vectors included; orphans take room and do no harm."""
    report = run(engine)

    assert report.ok
    assert report.snapshot_id == engine.view().manifest.snapshot_id
    assert report.orphans == ()

    store = engine.identity.store
    (store_files.images_dir(store) / "seg_x_0.image").write_bytes(b"")
    report = run(engine)

    assert report.ok
    assert report.orphans == ("images/seg_x_0.image",)


def test_there_is_nothing_to_audit_without_an_index(root: Path, home: Path) -> None:
    with pytest.raises(NoIndex):
        run(open_engine(root, home))


def test_wrong_sums_are_named(engine: Engine) -> None:
    """Status would tell them, and nobody would ask."""
    manifest = engine.view().manifest
    counts = manifest.counts
    publish(
        engine,
        replace(manifest, counts=replace(counts, chunks_indexed=counts.chunks_indexed + 1)),
    )

    assert "counts_mismatch" in codes(engine)


@pytest.mark.parametrize("field", ["files_indexed", "chunks_visible", "lengths"])
def test_figures_of_the_visible_view_are_counted_again(engine: Engine, field: str) -> None:
    manifest = engine.view().manifest
    value = getattr(manifest.counts, field)
    wrong = (value[0] + 1, *value[1:]) if field == "lengths" else value + 1
    publish(engine, replace(manifest, counts=replace(manifest.counts, **{field: wrong})))

    assert codes(engine) == ["visible_mismatch"]


def test_a_mask_that_shows_a_dead_row_is_named(engine: Engine) -> None:
    """The journal says what is hidden; a mask may say otherwise."""
    manifest = engine.view().manifest

    def show_all(arrays: Arrays) -> Arrays:
        return {name: np.ones_like(values) for name, values in arrays.items()}

    ref = rewrite(engine, engine.identity.store / manifest.visibility.path, show_all)
    publish(engine, replace(manifest, visibility=ref))

    assert set(codes(engine)) == {
        "visible_mismatch",
        "path_twice",
        "visibility_mismatch",
        "place_twice",
    }


@pytest.mark.parametrize(
    ("array", "reported"),
    [
        ("row_starts", "lines"),
        ("row_ids", "row ids"),
        ("file_hashes", "file hashes"),
        ("vectors", "vectors"),
        ("row_text_lengths", "texts"),
        ("definition_ends", "extents of definitions"),
    ],
)
def test_an_image_that_is_not_its_tables_is_named(
    engine: Engine, array: str, reported: str
) -> None:
    """Queries rank by the one and show the other."""
    publish_image(engine, lambda arrays: arrays | {array: flipped(arrays[array], 0)})
    errors = run(engine).errors

    assert [error.code for error in errors] == ["row_mismatch"]
    assert reported in errors[0].message


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"signature": "def other()"}, "details"),
        ({"tail": "# other\n"}, "texts"),
        ({"text": "def other():\n    pass\n"}, "texts"),
    ],
)
def test_texts_of_images_are_compared(
    engine: Engine, change: dict[str, str], reported: str
) -> None:
    """Checksums of blocks are sound where an image was made from other rows."""

    def other_texts(arrays: Arrays) -> Arrays:
        builder = TextsBuilder()
        (batch,) = scan_table(engine.identity.store, engine.view().manifest.segments[-1].table)
        for start, end in pairwise(arrays["file_rows"].tolist()):
            builder.begin_file()
            builder.add(
                replace(row, chunk=replace(row.chunk, **change)) for row in batch.rows[start:end]
            )
        return arrays | builder.finish()

    publish_image(engine, other_texts)
    errors = run(engine).errors

    assert [error.code for error in errors] == ["row_mismatch"]
    assert f" {reported} differ from the image" in errors[0].message


@pytest.mark.parametrize("array", ["text_blocks", "detail_blocks"])
def test_texts_that_cannot_be_read_are_an_error(engine: Engine, array: str) -> None:
    publish_image(engine, lambda arrays: arrays | {array: flipped(arrays[array], 8)})

    assert codes(engine) == ["unreadable"]


def test_other_columns_are_named(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that reads other columns must not read these."""
    schema = table_columns.schema
    monkeypatch.setattr(table_columns, "schema", lambda _: schema(0))

    assert set(codes(engine)) == {"row_schema"}


def test_the_state_of_a_damaged_store_is_an_error_of_its_own(engine: Engine) -> None:
    """In the words of every answer; the next search rebuilds an image."""
    store, manifest = engine.identity.store, engine.view().manifest
    store_files.image_file(store, manifest.segments[-1].table).unlink()
    report = run(engine)

    assert [error.code for error in report.errors] == ["artifact_missing", "image_damaged"]
    assert report.snapshot_id == manifest.snapshot_id


def test_without_a_manifest_there_is_one_error(engine: Engine) -> None:
    """Nothing is known of what it named."""
    store, manifest = engine.identity.store, engine.view().manifest
    store_files.manifest_file(store, manifest.snapshot_id).write_bytes(b"{}")
    report = run(engine)

    assert [error.code for error in report.errors] == ["manifest_unreadable", "snapshot_fallback"]
    assert report.snapshot_id is None
