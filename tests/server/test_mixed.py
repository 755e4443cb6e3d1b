"""Answers over local repositories and a team server's equal those of one machine with all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.mixed import Mixed
from tests.fakes.site import running_site
from tests.fakes.team import SEARCHES, Team, answer, follow_ups

LOCAL = ("acme/cart", "acme/mail")


@pytest.fixture
async def mixed(team: Team, tmp_path: Path) -> AsyncIterator[Mixed]:
    async with running_site(team, tmp_path) as site:
        made = Mixed(team, site, tmp_path / "w.jsonc")
        yield made
        made.close()


async def test_local_and_remote_repositories_are_searched_as_one_index(mixed: Mixed) -> None:
    workspace = mixed.written(LOCAL, {"repos": ["tools/", "acme/site"]})
    whole, searchers = await mixed.asked(workspace)
    assert [repo.alias for repo in whole.repos] == [None, None, "site", "cart", "log"]
    here = mixed.here()
    for name, request in SEARCHES.items():
        assert await answer(searchers, whole, request) == await answer(here, whole, request), name
    messages = [each["message"]["message"] for each in mixed.sent if each["message"]]
    assert {"joint_describe", "joint_pool"} < set(messages)


async def test_names_places_and_slates_of_a_mixed_workspace_are_those_of_one_machine(mixed: Mixed) -> None:
    whole, searchers = await mixed.asked(mixed.written(LOCAL, {"repos": ["tools/", "acme/site"]}))

    assert await follow_ups(searchers, whole) == await follow_ups(mixed.here(), whole)
