"""HTTP of a server: the bytes of the API, for the repositories of the token's user."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.site import BODY, running_site
from tests.fakes.team import TREES, Team, answer, search


async def test_responses_are_the_bytes_of_one_machine_for_each_user(
    team: Team, tmp_path: Path
) -> None:
    request = search("retry", merge_strategy="global")
    async with running_site(team, tmp_path) as site:
        for user, keys in {
            "ops@example.com": [*TREES],
            "alice@example.com": [key for key in TREES if key.startswith("acme/")],
            "bob@example.com": [],
        }.items():
            response = await site.post("/search/federated", BODY, user)

            workspace = team.workspace(sorted(keys))
            assert response.content == await answer(team.here(), workspace, request) + b"\n"
            assert response.status_code == 200


async def test_names_places_and_single_repositories_are_answered(
    team: Team, tmp_path: Path
) -> None:
    async with running_site(team, tmp_path) as site:
        symbol = {"name": "retry", "workspacePath": "/team"}
        result: Any = (await site.post("/symbol/federated", symbol)).json()
        assert result["definitions"][0]["path"] == "src/retry.py"
        place = {"target": "log:log.py:1", "workspacePath": "/team"}
        assert "def log" in (await site.post("/expand/federated", place)).text
        slate = await site.post("/search/federated", {**BODY, "format": "slate"})
        assert slate.json()["format"] == "slate"
        single: Any = (await site.post("/search", {"query": "log", "root": "/tools/log"})).json()
        assert single["results"][0]["path"] == "log.py"
        events = await site.post("/search/federated/stream", BODY)
        assert events.text.count("event: repo") == len(TREES)
        assert "event: answer" in events.text


@pytest.mark.parametrize("path", ["/search/federated", "/symbol", "/search", "/refresh"])
async def test_a_request_without_a_valid_token_is_refused(
    team: Team, tmp_path: Path, path: str
) -> None:
    async with running_site(team, tmp_path) as site:
        for headers in ({}, {"authorization": "Bearer x"}, {"authorization": "Basic YTpi"}):
            response = await site.client.post(path, json=BODY, headers=headers)

            assert response.status_code == 401
            assert response.headers["www-authenticate"].startswith("Bearer")
            assert response.json()["error"]["code"] == "unauthorized"


async def test_hidden_repositories_look_like_absent_ones(team: Team, tmp_path: Path) -> None:
    async with running_site(team, tmp_path) as site:
        responses = [
            await site.post("/search", {"query": "log", "root": root}, "alice@example.com")
            for root in ("/tools/log", "/tools/absent")
        ]

        assert {response.status_code for response in responses} == {403}
        assert responses[0].content == responses[1].content
        elsewhere = await site.post("/search/federated", {**BODY, "workspacePath": "/etc/w.jsonc"})
        assert elsewhere.status_code == 403


async def test_operators_see_state_and_metrics_and_others_do_not(
    team: Team, tmp_path: Path
) -> None:
    async with running_site(team, tmp_path) as site:
        state: Any = (await site.get("/status")).json()
        assert state["repos"] == len(TREES)
        assert state["problems"] == []
        assert {node["answering"] for node in state["nodes"].values()} == {1}
        metrics = (await site.get("/metrics")).text
        assert f"ggrep_server_repositories {len(TREES)}\n" in metrics
        assert 'ggrep_server_node_trees{node="node-0"}' in metrics
        assert (await site.post("/refresh", {})).status_code == 200
        for path in ("/status", "/metrics"):
            assert (await site.get(path, "alice@example.com")).status_code == 403
        assert (await site.client.get("/health")).json()["ok"]


async def test_another_host_is_misdirected(team: Team, tmp_path: Path) -> None:
    async with running_site(team, tmp_path) as site:
        response = await site.client.get("/health", headers={"host": "evil.example.com"})

        assert response.status_code == 421
