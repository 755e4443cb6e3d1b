"""What the regressions share: the command, and small indexed trees."""

from tests.journeys.conftest import ggrep, indexed, repo

__all__ = ["ggrep", "indexed", "repo"]
