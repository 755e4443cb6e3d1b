"""A search node: stores copies of pushed snapshots (trees) and answers messages about them.

Each snapshot is in a separate store that never changes. A message names the tree to search, so the
answer does not depend on trees that the node fetched later. Messages and replies are bytes, so a
node can run in this process, in another process or on another machine.
"""

import hashlib
import shutil
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from msgspec import Struct, to_builtins

from ggrep.base import durable, stable_json
from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import GgrepError, InvalidRequest, NoIndex, StoreError
from ggrep.base.stable_json import Document, decode
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.config.settings import Settings
from ggrep.daemon.joint_members import Described, JointMembers
from ggrep.daemon.query_job import query_answer
from ggrep.index.remote.objects import open_objects
from ggrep.index.remote.replica import copy_tree
from ggrep.index.store.view import SnapshotView
from ggrep.model.batched_query import BatchedPoolRequest, Member
from ggrep.model.operations import bounds_of, operation_of
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.protocol.wire.messages import (
    Ask,
    Describe,
    Fetch,
    JointDescribe,
    JointPool,
    Message,
    Search,
    parse_message,
)
from ggrep.protocol.wire.replies import error_json
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.rank_pools import batched_pools
from ggrep.search.engine.repo_index import Hosted
from ggrep.search.query.joint_view import JointView, join
from ggrep.server.epoch import ServedRepo

FETCHES: Final = 4
"""Maximum number of trees that are fetched concurrently."""
MOST_EPOCHS: Final = 64
"""Maximum number of cached lists of repositories; users with equal rights share a list."""
MOST_VIEWS: Final = 8
"""Maximum number of cached joint views; each stores the ids of texts that it has compared."""


class NotHeld(GgrepError):
    """The node has no copy of the requested tree."""

    code = "not_held"


class NodeMessage(Struct, frozen=True):
    """A message to a node.

    Attributes:
        message: a daemon message as JSON; None to change the trees or to request counters.
        repo: the repository to query; None if the message is about several repositories.
        hold: all trees that the node must store; None for other messages.
    """

    message: Mapping[str, Any] | None = None
    repo: ServedRepo | None = None
    hold: tuple[ServedRepo, ...] | None = None


class NodeFigures(Struct):
    """Counters of a node."""

    trees: int = 0
    fetched_bytes: int = 0
    answers: int = 0
    failures: int = 0


def member_of(repo: ServedRepo, fingerprint: str) -> Member:
    """Return the identification of a tree in messages about several repositories."""
    return Member(repo.tree.sha256, fingerprint, str(repo.root))


class SearchNode:
    """Stores snapshots from a remote and answers messages about them. Thread-safe."""

    def __init__(self, cache: Path, remote: Remote, settings: Settings, clock: Clock) -> None:
        """Create a node without snapshots; `hold` opens or fetches them."""
        self._blobs, self._trees = cache / "blobs", cache / "trees"
        self._remote, self._settings, self._clock = remote, settings, clock
        self._lock, self._holding = Lock(), Lock()
        self._engines: dict[ServedRepo, Engine] = {}
        self._members: dict[tuple[str, str], ServedRepo] = {}
        self._joint = JointMembers(most=MOST_EPOCHS)
        self._views: dict[tuple[int, ...], JointView] = {}  # least recently used first
        self._hosted = Hosted(occurrences=OccurrencePool(), detached=True)
        self._figures = NodeFigures()

    def answer(self, data: bytes) -> bytes:
        """Return the reply to an encoded `NodeMessage`; errors are returned as replies."""
        try:
            reply = self._reply(decode(NodeMessage, stable_json.loads(data)))
        except GgrepError as error:
            self._figures.failures += 1
            reply = error_json("", error)
        except ValueError as error:
            reply = error_json("", InvalidRequest(f"the data is not a message to a node: {error}"))
        return stable_json.dumps(reply)

    def hold(self, trees: Sequence[ServedRepo]) -> dict[ServedRepo, str]:
        """Fetch missing trees and delete all others; return an error for each unavailable tree."""
        with self._holding:
            for folder in (self._blobs, self._trees):
                durable.make_directory(folder)
            self._drop_others(frozenset(trees))
            with ThreadPoolExecutor(FETCHES) as pool:
                missing = [repo for repo in trees if repo not in self._engines]
                reasons = zip(missing, pool.map(self._take, missing), strict=True)
                failed = {repo: reason for repo, reason in reasons if reason}
            self._drop_blobs()
            self._figures.trees = len(self._engines)
            return failed

    def close(self) -> None:
        """Close all snapshots."""
        with self._lock:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()

    def _drop_others(self, kept: frozenset[ServedRepo]) -> None:
        with self._lock:
            for repo in self._engines.keys() - kept:
                self._forget(repo)
            self._joint.keep_only(self._engines.values())
        folders = {self._folder(repo).name for repo in kept}
        for folder in self._trees.iterdir():
            if folder.name not in folders:
                shutil.rmtree(folder, ignore_errors=True)

    def _drop_blobs(self) -> None:
        """Delete blobs to which no store has a link: packed tables, and blobs of deleted trees."""
        for blob in self._blobs.iterdir():
            with suppress(OSError):
                if blob.is_file() and blob.stat().st_nlink == 1:
                    blob.unlink()

    def _forget(self, repo: ServedRepo) -> None:
        self._views.clear()
        engine = self._engines.pop(repo, None)
        self._figures.trees = len(self._engines)
        self._members.pop((repo.tree.sha256, str(repo.root)), None)
        if engine is not None:
            engine.close()

    def _folder(self, repo: ServedRepo) -> Path:
        name = hashlib.sha256(f"{repo.key}\n{repo.tree.sha256}".encode()).hexdigest()
        return self._trees / name[:32]

    def _take(self, repo: ServedRepo) -> str:
        """Open a tree, after fetching it if it is not on disk; return an error or an empty text."""
        folder = self._folder(repo)
        try:
            engine = self._opened(repo, folder)
            if engine is None:
                # The store is damaged, or incomplete after an interrupted copy.
                shutil.rmtree(folder, ignore_errors=True)
                engine = self._copied(repo, folder)
        except (GgrepError, OSError) as error:
            return str(error) or type(error).__name__
        with self._lock:
            self._engines[repo] = engine
            self._members[repo.tree.sha256, str(repo.root)] = repo
        return ""

    def _engine(self, repo: ServedRepo, folder: Path) -> Engine:
        return Engine(
            repo.root,
            Home(folder),
            settings=self._settings,
            clock=self._clock,
            hosted=self._hosted,
        )

    def _opened(self, repo: ServedRepo, folder: Path) -> Engine | None:
        engine = self._engine(repo, folder)
        with suppress(NoIndex, StoreError):
            if engine.view().damage is None:
                return engine
        return None

    def _copied(self, repo: ServedRepo, folder: Path) -> Engine:
        engine = self._engine(repo, folder)
        objects = open_objects(self._remote, time.sleep)
        with engine.target() as target:
            copy_tree(target, objects, repo.tree, self._blobs)
        engine.view()
        with self._lock:
            self._figures.fetched_bytes += objects.traffic.bytes_down
        return engine

    def _reply(self, request: NodeMessage) -> Document:
        if request.hold is not None:
            failed = self.hold(request.hold)
            return {"failed": [[to_builtins(repo), reason] for repo, reason in failed.items()]}
        if request.message is None:
            return {"figures": to_builtins(self._figures)}
        self._figures.answers += 1
        message = parse_message(request.message).message
        if request.repo is None:
            return self._of_several(message)
        with self._lock:
            engine = self._engines.get(request.repo)
        if engine is None:
            raise NotHeld("this node has no copy of the repository's snapshot")
        try:
            return self._of_one(engine, message)
        except (NoIndex, StoreError) as error:
            with self._lock:  # the next `hold` copies the tree again
                self._forget(request.repo)
            raise NotHeld(str(error)) from error

    def _of_one(self, engine: Engine, message: Message) -> Document:
        match message:
            case Describe(timeout_ms):
                return {"description": to_builtins(engine.describe(self._deadline(timeout_ms)))}
            case Fetch(request):
                answer = engine.ask(request, self._deadline(bounds_of(request).timeout_ms))
                return {operation_of(request).reply_key: to_builtins(answer)}
            case Search(request) | Ask(request):
                deadline = self._deadline(bounds_of(request).timeout_ms)
                is_search = isinstance(message, Search)
                ask: Any = engine.search if is_search else engine.ask
                answer = ask(request, deadline)
                return query_answer(answer, message, engine.identity.root).body
            case _:
                raise InvalidRequest("nodes do not support this type of message")

    def _of_several(self, message: Message) -> Document:
        match message:
            case JointDescribe():
                return {"described": self._described(message)}
            case JointPool(request):
                return {"pools": self._pools(request)}
            case _:
                raise InvalidRequest("repo: required for this message")

    def _described(self, message: JointDescribe) -> Document:
        """Return the descriptions of the requested trees; None if the client already has them.

        If the node does not know the message's list of trees, `epoch` is empty.
        """
        deadline = self._deadline(message.timeout_ms)
        with self._lock:
            places = self._joint.places(message.key, message.members)
        if not places:
            return {"epoch": "", "descriptions": None}
        members = tuple(self._member(place, deadline) for place in places)
        with self._lock:
            epoch = self._joint.begin(message.key, members)
            self._joint.keep_only(self._engines.values())  # a tree may have been deleted meanwhile
        known = epoch.name == message.known
        return {"epoch": epoch.name, "descriptions": None if known else epoch.document}

    def _member(self, place: Member, deadline: Deadline) -> Described:
        with self._lock:
            repo = self._members.get((place.store_id, place.root))
            engine = self._engines.get(repo) if repo is not None else None
        if engine is None:
            return Described()
        try:
            view, description = engine.describe_current(deadline)
        except (NoIndex, StoreError):  # a separate request to the repository reports the error
            return Described()
        return Described(engine, view, description)

    def _pools(self, request: BatchedPoolRequest) -> Document:
        question = request.question
        deadline = self._deadline(question.search.timeout_ms)
        with self._lock:
            members = self._joint.members(request.epoch, request.members)
        engine = members[0][0]
        views: list[SnapshotView] = [view for _, view in members]
        joint = None if question.by_rank else self._joined(views)
        pools = batched_pools(
            views,
            joint,
            question,
            encoder=engine.encoder,
            settings=engine.settings,
            deadline=deadline,
        )
        document: Document = to_builtins(pools)
        return document

    def _joined(self, views: Sequence[SnapshotView]) -> JointView:
        """Return the joint view of snapshots; all messages of a query use the same cached view.

        Packs (combined files of many segments) are not used, because they contain rows of
        repositories that the caller may not see.
        """
        key = tuple(map(id, views))  # the cached view keeps the snapshots alive, so ids stay unique
        with self._lock:
            joint = self._views.pop(key, None)
        joint = joint or join(views)
        with self._lock:
            self._views[key] = joint
            while len(self._views) > MOST_VIEWS:
                del self._views[next(iter(self._views))]
        return joint

    def _deadline(self, timeout_ms: int) -> Deadline:
        return Deadline.after(self._clock, timeout_ms or self._settings.query_timeout_ms)
