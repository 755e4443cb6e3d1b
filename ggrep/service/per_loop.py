"""Resources that belong to an event loop, such as connections."""

import os
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import anyio
from anyio.lowlevel import EventLoopToken, current_token

from ggrep.base.errors import Closed, Forked, InvalidRequest


class Closing(Protocol):
    """A resource with an asynchronous `aclose`."""

    async def aclose(self) -> None:
        """Close the resource."""
        ...


C = TypeVar("C", bound=Closing)


class PerLoop(Generic[C]):
    """Creates a resource on first use, in the event loop that uses the resource."""

    def __init__(self, name: object, make: Callable[[], C]) -> None:
        """Store `make`, which creates the resource on first use; messages contain `name`."""
        self._name = name
        self._make = make
        self._resource: C | None = None
        self._token: EventLoopToken | None = None
        self._pid = os.getpid()
        self._closed = False

    def require_open(self) -> None:
        """Raise if the resource cannot be used.

        Raises:
            Closed: `aclose` was called.
            Forked: this process is a fork of the process that created this object.
        """
        if self._closed:
            raise Closed(f"{self._name} was closed")
        if self._pid != os.getpid():
            raise Forked(
                f"{self._name} was opened in another process; open it again in this process"
            )

    def get(self) -> C:
        """Return the resource; all calls must come from the same event loop."""
        self.require_open()
        if self._resource is None:
            self._resource, self._token = self._make(), current_token()
        elif self._token != current_token():
            raise InvalidRequest(
                f"{self._name} belongs to another event loop; open it again in this loop"
            )
        return self._resource

    async def aclose(self) -> None:
        """Close the resource; further calls do nothing."""
        self._closed = True
        resource, self._resource = self._resource, None
        if resource is not None and self._pid == os.getpid():
            with anyio.CancelScope(shield=True):
                await resource.aclose()
