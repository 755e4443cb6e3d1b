"""Answers a search by a scan while no snapshot is published; a notice reports the scan.

A daemon uses this module right after its start, so the module loads neither engine nor database.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline, rfc3339
from ggrep.base.errors import NoIndex
from ggrep.config.home import Home
from ggrep.config.settings import Settings, with_budgets
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.identity import STATIC
from ggrep.index.repo_identity import RepoIdentity
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.unwritten import Origin
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.limits import LimitHit, Notice, sorted_limits, sorted_notices
from ggrep.model.request import SearchRequest, can_scan
from ggrep.model.response import Admitted, Hit, QueryResponse, ScanFacts
from ggrep.search.engine.query_answers import answer
from ggrep.search.query.context import Context
from ggrep.search.query.finding import wants_vector
from ggrep.search.query.pipeline import check_request
from ggrep.search.scan.prefetch_listing import Prefetch
from ggrep.search.scan.scanner import WHOLE_MS, Scanned, ScanTarget, scanned

_MIB: Final = 1 << 20


class Scanner(Struct, frozen=True):
    """Answers searches of one repository by scanning its work tree; thread-safe.

    Attributes:
        identity: the identity of the repository.
        home: the home directory of the repository's store.
        settings: the current settings.
        clock: the clock of deadlines and time bounds.
        new_id: returns a unique id.
        standing: returns the freshness of the index.
        prefetch: the steps of the scan that were started in advance.
        damage: the message about a damaged index, if the damage is the reason for the scan.
        served: whether a daemon is building the index.
    """

    identity: RepoIdentity
    home: Home
    settings: Settings
    clock: Clock
    new_id: Callable[[], str]
    standing: Callable[[], IndexFreshness]
    prefetch: Prefetch
    damage: str = ""
    served: bool = False

    def scan(
        self,
        request: SearchRequest,
        deadline: Deadline,
        *,
        asked_ms: float | None = None,
        budgets: Mapping[str, int] = MappingProxyType({}),
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> QueryResponse:
        """Answer a query; see `ggrep.search.engine.engine.Engine.scan`."""
        check_request(request)
        if not can_scan(request):
            raise NoIndex("this repository has no index yet; run: ggrep index")
        now_ms = self.clock.monotonic_ms()
        asked_ms = now_ms if asked_ms is None else asked_ms
        quick = self.identity.encoder.name == STATIC  # other encoders load too slowly
        encodes = quick and wants_vector(request)
        target = ScanTarget(
            origin=self._origin(),
            settings=with_budgets(self.settings, budgets),
            encoder=open_encoder(self.settings.encoder) if encodes else None,
            clock=self.clock,
            prefetch=self.prefetch,
            asked_ms=asked_ms,
            new_id=self.new_id(),
        )
        start_ms = self.clock.monotonic_ms()
        with typed_failures(self.home.base):
            scan = scanned(target, request, deadline)
            context = Context(
                view=scan.view,
                home=self.home,
                root=self.identity.root,
                deadline=deadline,
                settings=target.settings,
                encoder=target.encoder,
                clock=self.clock,
                new_id=self.new_id,
                standing=lambda: replace(self.standing(), unchecked=False),
                request_id=request_id,
                admitted=admitted,
                snapshot_read_ms=self.clock.monotonic_ms() - start_ms,
                scan=scan.facts,
            )
            response = answer(context, request, scan.statistics)
            if not request.is_exact:
                response = _with_rare(response, context, scan)
        return replace(
            response,
            limits_hit=sorted_limits((*response.limits_hit, *_cuts(scan.facts))),
            warnings=sorted_notices((*response.warnings, *self._notices(scan.facts))),
            segments=0,
        )

    def _notices(self, facts: ScanFacts) -> tuple[Notice, ...]:
        """Return the notices of a scan: damage of the index, if any, and how much was searched."""
        searched = _searched(facts)
        if self.damage:
            return Notice("index_damaged", self.damage), Notice("scan", searched)
        now = self.standing()
        if self.served and not (now.failure or now.cancelled or now.held):
            remedy = "the index is being built, see: ggrep status"
        else:
            remedy = "to index the repository: ggrep index"
        return (Notice("scan", f"there is no index yet: {searched}; {remedy}"),)

    def _origin(self) -> Origin:
        identity = self.identity
        return Origin(
            root=identity.root,
            store=identity.store,
            store_id=identity.store_id,
            config_fingerprint=identity.config_fingerprint,
            ignore_fingerprint="",
            embed_config_fingerprint=identity.embed_config_fingerprint,
            eligible_files=0,
            created_at=rfc3339(self.clock.now()),
        )


def _with_rare(response: QueryResponse, context: Context, scan: Scanned) -> QueryResponse:
    """Return the answer, with up to a third of its hits for rare words that no other hit contains.

    The statistics of a scan are estimates, so a long file that contains a rare word once can rank
    low.
    """
    request, added = response.request, list[Hit]()
    for files in scan.rare_files:
        if len(added) == request.limit // 3:
            break
        if any(hit.path in files for hit in (*response.hits, *added)):
            continue
        within = replace(request, scope="\0".join(sorted(files)), limit=1)
        added += answer(context, within, scan.statistics).hits
    kept = response.hits[: request.limit - len(added)]
    return replace(response, hits=(*kept, *added))


def _cuts(facts: ScanFacts) -> tuple[LimitHit, ...]:
    cuts = []
    if not facts.complete:
        cuts.append(LimitHit("max_scan_ms", round(WHOLE_MS)))
    if facts.matching_files > facts.ranked_files:
        cuts.append(LimitHit("max_scan_files", facts.ranked_files, facts.matching_files))
    return tuple(cuts)


def _searched(facts: ScanFacts) -> str:
    size = f"{round(facts.bytes_read / _MIB) or 'under 1'} MiB"
    if facts.listed_files is None:
        searched = f"only {facts.files} files ({size}) were scanned"
    elif facts.files < facts.listed_files:
        searched = f"{facts.files} of {facts.listed_files} files ({size}) were scanned"
    elif facts.files > 1:
        searched = f"all {facts.files} files ({size}) were scanned"
    else:
        searched = f"the only file ({size}) was scanned" if facts.files else "there are no files"
    if facts.ranked_files < facts.matching_files:
        searched += (
            f", and the best {facts.ranked_files} of {facts.matching_files} matching files "
            "were ranked"
        )
    return searched
