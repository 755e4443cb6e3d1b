"""Limits of workspace upkeep."""

from typing import Final

MAX_BUILDS: Final = 32
"""Repositories that are built at once at most."""

DEFAULT_BUILDS: Final = 2

GRACE_DAYS: Final = 7
"""How old a directory must be that nobody claims before it is deleted."""

MAX_DELETIONS: Final = 5000
"""Files that one collection deletes at most; the next goes on."""
