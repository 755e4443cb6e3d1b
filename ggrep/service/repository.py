"""A repository with blocking calls."""

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
    """A repository; usable by threads and forked processes.

    Each query opens a connection to the daemon and closes it at the end. An index that this process
    reads stays open until `close`.
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
        """Open the repository around a directory; starts no daemon and reads no index.

        Args:
            path: a directory in the repository.
            daemon: use of daemons: `auto`, `require` or `never`.
            index: build an index even if the directory is not a repository, like `--yes`.
            encoder: encoder of the index; None for the configured one.
            profile: name of a profile in the repository's file; None for the configured one.
            environ: environment variables to read settings from; None for those of this process.

        Raises:
            InvalidRequest: the directory does not exist, or a settings file or variable is invalid.
        """
        flags = {"encoder": encoder, "profile": profile}
        self._opened = RepositoryHandle(path, surroundings(daemon, environ, flags), index=index)

    @property
    def root(self) -> Path:
        """Return the repository's root; paths in answers are relative to it."""
        return self._opened.address().identity.root

    def search(self, query: str, **options: Unpack[calls.SearchOptions]) -> answers.SearchAnswer:
        """Return the hits of a query, best first.

        Without an index, a scan of the work tree answers, with a notice in `warnings`.

        Raises:
            InvalidRequest: the value of an option is invalid.
            Unasked: the directory is not a repository, and no index was requested.
            NoIndex: there is no index, and the query requires one.
            Busy: too many queries are running; DeadlineExceeded: there was no answer in time.
            NotStarted: a required daemon could not be started; Unreachable: the daemon ended.
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
        """Return the code around a location: `path`, `path:line`, `path:line-line` or a row id.

        Errors as `search`.
        """
        return self._answer(calls.EXPAND, options, target=target)

    def outline(
        self, *targets: str, **options: Unpack[calls.OutlineOptions]
    ) -> answers.OutlineAnswer:
        """Return the definitions in files or directories (`path`), or around a line (`path:line`).

        Errors as `search`.
        """
        return self._answer(calls.OUTLINE, options, targets=targets or ("",))

    def tour(self, **options: Unpack[calls.TourOptions]) -> answers.TourAnswer:
        """Return an overview of the repository from its files. Errors as `search`."""
        return self._answer(calls.TOUR, options)

    def sync(self, *, strict: bool = False) -> answers.SyncAnswer:
        """Bring the index up to date with the work tree; create it if missing.

        Raises:
            Unasked: the root is a system directory such as `/usr`; see the argument `index`.
            SyncRefused: a rule forbids publishing the new index; the old index stays.
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
        """Return the state of the index and its daemon; starts no daemon."""
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
