"""Stores in which one file is no longer what was written, and what must hold of them.

A kept home is copied with hard links, so a case costs little; what is damaged in the copy is
written anew beside the link, never through it.
"""

import os
import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ggrep.base.errors import GgrepError
from ggrep.config import store_files
from ggrep.index.maintenance.checks import Health, check_health
from ggrep.index.store.manifest import read_manifest
from ggrep.model.request import SearchRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed, open_engine

ASKS = tuple(
    SearchRequest(words, 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
    for words in ("retry queue", '"return retry" again')
)
EDITS: tuple[Mapping[str, str | None], ...] = (
    {
        **{f"src/part{n}.py": f"def retry_{n}(queue):\n    return retry\n" for n in range(8)},
        "guide.md": "# Queue\n\nAgain and again.\n\n## Retry\n\nIt waits.\n",
        "old.py": "def queue_old():\n    return retry\n",
    },
    {"src/part1.py": "def retry_anew(queue):\n    return 1\n", "new.py": "retry = queue = 2\n"},
    {"old.py": None, "guide.md": "# Queue\n\nOnce.\n", "more.json": '{"queue": {"retry": 1}}\n'},
)

_OF_DAMAGE = {"snapshot_fallback", "journal_damaged"}
Answers = tuple[dict[str, Any], ...]
Damage = Callable[[Path, Path, random.Random], None]
"""Damages the first file, perhaps with what the second of its kind holds."""


class Kept(Struct, frozen=True):
    """A home with one store of several snapshots, segments and hidden rows.

    Attributes:
        answers: of each snapshot, by its id.
        newest: the active snapshot.
        kinds: files of the home by kind, relative to it.
        needed: the files that the newest snapshot needs.
    """

    root: Path
    home: Path
    answers: Mapping[str, Answers]
    newest: str
    kinds: Mapping[str, Sequence[str]]
    needed: frozenset[str]

    def copy(self, home: Path) -> Path:
        """Return a home of its own whose stores share the files of the kept one."""
        data = self.home / "data"
        shutil.copytree(data, home / "data", copy_function=os.link)
        for part in ("locks", "cache"):
            shutil.copytree(self.home / part, home / part)
        for directory in (home, home / "data"):
            directory.chmod(0o700)
        return home

    def engine(self, home: Path) -> Engine:
        return open_engine(self.root, home)


def prepare(base: Path) -> Kept:
    """Return the kept home, indexed in three syncs."""
    root, home = base / "repo", base / "kept"
    root.mkdir(parents=True)
    answers = {}
    for edit in EDITS:
        indexed(root, home, edit)
        engine = open_engine(root, home)
        answers[engine.view().manifest.snapshot_id] = ask(engine)[1]
    manifest = engine.view().manifest
    assert len(manifest.segments) == len(EDITS)
    assert manifest.counts.chunks_visible < manifest.counts.chunks_indexed
    store = engine.identity.store
    return Kept(
        root=root,
        home=home,
        answers=answers,
        newest=manifest.snapshot_id,
        kinds=_kinds(home, store),
        needed=frozenset(_needed(home, store, manifest.snapshot_id)),
    )


def ask(engine: Engine, asks: Sequence[SearchRequest] = ASKS) -> tuple[str, Answers, bool]:
    """Return the snapshot that answers, its answers, and whether they say that it stands in."""
    documents, shown, fell_back = [], set(), False
    for request in asks:
        document = answer_json(engine.search(request))
        shown.add(str(document.pop("snapshot_id")))
        document.pop("request_id")
        codes = [warning["code"] for warning in document["warnings"]]  # type: ignore[union-attr, index, call-overload] # JSON
        fell_back |= "snapshot_fallback" in codes
        if "snapshot_fallback" in codes:
            assert document["degraded"]
            document["degraded"] = False
        document["warnings"] = [code for code in codes if code not in _OF_DAMAGE]
        documents.append(document)
    assert len(shown) == 1
    return shown.pop(), tuple(documents), fell_back


def is_honest(kept: Kept, engine: Engine) -> str:
    """Return how a damaged store answers: `right`, `older` or `refused`; anything else fails."""
    try:
        shown, answer, fell_back = ask(engine)
    except GgrepError as error:
        return _refusal(error, kept)
    assert answer == kept.answers[shown], shown
    assert fell_back or shown == kept.newest, "an older snapshot, and not a word of it"
    return "right" if shown == kept.newest else "older"


def _refusal(error: GgrepError, kept: Kept) -> str:
    assert str(kept.home.parent) not in str(error), error
    return "refused"


def health(engine: Engine, *, deep: bool = False) -> Health:
    """Return the store's health; looking at it changes nothing."""
    store = engine.identity.store
    before = _stamps(store)
    report = check_health(store, engine.identity.store_id, engine.settings, deep=deep)
    assert _stamps(store) == before, "health wrote to the store"
    return report


def _stamps(store: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(path): (status.st_ino, status.st_size, status.st_mtime_ns)
        for path in store.rglob("*")
        for status in (path.lstat(),)
    }


def _flip(path: Path, _: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _times in range(chance.choice((1, 1, 1, 3))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    put(path, bytes(data))


def _truncate(path: Path, _: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    put(path, data[: chance.choice((0, chance.randrange(len(data)), len(data) - 1))])


def _extend(path: Path, _: Path, chance: random.Random) -> None:
    put(path, path.read_bytes() + chance.randbytes(chance.choice((1, 64, 5000))))


def _zero(path: Path, _: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice((1, 64, 4096)))
    data[start:end] = bytes(end - start)
    put(path, bytes(data))


def _scramble(path: Path, _: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data))
    end = min(len(data), start + 16)
    data[start:end] = chance.randbytes(end - start)
    put(path, bytes(data))


def _remove(path: Path, _: Path, chance: random.Random) -> None:
    del chance
    path.unlink()


def _swap(path: Path, other: Path, chance: random.Random) -> None:
    del chance
    aside = path.with_name("aside")
    path.rename(aside)
    other.rename(path)
    aside.rename(other)


DAMAGES: Mapping[str, Damage] = {
    "extend": _extend,
    "flip": _flip,
    "remove": _remove,
    "scramble": _scramble,
    "swap": _swap,
    "truncate": _truncate,
    "zero": _zero,
}


def put(path: Path, data: bytes) -> None:
    """Put other bytes in the place of a file, which keeps its mode and modification time."""
    status = path.stat()
    path.unlink()
    path.write_bytes(data)
    path.chmod(status.st_mode & 0o777)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def flip_in_place(path: Path, chance: random.Random) -> None:
    """Flip a bit of a file that stays the same by size, date and inode."""
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _kinds(home: Path, store: Path) -> dict[str, Sequence[str]]:
    results: dict[str, list[str]] = {}
    for path in sorted(home.rglob("*")):
        kind = _kind(path, store)
        if path.is_file() and path.stat().st_size and kind:
            results.setdefault(kind, []).append(path.relative_to(home).as_posix())
    return results


def _kind(path: Path, store: Path) -> str | None:
    """Return what a file is; None for what no reader looks into."""
    if path == store_files.lease_files(store).record:
        return "lease"
    if path.suffix == ".sqlite3":
        return "vectors"
    if not path.is_relative_to(store) or path == store:
        return None
    if ".lance" in path.relative_to(store).parts[0]:
        return f"table {path.parent.name}"
    return path.suffix if path.suffix == ".image" and path.parent.name == "images" else path.name


def _needed(home: Path, store: Path, snapshot_id: str) -> Iterator[str]:
    manifest = read_manifest(store, snapshot_id)  # type: ignore[arg-type] # a name
    paths = [store_files.active_file(store), store_files.manifest_file(store, manifest.snapshot_id)]
    refs = (*manifest.tombstones, *manifest.segment_map, manifest.visibility)
    paths += [store / ref.path for ref in refs]
    for segment in manifest.segments:
        paths.append(store_files.image_file(store, segment.table))
        paths += [p for p in store_files.table_dir(store, segment.table).rglob("*") if p.is_file()]
    yield from (path.relative_to(home).as_posix() for path in paths)
