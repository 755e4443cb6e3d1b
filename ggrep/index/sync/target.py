"""The repository and store that a sync works on, and its tools."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.ids import PathKey, StoreId
from ggrep.config.fingerprints import travelling_id
from ggrep.config.repo_key import repo_key
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.vector_cache import VectorCache
from ggrep.parse.workers.kept import KeptWorkers


class SyncTarget(Struct, frozen=True):
    """Everything that a sync needs.

    Attributes:
        new_id: returns a fresh ULID, larger than all before.
        wait: sleeps that many seconds; used while another writer holds the store.
        parse_workers: processes that cut files.
        parsers: where those come from and go to; None to start and end them.
        vectors: vectors encoded before; None to encode everything.
        early: a client waits for a first index: publish a part of it before the rest.
        wanted: returns the files named by queries so far, the best first; a first index begins
            with them.
    """

    root: Path
    store: Path
    store_id: StoreId
    config_fingerprint: str
    embed_config_fingerprint: str
    settings: Settings
    encoder: Encoder | None
    clock: Clock
    new_id: Callable[[], str]
    wait: Callable[[float], None]
    parse_workers: int
    parsers: KeptWorkers | None = None
    vectors: VectorCache | None = None
    early: bool = False
    wanted: Callable[[], Sequence[PathKey]] = tuple

    def index_id(self, *, git: bool) -> StoreId:
        """Return the id in answers of an index without a predecessor.

        Args:
            git: whether git reported the state of the work tree; if not, git is not run again.
        """
        if not git and not self.settings.repo_key:
            return self.store_id
        key = repo_key(self.root, self.settings)
        return travelling_id(key, self.config_fingerprint) if key else self.store_id
