"""The command and its trees, as the journeys have them."""

from tests.journeys.conftest import ggrep, indexed, repo

__all__ = ["ggrep", "indexed", "repo"]
