"""Branches are switched under a daemon that is asked all the time; nothing ever mixes two."""

import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from bench.serving import Host, search, serving, sync
from ggrep.base.errors import GgrepError
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.view import view_of
from tests.fakes.git import run_git
from tests.fakes.repos import write_tree

BRANCHES: Final = ("alpha", "beta")
MARKERS: Final = {branch: f"{branch}marker" for branch in BRANCHES}
PATIENCE_S: Final = 300.0
_LOOK_S: Final = 0.02


def tree_of(branch: str, files: int) -> dict[str, str]:
    """Return a branch's files: most are in both and differ, one in ten is in this one only."""
    marker, result = MARKERS[branch], {}
    for number in range(files):
        only = f"only_{branch}/" if number % 10 == 0 else ""
        lines = "".join(
            f"def handle_{number}_{part}(order):\n"
            f'    """Settle the {marker} of part {part}."""\n'
            f"    return order.{marker}_{number}({part})\n\n\n"
            for part in range(4)
        )
        result[f"src/{only}d{number % 30}/f{number}.py"] = lines
    return result


@dataclass
class Branches:
    """A work tree with two branches, its store, and what was seen of both.

    Attributes:
        seen: branches that each published snapshot holds files of.
    """

    root: Path
    store: Path
    digests: Mapping[str, str]
    seen: dict[str, frozenset[str]] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    answers: int = 0

    def look(self) -> str:
        """Take up what was published; return the branch that is active, empty for a mixture."""
        for directory in store_files.snapshots_dir(self.store).iterdir():
            with suppress(GgrepError, OSError):  # it is not published yet, or collected just now
                self._take_up(SnapshotId(directory.name))
        active = read_active(self.store)
        result = self.seen.get(active or "", frozenset())
        return next(iter(result)) if len(result) == 1 else ""

    def _take_up(self, snapshot: SnapshotId) -> None:
        if snapshot not in self.seen:
            live = view_of(self.store, read_manifest(self.store, snapshot)).live_files()
            self.seen[snapshot] = frozenset(
                self.digests[digest] for digest in live.values() if digest in self.digests
            )

    def hear(self, host: Host, ended: threading.Event) -> None:
        """Ask until told to stop; an answer that holds both branches is complained of."""
        query = " ".join(("settle", *MARKERS.values()))
        with host.link(self.root) as link:
            while not ended.is_set():
                try:
                    hits = search(link, query, limit=50, per_file=1, keep_weak=True)["results"]
                except GgrepError as error:
                    self.complaints.append(str(error))
                    return
                reported = repr(hits)
                results = [branch for branch in BRANCHES if MARKERS[branch] in reported]
                self.answers += 1
                ended.wait(_LOOK_S)
                if len(results) != 1:
                    self.complaints.append(f"an answer of {results or 'neither branch'}")


def write_branches(root: Path, files: int, slow: str) -> None:
    """Make a repository whose two branches share no file's content but one.

    git takes its time over files of the pattern `slow`, as it does over all of a large tree.
    """
    run_git(root, "init", "-q", "-b", "alpha")
    write_tree(root, {"README.md": "# Both\n", **tree_of("alpha", files)})
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", "alpha")
    run_git(root, "switch", "-q", "-c", "beta")
    write_tree(root, dict.fromkeys(tree_of("alpha", files)))
    write_tree(root, tree_of("beta", files))
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", "beta")
    run_git(root, "config", "filter.slow.smudge", "sleep 0.05; cat")
    (root / ".git" / "info" / "attributes").write_text(f"src/{slow} filter=slow\n")


@contextmanager
def asked(host: Host, branches: Branches, clients: int) -> Iterator[None]:
    """Have clients ask for the length of the block."""
    ended = threading.Event()
    threads = [
        threading.Thread(target=branches.hear, args=(host, ended), daemon=True)
        for _ in range(clients)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join(PATIENCE_S)


def converged_ms(branches: Branches, branch: str) -> float:
    """Return how long it takes from now until a branch is what answers are made of."""
    begun = time.monotonic()
    while branches.look() != branch:
        assert time.monotonic() - begun < PATIENCE_S, f"{branch} was never published"
        time.sleep(_LOOK_S)
    return (time.monotonic() - begun) * 1000.0


def switch_to_and_fro(
    files: int, switches: int, clients: int, slow: str, **environ: str
) -> list[float]:
    """Switch branches under questions; return how long each took to be seen, from git's end."""
    digests = {
        sha256(text.encode()).hexdigest(): branch
        for branch in BRANCHES
        for text in tree_of(branch, files).values()
    }
    with TemporaryDirectory(prefix="ggrep-") as base:
        root = Path(base).resolve() / "r"
        home = Path(base).resolve() / "h"
        write_branches(root, files, slow)
        with serving(home, "--path", str(root), environ=environ) as host:
            with host.link(root) as link:
                sync(link)
            store = Home(home).store_dir(host.address(root).hello.store_id)
            branches = Branches(root, store, digests)
            took = []
            with asked(host, branches, clients):
                for number in range(switches):
                    branch = BRANCHES[number % 2]
                    run_git(root, "switch", "-q", branch)
                    took.append(converged_ms(branches, branch))
        mixed = [snapshot for snapshot, item in branches.seen.items() if len(item) != 1]
        sys.stdout.write(
            f"\nswitches of {files} files: median {statistics.median(took):.0f} ms, "
            f"longest {max(took):.0f} ms; {len(branches.seen)} snapshots, {len(mixed)} mixed; "
            f"{branches.answers} answers, {len(branches.complaints)} mixed; "
            f"load {os.getloadavg()[0]:.0f}\n"
        )
        assert not mixed
        assert not branches.complaints
        assert branches.answers
    return took


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_snapshot_and_no_answer_mixes_two_branches() -> None:
    """A checkout moves files one by one; whoever asks sees the one branch or the other."""
    switch_to_and_fro(15, 3, 1, "**", GGREP_ENCODER="hashed")


@pytest.mark.deep
@pytest.mark.timeout(7_200)
def test_thirty_switches_of_1200_files_mix_nothing() -> None:
    """The figure is printed: how soon depends on the machine."""
    switch_to_and_fro(1_200, 30, 4, "d1/*")
