"""Whatever became of repositories and of their packs, asking at once answers as one by one does."""

import errno
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.daemon import joint_members
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.inventory import remove_store
from ggrep.index.packs import pack_directory
from ggrep.index.packs.pack_directory import pack_files
from ggrep.index.store.active import read_active
from ggrep.model.corpus import Corpus
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.protocol.wire.messages import Sync
from ggrep.search.engine.engine import Engine
from ggrep.search.query import joint_view
from tests.crash.corruption import DAMAGES
from tests.crash.faults import Death, recorded
from tests.crash.io_errors import failing
from tests.fakes.hosts import CLOCK
from tests.fakes.packs import pack, unpacked_segments
from tests.fakes.repos import write_tree
from tests.fakes.served_workspace import ServedWorkspace, asked, served_workspace
from tests.properties.test_history import FarClock
from tests.properties.trees import PATHS, bodies, content
from tests.properties.workspaces import found, queries

NUMBER = 5
SEGMENTS = 3
"""From so many on a sync merges them."""
ROWS = 60
"""Of a pack: there are several of them."""
FEW = settings(max_examples=2)
MANY = settings(max_examples=int(os.environ.get("GGREP_TEST_HISTORIES", "200")))


class Step(Struct, frozen=True):
    """One thing that happens to a repository, its store or the packs.

    Attributes:
        pick: which of several, or after how many operations.
    """

    repo: int
    path: str
    other: str
    body: list[str]
    pick: int
    kind: str = ""


_paths = st.sampled_from(PATHS)
_KINDS = (
    *("write", "write", "write", "delete", "rename", "copy", "copy", "fork"),
    *("compact", "collect", "rebuild", "remove", "make again", "restart"),
    *("pack", "pack", "pack all", "pack all", "die packing", "full disk"),
    *("delete pack", "delete packs", "damage pack", "cut pack", "keep pack", "bring back"),
)
_steps = st.builds(Step, st.integers(0, NUMBER - 1), _paths, _paths, bodies, st.integers(0, 999))


@st.composite
def steps(draw: st.DrawFn, most: int) -> list[Step]:
    """Draw steps, of all kinds alike."""
    kinds = draw(st.permutations(_KINDS))
    drawn = draw(st.lists(_steps, min_size=most // 2, max_size=most))
    return [replace(step, kind=kind) for step, kind in zip(drawn, kinds, strict=False)]


_searches = st.builds(
    replace,
    queries,
    corpora=st.sampled_from([tuple(Corpus), tuple(Corpus), (Corpus.CODE,), (Corpus.PROSE,)]),
    snippet=st.sampled_from(SnippetMode),
    vectors=st.sampled_from([True, True, False]),
)
questions = st.fixed_dictionaries(
    {
        "search": found(_searches),
        "fold": st.sampled_from([None, False]),
        "per_repo_top": st.sampled_from([None, 10, 12]),
        "merge_strategy": st.just("global"),
        "only": st.sampled_from([(), (), (0, 1), (1, 2, 4), (3, 0)]),
    }
)
firsts = st.lists(
    st.dictionaries(_paths, bodies, min_size=1, max_size=5), min_size=NUMBER, max_size=NUMBER
)


class Histories:
    """Repositories of one host, and what becomes of them and of their packs.

    Attributes:
        done: how often each kind of step did something.
        packed: questions to all at once of whose segments some lay in packs.
    """

    def __init__(self, place: ServedWorkspace) -> None:
        self.place = place
        self.home = Home(place.home)
        self.done = Counter[str]()
        self.asked = self.joint = self.packed = 0
        self._kept: list[tuple[str, bytes]] = []

    def live(
        self,
        first: Sequence[dict[str, list[str]]],
        some: Sequence[Step],
        drawn: Sequence[dict[str, Any]],
    ) -> None:
        """Begin with files, all packed, do all steps, and compare answers after each of them."""
        self._kept = []
        workspace = self.place.workspace(NUMBER)
        for root, files in zip(self.place.roots, first, strict=True):
            for path in sorted(root.rglob("*")):
                if path.is_file():
                    path.unlink()
            write_tree(root, {path: content(path, body) for path, body in files.items()})
            self._sync(root)
        self._delete_packs()
        pack(self.home)
        for turn, step in enumerate(some):
            self.done[step.kind] += self.take(step)
            for question in (drawn[turn % len(drawn)], drawn[(turn + 1) % len(drawn)]):
                self.compare(workspace, question, step)
        for question in drawn:
            self.compare(workspace, question, some[-1])

    def take(self, step: Step) -> bool:
        """Do one step; return whether it made sense."""
        root = self.place.roots[step.repo]
        match step.kind:
            case "write" | "rename" | "copy" | "delete" | "fork":
                return self._edit(root, step)
            case "compact" | "collect" | "rebuild" | "remove" | "make again":
                return self._maintain(root, step.kind)
            case "pack" | "pack all" | "die packing" | "full disk":
                return self._pack(step)
            case _:
                return self._treat_packs(step.kind, Random(step.pick))

    def _edit(self, root: Path, step: Step) -> bool:
        """Change files of a repository, and index that in two of three cases."""
        other = self.place.roots[step.pick % NUMBER]
        if step.kind in {"rename", "copy"} and not (other / step.path).is_file():
            return False
        match step.kind:
            case "write":
                write_tree(root, {step.path: content(step.path, step.body)})
            case "delete":
                write_tree(root, {step.path: None})
            case "copy" | "rename":
                write_tree(root, {step.other: (other / step.path).read_bytes()})
                write_tree(root, {step.path: None} if step.kind == "rename" else {})
            case _:
                files = [path for path in other.rglob("*") if path.is_file()]
                write_tree(root, {str(p.relative_to(other)): p.read_bytes() for p in files})
        if step.pick % 3 or step.kind == "write":
            self._sync(root)
        return True

    def _sync(self, root: Path, *, fresh: bool = False) -> None:
        reply = self.place.daemons[root].ask(Sync(fresh=fresh))
        assert reply.error is None, reply.error

    def _maintain(self, root: Path, kind: str) -> bool:
        """Do to a store what another process might."""
        if kind in {"rebuild", "make again"}:
            self._sync(root, fresh=kind == "rebuild")
            return True
        flags = self.place.flags
        engine = Engine(root, self.home, environ={}, flags=flags, clock=FarClock())
        if kind == "remove":
            with suppress(GgrepError):
                remove_store(self.home, engine.identity.store_id, clock=CLOCK)
            return not engine.identity.store.exists()
        if read_active(engine.identity.store) is None:
            return False  # removed, and not published anew
        with engine.target() as target:
            if kind == "compact":
                return compact(target, force=True).performed
            late = Deadline.after(target.clock, 0)
            return bool(collect_garbage(target, deadline=late).deleted_snapshots)

    def _pack(self, step: Step) -> bool:
        """Pack some segments, be killed at it, or have no room for it."""
        segments = unpacked_segments(self.home)
        if step.kind == "pack":
            segments = segments[step.pick % max(1, len(segments)) :][: 1 + step.pick % 3]
        if not segments:
            return False
        at, met = step.pick % 12, True
        if step.kind == "die packing":
            with recorded(die_at=at), suppress(Death):
                pack(self.home, segments)
                met = False
            (self.home.packs / ".0.pack.tmp").write_bytes(b"as much as was written")
        elif step.kind == "full disk":
            with failing(self.home.packs, number=errno.ENOSPC, at=at) as disk, suppress(OSError):
                pack(self.home, segments)
            met = bool(disk.failed)
        else:
            pack(self.home, segments)
        return met

    def _treat_packs(self, kind: str, random: Random) -> bool:
        """Do to packs what should not be done to them, or forget that they are open."""
        if kind == "restart":
            for daemon in self.place.daemons.values():
                fresh = joint_members.HostPacks(self.home, CLOCK)
                object.__setattr__(daemon.daemon.shared, "packs", fresh)
            return True
        if kind == "bring back":
            for name, data in random.sample(self._kept, min(1, len(self._kept))):
                (self.home.packs / name).write_bytes(data)
            return bool(self._kept)
        packs = [path for path in pack_files(self.home) if path.stat().st_size]
        return bool(packs) and self._harm(kind, random.choice(packs), packs, random)

    def _harm(self, kind: str, path: Path, packs: Sequence[Path], random: Random) -> bool:
        match kind:
            case "delete packs":
                self._delete_packs()
            case "delete pack":
                path.unlink()
            case "damage pack":
                others = [other for other in packs if other != path]
                damages = DAMAGES if others else DAMAGES.keys() - {"swap"}
                DAMAGES[random.choice(sorted(damages))](path, *others[:1] or [path], random)
            case "cut pack":
                os.truncate(path, random.randrange(path.stat().st_size))
            case _:
                name = random.choice([path.name, "0.pack", "z.pack"])
                self._kept.append((name, path.read_bytes()))
        return True

    def _delete_packs(self) -> None:
        for path in pack_files(self.home):
            path.unlink()

    def compare(self, workspace: Workspace, drawn: dict[str, Any], step: Step) -> None:
        """Fail unless both answers are the same."""
        search: SearchRequest = drawn["search"]
        only = tuple(str(self.place.roots[place]) for place in drawn["only"])
        question = FederatedRequest(top=search.limit, **{**drawn, "only": only})
        together = self._told(workspace, question, together=True)
        alone = self._told(workspace, question, together=False)
        if _snapshots(together) != _snapshots(alone):  # daemons look at their trees now and then
            together = self._told(workspace, question, together=True)
        assert together == alone, (step, question)

    def _told(self, workspace: Workspace, question: FederatedRequest, *, together: bool) -> bytes:
        between = self.place.between
        between.together = together
        between.joint.clear()
        between.pools.clear()
        with asked(self.place.federator()) as federator:
            answer = stable_json.dumps(federator.search(workspace, question).to_json())
        self.asked += together
        self.joint += together and bool(between.joint) and not between.pools
        return answer


def _snapshots(answer: bytes) -> object:
    return stable_json.loads(answer)["meta"]["snapshots"]


@contextmanager
def histories(encoder: str) -> Iterator[Histories]:
    """Serve repositories for the length of the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_members, "MANY_UNPACKED", 10**9)  # packs are made by steps alone
        patch.setattr(pack_directory, "_MOST_ROWS", ROWS)
        with served_workspace(NUMBER, encoder, max_segments=SEGMENTS) as place:
            made = Histories(place)
            join = joint_view.join

            def seen(*arguments: Any) -> joint_view.JointView:
                view = join(*arguments)
                made.packed += len(view.unpacked) < sum(
                    len(member.segments) for member in view.members
                )
                return view

            patch.setattr(joint_view, "join", seen)
            yield made


def prove(encoder: str, effort: settings, most: int) -> Histories:
    """Live many histories, all of the same repositories."""
    with histories(encoder) as made:

        @effort
        @given(
            firsts,
            steps(most),
            st.lists(questions, min_size=3, max_size=5),
        )
        def live(
            first: list[dict[str, list[str]]], some: list[Step], drawn: list[dict[str, Any]]
        ) -> None:
            made.live(first, some, drawn)

        live()
        assert made.joint > made.asked / 2
        assert made.packed
        return made


@pytest.mark.slow
def test_no_history_of_packs_shows_in_an_answer() -> None:
    """Edits, merges, deaths, damage: packs are as good as the images that they are made of."""
    prove("hashed", FEW, 10)


@pytest.mark.deep
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("encoder", ["hashed", "none"])
def test_no_history_of_packs_ever_shows_in_an_answer(encoder: str) -> None:
    """The same over longer ones, in which everything happens that is thought of here."""
    made = prove(encoder, MANY, 24)

    assert not [kind for kind in _KINDS if not made.done[kind]]
