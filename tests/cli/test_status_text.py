"""States of repositories, daemons and workspaces, as text and as documents."""

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from ggrep.base import stable_json
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.config.home import Home
from ggrep.federation.building import BuildResult
from ggrep.federation.doctor import examine
from ggrep.index.maintenance.status import with_load
from ggrep.interfaces.cli.daemons.serve import stops_json
from ggrep.interfaces.cli.daemons.status import _with_fan_out
from ggrep.interfaces.cli.daemons.status_text import (
    NOTHING_RUNS,
    daemons_json,
    queries_per_second,
    render_live,
    row_of,
    sparkline,
    status_block,
    status_rows,
)
from ggrep.interfaces.cli.text_tables import Cell, render_pairs, render_table
from ggrep.interfaces.cli.workspaces.build import slowest
from ggrep.interfaces.cli.workspaces.doctor import examination_text
from ggrep.interfaces.cli.workspaces.state import diagnostics_text, status_text, summary_text
from ggrep.model.daemons import Daemon, DaemonLoad, DaemonState, Stop, SyncLoad
from ggrep.model.index_freshness import UP_TO_DATE
from ggrep.model.status import Status
from ggrep.model.workspace_state import RepoDaemon
from ggrep.render.style import Style
from ggrep.service.status_reading import read_document
from tests.fakes.daemons import busy_load, quiet_load, rows, stops
from tests.fakes.statuses import EMPTY_STATUS
from tests.fakes.workspace_documents import Workspaces

PLAIN, COLOUR = Style(colour=False), Style(colour=True)
LONG = Daemon(
    "/home/anna/projects/日本語のとても長い名前のリポジトリ/company/payments-service",
    "payments-0",
    DaemonState.READY,
    pid=99,
    files=1_834,
    query_total=100,
    in_flight=1,
    query_latency_p50_ms=12,
    rss_bytes=100_000_000,
    uptime_ms=10_000,
)
ALL = (*rows(), LONG)
SNAPSHOT = {
    "active_snapshot_id": "0" * 26,
    "created_at": "2031-02-03T04:05:06Z",
    "files": 1,
    "chunks": 2,
    "segments": 3,
}


def block(load: DaemonLoad | None, **changes: Any) -> dict[str, str]:
    """Return label to value of a repository's lines."""
    document = with_load(EMPTY_STATUS, load, UP_TO_DATE).to_dict() | changes
    shown = read_document(stable_json.loads(stable_json.dumps(document)))
    text = status_block(shown, PLAIN)
    return dict(re.split(r" {2,}", line, maxsplit=1) for line in text.splitlines())


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def later(found: Sequence[Daemon], queries: int, milliseconds: int) -> list[Daemon]:
    """Return the same daemons after some queries and some time."""
    return [
        row
        if row.query_total is None
        else replace(
            row,
            query_total=row.query_total + queries,
            uptime_ms=(row.uptime_ms or 0) + milliseconds,
        )
        for row in found
    ]


def test_a_repository_is_described_line_by_line() -> None:
    result = block(None)

    assert result["index"] == "none yet; run: ggrep index"
    assert (result["sync"], result["daemon"]) == ("idle", "none")
    damage = [{"code": "index_damaged", "message": "run: ggrep repair"}]
    assert block(None, warnings=damage)["index"] == "damaged"

    result = block(None, snapshot=SNAPSHOT)

    assert result["root"] == "/code/shop"
    assert result["snapshot"] == f"{'0' * 26} of 2031-02-03T04:05:06Z"
    assert result["indexed"] == "1 file, 2 chunks"
    assert (result["segments"], result["complete"], result["size"]) == ("3", "yes", "0.0 MB")
    assert block(None, snapshot=SNAPSHOT | {"degraded": True})["complete"] == "no: degraded"

    made = {"generated": 412, "minified": 38, "data": 12, "shortened": 3}

    shown = block(None, snapshot=SNAPSHOT | {"made_files": made})

    assert shown["machine-written"] == (
        "412 generated, 38 minified, 12 data files; they rank below hand-written files; "
        "3 partly indexed"
    )
    assert "machine-written" not in block(None, snapshot=SNAPSHOT)


def test_a_daemon_is_one_line() -> None:
    assert block(quiet_load())["daemon"] == "pid 4711, up 2 h, 0 queries running, watching"
    assert block(busy_load())["daemon"] == (
        "pid 4711, up 2 h, 3 queries running, 2 waiting, 2 query workers, p50 301 ms, 412 MB, "
        "polling, stale"
    )
    assert block(busy_load())["sync"] == "running, 9 of 20 files"

    text = status_block(with_load(EMPTY_STATUS, busy_load(), UP_TO_DATE), PLAIN)

    assert text.count("\nwarning") == 3
    assert "the encoder changed" in text


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 140, 240])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    texts = (
        status_rows(ALL, COLOUR, columns),
        render_live([ALL, later(ALL, 5, 1_000)], COLOUR, columns),
    )

    for line in without_colour("".join(texts)).splitlines():
        assert cell_len(line) <= columns


def test_a_table_has_a_line_for_each_daemon_and_each_problem() -> None:
    """Sorted by root, so that it keeps still while it is watched."""
    text = status_rows(rows(), PLAIN, 140)

    table, totals = text.split("\n\n")
    assert re.fullmatch(r"6 daemons in \d process(es)?   [\d.]+ GB\n", totals)
    assert [re.split(r" {2,}", line.strip()) for line in table.splitlines()] == [
        ["root", "state", "files", "queries", "p50", "memory", "age"],
        ["other-0", "other version", "-", "-", "-", "-", "-"],
        ["speaks protocol 2"],
        ["/code/fresh", "starting", "-", "-", "-", "-", "0 s"],
        ["/code/gateway", "stale", "98.0k", "1.2M", "1412 ms", "2.1 GB", "3 d"],
        ["the encoder changed"],
        ["/code/ledger", "indexing 45 %", "980", "12", "-", "412 MB", "42 s"],
        ["/code/mute", "not answering", "-", "-", "-", "-", "-"],
        ["/code/shop", "ready", "1834", "12.8k", "12 ms", "412 MB", "2 h"],
    ]
    assert status_rows(rows()[::-1], PLAIN, 140) == text


def test_a_narrow_terminal_loses_columns_before_it_loses_the_state() -> None:
    """Which daemon does not answer is what one looks for; colour changes no column."""
    assert without_colour(status_rows(ALL, COLOUR, 80)) == status_rows(ALL, PLAIN, 80)
    assert "\x1b[" in status_rows(ALL, COLOUR, 80)

    text = status_rows(ALL, PLAIN, 40)

    assert "not answering" in text
    assert "queries" not in text
    assert "…" in text


def test_names_from_outside_cannot_write_to_the_terminal() -> None:
    bad = replace(LONG, root="/code/\x1b[31mred\nline", problem="a\x1b]0;title\x07b")
    text = status_rows([bad], PLAIN, 80)

    assert "\x1b" not in text
    assert len(text.splitlines()) == 5


def test_the_live_view_counts_queries_of_the_last_moment() -> None:
    text = render_live([[LONG], later([LONG], 25, 2_000)], PLAIN, 140)

    assert text.startswith("1 daemon in 1 process   100 MB   12.5 queries/s   1 running\n\n")
    assert re.search(r"ready +12\.5 +1 ", text)

    text = render_live([[LONG]], PLAIN, 140)

    assert text.startswith("1 daemon in 1 process   100 MB   1 running\n\n")
    assert re.search(r"ready +- +1 ", text)


def test_rates_are_told_only_where_two_readings_tell_one() -> None:
    """A daemon that was started anew counts from zero."""
    after = replace(LONG, query_total=110, uptime_ms=11_000)

    assert queries_per_second(after, LONG) == 10.0
    assert queries_per_second(LONG, after) is None
    assert queries_per_second(LONG, LONG) is None
    assert queries_per_second(after, None) is None
    assert queries_per_second(replace(after, query_total=None), LONG) is None
    assert "queries/s" not in render_live([[LONG], [replace(after, pid=100)]], PLAIN, 140)


def test_the_live_view_draws_latencies_and_names_the_slowest() -> None:
    """A bar for the median of each reading, as a part of the slowest twentieth."""
    readings = [
        [replace(LONG, query_latency_p50_ms=median, query_latency_p95_ms=1_600)]
        for median in (None, 100, 800, 1_600)
    ]

    text = render_live(readings, PLAIN, 160)

    assert "slowest payments-service 1600 ms" in text.splitlines()[0]
    assert re.search(r"  ▁▄█  1600 ms  1600 ms ", text)
    assert "\x1b[33m1600 ms" in render_live(readings, COLOUR, 160)
    assert sparkline([5, None, 20], 10) == "▂ █"
    assert sparkline([0, None], 0) == "▁ "


def test_memory_of_one_process_is_counted_once_and_nothing_is_said_so() -> None:
    both = [replace(LONG, store_id=store_id) for store_id in ("a-0", "b-0")]

    assert render_live([both], PLAIN, 140).startswith("2 daemons in 1 process   100 MB   ")
    assert status_rows(both, PLAIN, 140).endswith("\n\n2 daemons in 1 process   100 MB\n")
    assert status_rows([], PLAIN, 80) == render_live([[LONG], []], PLAIN, 80) == NOTHING_RUNS


INDEXED = {"snapshot": {"active_snapshot_id": "0" * 26, "files": 7}}


def shown(load: DaemonLoad | None, **changes: Any) -> Status:
    """Return what a client reads of a document, through bytes."""
    document = with_load(EMPTY_STATUS, load, UP_TO_DATE).to_dict() | changes
    return read_document(stable_json.loads(stable_json.dumps(document)))


def test_what_was_measured_becomes_a_line() -> None:
    row = row_of(shown(replace(busy_load(), stale=False, stale_reason="")))

    assert (row.root, row.state, row.progress_percent) == ("/code/shop", DaemonState.INDEXING, 45)
    assert (row.pid, row.query_total, row.in_flight) == (4711, 1_200, 3)
    assert (row.query_latency_p50_ms, row.rss_bytes, row.uptime_ms) == (301, 412_000_000, 7_300_000)
    assert row.problem == "no watches left"


def test_the_state_that_matters_most_is_shown() -> None:
    """A stale daemon takes in no change, whatever else it does."""
    syncing = replace(quiet_load(), sync=SyncLoad(state="indexing"))

    assert row_of(shown(busy_load())).state is DaemonState.STALE
    assert row_of(shown(syncing)).state is DaemonState.INDEXING
    assert row_of(shown(syncing)).progress_percent is None
    assert row_of(shown(quiet_load())).state is DaemonState.STARTING
    assert row_of(shown(quiet_load(), **INDEXED)).state is DaemonState.READY


def test_a_document_of_another_build_is_read_as_far_as_it_goes() -> None:
    bare = {"store_id": "shop-0", "canonical_root": "/code/shop", "surprise": {"of": 2}}

    assert row_of(read_document(bare)).state is DaemonState.STARTING


@pytest.mark.parametrize(("daemons", "codes"), [(0, []), (1, []), (2, ["several_daemons"])])
def test_a_status_counts_the_daemons_of_its_root(
    monkeypatch: pytest.MonkeyPatch, daemons: int, codes: list[str]
) -> None:
    """Each of them watches the same files, and scripts read no notes for people."""
    roots = ["/code/other", *["/code/shop"] * daemons]
    records = [SimpleNamespace(root=root) for root in roots]
    monkeypatch.setattr("ggrep.protocol.client.daemon_files.running", lambda _: records)
    document = {"canonical_root": "/code/shop", "warnings": []}

    result = _with_fan_out(document, Home(Path("/h")))
    assert [warning["code"] for warning in result["warnings"]] == codes  # type: ignore[index, union-attr] # JSON


@pytest.mark.parametrize("document", [{}, {"store_id": 1, "canonical_root": "/"}])
def test_a_document_that_makes_no_sense_is_named(document: dict[str, Any]) -> None:
    """The table then shows another version, not a traceback."""
    with pytest.raises(Incompatible, match="status: "):
        read_document(document)


def test_order_of_reading_does_not_show_and_a_stop_is_ok_unless_one_goes_on() -> None:
    """A daemon that was gone before is as good as stopped."""
    assert daemons_json(rows()) == daemons_json(rows()[::-1])
    assert stops_json(stops()) == stops_json(stops()[::-1])
    assert stops_json([])["ok"]
    assert stops_json([Stop("/r", "a", None, "gone"), Stop("/r", "b", None, "killed")])["ok"]
    assert not stops_json([Stop("/r", "a", None, "stopped"), Stop("/r", "b", None, "failed")])["ok"]


PLAIN, COLOUR = Style(colour=False), Style(colour=True)


@pytest.fixture
def some(tmp_path: Path) -> Workspaces:
    """Return a workspace in which not all is well."""
    return Workspaces(tmp_path.resolve())


def test_every_repository_has_its_line(some: Workspaces) -> None:
    assert status_text(some.state, PLAIN, 100).splitlines() == [
        "repo   index            files  chunks  commit     daemon",
        "alpha  ready                3      12  aaaaaaaa+  ready, pid 7",
        "beta   invalid-pointer      -       -  -          -",
        "gamma  none                 -       -  -          -",
    ]


def test_states_that_are_not_whole_are_told(some: Workspaces) -> None:
    alpha, beta, gamma = some.state.members
    partial = replace(
        alpha,
        index=replace(alpha.index, partial=True),
        daemon=RepoDaemon("indexing", running=True, pid=4),
        progress_percent=45,
    )
    degraded = replace(
        beta,
        repo=replace(beta.repo, enabled=False),
        index=replace(alpha.index, degraded=True, head_sha=None, dirty=None),
        daemon=RepoDaemon("silent", running=True, pid=5),
    )
    wrong = replace(gamma, error=InvalidRequest("x"), daemon=RepoDaemon("other_version"))
    state = replace(some.state, members=(partial, degraded, wrong))

    lines = [line.split("  ") for line in status_text(state, PLAIN, 100).splitlines()]

    reports = [[cell.strip() for cell in line if cell.strip()] for line in lines[1:]]
    assert [line[1] for line in reports] == ["partial", "degraded, disabled", "invalid settings"]
    assert [line[-1] for line in reports] == [
        *("indexing 45 %, pid 4", "not answering, pid 5", "other version"),
    ]
    assert summary_text(state) == "3 repos, 2 enabled, 2 indexed"


def test_a_build_of_many_names_the_slowest(some: Workspaces) -> None:
    """The times of a few are still in view."""
    repo = some.state.members[0].repo
    results = [
        BuildResult(replace(repo, alias=f"r{number}"), "passed", duration_ms=number * 1_500)
        for number in range(1, 6)
    ]

    assert slowest(results) == "; slowest: r5 7.5 s, r4 6.0 s, r3 4.5 s"
    assert slowest(results[:3]) == ""


def test_what_is_wrong_is_said_once_whatever_corpora_it_concerns(some: Workspaces) -> None:
    alpha, beta, gamma = some.state.members
    foreign = replace(beta, index=replace(beta.index, availability="compat-key-missing"))
    ill = replace(gamma, error=InvalidRequest("bad\x1b[2J toml"))

    text = diagnostics_text(replace(some.state, members=(alpha, foreign, ill)), PLAIN)

    assert text.splitlines() == [
        "warning: gamma: bad toml",
        "warning: beta: ACTIVE_SNAPSHOT does not contain a snapshot id",
    ]


def test_a_hostile_alias_is_tamed_and_colour_changes_no_words(some: Workspaces) -> None:
    alpha = some.state.members[0]
    odd = replace(alpha, repo=replace(alpha.repo, alias="a\x1b]0;x\x07b\nc"))

    text = status_text(replace(some.state, members=(odd,)), PLAIN, 80)

    assert text.splitlines()[1].startswith("ab c  ready")
    assert "\x1b" not in text

    painted = status_text(some.state, COLOUR, 100)

    assert "\x1b[" in painted
    assert painted.count("\n") == 4


def test_an_examination_reads_as_advice(some: Workspaces) -> None:
    result = examine(some.split, merge_is_set=True)
    text = examination_text(some.split, result, PLAIN)
    lines = text.splitlines()
    asked, left_out = (cohort.compatibility_key for cohort in result.cohorts.code)

    assert lines[0] == "! alpha: its daemon uses outdated settings: the encoder changed"
    assert lines[1] == f"    ggrep stop --path {some.base}/alpha"
    assert "! gamma: no index" in lines
    assert (
        "code, prose, extractedProse, records: 2 cohorts, whose scores are not comparable" in lines
    )
    assert f"    {asked}  is queried: alpha, beta" in lines
    assert f"    {left_out}  is left out (other encoder): gamma" in lines
    assert lines[-1] == "4 things to do"


def test_corpora_that_fall_apart_alike_share_their_lines_and_nothing_to_do_is_said(
    some: Workspaces,
) -> None:
    text = examination_text(some.split, examine(some.split, merge_is_set=True), PLAIN)

    assert text.count("cohorts, whose scores are not comparable") == 1

    state = replace(some.state, members=some.state.members[:1])

    assert examination_text(state, examine(state), PLAIN) == "no problems\n"


def test_a_table_gives_the_last_column_what_is_left() -> None:
    rows = [[Cell("a"), Cell("/" + "x" * 100)], [Cell("long"), Cell("7", figures=True)]]

    lines = render_table(["one", "two"], rows, PLAIN, 30).splitlines()

    assert [cell_len(line) for line in lines] == [9, 30, 30]
    assert lines[2].endswith(" 7")
    assert render_pairs([("a", "x\ny"), ("long", "z")], PLAIN) == "a     x y\nlong  z\n"
