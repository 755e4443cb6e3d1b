"""The answer to a search where nothing is published yet: a scan's, marked as such."""

import os
from dataclasses import replace

from ggrep.clock import rfc3339
from ggrep.domain.deadline import Deadline
from ggrep.domain.limits import LimitHit, Notice, sorted_limits, sorted_notices
from ggrep.domain.request import SearchRequest
from ggrep.domain.response import QueryResponse
from ggrep.domain.scan import ScanFacts
from ggrep.engine.answers import Context, answer
from ggrep.repository import RepoIdentity
from ggrep.scan.scanner import MOST_FILES, WHOLE_MS, ScanTarget, scanned
from ggrep.store.unwritten import Origin

_MIB = 1 << 20


def scan_answer(
    context: Context, identity: RepoIdentity, request: SearchRequest, deadline: Deadline
) -> QueryResponse:
    """Return what a look through the work tree answers.

    Raises:
        InvalidRequest: the request cannot be understood, or the root cannot be read.
        DeadlineExceeded: the request's time ran out.
    """
    settings = context.settings
    target = ScanTarget(
        origin=Origin(
            root=identity.root,
            store=identity.store,
            store_id=identity.store_id,
            config_fingerprint=identity.config_fingerprint,
            ignore_fingerprint="",
            embed_config_fingerprint=identity.embed_config_fingerprint,
            eligible_files=0,
            created_at=rfc3339(context.clock.now()),
        ),
        settings=settings,
        encoder=context.encoder,
        clock=context.clock,
        parse_workers=settings.parse_workers or os.cpu_count() or 1,
        new_id=context.new_id(),
    )
    start_ms = context.clock.monotonic_ms()
    with scanned(target, request, deadline) as found:
        took_ms = context.clock.monotonic_ms() - start_ms
        context = replace(context, snapshot_read_ms=took_ms)
        response = answer(context, found.view, request, deadline, found.statistics)
    facts = found.facts
    return replace(
        response,
        provenance=replace(response.provenance, scan=facts),
        limits_hit=sorted_limits((*response.limits_hit, *_cuts(facts))),
        warnings=sorted_notices((*response.warnings, _notice(facts))),
        segments=0,
    )


def _cuts(facts: ScanFacts) -> tuple[LimitHit, ...]:
    found = []
    if not facts.complete:
        found.append(LimitHit("max_scan_ms", round(WHOLE_MS)))
    if facts.matching_files > facts.ranked_files:
        found.append(LimitHit("max_scan_files", MOST_FILES, facts.matching_files))
    return tuple(found)


def _notice(facts: ScanFacts) -> Notice:
    size = f"{max(1, round(facts.bytes_read / _MIB))} MiB"
    if facts.complete:
        seen = f"all {facts.files} files ({size})"
    elif facts.listed_files is None:
        seen = f"{facts.files} files ({size}) and there are more"
    else:
        seen = f"{facts.files} of {facts.listed_files} files ({size})"
    told = f"nothing is indexed yet: this is from a quick scan of {seen}; an index finds more"
    return Notice("scan", told)
