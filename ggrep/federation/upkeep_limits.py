"""Limits of workspace upkeep."""

from typing import Final

MAX_BUILDS: Final = 32
"""Repositories that are built at once at most."""

DEFAULT_BUILDS: Final = 4
"""Most that are, on a machine with as many cores, where nobody says how many."""

BUILDS_A_WORKER: Final = 1_000
"""A worker is replaced after so many: its memory grows by some 12 KB with each."""

GRACE_DAYS: Final = 7
"""How old a directory must be that nobody claims before it is deleted."""

MAX_DELETIONS: Final = 5000
"""Files that one collection deletes at most; the next goes on."""
