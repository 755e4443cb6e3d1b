"""A server in this process, with clients of HTTP and of MCP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from ggrep.base import stable_json
from ggrep.interfaces.team.app import make_team_app
from ggrep.server.nodes import Nodes
from ggrep.server.team import Team as Coordinator
from ggrep.server.tokens import Tokens
from tests.fakes.issuer import AUDIENCE, Issuer, running_issuer
from tests.fakes.team import CLOCK, Team

RULES = {
    "rules": [
        {"repos": ["*"], "users": ["ops@example.com"]},
        {"repos": ["acme/"], "groups": ["staff"]},
    ]
}
BODY = {
    "query": "retry",
    "workspacePath": "/team",
    "merge": {"strategy": "global"},
    "search": {"deterministic": True, "timeoutMs": 20_000},
}


class Site:
    """A client of a server."""

    def __init__(
        self, app: Starlette, client: httpx.AsyncClient, issuer: Issuer, coordinator: Coordinator
    ) -> None:
        self.app, self.client = app, client
        self.issuer, self.coordinator = issuer, coordinator

    def headers(self, user: str) -> dict[str, str]:
        """Return the headers of a user's requests."""
        groups = ["staff"] if user.startswith("alice") else []
        return {"authorization": f"Bearer {self.issuer.token(user, groups=groups)}"}

    @asynccontextmanager
    async def tools(self, user: str, mode: str = "auto") -> AsyncIterator[Client]:
        """Yield a user's client of MCP."""
        transport: Any = httpx2.ASGITransport(self.app)
        async with httpx2.AsyncClient(transport=transport, headers=self.headers(user)) as http:
            address = "http://team.example.com/mcp"
            connection: Any = streamable_http_client(address, http_client=http)
            async with Client(connection, mode=mode) as client:
                yield client

    async def post(self, path: str, body: Any, user: str = "ops@example.com") -> httpx.Response:
        """Return the response to a user's request."""
        return await self.client.post(path, json=body, headers=self.headers(user))

    async def get(self, path: str, user: str = "ops@example.com") -> httpx.Response:
        """Return the response to a user's request."""
        return await self.client.get(path, headers=self.headers(user))


@asynccontextmanager
async def running_site(
    team: Team, tmp_path: Path, tokens: Tokens | None = None, **options: Any
) -> AsyncIterator[Site]:
    """Yield a client of a server with three nodes."""
    rules = tmp_path / "access.jsonc"
    rules.write_bytes(stable_json.dumps(RULES))
    coordinator = Coordinator(
        "team", Nodes(team.filled_nodes(3)), team.refs, rules, team.settings(), CLOCK
    )
    await coordinator.sweep()
    await coordinator.check()
    with running_issuer() as issuer:
        app = make_team_app(
            coordinator,
            tokens or Tokens(issuer.url, AUDIENCE, CLOCK),
            hosts=frozenset({"team.example.com"}),
            operators=frozenset({"ops@example.com"}),
            **options,
        )
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://team.example.com"
        ) as client:
            yield Site(app, client, issuer, coordinator)
