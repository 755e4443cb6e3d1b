"""One step of a session: what it may ask, and which files count as returned by it.

Pure: of one repository's session and of a workspace's alike.
"""

from collections.abc import Collection, Sequence

from ggrep.base.errors import InvalidRequest
from ggrep.model.sanitise import is_text
from ggrep.model.slate import MAX_TARGETS, Pack, SessionRequest


def check_session(session: SessionRequest, *, of_several: bool = False) -> None:
    """Raise unless a session may go on so.

    `of_several`: it is a part of a workspace's, which may expand what no slate has shown.

    Raises:
        InvalidRequest: names what is wrong.
    """
    if session.op == "start" and session.token:
        raise InvalidRequest(
            "session: op start must not have a token; refine and expand continue a session"
        )
    if session.op != "start" and not session.token and not of_several:
        raise InvalidRequest(f"session: op {session.op} requires the token of the previous answer")
    if session.op == "expand" and session.delta_only:
        raise InvalidRequest("session: delta_only is only allowed with op refine")
    _check_targets(session)


def _check_targets(session: SessionRequest) -> None:
    if session.targets and session.op != "expand":
        raise InvalidRequest("session: targets are only allowed with op expand")
    if session.op == "expand" and not session.targets:
        raise InvalidRequest("session: op expand requires targets: paths, or path:line")
    if len(session.targets) > MAX_TARGETS:
        raise InvalidRequest(
            f"session: {len(session.targets)} targets are more than the maximum of {MAX_TARGETS}"
        )
    for target in session.targets:
        if not is_text(target):
            raise InvalidRequest(f"session: target {target!a} is not valid Unicode")


def told_of(packs: Sequence[Pack], copies: Collection[str]) -> frozenset[str]:
    """Return the paths of files that the packs of one repository show, copies of them too.

    Of a file that says the same as another one, no later slate has any more to tell. One that
    says something else as well may have had no room, and is shown by the next slate.
    """
    places = [place for pack in packs for item in pack.evidence for place in item.also]
    named = frozenset(place.rpartition(":")[0] for place in places)
    return named.intersection(copies).union(pack.path for pack in packs)
