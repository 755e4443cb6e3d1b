"""`ggrep serve|stop|stop-all`: starts and stops daemons by hand."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError, UsageError
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.config.settings import PROFILE_VARIABLE, home_from
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.cli.daemons.hosting import REFUSED, host, host_behind, line_of, status_of
from ggrep.interfaces.cli.parsing.flags import (
    EncoderFlag,
    Flag,
    JsonFlag,
    PathFlag,
    ProfileFlag,
    YesFlag,
)
from ggrep.interfaces.cli.terminal import Terminal, ask_before_indexing, open_terminal
from ggrep.model.daemons import Stop, Stops
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_file
from ggrep.service.location import location_of

if TYPE_CHECKING:
    from ggrep.daemon.host import ServeResult
    from ggrep.protocol.wire.endpoint import DaemonRecord

_ARRIVING_MS = 5_000
"""How long to wait for starting daemons, to stop them as well."""
_LOOK_S = 0.1
_MOST_TOLD = 16
"""Maximum number of stopped daemons to list; more lines would scroll other output away."""


def serve(
    path: Annotated[
        list[Path] | None, Flag("--path -p", "Serve the repository of this directory; repeatable.")
    ] = None,
    workspace: Annotated[
        Path | None, Flag("--workspace", "Serve all enabled repositories of this workspace file.")
    ] = None,
    background: Annotated[bool, Flag("--background", "Return once the daemon is ready.")] = False,
    encoder: EncoderFlag = None,
    profile: ProfileFlag = None,
    yes: YesFlag = False,
    low_impact: Annotated[
        bool | None, Flag("--low-impact/--full-speed", "Sync with few resources, or at full speed.")
    ] = None,
    watch: Annotated[
        bool | None, Flag("--watch/--no-watch", "Watch the work tree for changes.")
    ] = None,
) -> int:
    """Run a daemon that keeps repositories indexed and answers searches, until stopped."""
    terminal = open_terminal()
    if workspace is not None and path:
        raise UsageError("--workspace and --path cannot go together")
    if workspace is not None:
        roots = _workspace_roots(workspace, terminal)
    else:
        paths: list[Path | None] = [*path] if path else [None]
        results = (location_of(each, directory=True).root for each in paths)
        roots = list(dict.fromkeys(results))
    flags = {"encoder": encoder, "low_impact": low_impact, "watch": watch}
    if profile is not None:
        # As clients start daemons: with a flag, plain searches would not find the daemon.
        terminal = replace(terminal, environ={**terminal.environ, PROFILE_VARIABLE: profile})
    for root in roots:
        ask_before_indexing(require_modest, root, home_from(terminal.environ), yes=yes)
    if background:
        message = host_behind(roots, flags, terminal.environ)
        terminal.note(message)
        return status_of(message)

    def tell(outcomes: "Sequence[ServeResult]") -> None:
        for outcome in outcomes:
            terminal.tell(line_of(outcome))

    reason = host(roots, flags, terminal.environ, tell)
    terminal.tell(f"stopped: {reason}")
    return 0


def _workspace_roots(file: Path, terminal: Terminal) -> list[Path]:
    from ggrep.interfaces.cli.workspaces.workspace_file import load

    enabled = [repo for repo in load(file).repos if repo.enabled]
    failures = [repo.failure for repo in enabled if repo.failure is not None]
    for failure in failures:
        terminal.tell(with_file(f"{REFUSED}: {failure}", file))
    if failures and len(failures) == len(enabled):
        raise failures[0]
    return [repo.root_canonical for repo in enabled if repo.missing is None]


def stop(path: PathFlag = None, json: JsonFlag = False) -> int:
    """Stop the daemons of a repository."""
    from ggrep.protocol.client.daemon_files import running

    terminal = open_terminal()
    root = str(location_of(path).root)
    records = [each for each in running(home_from(terminal.environ)) if each.root == root]
    if not records and not json:
        terminal.tell(f"no daemon serves {root}")
    return _stop(records, terminal, json=json)


def stop_all(json: JsonFlag = False) -> int:
    """Stop every daemon of the ggrep home directory."""
    terminal = open_terminal()
    records = _to_end(home_from(terminal.environ))
    first = next(records, None)
    if first is None and not json:
        terminal.tell("no daemon runs")
    return _stop([] if first is None else chain([first], records), terminal, json=json)


def _to_end(home: Home) -> "Iterator[DaemonRecord]":
    """Yield the running and starting daemons."""
    from ggrep.protocol.client.daemon_files import is_starting, running

    seen: set[tuple[int, str]] = set()
    patience = Deadline.after(SystemClock(), _ARRIVING_MS)
    while True:
        fresh = [each for each in running(home) if (each.pid, each.store_id) not in seen]
        seen |= {(each.pid, each.store_id) for each in fresh}
        yield from fresh
        if not fresh and (patience.remaining_ms() <= 0.0 or not is_starting(home)):
            return
        if not fresh:
            time.sleep(_LOOK_S)


def _stop(records: "Iterable[DaemonRecord]", terminal: Terminal, *, json: bool) -> int:
    ended: list[Stop] = []
    count = 0
    for record in records:
        result, how = _ended(record)
        ended.append(result)
        if result.outcome == "failed":
            terminal.tell_error(f"{record.root}: {result.reason}")
            continue
        count += 1
        if not json and count <= _MOST_TOLD:
            terminal.tell(f"stopped {record.store_id}  {record.root}{how}")
    if json:
        terminal.write_json(stops_json(ended), pretty=True)
    elif count > _MOST_TOLD:
        terminal.tell(f"stopped {count - _MOST_TOLD:,} more")
    return int(any(result.outcome == "failed" for result in ended))


def _ended(record: "DaemonRecord") -> tuple[Stop, str]:
    """Stop a daemon; return the outcome, and a note unless it stopped on request."""
    from ggrep.protocol.client.daemon_control import stop as end

    failed = Stop(record.root, record.store_id, record.pid, "failed")
    try:
        how = end(record, "ggrep stop", SystemClock()).how
    except GgrepError as error:
        return replace(failed, reason=str(error)), ""
    outcome = how if how in ("killed", "gone") else "stopped"
    return replace(failed, outcome=outcome), "" if how == "asked" else f" ({how})"


def stops_json(stops: Sequence[Stop]) -> Document:
    """Return the document of `ggrep stop`, sorted by root; `ok` is false if a daemon still runs."""
    shown = (
        replace(each, root=_plain(each.root), reason=_plain(each.reason))
        for each in sorted(stops, key=lambda each: (each.root or "", each.store_id, each.pid or 0))
    )
    ok = all(each.outcome != "failed" for each in stops)
    return Stops(ok=ok, stops=tuple(shown)).to_dict()


def _plain(text: str | None) -> str | None:
    return sanitise_line(text or "") or None


def metrics(
    json: Annotated[
        bool, Flag("--json", "Print one JSON document instead of Prometheus text.")
    ] = False,
) -> int:
    """Print metrics of all daemons; a daemon that does not answer is listed without figures."""
    import anyio

    from ggrep.daemon.daemon_metrics import scrape_json, scrape_text
    from ggrep.service.scraping import scrape

    terminal = open_terminal()
    rows = anyio.run(scrape, home_from(terminal.environ), SystemClock())
    terminal.show(scrape_json(rows), scrape_text(rows), json=json)
    return 0
