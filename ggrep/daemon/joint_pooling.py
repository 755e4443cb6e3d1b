"""Answers queries over many stores of this host."""

from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from msgspec import to_builtins

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError, SnapshotGone
from ggrep.base.stable_json import Document
from ggrep.daemon.admitting import Caller, run_admitted, spent_from_now
from ggrep.daemon.host_resources import ServedStore
from ggrep.daemon.joint_members import Described
from ggrep.daemon.query_job import LoggedAnswer
from ggrep.daemon.query_log import logged_request, note, note_failure
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.batched_query import BatchedPoolResponse, Member
from ggrep.model.request import PoolRequest
from ggrep.protocol.wire.messages import JointDescribe, JointPool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ggrep.index.store.view import SnapshotView
    from ggrep.search.engine.engine import Engine
    from ggrep.search.query.joint_view import JointView


async def joint_describe(daemon: StoreDaemon, caller: Caller, message: JointDescribe) -> Document:
    """Answer with the descriptions of many stores, unless the client already has them."""
    shared = daemon.shared
    deadline = caller.deadline(daemon, message.timeout_ms)
    places = shared.joint.places(message.key, message.members)
    if not places:
        return {"described": {"epoch": "", "descriptions": None}}
    stores = [shared.stores.get((place.store_id, place.config_fingerprint)) for place in places]

    def work() -> tuple[Described, ...]:
        return tuple(
            _described(daemon, place, store, deadline)
            for place, store in zip(places, stores, strict=True)
        )

    members = await to_thread.run_sync(work, limiter=shared.threads)
    for store in stores:
        if store is not None:
            store.note_use()
    epoch = shared.joint.begin(message.key, members)
    descriptions = None if epoch.name == message.known else epoch.document
    return {"described": {"epoch": epoch.name, "descriptions": descriptions}}


def _described(
    daemon: StoreDaemon, place: Member, store: ServedStore | None, deadline: Deadline
) -> Described:
    """Return a store's description; an empty `Described` for a store to query separately."""
    if store is not None and store.stopping is not None:
        store = None
    try:
        engine = (
            store.engine() if store else daemon.shared.foreign_stores.engine(place, daemon.flags)
        )
        if engine is None:
            return Described()
        view, description = engine.describe_current(deadline)
    except DeadlineExceeded:
        raise
    except GgrepError:
        return Described()
    if view.notices:
        return Described()
    if store is None:
        return Described(engine, view, description)
    return Described(engine, view, store.described(description))


async def joint_pool(daemon: StoreDaemon, caller: Caller, message: JointPool) -> Document:
    """Answer with the first hits of each ranked list of several stores."""
    request, spent = message.request, spent_from_now(daemon)
    deadline = caller.deadline(daemon, request.question.search.timeout_ms)
    members = daemon.shared.joint.members(request.epoch, request.members)
    packs = daemon.shared.packs

    def work(_: "Engine") -> tuple["JointView | None", BatchedPoolResponse]:
        from ggrep.search.engine.rank_pools import batched_pools

        views = [snapshot for _, snapshot in members]
        joint = None if request.question.by_rank else packs.view(views)
        # The coordinator pools comparable members only, which may not include this daemon's store.
        first = members[0][0]
        return joint, batched_pools(
            views,
            joint,
            request.question,
            encoder=first.encoder,
            settings=first.settings,
            deadline=deadline,
        )

    logged = logged_request(PoolRequest(request.question.search, 1))
    try:
        view, pools = await run_admitted(daemon, caller, deadline, spent, work)
    except BaseException as error:
        note_failure(daemon, caller, logged, spent, error)
        if isinstance(error, SnapshotGone):
            await to_thread.run_sync(_look_again, members, limiter=daemon.shared.threads)
        raise
    if view is not None and packs.wants_packing(view):
        daemon.in_background(partial(packs.pack, view))
    hits = sum(len(hits) for lists in pools.lists for _, hits in lists.corpora)
    note(daemon, caller, logged, spent, LoggedAnswer("", hits, pools.limits_hit, ()))
    return {"pools": to_builtins(pools)}


def _look_again(members: "Sequence[tuple[Engine, SnapshotView]]") -> None:
    """Let members with a changed snapshot file verify it before their next description."""
    for engine, view in members:
        if not view.lies_still():
            engine.look_again()
