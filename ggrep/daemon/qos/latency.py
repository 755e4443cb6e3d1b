"""Latencies of the most recent requests."""

import threading
from collections import deque


class LatencyWindow:
    """The durations of the last requests, for any thread."""

    def __init__(self, size: int = 200) -> None:
        self._durations: deque[float] = deque(maxlen=size)
        self._guard = threading.Lock()

    @property
    def count(self) -> int:
        """Return how many durations it holds."""
        with self._guard:
            return len(self._durations)

    def add(self, duration_ms: float) -> None:
        """Add one duration and drop the oldest."""
        with self._guard:
            self._durations.append(duration_ms)

    def p50(self) -> float | None:
        """Return the median in milliseconds, by nearest rank; None without data."""
        return self._percentile(50)

    def p95(self) -> float | None:
        """Return the 95th percentile in milliseconds, by nearest rank; None without data."""
        return self._percentile(95)

    def mean(self) -> float:
        """Return the mean in milliseconds; 0 without data."""
        with self._guard:
            return sum(self._durations) / max(len(self._durations), 1)

    def most(self) -> float | None:
        """Return the maximum; None without data."""
        with self._guard:
            return max(self._durations, default=None)

    def _percentile(self, percent: int) -> float | None:
        with self._guard:
            ordered = sorted(self._durations)
        if not ordered:
            return None
        rank = -(-percent * len(ordered) // 100)
        return ordered[rank - 1]
