"""A repository for use by the tasks of an asyncio or trio event loop."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self, TypeVar, Unpack

import anyio
from anyio import to_thread

from ggrep.model.status import Status
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire import messages
from ggrep.protocol.wire.messages import timeout_of
from ggrep.service import answers, calls
from ggrep.service.answers import Answer, as_asked, sync_answer
from ggrep.service.calls import AnyPath, Method, Options
from ggrep.service.per_loop import PerLoop
from ggrep.service.repository_handle import DaemonUse, RepositoryHandle, surroundings
from ggrep.service.workspace_calls import federator_of

A = TypeVar("A", bound=Answer)
T = TypeVar("T")


class AsyncRepository:
    """A repository and its connection to the daemon, shared by the tasks of an event loop.

    Cancelling a call also cancels the daemon's request. The methods are those of `Repository`, with
    the same arguments, answers and errors.
    """

    def __init__(
        self,
        path: AnyPath = ".",
        *,
        daemon: DaemonUse = "auto",
        index: bool = False,
        encoder: str | None = None,
        profile: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Open the repository around a directory; arguments and errors are those of `Repository`.

        Opening reads a few files; it starts no daemon and opens no connection.
        """
        flags = {"encoder": encoder, "profile": profile}
        within = surroundings(daemon, environ, flags)
        self._opened = RepositoryHandle(path, within, index=index)
        self._federator = PerLoop(path, lambda: federator_of(within))

    @property
    def root(self) -> Path:
        """Return the repository's root; paths in answers are relative to it."""
        return self._opened.address().identity.root

    async def search(
        self, query: str, **options: Unpack[calls.SearchOptions]
    ) -> answers.SearchAnswer:
        """Return the hits of a query, best first; see `Repository.search`."""
        return await self._answer(calls.SEARCH, options, query=query)

    async def slate(self, query: str, **options: Unpack[calls.SlateOptions]) -> answers.SlateAnswer:
        """Return a slate for a question; see `Repository.slate`."""
        return await self._answer(calls.SLATE, options, query=query)

    async def symbol(
        self, name: str, **options: Unpack[calls.SymbolOptions]
    ) -> answers.SymbolAnswer:
        """Return where a name is defined; see `Repository.symbol`."""
        return await self._answer(calls.SYMBOL, options, name=name)

    async def references(
        self, name: str, **options: Unpack[calls.ReferencesOptions]
    ) -> answers.ReferencesAnswer:
        """Return where a name is used; see `Repository.references`."""
        return await self._answer(calls.REFERENCES, options, name=name)

    async def expand(
        self, target: str, **options: Unpack[calls.ExpandOptions]
    ) -> answers.ExpandAnswer:
        """Return the code around a location; see `Repository.expand`."""
        return await self._answer(calls.EXPAND, options, target=target)

    async def outline(
        self, *targets: str, **options: Unpack[calls.OutlineOptions]
    ) -> answers.OutlineAnswer:
        """Return the definitions in files or directories; see `Repository.outline`."""
        return await self._answer(calls.OUTLINE, options, targets=targets or ("",))

    async def tour(self, **options: Unpack[calls.TourOptions]) -> answers.TourAnswer:
        """Return an overview of the repository; see `Repository.tour`."""
        return await self._answer(calls.TOUR, options)

    async def sync(self, *, strict: bool = False) -> answers.SyncAnswer:
        """Bring the index up to date with the work tree; see `Repository.sync`.

        A cancelled call does not stop a sync in this process.
        """
        self._federator.require_open()
        opened = self._opened
        address, asks = await _in_thread(lambda: self._met(wanted=True))
        if asks:
            try:
                message = messages.Sync(strict=strict)
                reply = await self._federator.get().sync(address, message)
                return sync_answer(reply.body.get("report"))
            except (NotStarted, NoReply) as error:
                opened.within.do_without(error)
        return await _in_thread(lambda: opened.sync(address, strict=strict))

    async def status(self) -> Status:
        """Return the state of the index and its daemon; see `Repository.status`."""
        self._federator.require_open()
        return await _in_thread(self._opened.status)

    async def aclose(self) -> None:
        """Close everything; later calls raise `Closed`."""
        await self._federator.aclose()
        self._opened.close()

    async def __aenter__(self) -> Self:
        self._federator.require_open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _answer(self, method: Method[A], options: Options, **first: object) -> A:
        make_message = method.message(options, **first)
        self._federator.require_open()
        opened = self._opened
        address, asks = await _in_thread(self._met)
        message = make_message(address)
        deadline = opened.deadline(address, message)
        if asks:
            try:
                reply = await self._federator.get().ask(address, message, deadline)
                return as_asked(value_of(method.answer, reply, "value"), timeout_of(message))
            except (NotStarted, NoReply) as error:
                opened.within.do_without(error)
        try:
            return await _in_thread(lambda: opened.read(method.answer, address, message, deadline))
        except anyio.get_cancelled_exc_class():
            if deadline.stop is not None:
                deadline.stop.set("cancelled")
            raise

    def _met(self, *, wanted: bool = False) -> tuple[DaemonAddress, bool]:
        """Return the daemon's address, and whether to use the daemon; reads files."""
        address = self._opened.address()
        return address, self._opened.asks(address, wanted=wanted)


async def _in_thread(work: Callable[[], T]) -> T:
    return await to_thread.run_sync(work, abandon_on_cancel=True)
