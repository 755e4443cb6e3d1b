"""Publishing while the power may go, and how ggrep takes what a cut leaves."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec import Struct

from ggrep.base.errors import GgrepError, NoIndex
from ggrep.config import store_files
from ggrep.index.store.verify import Stamp
from ggrep.index.store.view import newest_epoch
from ggrep.search.engine.engine import Engine
from tests.crash.power import Outage, Tree, files, materialise
from tests.crash.power_watch import WatchedDisk
from tests.crash.scenarios import ASK, CHANGE, FIRST
from tests.fakes.repos import answer, answer_bytes, open_engine, write_tree

EDITS: Sequence[dict[str, str | bytes | None]] = (
    FIRST,
    CHANGE,
    {"e.py": "retry = 2\n"},  # the third segment: the publish merges
)


class Publish(Struct, frozen=True):
    """One publish: what the store answers before and after, and the states it may leave."""

    number: int
    root: Path
    old: object
    new: object
    whole: bytes
    outage: Outage
    merged: int = 0


def publishes(root: Path, place: Path, *, draws: int, edits: int = 3) -> Iterator[Publish]:
    """Publish edit after edit into one home, and yield what each may leave on its disk.

    The tree at `root` is the published one while the caller looks.
    """
    random, old = Random(7), None
    (place / "disk").mkdir()
    with WatchedDisk(place / "disk") as disk:
        for number, edit in enumerate(EDITS[:edits]):
            write_tree(root, edit)
            new, whole = fresh_answer(root, place / "fresh")
            outage = Outage(random, draws)
            with disk.watched(partial(outage.strike, disk.model)):
                merged = engine_over(root, place / "disk" / "home").sync().merged_segments
                outage.acknowledged = True
                assert answered(root, place / "disk" / "home") == new
            outage.strike(disk.model, times=10)
            yield Publish(number, root, old, new, whole, outage, merged)
            old = new


def complaints(
    publish: Publish, states: Sequence[tuple[Tree, bool]], place: Path, *, each: int = 10
) -> list[str]:
    """Return what is wrong with how ggrep takes each of those states; sync every tenth of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)  # the power goes only once
        return _complaints(publish, states, place, each)


def _complaints(
    publish: Publish, states: Sequence[tuple[Tree, bool]], place: Path, each: int
) -> list[str]:
    results = []
    for number, (tree, acknowledged) in enumerate(states):
        materialise(tree, place)
        try:
            seen = answered(publish.root, place / "home")
            if seen != publish.new and (acknowledged or seen != publish.old):
                results.append(_told(publish, tree, f"{acknowledged=}: {seen!r}"))
            if number % each == 0 and (wrong := _convergence(publish, place / "home")):
                results.append(_told(publish, tree, wrong))
        finally:
            shutil.rmtree(place)
    return results


def answered(root: Path, home: Path) -> object:
    """Return what a process started just now answers; None without an index, text for errors."""
    try:
        document = answer(engine_over(root, home), ASK)
    except NoIndex:
        return None
    except (GgrepError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return document["results"]


def engine_over(root: Path, home: Path) -> Engine:
    return open_engine(root, home, max_segments=2)


def fresh_answer(root: Path, home: Path) -> tuple[object, bytes]:
    """Return the results and the whole answer of an index that is built from nothing."""
    engine_over(root, home).sync()
    result = answered(root, home), answer_bytes(engine_over(root, home), ASK)
    shutil.rmtree(home)
    return result


def _convergence(publish: Publish, home: Path) -> str:
    """Return what is wrong with the next sync, or nothing."""
    engine = engine_over(publish.root, home)
    store = engine.identity.store
    epoch = newest_epoch(store) if store.is_dir() else 0
    try:
        report = engine.sync()
        if answer_bytes(engine, ASK) != publish.whole:
            return "a sync does not lead to the answer of a fresh index"
    except (GgrepError, OSError) as error:
        return f"sync: {type(error).__name__}: {error}"
    if report.published and engine.view().manifest.lease_epoch <= epoch:
        return f"epoch {engine.view().manifest.lease_epoch} follows {epoch}"
    return "staging is not empty" if any(store_files.staging_dir(store).glob("*")) else ""


def _told(publish: Publish, tree: Tree, what: str) -> str:
    listing = ", ".join(f"{name}:{len(content)}" for name, content in files(tree))
    return f"publish {publish.number}, {what[:300]}; disk: {listing}"


def by_name_and_size(stamps: Mapping[str, Stamp]) -> str:
    return " ".join(f"{Path(path).name}:{stamp[0]}" for path, stamp in stamps.items())
