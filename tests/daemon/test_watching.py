"""One watcher tells each root what happened below it, and where it cannot, says so."""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ggrep.base.clock import SystemClock
from ggrep.daemon.watched_root import WatchedRoot
from ggrep.daemon.watching import HostWatcher, open_most

END_S = 600.0


class Changes:
    """What a root was told."""

    def __init__(self) -> None:
        self.told: queue.Queue[int] = queue.Queue()

    def __call__(self, count: int) -> None:
        self.told.put(count)

    def next(self) -> int:
        return self.told.get(timeout=END_S)

    def none(self) -> bool:
        return self.told.empty()


class FakeWatch:
    """Says what the test says; a file `broken` makes opening fail."""

    open_now = 0

    def __init__(self, paths: list[str], fails: dict[str, Exception]) -> None:
        for path in paths:
            if path in fails:
                raise fails[path]
        self.paths = paths
        self.events: queue.Queue[set[tuple[int, str]] | Exception] = queue.Queue()
        self.closed = threading.Event()

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event
    ) -> set[tuple[int, str]] | str:
        end = time.monotonic() + timeout_ms / 1000
        while time.monotonic() < end:
            if stop_event.is_set():
                return "stop"
            try:
                output = self.events.get(timeout=0.002)
            except queue.Empty:
                continue
            if isinstance(output, Exception):
                raise output
            return output
        return "timeout"

    def close(self) -> None:
        self.closed.set()


class Opener:
    """Opens fake watches."""

    def __init__(self) -> None:
        self.fails: dict[str, Exception] = {}
        self.opened: list[FakeWatch] = []

    def __call__(self, paths: list[str]) -> FakeWatch:
        watch = FakeWatch(paths, self.fails)
        self.opened.append(watch)
        return watch

    def tell(self, *paths: Path | str) -> None:
        self.opened[-1].events.put({(2, str(path)) for path in paths})


@contextmanager
def watcher(opener: Opener | None = None, poll_ms: int = 10_000) -> Iterator[HostWatcher]:
    made = HostWatcher(SystemClock(), poll_ms, **({"opener": opener} if opener else {}))
    try:
        yield made
    finally:
        made.close()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + END_S
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


@pytest.fixture
def roots(tmp_path: Path) -> list[Path]:
    """Return three directories; the last lies in the first."""
    results = [tmp_path.resolve() / name for name in ("a", "b", "a/inner")]
    for path in results:
        path.mkdir()
    return results


def test_events_reach_the_roots_they_lie_in_and_nested_ones_as_well(roots: list[Path]) -> None:
    """One index may hold what another does; a third hears nothing."""
    opener, reported = Opener(), [Changes() for _ in roots]
    with watcher(opener) as watching:
        for root, changes in zip(roots, reported, strict=True):
            watching.add(root, (), changes)
        until(lambda: all(watching.state(root).mode == "watching" for root in roots))
        until(lambda: len(opener.opened[-1].paths) == 3)
        for changes in reported:
            while not changes.none():
                assert changes.next() == 0
        opener.tell(roots[2] / "x.py", roots[2] / "y.py", roots[0] / "z.py", "/elsewhere/q.py")

        assert (reported[0].next(), reported[2].next()) == (3, 2)
        assert reported[1].none()
        assert watching.state(roots[0]).events_total == 3
        assert watching.state(roots[0]).last_event_age_ms is not None


def test_events_that_concern_no_index_are_not_told(roots: list[Path]) -> None:
    """A build and git write thousands of files, and we write our own store."""
    opener, changes = Opener(), Changes()
    with watcher(opener) as watching:
        watching.add(roots[0], (roots[0] / "home",), changes)
        assert changes.next() == 0
        watching.expect(roots[0], ())
        opener.tell(roots[0] / "home/x", roots[0] / "build/o", roots[0] / ".git/objects/ab")
        opener.tell(roots[0] / "a.py")

        assert changes.next() == 1
        assert watching.state(roots[0]).events_total == 1


def test_a_removed_root_hears_nothing_more(roots: list[Path]) -> None:
    opener, gone, stays = Opener(), Changes(), Changes()
    with watcher(opener) as watching:
        watching.add(roots[1], (), gone)
        watching.add(roots[0], (), stays)
        until(lambda: bool(opener.opened) and len(opener.opened[-1].paths) == 2)
        until(lambda: watching.state(roots[0]).mode == "watching")
        watching.remove(roots[1])
        while not gone.none():
            gone.next()
        until(lambda: opener.opened[-1].paths == [str(roots[0])])
        opener.tell(roots[1] / "b.py", roots[0] / "a.py")
        until(lambda: watching.state(roots[0]).events_total == 1)

        assert gone.none()
        assert watching.state(roots[1]).mode == "off"


def test_an_unwatchable_root_is_polled_beside_watched_ones(
    roots: list[Path],
) -> None:
    """One huge tree that takes all watches must not blind the host, nor be blind itself."""
    opener, polled, watched = Opener(), Changes(), Changes()
    opener.fails[str(roots[1])] = OSError("no watches left")
    with watcher(opener, poll_ms=10) as watching:
        watching.add(roots[1], (), polled)
        watching.add(roots[0], (), watched)
        until(lambda: watching.state(roots[0]).mode == "watching")
        state = watching.state(roots[1])

        assert (state.mode, state.problem) == ("polling", "cannot be watched: no watches left")
        assert [polled.next() for _ in range(5)] == [0] * 5
        assert state.events_total == 0


def test_a_watch_that_breaks_is_polled_instead(roots: list[Path]) -> None:
    """The index goes on to follow the tree, only later."""
    opener, changes = Opener(), Changes()
    with watcher(opener, poll_ms=10) as watching:
        watching.add(roots[0], (), changes)
        assert changes.next() == 0
        opener.opened[-1].events.put(RuntimeError("broken"))
        until(lambda: watching.state(roots[0]).mode == "polling")

        assert changes.next() == 0
        assert watching.state(roots[0]).problem == "watching failed: broken"


def test_a_name_that_is_no_text_never_stops_watching(roots: list[Path]) -> None:
    """A watch says nothing more after such an event, so another takes its place."""
    opener, changes = Opener(), Changes()
    with watcher(opener, poll_ms=10) as watching:
        watching.add(roots[0], (), changes)
        assert changes.next() == 0
        opener.opened[0].events.put(RuntimeError('Unable to decode path "caf\\xE9" to string'))
        until(lambda: len(opener.opened) == 2)
        state = watching.state(roots[0])

        assert [changes.next(), changes.next()] == [0, 0]
        assert opener.opened[0].closed.is_set()
        assert (state.mode, state.problem) == ("watching", "")
        opener.tell(roots[0] / "a.py")
        assert changes.next() == 1


def test_closing_frees_every_watch_and_ends_the_thread(roots: list[Path]) -> None:
    """Instances are few; a host that reloads must not use them up."""
    opener = Opener()
    with watcher(opener) as watching:
        for root in roots:
            watching.add(root, (), lambda _: None)
            until(lambda root=root: watching.state(root).mode == "watching")  # type: ignore[misc] # bound

    assert all(watch.closed.is_set() for watch in opener.opened)
    assert not [thread for thread in threading.enumerate() if thread.name == "watching"]


@pytest.mark.slow
def test_real_events_of_files_directories_and_git_arrive(roots: list[Path]) -> None:
    """The kernel and the library underneath do what the rest is built on."""
    root, changes = roots[0], Changes()
    (root / ".git/refs").mkdir(parents=True)
    with watcher() as watching:
        watching.add(root, (), changes)
        assert changes.next() == 0
        for act in (
            lambda: (root / "new.py").write_text("x"),
            lambda: (root / "new.py").rename(root / "old.py"),
            (root / "dir").mkdir,
            lambda: (root / "dir/deep.py").write_text("x"),
            lambda: (root / "dir").rename(root / "other"),
            (root / "other/deep.py").unlink,
            (root / "other").rmdir,
            lambda: (root / ".git/HEAD").write_text("ref"),
        ):
            act()

            assert changes.next() > 0


@pytest.mark.slow
def test_a_root_that_is_replaced_is_watched_anew(roots: list[Path]) -> None:
    """A checkout that is deleted and cloned again has its old name and nothing else."""
    root, changes = roots[1], Changes()
    with watcher(poll_ms=20) as watching:
        watching.add(root, (), changes)
        assert changes.next() == 0
        root.rename(root.with_name("moved"))
        until(lambda: watching.state(root).mode == "polling")
        root.mkdir()
        until(lambda: watching.state(root).mode == "watching")
        while not changes.none():
            changes.next()
        before = watching.state(root).events_total
        (root / "a.py").write_text("x")
        until(lambda: watching.state(root).events_total > before)

        assert watching.state(root).problem == ""


def test_a_linked_work_tree_follows_its_git_directory(roots: list[Path], tmp_path: Path) -> None:
    """Its HEAD and index lie outside of what is watched."""
    git_dir = tmp_path.resolve() / "git"
    git_dir.mkdir()
    (git_dir / "HEAD").write_text("one")
    (roots[0] / ".git").write_text(f"gitdir: {git_dir}\n")
    changes = Changes()
    with watcher(Opener(), poll_ms=10) as watching:
        watching.add(roots[0], (), changes)
        assert changes.next() == 0
        (git_dir / "HEAD").write_text("another")

        assert changes.next() == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_a_directory_closed_to_us_is_no_silent_gap(roots: list[Path]) -> None:
    """A part of the tree that is not watched would be seen by nobody."""
    (roots[0] / "closed").mkdir(mode=0)
    with watcher(poll_ms=10) as watching:
        watching.add(roots[0], (), lambda _: None)
        until(lambda: watching.state(roots[0]).mode != "off")

        assert watching.state(roots[0]).mode == "polling"
    (roots[0] / "closed").chmod(0o700)


def test_a_root_whose_name_is_no_text_is_polled(tmp_path: Path) -> None:
    """The library underneath takes UTF-8 alone."""
    root = tmp_path.resolve() / os.fsdecode(b"caf\xe9")
    root.mkdir()
    with watcher(poll_ms=10) as watching:
        watching.add(root, (), lambda _: None)
        until(lambda: watching.state(root).mode == "polling")

        assert "cannot be watched" in watching.state(root).problem


def limited(most: int, tries: list[list[str]]) -> Callable[[list[str]], FakeWatch]:
    """Return what opens watches on no more than so many roots."""

    def opener(paths: list[str]) -> FakeWatch:
        tries.append(paths)
        return FakeWatch(paths, {paths[-1]: OSError("limit")} if len(paths) > most else {})

    return opener


@pytest.mark.parametrize("most", [1, 300, 999])
def test_where_watches_run_out_among_a_thousand_roots_few_tries_tell(most: int) -> None:
    """Each walks all trees: one for each root took minutes, again every three."""
    roots, tries = [Path(f"/r/{number}") for number in range(1000)], list[list[str]]()

    watch, problems = open_most(roots, limited(most, tries))

    assert isinstance(watch, FakeWatch)
    assert watch.paths == [str(root) for root in roots[:most]]
    assert set(problems) == set(roots[most:])
    assert problems[roots[most]] == "cannot be watched: limit"
    assert len(tries) <= 49


def test_one_root_of_a_thousand_that_cannot_be_watched_leaves_the_others_watched() -> None:
    roots, bad = [Path(f"/r/{number}") for number in range(1000)], Path("/r/500")

    def opener(paths: list[str]) -> FakeWatch:
        return FakeWatch(paths, {str(bad): OSError("gone")})

    watch, problems = open_most(roots, opener)

    assert isinstance(watch, FakeWatch)
    assert len(watch.paths) == 999
    assert problems == {bad: "cannot be watched: gone"}


def test_who_leaves_many_has_the_others_watched_on(tmp_path: Path) -> None:
    """To watch all others anew would walk their trees, and have each be checked."""
    roots = [tmp_path / str(number) for number in range(4)]
    for root in roots:
        root.mkdir()
    opener, reported = Opener(), Changes()
    with watcher(opener) as watching:
        for root in roots:
            watching.add(root, (), reported)
        until(lambda: bool(opener.opened) and len(opener.opened[-1].paths) == 4)
        until(lambda: watching.state(roots[3]).mode == "watching")
        opens = len(opener.opened)
        watching.remove(roots[0])
        opener.tell(roots[0] / "gone.py", roots[3] / "here.py")
        until(lambda: watching.state(roots[3]).events_total == 1)
        assert len(opener.opened) == opens
        watching.remove(roots[1])
        until(lambda: opener.opened[-1].paths == [str(root) for root in roots[2:]])


def test_of_many_roots_that_are_polled_a_few_are_checked_at_once(tmp_path: Path) -> None:
    """A check walks a tree; a thousand of them every ten seconds would take all of a core."""
    checked: list[str] = []
    made = HostWatcher(SystemClock())
    polled = []
    for number in range(120):
        root = tmp_path / f"{number:03}"
        root.mkdir()

        def note(count: int, name: str = root.name) -> None:
            checked.append(name)

        polled.append(WatchedRoot(root, (), note))
    turns = []
    for _ in range(3):
        made._poll(polled)
        turns.append(sorted(checked))
        checked.clear()
    (tmp_path / "000" / "new.py").write_text("x")
    (tmp_path / "119" / "new.py").write_text("x")
    made._poll(polled)

    assert [len(turn) for turn in turns] == [50, 50, 50]
    assert set().union(*turns) == {root.root.name for root in polled}
    assert {"000", "119"} <= set(checked)
    assert len(checked) <= 52
