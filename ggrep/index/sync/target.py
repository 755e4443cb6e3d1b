"""The repository and store of a sync, and the services that the sync uses."""

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
    """The repository, store, settings and services of a sync.

    Attributes:
        new_id: returns a new ULID, which is larger than all previous ULIDs.
        wait: sleeps for a number of seconds; used while another writer has the lease.
        parse_workers: number of processes that cut files into chunks.
        parsers: worker processes that are kept between syncs; None to start and end them in each
            sync.
        vectors: the cache of vectors; None to encode all texts.
        early: whether to publish a part of a first index before the rest, because a client waits.
        wanted: returns the files that queries have needed so far, best first; a first index begins
            with these files.
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
        """Return the index id to record in the first snapshot; answers contain this id.

        Args:
            git: whether git reported the state of the work tree; if not, git is not run again.
        """
        if not git and not self.settings.repo_key:
            return self.store_id
        key = repo_key(self.root, self.settings)
        return travelling_id(key, self.config_fingerprint) if key else self.store_id
