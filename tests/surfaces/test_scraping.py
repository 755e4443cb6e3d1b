"""One look at all daemons of a home; who does not answer is a row."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from ggrep.base import durable, stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.processes import own_start_ticks
from ggrep.config.home import Home
from ggrep.daemon.daemon_metrics import Scraped, scrape_json, scrape_text
from ggrep.protocol.wire.endpoint import DaemonRecord, place_of_socket, record_bytes, record_path
from ggrep.protocol.wire.messages import Status
from ggrep.service import scraping
from ggrep.service.scraping import scrape
from tests.fakes.daemons import busy_load
from tests.fakes.hosts import served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree


@pytest.fixture
def short() -> Iterator[Path]:
    with short_directory() as base:
        yield base


def record_of(home: Path, store_id: str, root: str, fingerprint: str = "c") -> DaemonRecord:
    """Leave the record of a daemon in this process."""
    place = place_of_socket(Home(home), store_id, fingerprint)
    record = DaemonRecord(
        store_id=store_id,
        config_fingerprint=fingerprint,
        root=root,
        socket=str(place),
        pid=os.getpid(),
        pid_started=own_start_ticks(),
        started_at="2031-02-03T04:05:06Z",
        binary_version="0.1.0",
        build="b",
        protocol_versions=(1,),
        host_id="h",
        encoder="none",
    )
    durable.make_directory(place.parent)
    durable.replace_file(record_path(place), record_bytes(record))
    return record


def figures(text: str) -> dict[tuple[str, str], float]:
    """Return name and store to value of what a scraper reads, of figures without other labels."""
    return {
        (sample.name, sample.labels.get("store", "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if set(sample.labels) <= {"store", "root"}
    }


async def test_one_that_answers_and_those_that_do_not(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scraping, "SCRAPE_MS", 2_000)
    root, home = short / "shop", short / "h"
    write_tree(root, {"a.py": "def settle():\n    pass\n"})
    open_engine(root, home).sync()
    record_of(home, "dead", "/secret/place/dead")
    silent = record_of(home, "mute", "/secret/place/mute")
    with (
        served(root, home) as host,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute,
    ):
        mute.bind(silent.socket)
        mute.listen()
        hello = host.address.hello
        record_of(home, hello.store_id, str(root), hello.config_fingerprint)
        host.ask(Status())
        rows = await scrape(Home(home), SystemClock())
        record_path(host.address.socket).unlink()

    assert [(row.root, row.load is None, bool(row.problem)) for row in rows] == [
        ("dead", True, True),
        ("mute", True, True),
        ("shop", False, False),
    ]
    result = figures(scrape_text(rows))
    assert result["ggrep_daemons", ""] == 3
    assert [result["ggrep_daemon_up", row.store_id] for row in rows] == [0, 0, 1]
    assert result["ggrep_connections", rows[2].store_id] >= 1
    shown = scrape_text(rows) + stable_json.dumps(scrape_json(rows)).decode()
    assert "/secret" not in shown
    assert str(short) not in shown


async def test_a_home_without_daemons_has_none(home: Path) -> None:
    rows = await scrape(Home(home), SystemClock())

    assert rows == []
    assert figures(scrape_text(rows)) == {("ggrep_daemons", ""): 0}
    assert not os.path.exists(home)  # noqa: ASYNC240, PTH110 - of a test


async def test_daemons_beyond_the_bound_are_counted(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scraping, "MOST_DAEMONS", 1)
    for name in ("a", "b", "c"):
        record_of(short / "h", name, f"/{name}")

    rows = await scrape(Home(short / "h"), SystemClock())

    assert len(rows) == 3
    assert sum("only 1 daemons are queried" in row.problem for row in rows) == 2


def test_figures_of_all_are_one_text_that_can_be_read() -> None:
    rows = [Scraped(name, "r", replace(busy_load(), rss_bytes=n)) for n, name in enumerate("ab")]
    text = scrape_text(rows)

    assert text.count("# TYPE ggrep_resident_bytes gauge") == 1
    assert figures(text)["ggrep_resident_bytes", "b"] == 1


async def test_daemons_that_the_caller_may_not_know_of_are_no_rows(short: Path) -> None:
    for name in ("a", "b"):
        record_of(short / "h", name, f"/{name}")

    rows = await scrape(Home(short / "h"), SystemClock(), lambda root: root == Path("/a"))

    assert [row.root for row in rows] == ["a"]
    assert figures(scrape_text(rows))["ggrep_daemons", ""] == 1
