"""Promise P2: an answer depends on the files as they are, not on how they came to be so."""

import hashlib
import shutil
import subprocess
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.config import store_files
from ggrep.index.maintenance.checks import audit, check_health
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.repair import repair
from ggrep.index.store.verify import Verifier
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import AheadClock, answer_bytes, open_engine, write_tree
from tests.properties.trees import PATHS, WORDS, bodies, content, requests

IGNORES = {
    ".gitignore": ("", "docs/\n", "*.yaml\n!conf/token.yaml\n", "alpha.py\n"),
    "src/.ggignore": ("", "core/\n", "beta.py\n"),
}
MOST_SEGMENTS = 5
KINDS = ("static", "none git")
"""The encoder, and whether the tree is git's."""

paths = st.sampled_from(PATHS)


class Step(Struct, frozen=True):
    """One thing that happens to the tree or to the store.

    Attributes:
        pick: which segment is lost, and how much of it.
    """

    kind: str
    path: str = ""
    other: str = ""
    body: list[str] = field(default_factory=list)
    pick: int = 0


steps = st.one_of(
    st.builds(Step, st.just("write"), path=paths, body=bodies),
    st.builds(Step, st.just("write"), path=paths, body=bodies),
    st.builds(Step, st.just("delete"), path=paths),
    st.builds(Step, st.just("rename"), path=paths, other=paths),
    st.builds(Step, st.just("copy"), path=paths, other=paths),
    st.sampled_from(
        [Step("ignore", name, text) for name, texts in IGNORES.items() for text in texts]
    ),
    st.sampled_from([Step("touch"), Step("reopen"), Step("rebuild")]),
    st.sampled_from([Step("compact"), Step("keep up"), Step("collect")]),
    st.builds(Step, st.just("lose and repair"), pick=st.integers(0, 3 * MOST_SEGMENTS - 1)),
    st.just(Step("sync")),
    st.just(Step("sync")),
)


class FarClock(AheadClock):
    """A clock a year from now: no snapshot is young, and no query still at work."""

    def now(self):  # type: ignore[no-untyped-def] # noqa: ANN201 - as the one it inherits
        return super().now() + timedelta(days=365)


class History:
    """A tree, a store that follows it step by step, and what the store went through."""

    def __init__(self, base: Path, kind: str, asked: list[SearchRequest]) -> None:
        encoder, _, git = kind.partition(" ")
        self.root = base / "repo"
        self.root.mkdir()
        if git:
            subprocess.run(["git", "init", "--quiet", str(self.root)], check=True)
        self._base = base
        self._flags = {
            "encoder": encoder,
            "max_segments": MOST_SEGMENTS,
            "max_candidates": 25,
            "max_total_snippet_bytes": 600,
            "compaction_overdue_segments": 4,
            "retain_snapshots_min": 1,
        }
        self._asked = asked
        self._expected: list[bytes] = []
        self._fresh: dict[str, list[bytes]] = {}
        self.most_segments = 0
        self.merged = 0
        self.dead_rows = 0
        self.compacted = 0
        self.collected = 0
        self.repaired = 0
        self.engine = self._open("kept")

    def _open(self, name: str) -> Engine:
        return open_engine(self.root, self._base / name, **self._flags)

    def live(self, some: Iterable[Step]) -> None:
        """Do steps, and after each of them compare every answer with what it should be."""
        for step in some:
            self.take(step)
            if self._expected:
                self.check(step)

    def take(self, step: Step) -> None:
        """Do one step; those that make no sense on the present tree do nothing."""
        target = self.root / step.path
        match step.kind:
            case "write":
                write_tree(self.root, {step.path: content(step.path, step.body)})
            case "delete":
                target.unlink(missing_ok=True)
            case "rename" if target.is_file():
                (self.root / step.other).parent.mkdir(parents=True, exist_ok=True)
                target.replace(self.root / step.other)
            case "copy" if target.is_file():
                write_tree(self.root, {step.other: target.read_bytes()})
            case "ignore":
                write_tree(self.root, {step.path: step.other})
            case "touch":
                for path in self.root.rglob("*.py"):
                    path.touch()
            case _:
                self._act(step)

    def _act(self, step: Step) -> None:
        match step.kind:
            case "sync":
                self.sync()
            case "rebuild":
                self.engine.sync(fresh=True)
                self._follow()
            case "reopen":
                self.engine = self._open("kept")
            case "compact" | "keep up" | "collect" | "lose and repair" if self._expected:
                self._maintain(step)

    def _maintain(self, step: Step) -> None:
        """Do what another process might: the engine that is asked only sees what came of it."""
        other = self._open("kept")
        if step.kind == "keep up":
            done = other.keep_up()
            self.compacted += done.compaction is not None and done.compaction.performed
            return
        if step.kind == "lose and repair":
            self._lose(step.pick)
        with other.target() as target:
            match step.kind:
                case "compact":
                    self.compacted += compact(target, force=True).performed
                case "collect":
                    late = replace(target, clock=FarClock())
                    report = collect_garbage(late, deadline=Deadline.after(late.clock, 0))
                    self.collected += len(report.deleted_snapshots)
                case _:
                    self.repaired += repair(target).performed
                    self._follow()

    def _lose(self, pick: int) -> None:
        """Remove a segment's table, its image or both, under an engine that has them open."""
        store, segments = self.engine.identity.store, self.engine.view().manifest.segments
        if not segments:
            return
        table, what = segments[pick % len(segments)].table, pick // MOST_SEGMENTS
        if what != 1:
            shutil.rmtree(store_files.table_dir(store, table))
        if what != 0:
            store_files.image_file(store, table).unlink()

    def sync(self) -> None:
        """Bring the store up to date and note what that made of its segments."""
        self.merged += self.engine.sync().merged_segments
        manifest = self.engine.view().manifest
        counts = manifest.counts
        self.most_segments = max(self.most_segments, len(manifest.segments))
        self.dead_rows = max(self.dead_rows, counts.chunks_indexed - counts.chunks_visible)
        self._follow()

    def _follow(self) -> None:
        """Expect the answers of a store built from the tree as it is."""
        state = self._state()
        if state not in self._fresh:
            fresh = self._open("fresh")
            fresh.sync()
            self._fresh[state] = [answer_bytes(fresh, request) for request in self._asked]
            shutil.rmtree(self._base / "fresh")
        self._expected = self._fresh[state]

    def _state(self) -> str:
        digest = hashlib.sha256()
        for path in sorted(self.root.rglob("*")):
            if ".git" not in path.parts and path.is_file():
                digest.update(f"{path}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def check(self, step: Step) -> None:
        for request, expected in zip(self._asked, self._expected, strict=True):
            assert answer_bytes(self.engine, request) == expected, (step, request)

    def check_store(self) -> None:
        """Hash and count again all that the store holds."""
        identity, manifest = self.engine.identity, self.engine.view().manifest
        Verifier(identity.store, full=True).manifest(manifest, store_id=identity.store_id)
        health = check_health(identity.store, identity.store_id, self.engine.settings, deep=True)

        assert health.ok, health
        assert audit(identity.store, identity.store_id).errors == ()


def live(history: History, first: list[list[str]], then: list[Step]) -> None:
    """Run five publishes that each leave a segment, then one that merges, then the rest."""
    for number in range(MOST_SEGMENTS):
        some = [
            Step("write", path, body=["retry", *first[number]])
            for path in PATHS[4 * number : 4 * number + 4]
        ]
        if number:  # rows of an older segment die, its other files stay
            some.append(Step("write", PATHS[4 * number - 4], body=["queue", *first[number]]))
        for step in some:
            history.take(step)
        history.live([Step("sync")])
    history.live([Step("write", PATHS[21], body=["token"]), Step("sync")])
    compacted = history.compacted
    history.live([Step("compact"), *then, Step("sync")])
    history.live([Step("collect"), Step("lose and repair", pick=len(then)), Step("collect")])
    history.check_store()

    assert history.most_segments >= 5
    assert history.dead_rows > 0
    assert history.merged > 0
    assert history.compacted > compacted
    assert history.collected > 0
    assert history.repaired > 0 or not history.engine.view().segments


def prove(kind: str, first: list[list[str]], then: list[Step], asked: list[SearchRequest]) -> None:
    with TemporaryDirectory() as base:
        live(History(Path(base).resolve(), kind, asked), first, then)


firsts = st.lists(bodies, min_size=MOST_SEGMENTS, max_size=MOST_SEGMENTS)
questions = st.lists(requests, min_size=4, max_size=5, unique=True)


@pytest.mark.slow
@settings(max_examples=2)
@given(first=firsts, then=st.lists(steps, min_size=4, max_size=10), asked=questions)
def test_history_does_not_matter(
    first: list[list[str]], then: list[Step], asked: list[SearchRequest]
) -> None:
    """An index that was kept, compacted, collected and repaired answers like a new one."""
    prove("static", first, then, asked)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=200)
@given(first=firsts, then=st.lists(steps, min_size=4, max_size=16), asked=questions)
def test_many_histories_do_not_matter(
    kind: str, first: list[list[str]], then: list[Step], asked: list[SearchRequest]
) -> None:
    """The same over many more histories."""
    prove(kind, first, then, asked)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20)
@given(first=firsts, then=st.lists(steps, min_size=60, max_size=90), asked=questions)
def test_long_histories_do_not_matter(
    kind: str, first: list[list[str]], then: list[Step], asked: list[SearchRequest]
) -> None:
    prove(kind, first, then, asked)


@pytest.mark.slow
def test_workers_cut_files_alike(root: Path, home: Path, request: pytest.FixtureRequest) -> None:
    """The histories above are cut in process; the product cuts in workers."""
    write_tree(root, {path: content(path, list(WORDS)) for path in PATHS})
    asked = SearchRequest("retry queue", limit=40, per_file=0, deterministic=True)
    quick = open_engine(root, home / "quick")
    quick.sync()
    request.getfixturevalue("parse_workers")
    real = open_engine(root, home / "real")
    real.sync()

    assert answer_bytes(real, asked) == answer_bytes(quick, asked)
