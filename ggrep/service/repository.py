"""One repository, with blocking calls."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self, TypeVar, Unpack

from ggrep.model.status import Status
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import timeout_of
from ggrep.service import answers, calls
from ggrep.service.answers import Answer, as_asked, sync_answer
from ggrep.service.calls import AnyPath, Method, Options
from ggrep.service.daemon_choice import daemon_client_of
from ggrep.service.repository_handle import LOG, DaemonUse, RepositoryHandle, surroundings

A = TypeVar("A", bound=Answer)


class Repository:
    """One repository; usable by threads and forked processes.

    Each question to a daemon has a connection of its own, so that nothing is held between two.
    An index that is read here is held open until `close`.
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
        """Open the repository around a directory; starts and reads nothing yet.

        Args:
            path: a directory in it.
            daemon: use of daemons: `auto`, `require` or `never`.
            index: an index is wanted, though the directory be no repository; as `--yes`.
            encoder: encoder of the index; None for the configured one.
            profile: profile of the repository's file; None for the configured one.
            environ: variables that settings are read from; None for this process's own.

        Raises:
            InvalidRequest: there is no such directory, or a settings file or variable is wrong.
        """
        flags = {"encoder": encoder, "profile": profile}
        self._opened = RepositoryHandle(path, surroundings(daemon, environ, flags), index=index)

    @property
    def root(self) -> Path:
        """Return the repository's root, to which the paths of answers belong."""
        return self._opened.address().identity.root

    def search(self, query: str, **options: Unpack[calls.SearchOptions]) -> answers.SearchAnswer:
        """Return the hits of a query, best first.

        Without an index, a scan of the work tree answers, and `warnings` says so.

        Raises:
            InvalidRequest: an option has no such value.
            Unasked: nothing says that an index of the directory is wanted.
            NoIndex: nothing is indexed, and only an index can answer.
            Busy: there is no room now; DeadlineExceeded: there was no answer in time.
            NotStarted: a daemon is required and cannot be had; Unreachable: it went away.
            Closed: the repository was closed.
        """
        return self._answer(calls.SEARCH, options, query=query)

    def slate(self, query: str, **options: Unpack[calls.SlateOptions]) -> answers.SlateAnswer:
        """Return a slate for a question: files by section, with evidence. Errors as `search`."""
        return self._answer(calls.SLATE, options, query=query)

    def symbol(self, name: str, **options: Unpack[calls.SymbolOptions]) -> answers.SymbolAnswer:
        """Return where a name, or `container.name`, is defined. Errors as `search`."""
        return self._answer(calls.SYMBOL, options, name=name)

    def references(
        self, name: str, **options: Unpack[calls.ReferencesOptions]
    ) -> answers.ReferencesAnswer:
        """Return where a name is used. Errors as `search`."""
        return self._answer(calls.REFERENCES, options, name=name)

    def expand(self, target: str, **options: Unpack[calls.ExpandOptions]) -> answers.ExpandAnswer:
        """Return the code around a place: `path`, `path:line`, `path:line-line` or a row id.

        Errors as `search`.
        """
        return self._answer(calls.EXPAND, options, target=target)

    def outline(
        self, *targets: str, **options: Unpack[calls.OutlineOptions]
    ) -> answers.OutlineAnswer:
        """Return what files or folders define: `path`, or `path:line` for what is around a line.

        Errors as `search`.
        """
        return self._answer(calls.OUTLINE, options, targets=targets or ("",))

    def tour(self, **options: Unpack[calls.TourOptions]) -> answers.TourAnswer:
        """Return what the repository is, as its own files say. Errors as `search`."""
        return self._answer(calls.TOUR, options)

    def sync(self, *, strict: bool = False) -> answers.SyncAnswer:
        """Bring the index up to date with the work tree; create it if missing.

        Raises:
            Unasked: the root is a directory of the machine, as `/usr` is; see `index`.
            SyncRefused: a rule forbids it; the last good index stays.
            GgrepError: as `search`.
        """
        opened = self._opened
        address = opened.address()
        if opened.asks(address, wanted=True):
            try:
                asking = daemon_client_of(address, opened.within.environ, LOG.info)
                return sync_answer(asking.sync(strict=strict))
            except (NotStarted, NoReply) as error:
                opened.within.do_without(error)
        return opened.sync(address, strict=strict)

    def status(self) -> Status:
        """Return the state of the index and its daemon; starts none."""
        return self._opened.status()

    def close(self) -> None:
        """Close everything; later calls raise `Closed`."""
        self._opened.close()

    def __enter__(self) -> Self:
        self._opened.require_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, method: Method[A], options: Options, **first: object) -> A:
        make_message = method.message(options, **first)
        opened = self._opened
        address = opened.address()
        message = make_message(address)
        deadline = opened.deadline(address, message)
        if opened.asks(address):
            try:
                asking = daemon_client_of(address, opened.within.environ, LOG.info, until=deadline)
                return as_asked(asking.value(method.answer, message), timeout_of(message))
            except (NotStarted, NoReply) as error:
                opened.within.do_without(error)
        return opened.read(method.answer, address, message, deadline)
