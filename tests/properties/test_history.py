"""Promise P2: an answer depends on the files as they are, not on how they came to be so."""

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.domain.request import SearchRequest
from ggrep.engine.engine import Engine
from tests.fakes.repos import InProcessPool, answer_bytes, open_engine, write_tree
from tests.properties.trees import PATHS, WORDS, bodies, content, requests

IGNORES = {
    ".gitignore": ("", "docs/\n", "*.yaml\n!conf/token.yaml\n", "alpha.py\n"),
    "src/.ggignore": ("", "core/\n", "beta.py\n"),
}
MOST_SEGMENTS = 5
KINDS = ("hashed", "none git")
"""The encoder, and whether the tree is git's."""

paths = st.sampled_from(PATHS)


@dataclass(frozen=True)
class Step:
    """One thing that happens to the tree or to the store."""

    kind: str
    path: str = ""
    other: str = ""
    body: list[str] = field(default_factory=list)


steps = st.one_of(
    st.builds(Step, st.just("write"), path=paths, body=bodies),
    st.builds(Step, st.just("delete"), path=paths),
    st.builds(Step, st.just("rename"), path=paths, other=paths),
    st.builds(Step, st.just("copy"), path=paths, other=paths),
    st.sampled_from(
        [Step("ignore", name, text) for name, texts in IGNORES.items() for text in texts]
    ),
    st.just(Step("touch")),
    st.just(Step("sync")),
    st.just(Step("sync")),
    st.just(Step("reopen")),
)


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
        }
        self._asked = asked
        self._fresh = 0
        self.most_segments = 0
        self.merged = 0
        self.dead_rows = 0
        self.engine = self._open("kept")

    def _open(self, name: str) -> Engine:
        return open_engine(self.root, self._base / name, **self._flags)

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
                self._act(step.kind)

    def _act(self, kind: str) -> None:
        if kind == "sync":
            self.sync()
        elif kind == "reopen":
            self.engine = self._open("kept")

    def sync(self) -> None:
        """Bring the store up to date and note what that made of its segments."""
        self.merged += self.engine.sync().merged_segments
        manifest = self.engine.view().manifest
        counts = manifest.counts
        self.most_segments = max(self.most_segments, len(manifest.segments))
        self.dead_rows = max(self.dead_rows, counts.chunks_indexed - counts.chunks_visible)

    def check(self) -> None:
        """Compare every answer with those of a store built from the tree as it is."""
        self.sync()
        self._fresh += 1
        fresh = self._open(f"fresh{self._fresh}")
        fresh.sync()
        for request in self._asked:
            assert answer_bytes(self.engine, request) == answer_bytes(fresh, request), request
        shutil.rmtree(self._base / f"fresh{self._fresh}")


def live(history: History, first: list[list[str]], then: list[Step]) -> None:
    """Run five publishes that each leave a segment, then one that merges, then the rest."""
    for number in range(MOST_SEGMENTS):
        for path in PATHS[4 * number : 4 * number + 4]:
            history.take(Step("write", path, body=["retry", *first[number]]))
        if number:  # rows of an older segment die, its other files stay
            history.take(Step("write", PATHS[4 * number - 4], body=["queue", *first[number]]))
        history.sync()
    history.check()
    for number, step in enumerate([Step("write", PATHS[21], body=["token"]), *then]):
        history.take(step)
        if number == 0:
            history.check()
    history.check()

    assert history.most_segments >= 5
    assert history.dead_rows > 0
    assert history.merged > 0


def prove(kind: str, first: list[list[str]], then: list[Step], asked: list[SearchRequest]) -> None:
    """Live one history in a directory of its own."""
    with TemporaryDirectory() as base:
        live(History(Path(base).resolve(), kind, asked), first, then)


histories = given(
    first=st.lists(bodies, min_size=MOST_SEGMENTS, max_size=MOST_SEGMENTS),
    then=st.lists(steps, min_size=4, max_size=16),
    asked=st.lists(requests, min_size=6, max_size=8, unique=True),
)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_parsing")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5)
@histories
def test_history_does_not_matter(
    kind: str, first: list[list[str]], then: list[Step], asked: list[SearchRequest]
) -> None:
    """An index that was kept up to date answers like one that was built this minute."""
    prove(kind, first, then, asked)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("quick_parsing")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=200)
@histories
def test_long_histories_do_not_matter(
    kind: str, first: list[list[str]], then: list[Step], asked: list[SearchRequest]
) -> None:
    """The same over many more histories."""
    prove(kind, first, then, asked)


@pytest.mark.slow
def test_worker_processes_cut_files_as_this_process_does(root: Path, home: Path) -> None:
    """The histories above are cut in process; the product cuts in workers."""
    write_tree(root, {path: content(path, list(WORDS)) for path in PATHS})
    request = SearchRequest("retry queue", limit=40, per_file=0, deterministic=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ggrep.sync.syncer.ParsePool", InProcessPool)
        quick = open_engine(root, home / "quick")
        quick.sync()
    real = open_engine(root, home / "real")
    real.sync()

    assert answer_bytes(real, request) == answer_bytes(quick, request)
