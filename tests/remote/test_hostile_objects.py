"""Nothing of a remote is believed that does not verify, and nothing here changes for it."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import stable_json
from ggrep.base.errors import NoIndex, NotTrusted
from ggrep.base.ids import SegmentName
from ggrep.config.remotes import Remote
from ggrep.index.remote import layout
from ggrep.index.remote.layout import Blob, Tree
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.packing import unpack
from ggrep.index.store.image import open_image, write_image
from ggrep.index.store.tables import table_files
from ggrep.model.sync import DegradedFile
from ggrep.search.engine.engine import Engine
from tests.fakes.git import run_git
from tests.fakes.remotes import (
    SHOP,
    clone,
    commit,
    directory_remote,
    engine_at,
    memory_remote,
    objects_of,
    pulled,
    pushed,
)

pytestmark = pytest.mark.slow


class Shop(Struct, frozen=True):
    """A repository that was pushed from `a` and is checked out at `b`.

    Attributes:
        objects: all that the remote holds, by key.
    """

    folder: Path
    remote: Remote
    objects: dict[str, bytes]


def push_shop(folder: Path) -> Shop:
    commit(folder / "a", SHOP)
    engine = engine_at(folder / "a", folder / "home-a")
    engine.sync()
    remote = memory_remote()
    pushed(engine, remote)
    clone(folder / "a", folder / "b")
    objects = objects_of(remote)
    kept = {key: objects.read(key, 1 << 30) for key in keys(objects, "")}
    return Shop(folder, remote, {key: item[0] for key, item in kept.items() if item})


@pytest.fixture(scope="module")
def shared_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Return what is pushed once for all tests that leave both checkouts as they are."""
    return push_shop(tmp_path_factory.mktemp("shop").resolve())


@pytest.fixture
def shop(request: pytest.FixtureRequest) -> Shop:
    """Return what was pushed; tests that take `tmp_path` find checkouts of their own there."""
    if "tmp_path" in request.fixturenames:
        return push_shop(request.getfixturevalue("tmp_path"))
    shared: Shop = request.getfixturevalue("shared_shop")
    remote = memory_remote()
    for key, data in shared.objects.items():
        objects_of(remote).put(key, data)
    return replace(shared, remote=remote)


@pytest.fixture
def remote(shop: Shop) -> Remote:
    """Return a remote that somebody pushed to."""
    return shop.remote


@pytest.fixture
def puller(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over another checkout, which has no index."""
    return engine_at(shop.folder / "b", tmp_path_factory.mktemp("puller").resolve() / "home-b")


def keys(objects: Objects, folder: str) -> list[str]:
    return [stat.key for stat in objects.list(folder)]


def nothing_is_taken(puller: Engine, remote: Remote, why: str) -> None:
    report = pulled(puller, remote)

    assert report.outcome == "nothing"
    assert why in " ".join(report.passed_over)
    with pytest.raises(NoIndex):
        puller.view()
    left = [path for path in puller.home.fetched.rglob("*") if path.suffix == ".part"]
    assert left == []
    assert list(puller.home.fetched.glob("pull-*")) == []


@pytest.mark.parametrize("how", ["truncated", "grown", "flipped", "swapped", "missing"])
@pytest.mark.parametrize("number", range(3))
def test_a_damaged_blob_is_noticed(puller: Engine, remote: Remote, how: str, number: int) -> None:
    """Masks, image and table alike."""
    objects = objects_of(remote)
    blobs = keys(objects, "blobs")
    assert len(blobs) == 3
    key, other = blobs[number], blobs[(number + 1) % 3]
    data = objects.read(key, 1 << 30)[0]  # type: ignore[index] # it is there
    if how == "missing":
        objects.delete(key)
    else:
        swapped = objects.read(other, 1 << 30)[0]  # type: ignore[index] # it is there
        flipped = bytes([data[0] ^ 1]) + data[1:]
        made = {"truncated": data[:-1], "grown": data + b"\0", "flipped": flipped}
        objects.put(key, made.get(how, swapped))

    nothing_is_taken(
        puller, remote, "is missing" if how == "missing" else "does not match its digest"
    )


@pytest.mark.parametrize("folder", ["trees", "by-state", "refs"])
@pytest.mark.parametrize(
    "data", [b"", b"{", b"null", b"[" * 100_000, b'{"format":"ggrep-tree-9"}', b"\xff" * 99]
)
def test_nonsense_leads_nowhere(puller: Engine, remote: Remote, folder: str, data: bytes) -> None:
    objects = objects_of(remote)
    for key in keys(objects, folder):
        objects.put(key, data)
    if folder == "refs":
        assert pulled(puller, remote).exact, "its state still leads there"
        for key in keys(objects, "by-state"):
            objects.delete(key)
        puller = engine_at(puller.identity.root, puller.home.base.with_name("home-c"))
        with pytest.raises(NotTrusted):
            pulled(puller, remote)
    elif folder == "by-state":
        assert pulled(puller, remote).exact, "the ref still leads there"
    else:
        nothing_is_taken(puller, remote, "trees/")


def forged(objects: Objects, change: Callable[[Tree], Tree | dict[str, Any]]) -> None:
    """Have every state and the ref lead to a tree that somebody wrote with intent."""
    (ref,) = keys(objects, "refs")
    entries = layout.read_ref(objects.read(ref, 1 << 20)[0])  # type: ignore[index] # it is there
    data = objects.read(layout.tree_key(entries[0].tree), 1 << 20)[0]  # type: ignore[index] # as above
    named = layout.blob_of(data)
    made = change(layout.read_tree(data, named))
    spelled = stable_json.dumps(made) if isinstance(made, dict) else layout.spelled_tree(made)
    tree = layout.blob_of(spelled)
    objects.put(layout.tree_key(tree), spelled)
    for key in keys(objects, "by-state"):
        objects.put(key, layout.spelled_state(tree))
    objects.put(ref, layout.spelled_ref([replace(entries[0], tree=tree)]))


def with_segment(tree: Tree, **changes: Any) -> Tree:
    return replace(tree, segments=(replace(tree.segments[0], **changes), *tree.segments[1:]))


TREES: dict[str, Callable[[Tree], Tree | dict[str, Any]]] = {
    "climbs out": lambda tree: with_segment(tree, name=SegmentName("../../etc")),
    "hides": lambda tree: with_segment(tree, name=SegmentName(".seg")),
    "is another": lambda tree: with_segment(tree, sha256="0" * 64),
    "no digest": lambda tree: with_segment(tree, table=Blob("../x", 3)),
    "too few rows": lambda tree: with_segment(tree, rows=tree.segments[0].rows - 1),
    "too many files": lambda tree: with_segment(tree, files=99),
    "negative": lambda tree: with_segment(tree, rows=-1),
    "twice": lambda tree: replace(tree, segments=tree.segments * 2),
    "huge": lambda tree: with_segment(tree, table=Blob(tree.segments[0].table.sha256, 1 << 60)),
    "other settings": lambda tree: replace(tree, config_fingerprint="0" * 64),
    "no key": lambda tree: replace(tree, repo_key="../x"),
    "other rows": lambda tree: replace(tree, chunk_row_schema_version=1),
    "more": lambda tree: {**asdict(tree), "more": 1},
    "no moment": lambda tree: replace(tree, created_at="nonsense"),
    "a problem elsewhere": lambda tree: replace(
        tree, errors=(DegradedFile("chunk_failed", "x", "../../etc/passwd"),), degraded=True
    ),
    "no snapshot": lambda tree: {**asdict(tree), "snapshot_id": "../x"},
    "no index": lambda tree: {**asdict(tree), "index_id": "../x"},
    "masks of others": lambda tree: replace(tree, masks=tree.segments[0].image),
    "image is the table": lambda tree: with_segment(tree, image=tree.segments[0].table),
    "table is the image": lambda tree: with_segment(tree, table=tree.segments[0].image),
}


@pytest.mark.parametrize("what", TREES)
def test_a_tree_that_lies_is_passed_over(puller: Engine, remote: Remote, what: str) -> None:
    """Its name fits its content, and still nothing of it is taken."""
    forged(objects_of(remote), TREES[what])

    nothing_is_taken(puller, remote, "")


def _path_outside(paths: Any) -> Any:
    return np.concatenate([np.frombuffer(b"../", np.uint8), paths[3:]])


IMAGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "rows elsewhere": ("row_files", lambda values: np.full_like(values, 1_000)),
    "postings outside": ("c.rows0", lambda values: np.full_like(values, 60_000)),
    "offsets backwards": ("c.offsets0", lambda values: values[::-1].copy()),
    "path outside": ("file_paths", _path_outside),
    "no numbers": ("scales", lambda values: np.full_like(values, np.nan)),
    "too short": ("row_ids", lambda values: values[:-1]),
    "another kind": ("file_sizes", lambda values: values.astype(np.float64)),
    "wide terms": ("c.term_bytes", lambda values: values.astype(np.uint32)),
    "gone": ("file_hashes", lambda _: None),
    "languages outside": ("file_languages", lambda values: np.full_like(values, 9_000)),
}


@pytest.mark.parametrize("what", IMAGES)
def test_lying_images_are_refused(
    tmp_path_factory: pytest.TempPathFactory, puller: Engine, remote: Remote, what: str
) -> None:
    """All digests fit; what it says does not."""
    objects, folder = objects_of(remote), tmp_path_factory.mktemp("image")

    def change_image(tree: Tree) -> Tree:
        stored = tree.segments[0].image
        objects.fetch(stored.key, folder / "old", stored.size_bytes, stored.sha256)
        image = open_image(folder / "old")
        name, change = IMAGES[what]
        arrays = {**image.arrays, name: change(image.arrays[name])}
        kept = {name: values for name, values in arrays.items() if values is not None}
        write_image(folder / "new", kept, image.meta)
        data = (folder / "new").read_bytes()
        blob = layout.blob_of(data)
        objects.put(blob.key, data)
        return with_segment(tree, image=blob)

    forged(objects, change_image)
    nothing_is_taken(puller, remote, "is not a valid image")


def test_a_misnamed_segment_is_not_taken(tmp_path: Path, puller: Engine, remote: Remote) -> None:
    assert pulled(puller, remote).exact
    puller.sync()
    (ours,) = puller.view().manifest.segments
    commit(tmp_path / "a", {"new.py": "fresh = 1\n"})
    engine = engine_at(tmp_path / "a", tmp_path / "home-a")
    engine.sync()
    pushed(engine, remote)
    run_git(tmp_path / "b", "pull", "-q")
    objects = objects_of(remote)

    def renamed(tree: Tree) -> Tree:
        _, new = tree.segments
        data = objects.read(tree.masks.key, 1 << 20)
        assert data is not None
        (tmp_path / "masks").write_bytes(data[0])
        arrays = dict(open_image(tmp_path / "masks").arrays)
        arrays[ours.table] = arrays.pop(new.name)
        write_image(tmp_path / "forged", arrays, {})
        forged_masks = (tmp_path / "forged").read_bytes()
        blob = layout.blob_of(forged_masks)
        objects.put(blob.key, forged_masks)
        counts = replace(tree.counts, chunks_indexed=new.rows, chunks_visible=new.rows)
        return replace(tree, masks=blob, segments=(replace(new, name=ours.table),), counts=counts)

    forged(objects, renamed)
    before = same_files(puller)
    with pytest.raises(NotTrusted, match="a different segment named"):
        pulled(puller, remote)
    assert same_files(puller) == before


def same_files(engine: Engine) -> list[bytes]:
    return [
        path.read_bytes()
        for path, _ in table_files(engine.identity.store, engine.view().manifest.segments[0].table)
    ]


def packed(*files: tuple[object, object], content: bytes = b"") -> bytes:
    return stable_json.dumps([list(file) for file in files]) + b"\n" + content


PACKED = {
    "no valid header": b"",
    "no json": b"{\n",
    "climbs": packed(("../x", 1), content=b"x"),
    "climbs inside": packed(("data/../../x", 1), content=b"x"),
    "absolute": packed(("/x", 1), content=b"x"),
    "hidden": packed((".x", 1), content=b"x"),
    "empty name": packed(("", 1), content=b"x"),
    "a link's": packed(("a\0b", 1), content=b"x"),
    "twice": packed(("x", 1), ("x", 1), content=b"xx"),
    "short": packed(("x", 9), content=b"x"),
    "long": packed(("x", 1), content=b"xx"),
    "negative": packed(("x", -1), content=b"x"),
    "no size": packed(("x", "1"), content=b"x"),
    "a truth": packed(("x", True), content=b"x"),
    "deep": packed(("a/b/c/d/e", 1), content=b"x"),
    "compressed": zlib.compress(b"0" * 1_000_000),
    "none": b"[]\n",
    "too many": packed(*((f"f{number}", 0) for number in range(9_999))),
    "one long line": b"[" + b" " * (2 << 20),
}


@pytest.mark.parametrize("what", PACKED)
def test_a_packed_table_stays_where_it_is_put(tmp_path: Path, what: str) -> None:
    """No name in it leads elsewhere, and its sizes are its own."""
    (tmp_path / "packed").write_bytes(PACKED[what])
    (tmp_path / "goal").mkdir()

    with pytest.raises(NotTrusted):
        unpack(tmp_path / "packed", tmp_path / "goal")
    assert {path.name for path in tmp_path.iterdir()} == {"packed", "goal"}


@pytest.mark.parametrize("folder", ["blobs", "trees", "refs", "by-state"])
def test_a_fifo_is_not_read(
    tmp_path_factory: pytest.TempPathFactory, puller: Engine, shop: Shop, folder: str
) -> None:
    base = tmp_path_factory.mktemp("fifo").resolve()
    place = directory_remote(base)
    for key, data in shop.objects.items():
        objects_of(place).put(key, data)
    for key in keys(objects_of(place), folder):
        (base / "remote" / key).unlink()
        os.mkfifo(base / "remote" / key)
    try:
        outcome = pulled(puller, place).outcome
    except NotTrusted:
        outcome = "refused"
    assert outcome == {"by-state": "pulled", "refs": "pulled"}.get(folder, "nothing")


def test_a_good_tree_behind_a_bad_is_used(tmp_path: Path, puller: Engine, remote: Remote) -> None:
    """Why the first was passed over is told."""
    engine = engine_at(tmp_path / "a", tmp_path / "home-a")
    before = set(keys(objects_of(remote), "trees"))
    commit(tmp_path / "a", {"new.py": "fresh = 1\n"})
    engine.sync()
    pushed(engine, remote)
    objects = objects_of(remote)
    (key,) = set(keys(objects, "trees")) - before
    objects.put(key, b"{}")
    report = pulled(puller, remote)

    assert report.outcome == "pulled"
    other = clone(tmp_path / "a", tmp_path / "c")
    report = pulled(engine_at(other, tmp_path / "home-c"), remote)
    assert (report.outcome, report.exact) == ("pulled", False)
    assert "does not match the digest" in report.passed_over[0]


def test_a_full_disk_is_told_before_anything_is_fetched(
    puller: Engine, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a pull would be of no use."""
    monkeypatch.setattr("ggrep.index.remote.fetching._SPARE_BYTES", 1 << 62)

    nothing_is_taken(puller, remote, "the disk is too full")
