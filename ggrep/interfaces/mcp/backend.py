"""The backend of the server, loaded when the first tool is called.

A starting client waits for the list of tools, so the list must not need the search modules.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import anyio
from anyio import to_thread

from ggrep.base.errors import GgrepError
from ggrep.base.formats import FEDERATED_SCHEMA
from ggrep.base.stable_json import Json
from ggrep.interfaces.mcp.resources import ResourceFailed
from ggrep.interfaces.mcp.tools import ToolResult
from ggrep.render.failures import query_error

if TYPE_CHECKING:
    from ggrep.base.stable_json import Document
    from ggrep.interfaces.mcp.progress import Tell
    from ggrep.interfaces.mcp.tool_calls import Calls
    from ggrep.service.federator import Federator


Load: TypeAlias = Callable[[], "tuple[Calls, Federator]"]
"""Returns the executor of calls and the federator that it uses."""


_CLOSE_S = 5.0
"""Timeout of closing, as a connection that does not close must not keep the process running."""


class Broken(GgrepError):
    """The modules that carry out tools cannot be imported."""


class LazyBackend:
    """Loads the backend on the first call; concurrent calls wait until it is loaded."""

    def __init__(self, prepare: Callable[[], None], load: Load) -> None:
        self._prepare = prepare
        self._load = load
        self._lock = anyio.Lock()
        self._loaded: tuple[Calls, Federator] | None = None

    async def call(
        self, name: str, given: Mapping[str, object], tell: "Tell | None", caller: str = ""
    ) -> ToolResult:
        """Carry out a call of a known tool."""
        try:
            calls = await self._calls()
        except Broken as error:
            # The first call must report a broken installation.
            return ToolResult(_broken(name, error), failed=True)
        return await calls.call(name, given, tell, caller)

    async def read(self, name: str) -> "Document":
        """Return the document of a known resource.

        Raises:
            ResourceFailed: the resource cannot be read.
        """
        try:
            calls = await self._calls()
        except Broken as error:
            raise ResourceFailed(str(error), error.code) from error
        return await calls.read(name)

    async def aclose(self) -> None:
        """Close the backend, even when the caller is being cancelled."""
        if self._loaded is not None:
            with anyio.CancelScope(shield=True), anyio.move_on_after(_CLOSE_S):
                await self._loaded[1].aclose()

    async def _calls(self) -> "Calls":
        async with self._lock:
            if self._loaded is None:
                try:
                    await to_thread.run_sync(self._prepare)
                    self._loaded = self._load()
                except Exception as error:
                    raise Broken(
                        f"ggrep cannot be loaded: {type(error).__name__}: {error}"
                    ) from error
        return self._loaded[0]


def _broken(name: str, error: Broken) -> "Document":
    """Return a tool's failure; builds it without the usual modules, which may be broken."""
    failure: dict[str, Json] = {"code": error.code, "message": str(error)}
    if name != "search_workspace":
        return {**query_error(error), **failure}
    return {
        "schema_version": FEDERATED_SCHEMA,
        "ok": False,
        "backend": "federated",
        "diagnostics": {"warnings": [], "errors": []},
        **failure,
        "error": {**failure, "details": {}},
    }
