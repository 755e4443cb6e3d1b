"""Every path below the ggrep home; `config.settings` finds out where the home is."""

from dataclasses import dataclass
from pathlib import Path

from ggrep.domain.ids import StoreId


@dataclass(frozen=True, slots=True)
class Home:
    """The directory that holds all stores, caches and locks of one user.

    Attributes:
        base: absolute; it need not exist yet.
    """

    base: Path

    @property
    def config_file(self) -> Path:
        """Return the user's own settings file."""
        return self.base / "config.toml"

    @property
    def data(self) -> Path:
        """Return the directory that holds one directory for each store."""
        return self.base / "data"

    @property
    def cache(self) -> Path:
        """Return the directory of what can be deleted without losing anything."""
        return self.base / "cache"

    @property
    def locks(self) -> Path:
        """Return the directory of lock files shared by all processes of this user."""
        return self.base / "locks"

    @property
    def logs(self) -> Path:
        """Return the directory of log files."""
        return self.base / "logs"

    def store_dir(self, store_id: StoreId) -> Path:
        """Return the directory of one store."""
        return self.data / store_id
