"""Answers messages from coordinators on users' machines, whose workspaces include this server.

Each message names the trees (pushed snapshots) to search, so all messages of a query see the same
trees.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Forbidden, InvalidRequest, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Document
from ggrep.federation.server_connection import ServerMessage
from ggrep.model.batched_query import MOST_MEMBERS
from ggrep.model.operations import bounds_of
from ggrep.protocol.wire.messages import (
    Ask,
    Describe,
    Fetch,
    JointDescribe,
    JointPool,
    parse_message,
    within,
)
from ggrep.server.epoch import ServedRepo
from ggrep.server.node_searchers import NodeSearcher, NodesTogether
from ggrep.server.team import UserService, no_sessions


async def answered(service: UserService, sent: ServerMessage) -> Document:
    """Return the body of the reply to a message.

    Raises:
        Forbidden: the user may not see a repository of the message, or it does not exist.
        SnapshotGone: a requested tree has been replaced.
        InvalidRequest: the message is malformed, or not of a type that coordinators send.
    """
    seen = {repo.key: repo for repo in service.seen.repos.values()}
    if sent.message is None:
        return {"repos": [[key, repo.tree.sha256] for key, repo in sorted(seen.items())]}
    if not len(sent.repos) == len({*sent.repos}) <= MOST_MEMBERS or not sent.repos:
        raise InvalidRequest(f"repos: name 1 to {MOST_MEMBERS} repositories, each once")
    repos = [_tree(service, seen, key, tree) for key, tree in sent.repos]
    body = await _replied(service, sent.message, repos)
    service.entry.searched.update(repo.repo_id for repo in repos)
    return body


def _tree(service: UserService, seen: Mapping[str, ServedRepo], key: str, tree: str) -> ServedRepo:
    """Return the repository with a key, if the tree is its current or previous one."""
    if key not in seen:
        raise Forbidden("there is no repository with this key that you may see")
    for repo in (seen[key], service.team.previous.repos.get(key)):
        if repo is not None and repo.tree.sha256 == tree:
            return repo
    raise SnapshotGone("another snapshot of the repository was pushed")


async def _replied(
    service: UserService, body: Mapping[str, Any], repos: Sequence[ServedRepo]
) -> Document:
    team = service.team

    def deadline(timeout_ms: int) -> Deadline:
        return Deadline.after(team.clock, timeout_ms or team.settings.query_timeout_ms)

    searcher = NodeSearcher(team.nodes, repos[0])
    sent = parse_message(body).message
    if len(repos) > 1 and not isinstance(sent, (JointDescribe, JointPool)):
        raise InvalidRequest("repos: must name exactly one repository for this message")
    match sent:
        case Describe(timeout_ms):
            return {"description": to_builtins(await searcher.describe(deadline(timeout_ms)))}
        case Ask(request) | Fetch(request) as message:
            if getattr(request, "session", None):
                raise no_sessions()
            service.entry.ask(request)
            until = deadline(bounds_of(request).timeout_ms)
            message_of = partial(within, message)
            return await searcher.value(message_of, lambda reply: dict(reply.body), until)
        case JointDescribe(known=known, timeout_ms=timeout_ms):
            together, ids = _together(service, repos)
            described = await together.describe(deadline(timeout_ms))
            listed = [to_builtins(described.get(repo)) for repo in ids]
            epoch = hashlib.sha256(stable_json.dumps(listed)).hexdigest()
            descriptions = None if epoch == known else listed
            return {"described": {"epoch": epoch, "descriptions": descriptions}}
        case JointPool(request):
            question = request.question
            service.entry.ask(question)
            together, ids = _together(service, repos)
            until = deadline(question.search.timeout_ms)
            await together.describe(until)
            return {"pools": to_builtins(await together.search(question, ids, until))}
        case _:
            raise InvalidRequest("the server does not answer this message")


def _together(
    service: UserService, repos: Sequence[ServedRepo]
) -> tuple[NodesTogether, list[RepoId]]:
    """Return the joint searcher of repositories, and their ids: numbers in the order of `repos`."""
    team = service.team
    by_id = {RepoId(f"{place:08}"): repo for place, repo in enumerate(repos)}
    return NodesTogether(team.nodes, team.fingerprint, by_id, team.known), [*by_id]
