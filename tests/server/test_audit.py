"""The audit log: a line for each request, without the text of queries unless it is switched on."""

import os
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.server.audit import AuditEntry, AuditLog
from tests.fakes.site import BODY, Site, running_site
from tests.fakes.team import CLOCK, Team

ALICE = "alice@example.com"
LINES: list[dict[str, Any]] = [
    {"operation": "GET /health", "subject": "", "allowed": 0, "searched": 0, "status": 200},
    {"operation": "POST /search/federated", "allowed": 3, "searched": 3, "status": 200},
    {"operation": "POST /search/federated/stream", "allowed": 3, "searched": 3, "status": 200},
    {"operation": "POST /symbol/federated", "allowed": 3, "searched": 3, "status": 200},
    {"operation": "POST /search", "allowed": 3, "searched": 1, "status": 200},
    {"operation": "POST /search", "allowed": 3, "searched": 0, "status": 403},
    {"operation": "POST /search", "subject": "", "allowed": 0, "searched": 0, "status": 401},
    {"operation": "GET other", "subject": "", "allowed": 0, "searched": 0, "status": 404},
]


async def _requests(site: Site) -> None:
    await site.client.get("/health")
    await site.post("/search/federated", BODY, ALICE)
    await site.post("/search/federated/stream", BODY, ALICE)
    await site.post("/symbol/federated", {"name": "retry", "workspacePath": "/team"}, ALICE)
    for root in ("/acme/cart", "/tools/log"):
        await site.post("/search", {"query": "retry", "root": root}, ALICE)
    await site.client.post("/search", json={"query": "retry", "root": "/tools/log"})
    await site.client.get("/retry")


def _lines(file: Path) -> list[dict[str, Any]]:
    return [stable_json.loads(line) for line in file.read_bytes().splitlines()]


async def test_each_request_has_a_line_without_the_text_of_its_query(
    team: Team, tmp_path: Path
) -> None:
    file = tmp_path / "audit.jsonl"
    log = AuditLog(file, CLOCK, queries=False)
    async with running_site(team, tmp_path, audit=log) as site:
        await _requests(site)

    shown = _lines(file)
    assert b"retry" not in file.read_bytes()
    for line in shown:
        assert line.pop("time").startswith("20")
        assert line.pop("durationMs") >= 0
    assert shown == [{"subject": ALICE, **line} for line in LINES]
    assert file.stat().st_mode & 0o777 == 0o600


async def test_calls_of_tools_have_lines_with_their_errors(team: Team, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    log = AuditLog(file, CLOCK, queries=False)
    async with (
        running_site(team, tmp_path, audit=log) as site,
        site.app.router.lifespan_context(site.app),
        site.tools(ALICE) as client,
    ):
        await client.call_tool("search_workspace", {"query": "retry"})
        await client.call_tool("symbol", {"names": ["retry", "log"], "root": "/acme/cart"})
        await client.call_tool("search", {"query": "retry", "root": "/tools/log"})

    assert b"retry" not in file.read_bytes()
    shown = [line for line in _lines(file) if not line["operation"].startswith("POST")]
    assert [
        (line["operation"], line["searched"], line["status"], line.get("error")) for line in shown
    ] == [
        ("search_workspace", 3, 200, None),
        ("symbol", 1, 200, None),
        ("search", 0, 200, "forbidden"),
    ]
    assert {(line["subject"], line["allowed"]) for line in shown} == {(ALICE, 3)}


async def test_texts_of_queries_can_be_switched_on(team: Team, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    async with running_site(team, tmp_path, audit=AuditLog(file, CLOCK, queries=True)) as site:
        await _requests(site)

    assert [line["queries"] for line in _lines(file)] == [
        *([], ["retry"], ["retry"], ["retry"], ["retry"], ["retry"], [], [])
    ]


async def test_a_renamed_file_is_begun_again_and_a_full_disk_fails_no_request(
    team: Team, tmp_path: Path
) -> None:
    folder, errors = tmp_path / "logs", list[BaseException]()
    folder.mkdir()
    file = folder / "audit.jsonl"
    log = AuditLog(file, CLOCK, queries=False)
    async with running_site(team, tmp_path, audit=log, report_error=errors.append) as site:
        await site.client.get("/health")
        file.rename(tmp_path / "old.jsonl")
        await site.client.get("/health")
        assert len(_lines(file)) == 1
        file.unlink()
        folder.rmdir()

        assert (await site.post("/search/federated", BODY)).json()["repos"]
    assert [type(error) for error in errors] == [FileNotFoundError]
    with pytest.raises(InvalidRequest, match=r"audit: .* No such file"):
        AuditLog(file, CLOCK, queries=False)


def test_any_text_is_logged_and_a_line_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON can contain half of a surrogate pair; the rest of a disk can be smaller than a line."""
    file = tmp_path / "audit.jsonl"
    log = AuditLog(file, CLOCK, queries=True)
    log.write(AuditEntry(subject="a\ud800", queries=["b\ud800"]), "POST /search", 200, 0.1)
    whole, write = file.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda target, data: write(target, data[:9]))
    with pytest.raises(OSError, match="No space left"):
        log.write(AuditEntry(), "GET /health", 200, 0.1)

    assert file.read_bytes() == whole
    (line,) = _lines(file)
    assert (line["subject"], line["queries"]) == ("a?", ["b?"])
