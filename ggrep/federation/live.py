"""The status that running daemons of a workspace report; none is started for it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import GgrepError, Incompatible
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.workspace_manifest import RepoState
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.daemon_listing import running
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.client.stopping import hello_to
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.message_types import Describe, Status
from ggrep.protocol.wire.replies import Reply

DaemonWord: TypeAlias = Literal["none", "ready", "indexing", "stale", "silent", "other_version"]
"""What the daemon of a repository is at."""

_REPLY_MS: Final = 2_000
_ASKED_AT_ONCE: Final = 8


class LiveDaemon(Struct, frozen=True):
    """The daemon of one repository, or none.

    Attributes:
        protocol: that was agreed on.
        description: as a coordinator would be told; None when it did not say.
        problem: why it cannot be asked, or how it differs.
    """

    state: DaemonWord = "none"
    pid: int | None = None
    protocol: int | None = None
    description: RepoDescription | None = None
    problem: str | None = None

    @property
    def running(self) -> bool:
        """Return whether a process holds the repository, answering or not."""
        return self.state != "none"


class ToldSync(Struct, frozen=True):
    """The progress of a running sync."""

    state: str = "idle"


class ToldDaemon(Struct, frozen=True):
    """The condition of a daemon."""

    stale: bool = False
    stale_reason: str | None = None


class ToldStatus(Struct, frozen=True):
    """The part of a status document that is read, from any build."""

    sync: ToldSync = ToldSync()
    daemon: ToldDaemon = ToldDaemon()


def records_of(states: Sequence[RepoState], home: Home) -> dict[RepoId, DaemonRecord]:
    """Return the records of the daemons that serve some repositories under present settings."""
    by_place = {(one.store_id, one.config_fingerprint): one for one in running(home)}
    found = {}
    for state in states:
        record = by_place.get((state.store_id or "", state.config_fingerprint or ""))
        if record is not None:
            found[state.repo_id] = record
    return found


def ask_daemons(states: Sequence[RepoState], home: Home, clock: Clock) -> dict[RepoId, LiveDaemon]:
    """Return the status of each repository's daemon; all are queried concurrently."""
    records = records_of(states, home)
    with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
        answers = pool.map(lambda record: _ask(record, clock), records.values())
        told = dict(zip(records, answers, strict=True))
    return {state.repo_id: told.get(state.repo_id, LiveDaemon()) for state in states}


def _ask(record: DaemonRecord, clock: Clock) -> LiveDaemon:
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            protocol = link.welcome.protocol_version
            status = _told(link.ask(Status(), Deadline.after(clock, _REPLY_MS)))
            state: DaemonWord = "ready"
            if status.daemon.stale:
                state = "stale"
            elif status.sync.state == "indexing":
                state = "indexing"
            description = _describe(link, clock)
    except Incompatible as error:
        return LiveDaemon("other_version", record.pid, problem=str(error))
    except (Unreachable, GgrepError, DecodeError) as error:
        return LiveDaemon("silent", record.pid, problem=str(error))
    return LiveDaemon(state, record.pid, protocol, description, status.daemon.stale_reason)


def _told(reply: Reply) -> ToldStatus:
    return decode(ToldStatus, reply.body.get("status"))


def _describe(link: Link, clock: Clock) -> RepoDescription | None:
    """Return the daemon's description for coordinators, or none if it is busy."""
    try:
        reply = link.ask(Describe(timeout_ms=_REPLY_MS), Deadline.after(clock, _REPLY_MS))
        return decode(RepoDescription, reply.body.get("description"))
    except Unreachable:
        raise
    except (GgrepError, DecodeError):
        return None
