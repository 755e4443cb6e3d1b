"""The values that answering a request needs, and the fields that all answers share."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypedDict

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.base.identifiers import derived_id
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.view import SnapshotView
from ggrep.model.index_freshness import IndexFreshness, freshness_notices
from ggrep.model.limits import (
    Counts,
    LimitHit,
    Notice,
    sorted_limits,
    sorted_notices,
    unseen_notices,
)
from ggrep.model.request import CollectionStatistics, EncodedQuery, Find, SearchRequest
from ggrep.model.response import Admitted, Provenance, ScanFacts
from ggrep.model.sanitise import without_directories
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.query.file_notices import file_notices
from ggrep.search.query.pipeline import Ranked, rank
from ggrep.search.query.unseen_files import unseen_files


class Head(TypedDict):
    """The fields that all answers share."""

    request_id: str
    query_fingerprint: str
    provenance: Provenance
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...]
    admitted: Admitted | None


class Context(Struct, frozen=True):
    """The snapshot, the limits and the services for answering one request.

    Attributes:
        view: the pinned snapshot.
        home: the home directory of the snapshot's store.
        root: the work tree.
        deadline: when to stop with `DeadlineExceeded`.
        encoder: None if no vectors are compared.
        new_id: returns a unique id.
        standing: returns how current the index is.
        skipped: returns how many files the last sync skipped, by reason.
        request_id: the id of the answer; empty for a new id.
        admitted: how the request was admitted; None without admission.
        snapshot_read_ms: time that opening the snapshot took.
        scan: the scanned and skipped files, if the snapshot comes from a scan.
        occurrences: the pool of processes that parse files for names.
        detached: whether `root` is not a real directory, so that no file below it is read.
    """

    view: SnapshotView
    home: Home
    root: Path
    deadline: Deadline
    settings: Settings
    encoder: Encoder | None
    clock: Clock
    new_id: Callable[[], str]
    standing: Callable[[], IndexFreshness]
    skipped: Callable[[], Counts] = tuple
    request_id: str = ""
    admitted: Admitted | None = None
    snapshot_read_ms: float = 0.0
    scan: ScanFacts | None = None
    occurrences: OccurrencePool = field(default_factory=OccurrencePool)
    detached: bool = False

    def rank(
        self,
        request: SearchRequest,
        files: int,
        figures: CollectionStatistics | None = None,
        vector: EncodedQuery | None = None,
    ) -> Ranked:
        """Return the scores of all rows of the snapshot.

        Args:
            request: the search request.
            files: maximum number of files in the answer; 0 for no learned correction.
            figures: statistics to score against; None for the snapshot's own.
            vector: the vector of the query; None to encode it here.

        Raises:
            InvalidRequest: the snapshot has more segments than one query may open.
        """
        check_segments(self.view, self.settings)
        return rank(
            self.view,
            request,
            encoder=self.encoder,
            statistics=figures,
            deadline=self.deadline,
            files=files,
            encoded=vector,
        )

    def head(
        self,
        fingerprint: str,
        *,
        deterministic: bool,
        limits: Iterable[LimitHit],
        notices: Iterable[Notice],
        spans: Iterable[tuple[str, float]],
        shown: Iterable[str] = (),
    ) -> Head:
        """Return the common fields of an answer.

        Args:
            fingerprint: the fingerprint of the request.
            deterministic: leave out values that can differ between runs.
            limits: the limits hit.
            notices: the notices about the request; notices about the index are added.
            spans: the stages after the opening of the snapshot, with their milliseconds.
            shown: paths of the files with text or lines in the answer; notices on how these files
                were read are added.
        """
        all_notices = (*state_notices(self.view), *notices, *file_notices(self.view, shown))
        store_id = self.view.manifest.name
        head = Head(
            request_id=derived_id(fingerprint, store_id),
            query_fingerprint=fingerprint,
            provenance=self.provenance,
            limits_hit=sorted_limits(limits),
            warnings=sorted_notices(all_notices),
            timings_ms=(),
            admitted=None,
        )
        if deterministic:
            return head
        waited_ms = self.admitted.waited_ms if self.admitted else 0.0
        stages = (("admission", waited_ms), ("snapshot_read", self.snapshot_read_ms), *spans)
        head["request_id"] = self.request_id or self.new_id()
        head["warnings"] = sorted_notices((*all_notices, *self._moment()))
        head["timings_ms"] = tuple((stage, round(span)) for stage, span in stages)
        head["admitted"] = self.admitted
        return head

    def unseen(self, *, deterministic: bool, names: bool = False) -> tuple[Notice, ...]:
        """Return the notices on files that an empty, weak or cut answer could not show.

        Return none for a scan, which reports its coverage itself.

        Args:
            deterministic: leave out skipped files, whose number can change without a new snapshot.
            names: the answer is about a name.
        """
        if self.scan is not None:
            return ()
        skipped = () if deterministic else self.skipped()
        return unseen_notices(unseen_files(self.view, skipped), names=names)

    def _moment(self) -> tuple[Notice, ...]:
        """Return the notices on how current the index is.

        For a partial snapshot or a scan, another notice already reports that the index is
        incomplete.
        """
        standing = self.standing()
        whole = not self.view.manifest.partial and self.scan is None
        return freshness_notices(replace(standing, behind=standing.behind and whole))

    @property
    def _is_incomplete(self) -> bool:
        damage = self.view.damage
        return damage is not None and not damage.is_complete

    @property
    def provenance(self) -> Provenance:
        """Return the store and the snapshot from which the answer comes."""
        manifest = self.view.manifest
        return Provenance(
            store_id=manifest.name,
            config_fingerprint=manifest.config_fingerprint,
            ignore_fingerprint=manifest.ignore_fingerprint,
            embed_config_fingerprint=manifest.embed_config_fingerprint,
            snapshot_id=manifest.snapshot_id,
            git=manifest.git,
            degraded=manifest.degraded or manifest.partial or self._is_incomplete,
            partial=manifest.partial,
            indexed_files=manifest.counts.files_indexed,
            eligible_files=manifest.counts.files_eligible,
            scan=self.scan,
        )


class Stages:
    """Measures how long each stage of an answer takes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_ms = clock.monotonic_ms()
        self.spans: list[tuple[str, float]] = []

    def end(self, stage: str) -> None:
        """Record the time since the end of the previous stage."""
        now_ms = self._clock.monotonic_ms()
        self.spans.append((stage, now_ms - self._began_ms))
        self._began_ms = now_ms


def check_segments(view: SnapshotView, settings: Settings) -> None:
    """Raise `InvalidRequest` if a snapshot has more segments than one query may open."""
    if len(view.segments) > settings.max_open_segments_per_query:
        raise InvalidRequest(
            f"snapshot {view.manifest.snapshot_id} has {len(view.segments)} segments,"
            " more than max_open_segments_per_query; run: ggrep index"
        )


def search_notices(request: SearchRequest, encoder: Encoder | None) -> tuple[Notice, ...]:
    """Return the notices about a search request that is answered by ranking."""
    if request.find is Find.SIMILAR_CODE and (encoder is None or not request.vectors):
        text = "the index has no vectors, so similar code is found by rare words in common"
        return (Notice("no_vectors", text),)
    return ()


def state_notices(view: SnapshotView) -> tuple[Notice, ...]:
    """Return the notices that every answer from a snapshot has."""
    notices = list(view.notices)
    manifest = view.manifest
    if manifest.degraded:
        notices.append(Notice("degraded_snapshot", without_directories(_degraded(manifest))))
    if manifest.partial:
        counts = manifest.counts
        text = f"{counts.files_indexed} of {counts.files_eligible} files are indexed so far"
        notices.append(Notice("partial_index", text))
    return tuple(notices)


def _degraded(manifest: SnapshotManifest) -> str:
    first = "".join(f", first {error.path_key}: {error.message}" for error in manifest.errors[:1])
    return f"problems while indexing: {manifest.problems}{first}; ggrep health names them"
