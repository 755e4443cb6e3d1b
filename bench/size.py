"""How much disk an index takes against the text it is of, part by part."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.tables import read_columns, table_schema, write_table
from ggrep.index.store.view import SegmentView
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import AheadClock

_SHOWN = 12
_BATCH_ROWS = 4096


class FarClock(AheadClock):
    """A clock a year from now, to which every snapshot is old."""

    def now(self):  # type: ignore[no-untyped-def] # noqa: ANN201 - as the one it inherits
        return super().now() + timedelta(days=365)


def measure(tree: Path, work: Path) -> list[str]:
    """Index a tree, compact and collect, and return what is left as shares of the text."""
    flags = {"encoder": "hashed", "retain_snapshots_min": 1}
    engine = Engine(tree.resolve(), Home(work / "home"), flags=flags)
    engine.sync()
    with engine.target() as target:
        compact(target, force=True)
        late = replace(target, clock=FarClock())
        collect_garbage(late, deadline=Deadline.after(late.clock, 0))
    return report(engine, work / "columns")


def report(engine: Engine, scratch: Path) -> list[str]:
    """Return how large the store is, and its largest parts."""
    view, store = engine.view(), engine.identity.store
    text = sum(int(each.image.arrays["file_sizes"].sum()) for each in view.segments)
    whole = store_bytes(store)
    tables = sum(store_bytes(store_files.table_dir(store, s.image.name)) for s in view.segments)
    images = store_bytes(store_files.images_dir(store))
    cache = store_bytes(store / "cache")
    head = (
        f"size: {view.manifest.counts.chunks_visible:,} chunks of {text / 1e6:.1f} MB of text: "
        f"{whole / text:.2f}x of it (goal <= 2.5): tables {tables / text:.2f}, "
        f"images {images / text:.2f}, caches {cache / text:.3f}, "
        f"the rest {(whole - tables - images - cache) / text:.3f}"
    )
    arrays, columns = Counter[str](), Counter[str]()
    for segment in view.segments:
        arrays.update({name: array.nbytes for name, array in segment.image.arrays.items()})
        columns.update(_columns(store, segment, scratch))
    return [head, _parts("images", arrays, text), _parts("tables, columns alone", columns, text)]


def _parts(what: str, sizes: Counter[str], text: int) -> str:
    shown = ", ".join(f"{name} {size / text:.3f}" for name, size in sizes.most_common(_SHOWN))
    return f"size: {what}: {shown}"


def _columns(store: Path, segment: SegmentView, scratch: Path) -> Counter[str]:
    """Return what each column takes in a table of its own, less what an empty table takes."""
    name, rows, sizes = segment.image.name, segment.image.rows, Counter[str]()
    for column in table_schema(store, name).names:
        starts = range(0, rows, _BATCH_ROWS)
        parts = [
            read_columns(store, name, range(start, min(start + _BATCH_ROWS, rows)), [column])
            for start in starts
        ]
        place = scratch / column
        place.mkdir(parents=True)
        write_table(place, name, pa.concat_tables(parts).combine_chunks().to_batches())
        sizes[column] = store_bytes(place)
    return sizes
