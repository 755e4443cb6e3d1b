"""Searches repositories through their daemons, within the profile of each repository."""

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from typing import Any, Final, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.ids import RepoId
from ggrep.config.profiles import Profile, ProfileView
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import (
    BatchedDescription,
    BatchedPoolRequest,
    BatchedPoolResponse,
    BatchedQuery,
    Member,
    members_key,
)
from ggrep.model.corpus import CORPUS_WORDS
from ggrep.model.filters import Filter
from ggrep.model.operations import operation_of
from ggrep.model.request import (
    PoolRequest,
    Request,
    SearchRequest,
)
from ggrep.model.response import RepoDescription
from ggrep.model.slate import SlateRequest
from ggrep.protocol.client.channels import Channels
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import (
    Ask,
    Describe,
    Fetch,
    JointDescribe,
    JointPool,
    Message,
    timed,
    whole_ms,
    within,
)
from ggrep.protocol.wire.replies import Reply

RequestT = TypeVar("RequestT")


def narrowed(request: Request[RequestT], profile: Profile) -> Any:  # noqa: ANN401 - the type of the request
    """Return the request restricted to a profile; lists of hidden corpora will be empty."""
    if isinstance(request, PoolRequest | SlateRequest):
        return replace(request, search=_narrowed(request.search, profile.view))
    return request


def _narrowed(request: SearchRequest, view: ProfileView) -> SearchRequest:
    # The requested corpora stay, as the answer needs a list for each requested corpus.
    hidden = [
        Filter("corpus", word, negated=True)
        for word, corpus in CORPUS_WORDS.items()
        if corpus not in view.corpora
    ]
    within = dict.fromkeys((*request.within, *view.within, *hidden))
    return replace(request, within=tuple(within))


def described(description: RepoDescription, profile: Profile) -> RepoDescription:
    """Return the description with the profile's name; its restrictions change `answers_key`."""
    if profile.view == ProfileView():
        return description
    text = f"{description.answers_key}|{profile.view!r}"
    key = hashlib.sha256(text.encode()).hexdigest()
    return replace(description, answers_key=key, profile=profile.name)


ReplyT = TypeVar("ReplyT")

_MOST_LISTS: Final = 8
"""Number of repository lists with cached descriptions; a workspace uses one or two lists."""
_MOST_READERS: Final = 16
"""Maximum number of threads that read settings of repositories."""
_STUCK_S: Final = 0.1
"""Time after which another thread starts. Settings are usually unchanged and one thread is fastest,
but reading can hang on an unreachable disk."""


class DaemonSearcher:
    """Searches one repository through its daemon."""

    def __init__(
        self,
        channels: Channels,
        meet: Callable[[], DaemonAddress],
        address: DaemonAddress | None = None,
    ) -> None:
        """Create the searcher without sending a request.

        `meet` reads the repository's settings and returns the daemon's address; `address` is the
        address if it is already known.
        """
        self._channels = channels
        self._meet = meet
        self._address = address

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description that a coordinator needs before it sends queries."""
        reply = await self._ask(lambda left_ms: Describe(whole_ms(left_ms)), deadline)
        return described(value_of(RepoDescription, reply, "description"), await self._profile())

    async def ask(self, request: Request[ReplyT], deadline: Deadline) -> ReplyT:
        """Return the answer to a request."""
        operation = operation_of(request)
        visible = narrowed(request, await self._profile())
        message: Ask[Any] | Fetch[Any]
        message = Ask(visible, values=True) if operation.is_public else Fetch(visible)
        reply = await self._ask(lambda left_ms: within(message, left_ms), deadline)
        return value_of(operation.response, reply, operation.reply_key)

    async def _ask(self, message_of: Callable[[float], Message], deadline: Deadline) -> Reply:
        return await self._channels.ask_within(await self._met(), message_of, deadline)

    async def _profile(self) -> Profile:
        return (await self._met()).profile

    async def _met(self) -> DaemonAddress:
        if self._address is None:
            self._address = await to_thread.run_sync(self._meet, abandon_on_cancel=True)
        return self._address


class KnownHosts(Struct):
    """A cache of the latest descriptions from host processes, by `members_key`."""

    most: int = _MOST_LISTS
    _descriptions: dict[str, BatchedDescription] = field(default_factory=dict)

    def get(self, key: str) -> BatchedDescription | None:
        """Return the latest description of a list of repositories; None if there is none."""
        return self._descriptions.get(key)

    def keep(self, key: str, description: BatchedDescription) -> None:
        """Store a description; the oldest descriptions beyond the bound are dropped."""
        self._descriptions.pop(key, None)
        self._descriptions[key] = description
        while len(self._descriptions) > self.most:
            del self._descriptions[next(iter(self._descriptions))]


def _is_of(description: RepoDescription, member: Member) -> bool:
    store = description.store_id, description.config_fingerprint
    return store == (member.store_id, member.config_fingerprint)


class HostSearcher(Struct):
    """Searches repositories through one host process, which can also read other daemons' stores.

    Attributes:
        guide: the daemon of the host process that receives the messages.
        met: addresses of the repositories' daemons, in ascending order of repository ids.
    """

    channels: Channels
    known: KnownHosts
    guide: DaemonAddress
    met: Mapping[RepoId, DaemonAddress]
    _epoch: str = ""

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the descriptions of repositories that can be searched together."""
        identities = [address.identity for address in self.met.values()]
        members = tuple(
            Member(identity.store_id, identity.config_fingerprint, str(identity.root))
            for identity in identities
        )
        key = members_key(members)
        known = self.known.get(key)
        epoch = known.epoch if known else ""
        batch = await self._describe(JointDescribe(key, known=epoch), deadline)
        if not batch.epoch:
            batch = await self._describe(JointDescribe(key, members, epoch), deadline)
        if known is not None and batch.epoch == known.epoch:
            batch = known
        for member, description in zip_longest(members, batch.descriptions or ()):
            if description is not None and not (member and _is_of(description, member)):
                raise Unreachable("the daemon described stores that were not requested")
        self.known.keep(key, batch)
        self._epoch = batch.epoch
        return {
            repo: described(description, address.profile)
            for (repo, address), description in zip(
                self.met.items(), batch.descriptions or (), strict=True
            )
            if description is not None
        }

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the first hits of each repository's lists."""
        places = {repo: place for place, repo in enumerate(self.met)}
        members = tuple(places[repo] for repo in repos)

        def message_of(left_ms: float) -> Message:
            timed_question = replace(question, search=timed(question.search, left_ms))
            return JointPool(BatchedPoolRequest(timed_question, self._epoch, members))

        return value_of(BatchedPoolResponse, await self._ask(message_of, deadline), "pools")

    async def _describe(self, message: JointDescribe, deadline: Deadline) -> BatchedDescription:
        def message_of(left_ms: float) -> Message:
            return replace(message, timeout_ms=whole_ms(left_ms))

        return value_of(BatchedDescription, await self._ask(message_of, deadline), "described")

    async def _ask(self, message_of: Callable[[float], Message], deadline: Deadline) -> Reply:
        return await self.channels.ask_within(self.guide, message_of, deadline, "never")


class DaemonSearchers(Struct):
    """Opens searchers of repositories through their daemons.

    Attributes:
        meet: reads a repository's settings files and returns the address of its daemon. An error
            that it raises becomes the failure of that repository's queries.
    """

    channels: Channels
    meet: Callable[[WorkspaceRepo], DaemonAddress]
    known: KnownHosts = field(default_factory=KnownHosts)

    _met: dict[RepoId, DaemonAddress] = field(default_factory=dict)

    async def prepare(
        self, repos: Sequence[WorkspaceRepo], deadline: Deadline, *, waits: bool = True
    ) -> None:
        """Read the daemons' addresses, and start missing daemons.

        If a daemon does not start, later queries to its repository fail. Each call of `prepare`
        reads the settings again. With `waits`, return once the started daemons listen.
        """
        self._met = {}
        met = self._met
        await self._read_addresses(repos, met)
        await self.channels.prepare(list(met.values()), deadline, waits=waits)

    def open(self, repo: WorkspaceRepo) -> DaemonSearcher:
        """Return the searcher of a repository."""
        return DaemonSearcher(self.channels, partial(self.meet, repo), self._met.get(repo.repo_id))

    def joint(self, repos: Sequence[WorkspaceRepo]) -> HostSearcher | None:
        """Return the searcher of the host with most repositories; None if no host has several."""
        met = {repo.repo_id: self._met[repo.repo_id] for repo in repos if repo.repo_id in self._met}
        served = Counter(host for host in self.channels.hosts_of(met.values()) if host)
        if not served:
            return None
        host, number = min(served.items(), key=lambda item: (-item[1], item[0]))
        guide = self.channels.guide(list(met.values()), host)
        if guide is None or number < 2:
            return None
        ordered = {repo: met[repo] for repo in sorted(met)}
        return HostSearcher(self.channels, self.known, guide, ordered)

    async def _read_addresses(
        self, repos: Sequence[WorkspaceRepo], met: dict[RepoId, DaemonAddress]
    ) -> None:
        """Read the addresses of daemons; more threads start if reading takes long."""
        left = deque(repos)
        limiter = CapacityLimiter(_MOST_READERS)
        done = anyio.Event()

        def read_rest() -> None:
            while left:
                with suppress(Exception):  # `left` is empty, or queries will raise the error
                    repo = left.popleft()
                    met[repo.repo_id] = self.meet(repo)

        async def read() -> None:
            await to_thread.run_sync(read_rest, abandon_on_cancel=True, limiter=limiter)
            done.set()

        async with anyio.create_task_group() as group:
            for _ in range(_MOST_READERS):
                group.start_soon(read)
                with anyio.move_on_after(_STUCK_S):
                    await done.wait()
                if not left:
                    break
