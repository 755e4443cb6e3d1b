"""Metrics of the HTTP surface for Prometheus.

ggrep_api_requests_total{route,status}          counter
ggrep_api_request_seconds{route}                histogram, from first byte to last
ggrep_api_requests_in_flight                    gauge
"""

from collections.abc import Callable, Collection
from typing import TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ggrep.base.clock import Clock

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class ApiMetrics:
    """The metrics of one server; two servers in one process have separate metrics."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "ggrep_api_requests", "Requests answered.", ("route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "ggrep_api_request_seconds",
            "Time from request to the end of its response.",
            ("route",),
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self._in_flight = Gauge(
            "ggrep_api_requests_in_flight", "Requests in progress.", registry=self._registry
        )

    def began(self) -> None:
        """Count a request that has arrived."""
        self._in_flight.inc()

    def ended(self, route: str, status: int, seconds: float) -> None:
        """Count a finished request; status 0 means that the client closed the connection."""
        self._in_flight.dec()
        self._requests.labels(route, str(status or "gone")).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)


Ended: TypeAlias = Callable[[Scope, str, int, float], None]
"""Called with the scope, the route, the status and the duration in seconds of a request."""


class Measured:
    """ASGI middleware that counts requests.

    Each known route has a label. All other paths share one label, so that clients cannot create
    labels.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: ApiMetrics,
        clock: Clock,
        routes: Collection[str],
        ended: Ended = lambda *_: None,
    ) -> None:
        """Count requests to `app`; `ended` is called with each finished request."""
        self._app = app
        self._ended = ended
        self._metrics = metrics
        self._clock = clock
        self._routes = frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application; count the request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        path = scope["path"]
        route = path if path in self._routes else "other"
        started_ms = self._clock.monotonic_ms()
        self._metrics.began()
        try:
            await self._app(scope, receive, counted)
        finally:
            seconds = (self._clock.monotonic_ms() - started_ms) / 1000
            self._metrics.ended(route, status, seconds)
            self._ended(scope, route, status, seconds)
