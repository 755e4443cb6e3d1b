"""Counters of a daemon's searches."""

from collections.abc import Callable, Iterable
from threading import Lock

from msgspec import Struct, field

from ggrep.config.settings import Settings
from ggrep.daemon.event_log import QueryStatus
from ggrep.daemon.qos.admission import AdmissionStatistics, LatencyWindow
from ggrep.model.daemons import QueryLoad


class _Counts(Struct):
    ok: int = 0
    busy: int = 0
    timeout: int = 0
    cancelled: int = 0
    error: int = 0
    slow: int = 0


class QueryCounters(Struct):
    """Counts searches; `settings` returns the present settings. Thread-safe."""

    settings: Callable[[], Settings]
    _counts: _Counts = field(default_factory=_Counts)
    _latency: LatencyWindow = field(default_factory=LatencyWindow)
    _segments: LatencyWindow = field(default_factory=LatencyWindow)
    _stages: dict[str, LatencyWindow] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def note(self, status: QueryStatus, total_ms: float) -> None:
        """Count a search with its outcome and duration."""
        with self._lock:
            setattr(self._counts, status, getattr(self._counts, status) + 1)
            self._counts.slow += total_ms > self.settings().slow_query_ms
        if status == "ok":
            self._latency.add(total_ms)

    def note_work(self, segments: int, stages: Iterable[tuple[str, float]]) -> None:
        """Record how many segments a search touched and how long its stages took."""
        self._segments.add(segments)
        for stage, spent_ms in stages:
            with self._lock:
                window = self._stages.setdefault(stage, LatencyWindow())
            window.add(spent_ms)

    @property
    def answered(self) -> bool:
        """Return whether any search has been answered."""
        return self._counts.ok > 0

    def stages(self) -> tuple[tuple[str, float], ...]:
        """Return the mean time of each stage over the recent searches."""
        with self._lock:
            windows = list(self._stages.items())
        return tuple((stage, round(window.mean(), 3)) for stage, window in windows)

    def load(self, admission: AdmissionStatistics) -> QueryLoad:
        """Return the current figures."""
        p50, p95, most = self._latency.p50(), self._latency.p95(), self._segments.most()
        counts, settings = self._counts, self.settings()
        return QueryLoad(
            max_concurrent=admission.max_concurrent,
            max_queue_depth=admission.max_queue_depth,
            timeout_ms=settings.query_timeout_ms,
            in_flight=admission.in_flight,
            queue_depth=admission.queue_depth,
            query_total=counts.ok,
            busy_total=counts.busy,
            timeouts_total=counts.timeout,
            cancelled_total=counts.cancelled,
            failed_total=counts.error,
            slow_total=counts.slow,
            slow_query_ms=settings.slow_query_ms,
            latency_p50_ms=None if p50 is None else round(p50),
            latency_p95_ms=None if p95 is None else round(p95),
            segments_touched_max=None if most is None else round(most),
            clients=admission.clients,
        )
