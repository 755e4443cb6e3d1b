"""Every path below the ggrep home; `config.settings` finds out where the home is."""

from pathlib import Path

from msgspec import Struct

from ggrep.base.ids import StoreId


class Home(Struct, frozen=True):
    """The directory that holds all stores, caches and locks of one user.

    Attributes:
        base: absolute; it need not exist yet.
    """

    base: Path

    @classmethod
    def of_store(cls, store: Path) -> "Home":
        """Return the home that a store's directory lies in."""
        return cls(store.parent.parent)

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
    def vectors(self) -> Path:
        """Return the directory of vectors that were encoded before."""
        return self.cache / "vectors"

    @property
    def packs(self) -> Path:
        """Return the directory of images of many segments in one."""
        return self.cache / "packs"

    @property
    def locks(self) -> Path:
        """Return the directory of lock files shared by all processes of this user."""
        return self.base / "locks"

    @property
    def encode_slots(self) -> Path:
        """Return the directory of the files that say who encodes on this host."""
        return self.locks / "encode"

    @property
    def logs(self) -> Path:
        """Return the directory of log files."""
        return self.base / "logs"

    @property
    def api_token(self) -> Path:
        """Return the file of the token that callers of the HTTP surfaces must present."""
        return self.base / "api-token"

    @property
    def api_token_lock(self) -> Path:
        """Return the file that is locked while that token is made."""
        return self.locks / "api-token"

    @property
    def session_key(self) -> Path:
        """Return the file of the key that tokens of sessions are sealed with."""
        return self.base / "session-key"

    @property
    def session_key_lock(self) -> Path:
        """Return the file that is locked while that key is made."""
        return self.locks / "session-key"

    @property
    def remotes(self) -> Path:
        """Return the file of the remotes that snapshots travel to and from."""
        return self.base / "remotes.json"

    @property
    def remotes_lock(self) -> Path:
        """Return the file that is locked while that one is changed."""
        return self.locks / "remotes"

    @property
    def fetched(self) -> Path:
        """Return the directory of what pulls have fetched and not yet put into a store."""
        return self.cache / "fetched"

    @property
    def agents(self) -> Path:
        """Return the file of what was written into the configuration of agents."""
        return self.base / "agents.json"

    @property
    def agents_lock(self) -> Path:
        """Return the file that is locked while that is done."""
        return self.locks / "agents"

    @property
    def daemon(self) -> Path:
        """Return the directory of sockets and of what stands beside them."""
        return self.base / "daemon"

    @property
    def own_directories(self) -> tuple[Path, ...]:
        """Return all directories that ggrep itself writes: no part of any tree it indexes.

        The subdirectories stand beside the base because the base may be a root itself.
        """
        return (self.base, self.data, self.cache, self.locks, self.logs, self.daemon)

    def store_dir(self, store_id: StoreId) -> Path:
        """Return the directory of one store."""
        return self.data / store_id
