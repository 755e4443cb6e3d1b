"""An HTTP server without a socket, and what its tests ask."""

from pathlib import Path
from typing import Any

import httpx
from msgspec import Struct
from starlette.types import ASGIApp

from tests.fakes.desks import FakeDesk

TOKEN = "-".join(("a", "token", "of", "sixteen", "and", "more"))
WORKSPACE = """{
  "schemaVersion": 1,
  "name": "site",
  "repos": [
    {"root": "../a", "alias": "a"},
    {"root": "../b", "alias": "b"},
    {"root": "../../out/c", "alias": "c", "enabled": false},
  ],
}"""


class Site(Struct, frozen=True):
    """A server in this process.

    Attributes:
        told: errors that its operator was told of.
    """

    app: ASGIApp
    client: httpx.AsyncClient
    place: Path
    service: FakeDesk
    told: list[BaseException]

    def body(self, **fields: object) -> dict[str, Any]:
        """Return the body of a search of the workspace."""
        path = str(self.place / "in" / "ws" / "w.jsonc")
        return {"workspacePath": path, "query": "refund", **fields}

    async def federated(self, **fields: object) -> httpx.Response:
        return await self.client.post("/search/federated", json=self.body(**fields))
