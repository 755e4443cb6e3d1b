"""A workspace of one machine's repositories and a team server's, and one machine with all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
from anyio import from_thread
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import RemoteError
from ggrep.config.fingerprints import store_id
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.server_connection import ROUTE, Send, ServerConnection
from ggrep.federation.server_members import MixedSearchers, TeamServers
from ggrep.federation.workspace import Workspace, WorkspaceRepo, load_workspace
from ggrep.search.engine.engine import Engine
from ggrep.server.epoch import root_of
from ggrep.service.searchers import EngineSearchers
from tests.fakes.site import Site
from tests.fakes.team import NEVER, Team

URL = "https://team.example.com"


class Mixed:
    """A user with local repositories and a team server."""

    def __init__(self, team: Team, site: Site, file: Path, user: str = "ops@example.com") -> None:
        self.team, self.site, self.file, self.user = team, site, file, user
        self.sent: list[Any] = []
        self.known = KnownHosts()

    def written(self, local: Sequence[str], *remote: dict[str, Any], **fields: Any) -> Workspace:
        """Return the workspace of some local repositories and entries of servers."""
        roots = [{"root": str(self.team.base / "work" / key)} for key in local]
        entries = [*roots, *({"remote": URL, **each} for each in remote)]
        document = {"schemaVersion": 1, "repos": entries, **fields}
        self.file.write_bytes(stable_json.dumps(document))
        return load_workspace(self.file, resolve_root=lambda root: root)

    def send(self, data: bytes, deadline: Deadline) -> bytes:
        """Return the server's reply to the user."""
        self.sent.append(stable_json.loads(data))
        headers = {**self.site.headers(self.user), "content-type": "application/json"}

        async def post() -> httpx.Response:
            return await self.site.client.post(ROUTE, content=data, headers=headers)

        response = from_thread.run(post)
        if response.status_code != httpx.codes.OK:
            raise RemoteError(response.text)
        return response.content

    def servers(self, send: Send | None = None) -> TeamServers:
        """Return the servers of a question."""
        return TeamServers(lambda url: ServerConnection(url, send or self.send), self.known)

    async def asked(
        self, workspace: Workspace, send: Send | None = None
    ) -> tuple[Workspace, MixedSearchers]:
        """Return the workspace with its members, and their searchers."""
        servers = self.servers(send)
        whole = await servers.with_members(workspace, NEVER)
        return whole, MixedSearchers(self.here(), servers)

    def here(self) -> EngineSearchers:
        """Return the searchers of one machine with all repositories, as `Team.here`."""

        def opened(repo: WorkspaceRepo) -> Engine:
            if repo.remote is None:
                return self.team.opened(self._key_of(repo), "local")
            engine = self.team.opened(repo.remote.key)
            name = store_id(root_of(repo.remote.key), engine.identity.config_fingerprint)
            engine.identity = replace(engine.identity, store_id=name)
            return engine

        return EngineSearchers(opened)

    def _key_of(self, repo: WorkspaceRepo) -> str:
        return str(repo.root_canonical.relative_to(self.team.base / "work"))
