"""Searches repositories through their daemons, each narrowed by its own profile."""

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


def narrowed(request: Request[RequestT], profile: Profile) -> Any:  # noqa: ANN401 - as the request
    """Return the request under a profile; lists that it hides are empty."""
    if isinstance(request, PoolRequest | SlateRequest):
        return replace(request, search=_narrowed(request.search, profile.view))
    return request


def _narrowed(request: SearchRequest, view: ProfileView) -> SearchRequest:
    # Corpora stay as they were asked for: each of them is a list of the answer.
    hidden = [
        Filter("corpus", word, negated=True)
        for word, corpus in CORPUS_WORDS.items()
        if corpus not in view.corpora
    ]
    within = dict.fromkeys((*request.within, *view.within, *hidden))
    return replace(request, within=tuple(within))


def described(description: RepoDescription, profile: Profile) -> RepoDescription:
    """Return the description with the profile's name, and a key that tells its view from others."""
    if profile.view == ProfileView():
        return description
    text = f"{description.answers_key}|{profile.view!r}"
    key = hashlib.sha256(text.encode()).hexdigest()
    return replace(description, answers_key=key, profile=profile.name)


ReplyT = TypeVar("ReplyT")

_MOST_LISTS: Final = 8
"""Lists of repositories, one or two for each workspace, of which descriptions are kept."""
_MEETINGS: Final = 16
"""Threads that read settings of repositories at once."""
_STUCK_S: Final = 0.1
"""After which one more thread helps with the rest: mostly nothing changed, and one thread does it
in less time than several that wait for each other. A look may hang on a disk that is gone."""


class DaemonSearcher:
    """One repository, searched through its daemon."""

    def __init__(
        self,
        channels: Channels,
        meet: Callable[[], DaemonAddress],
        address: DaemonAddress | None = None,
    ) -> None:
        """Ask nothing yet.

        `meet` reads the repository's settings and returns its address; `address` is that address if
        it is known already.
        """
        self._channels = channels
        self._meet = meet
        self._address = address

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the facts that a coordinator needs before it queries."""
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
    """Latest descriptions by hosts, by list of repositories."""

    held: dict[str, BatchedDescription] = field(default_factory=dict)

    def keep(self, key: str, description: BatchedDescription) -> None:
        """Remember a description in place of those that were used longest ago."""
        self.held.pop(key, None)
        self.held[key] = description
        while len(self.held) > _MOST_LISTS:
            del self.held[next(iter(self.held))]


class HostSearcher(Struct):
    """A host process, asked about its daemons' stores and others by way of one daemon."""

    channels: Channels
    known: KnownHosts
    guide: DaemonAddress
    met: Mapping[RepoId, DaemonAddress]
    _epoch: str = ""

    @property
    def repos(self) -> Sequence[RepoId]:
        """Return the repositories, by id."""
        return tuple(self.met)

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the facts of those that need not be asked by themselves."""
        identities = [address.identity for address in self.met.values()]
        places = tuple(
            Member(one.store_id, one.config_fingerprint, str(one.root)) for one in identities
        )
        key = members_key(places)
        known = self.known.held.get(key)
        epoch = known.epoch if known else ""
        batch = await self._describe(JointDescribe(key, known=epoch), deadline)
        if not batch.epoch:
            batch = await self._describe(JointDescribe(key, places, epoch), deadline)
        if known is not None and batch.epoch == known.epoch:
            batch = known
        expected = [(one.store_id, one.config_fingerprint) for one in places]
        for one, said in zip_longest(expected, batch.descriptions or ()):
            if said is not None and (said.store_id, said.config_fingerprint) != one:
                raise Unreachable("the daemon describes other stores than were asked about")
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
        """Return the beginnings of the lists of several of them."""
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
    """Gives access to repositories through their daemons.

    Attributes:
        meet: reads a repository's settings, which may take the time of some files; returns the
            address of its daemon. An error it raises is that repository's failure when it is asked.
    """

    channels: Channels
    meet: Callable[[WorkspaceRepo], DaemonAddress]
    known: KnownHosts = field(default_factory=KnownHosts)

    _met: dict[RepoId, DaemonAddress] = field(default_factory=dict)

    async def prepare(
        self, repos: Sequence[WorkspaceRepo], deadline: Deadline, *, waits: bool = True
    ) -> None:
        """Find the daemons' addresses, and start the daemons that are missing.

        Repositories without a daemon fail when they are asked. Settings are read anew each time.
        Started daemons are waited for if `waits`.
        """
        self._met = {}
        met = self._met
        await self._note(repos, met)
        await self.channels.prepare(list(met.values()), deadline, waits=waits)

    def open(self, repo: WorkspaceRepo) -> DaemonSearcher:
        """Return the searcher of a repository."""
        return DaemonSearcher(self.channels, partial(self.meet, repo), self._met.get(repo.repo_id))

    def hosts(self, repos: Sequence[WorkspaceRepo]) -> Sequence[HostSearcher]:
        """Return the process that serves most of them, two at least: it can be asked about all."""
        met = {repo.repo_id: self._met[repo.repo_id] for repo in repos if repo.repo_id in self._met}
        served = Counter(host for host in self.channels.hosts_of(met.values()) if host)
        if not served:
            return ()
        host, number = min(served.items(), key=lambda item: (-item[1], item[0]))
        guide = self.channels.guide(list(met.values()), host)
        if guide is None or number < 2:
            return ()
        ordered = {repo: met[repo] for repo in sorted(met)}
        return (HostSearcher(self.channels, self.known, guide, ordered),)

    async def _note(self, repos: Sequence[WorkspaceRepo], met: dict[RepoId, DaemonAddress]) -> None:
        """Find the addresses of daemons."""
        left = deque(repos)
        looks = CapacityLimiter(_MEETINGS)
        done = anyio.Event()

        def meet_rest() -> None:
            while left:
                with suppress(Exception):  # another took it, or it fails when it is asked
                    repo = left.popleft()
                    met[repo.repo_id] = self.meet(repo)

        async def look() -> None:
            await to_thread.run_sync(meet_rest, abandon_on_cancel=True, limiter=looks)
            done.set()

        async with anyio.create_task_group() as group:
            for _ in range(_MEETINGS):
                group.start_soon(look)
                with anyio.move_on_after(_STUCK_S):
                    await done.wait()
                if not left:
                    break
