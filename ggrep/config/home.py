"""Every path below the ggrep home; `config.settings` finds the home."""

from pathlib import Path

from msgspec import Struct

from ggrep.base.ids import StoreId


class _Below:
    def __init__(self, *parts: str) -> None:
        self._path = Path(*parts)

    def __get__(self, home: "Home", _: object) -> Path:
        return home.base / self._path


class Home(Struct, frozen=True):
    """The directory of all stores, caches and locks of one user.

    Attributes:
        base: absolute path of the home; it need not exist yet.
    """

    base: Path

    config_file = _Below("config.toml")
    """The user's own settings file."""
    data = _Below("data")
    """The directory with one directory for each store."""
    cache = _Below("cache")
    """The directory of caches, which can be deleted without loss."""
    vectors = _Below("cache", "vectors")
    """The directory of cached vectors."""
    packs = _Below("cache", "packs")
    """The directory of packs, which are images of many segments in one file."""
    locks = _Below("locks")
    """The directory of lock files shared by all processes of this user."""
    encode_slots = _Below("locks", "encode")
    """The directory of the slot files, which limit encoding processes on this host."""
    logs = _Below("logs")
    """The directory of log files."""
    api_token = _Below("api-token")
    """The file of the token that callers of the HTTP surfaces must present."""
    api_token_lock = _Below("locks", "api-token")
    """The file that is locked while the token is created."""
    session_key = _Below("session-key")
    """The file of the key with which tokens of sessions are sealed."""
    session_key_lock = _Below("locks", "session-key")
    """The file that is locked while the key of sessions is created."""
    remotes = _Below("remotes.json")
    """The file of the remotes to which snapshots are pushed and from which they are pulled."""
    remotes_lock = _Below("locks", "remotes")
    """The file that is locked while the file of remotes is changed."""
    fetched = _Below("cache", "fetched")
    """The directory of pulled objects that are not yet in a store."""
    agents = _Below("agents.json")
    """The file that records ggrep's changes to the configuration of agents."""
    agents_lock = _Below("locks", "agents")
    """The file that is locked while the configuration of agents is changed."""
    daemon = _Below("daemon")
    """The directory of the daemons' sockets and endpoint files."""

    @classmethod
    def of_store(cls, store: Path) -> "Home":
        """Return the home of a store's directory."""
        return cls(store.parent.parent)

    @property
    def own_directories(self) -> tuple[Path, ...]:
        """Return all directories that ggrep itself writes, which are never indexed.

        The subdirectories are listed separately, because the base can itself be a root.
        """
        return (self.base, self.data, self.cache, self.locks, self.logs, self.daemon)

    def store_dir(self, store_id: StoreId) -> Path:
        """Return the directory of one store."""
        return self.data / store_id
