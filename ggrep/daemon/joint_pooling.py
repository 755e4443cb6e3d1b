"""Answers questions to many stores of this host at once."""

from typing import TYPE_CHECKING

from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.base.stable_json import Document
from ggrep.daemon.admitting import spent_from_now, worked
from ggrep.daemon.caller import Caller
from ggrep.daemon.query_log import Outcome, note, note_failure, question_of
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.joint_pools import JointPoolRequest, JointPoolResponse, Place
from ggrep.protocol.wire.codec import to_json
from ggrep.protocol.wire.message_types import JointPool

if TYPE_CHECKING:
    from ggrep.index.store.view import SnapshotView
    from ggrep.search.engine.engine import Engine


async def joint_pool(daemon: StoreDaemon, caller: Caller, message: JointPool) -> Document:
    """Answer with the beginnings of the lists of several stores of this host.

    Raises:
        InvalidRequest: one of them is served elsewhere.
        SnapshotGone: one shows another snapshot by now.
    """
    request, spent = message.request, spent_from_now(daemon)
    deadline = caller.deadline(daemon, request.search.timeout_ms)
    members = [_served(daemon, place) for place in request.members]

    def work(engine: "Engine") -> JointPoolResponse:
        from ggrep.search.engine.joint_pools import joint_pools
        from ggrep.search.query.joint_view import join

        views = [member.engine().current(deadline) for member in members]
        _require_same(request, views)
        for member in members:
            member.last_asked_ms = spent.started_ms
        return joint_pools(
            join(views),
            request,
            encoder=engine.encoder,
            settings=daemon.config.settings,
            deadline=deadline,
        )

    question = question_of("pool", request.search)
    try:
        found = await worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        note_failure(daemon, caller, question, spent, error)
        raise
    hits = sum(len(hits) for lists in found.lists for _, hits in lists.corpora)
    note(daemon, caller, question, spent, Outcome("", hits, found.limits_hit, ()))
    return {"pools": to_json(found)}


def _served(daemon: StoreDaemon, place: Place) -> StoreDaemon:
    found = daemon.shared.stores.get((place.store_id, place.config_fingerprint))
    if found is None or found.stopping is not None:
        raise InvalidRequest(f"members: store {place.store_id} is not served by this process")
    return found


def _require_same(request: JointPoolRequest, views: "list[SnapshotView]") -> None:
    """Raise unless each member shows the snapshot that is meant.

    Raises:
        SnapshotGone: one does not.
    """
    for place, view in zip(request.members, views, strict=True):
        if view.manifest.snapshot_id != place.snapshot_id or view.notices:
            raise SnapshotGone(f"snapshot {place.snapshot_id} is no longer active")
