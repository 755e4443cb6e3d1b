"""Collects the metrics of all daemons of a home concurrently."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import anyio
from anyio import CapacityLimiter, to_thread

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.home import Home
from ggrep.daemon.daemon_metrics import Scraped
from ggrep.model.daemons import DaemonLoad
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.client.channel import Channel
from ggrep.protocol.client.daemon_control import hello_to
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.messages import Metrics

SCRAPE_MS: Final = 3_000
"""Timeout for all daemons together."""

MOST_DAEMONS: Final = 1_024
"""Maximum number of queried daemons; further daemons are only counted."""

_AT_ONCE: Final = 32


async def scrape(
    home: Home, clock: Clock, shows: Callable[[Path], bool] = lambda _: True
) -> Sequence[Scraped]:
    """Return a row for each daemon of the home, by store; a daemon without a reply has no figures.

    No daemon is started. At most MOST_DAEMONS daemons are queried; the rows of further daemons
    contain a message. `shows` returns whether the caller may see a daemon's root.
    """

    def shown() -> dict[str, DaemonRecord]:
        return {each.store_id: each for each in running(home) if shows(Path(each.root))}

    records = await to_thread.run_sync(shown)
    deadline = Deadline.after(clock, SCRAPE_MS)
    limiter = CapacityLimiter(_AT_ONCE)
    rows: list[Scraped] = []

    async def ask(record: DaemonRecord) -> None:
        async with limiter:
            rows.append(await _scraped(record, deadline))

    async with anyio.create_task_group() as group:
        for number, record in enumerate(records.values()):
            if number < MOST_DAEMONS:
                group.start_soon(ask, record)
            else:
                rows.append(_row(record, None, f"only {MOST_DAEMONS} daemons are queried"))
    return sorted(rows, key=lambda row: row.store_id)


async def _scraped(record: DaemonRecord, deadline: Deadline) -> Scraped:
    try:
        channel = await Channel.open(Path(record.socket), hello_to(record), deadline)
        try:
            reply = await channel.ask(Metrics(), deadline)
        finally:
            await channel.aclose()
        stores = reply.body["metrics"]["stores"]  # type: ignore[index] # it is read
        return _row(record, decode(DaemonLoad, stores[0]["load"]))
    except GgrepError as error:
        return _row(record, None, str(error))
    except (DecodeError, LookupError, TypeError):
        return _row(record, None, "the daemon is of another build; its metrics are unknown")


def _row(record: DaemonRecord, load: DaemonLoad | None, problem: str = "") -> Scraped:
    # Only the last part of the path, as metrics should not disclose full paths.
    root = sanitise_line(Path(record.root).name)
    return Scraped(record.store_id, root, load, sanitise_line(problem))
