"""Answers a query with a slate, from the same scores as a search.

All steps up to the scores are the same as in a search; only the selection of hits differs.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.base.identifiers import derived_id
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.config.roles import ROLES_REVISION, RoleRules, rules_of
from ggrep.config.settings import Settings
from ggrep.model.confidence import Confidence, confidence_notices, confidence_of
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SessionState, SlateRequest, SlateResponse
from ggrep.model.slate_material import Pick
from ggrep.search.query.answerer import Answerer, Unpinned
from ggrep.search.query.context import Context, Stages, search_notices
from ggrep.search.query.pipeline import Ranked, check_request, leading
from ggrep.search.query.selection import absent_notices
from ggrep.search.query.weights import RANKING_REVISION
from ggrep.search.slate.duplicates import merged
from ggrep.search.slate.file_candidates import CandidateFiles, RelatedFiles
from ggrep.search.slate.file_choice import SELECTION_REVISION, Selection, select
from ggrep.search.slate.levels import check_level, disclosure_of, effective, files_shown
from ggrep.search.slate.overview import SlatePlan
from ggrep.search.slate.pack_draft import drawn
from ggrep.search.slate.pack_material import materials
from ggrep.search.slate.related_files import ORIGINS, best_rows_of, companions
from ggrep.search.slate.sessions import Sessions, sessions_of
from ggrep.search.slate.tokens import SessionToken, check_session, told_of


def check_slate(request: SlateRequest) -> None:
    """Raise unless the request is valid; needs no index.

    Raises:
        InvalidRequest: the message names the invalid field.
    """
    check_level(request.level)
    effective(request.budgets, request.level)
    if request.session is not None:
        check_session(request.session, of_several=request.seen is not None)
    check_request(request.search)


def slate_fingerprint(request: SlateRequest, settings: Settings) -> str:
    """Return the fingerprint of a slate's request, independent of earlier slates of its session."""
    session = request.session
    search = request.search
    unread = SearchRequest("")
    plain = replace(
        request,
        search=replace(
            search, limit=unread.limit, per_file=unread.per_file, snippet=unread.snippet
        ),
        session=None if session is None else replace(session, token=""),
        seen=None,
        facts=False,
        statistics=None,
        snapshot_id=None,
        vector=None,
    )
    added = "|".join(
        f"{role.value}={','.join(globs)}" for role, globs in rules_of(settings.roles).added
    )
    revision = f"{RANKING_REVISION}|{SELECTION_REVISION}|{ROLES_REVISION}|{added}"
    return asked_fingerprint("slate-1", plain, settings=settings, ranking_revision=revision)


def slate(context: Context, request: SlateRequest) -> SlateResponse:
    """Return the slate of a query over one snapshot.

    Args:
        context: the context of the answer; in a session with the session's snapshot.
        request: a request that `check_slate` accepts.

    Raises:
        InvalidRequest: a target is not a file of the snapshot, or the token is invalid.
        Busy: the maximum number of sessions exists already.
        SessionExpired: the session ended, or a rebuild removed its snapshot.
        SnapshotGone: the request's statistics are from another snapshot.
        SessionFull: the session has returned as many files as a token can name.
        DeadlineExceeded: time ran out.
    """
    session = _session(context, request)
    view, deadline, search = context.view, context.deadline, request.search
    if request.snapshot_id is not None and request.snapshot_id != view.manifest.snapshot_id:
        raise SnapshotGone(f"snapshot {request.snapshot_id} is no longer active")
    budgets, clamps = effective(request.budgets, request.level)
    stages = Stages(context.clock)
    ranked = context.rank(search, 0, request.statistics, request.vector)
    stages.end("retrieve")
    confidence = confidence_of(leading(ranked, deadline))
    rules, token = rules_of(context.settings.roles), session and session[1]
    selection, beside = _chosen(ranked, rules, request, budgets.files, token, deadline)
    selection, weak = _kept(selection, confidence, request)
    stages.end("rank")
    shown = disclosure_of(request.level, budgets, anchors=request.anchors)
    files = materials(ranked, selection.picks, beside, shown, deadline)
    deadline.check("format")
    plan = SlatePlan(
        level=request.level,
        budgets=budgets,
        confidence=confidence,
        terms=ranked.query.terms,
        kind=ranked.query.kind.value,
        graph=request.graph,
        left=selection.left,
        cut=any(piece.hidden_lines for each in files for piece in each.evidence),
        has_session=session is not None,
    )
    distinct = merged(files)
    drawn_slate = drawn(distinct, plan, facts=request.facts)
    stages.end("format")
    cuts = (
        *clamps,
        *ranked.limits,
        *weak,
        *drawn_slate.limits,
        *_over_files(selection, budgets.files),
    )
    packs = [pack for _, section in drawn_slate.slate.sections for pack in section]
    # Files that are left out, because other files contain all of their evidence.
    copies = {each.pick.candidate.path for each in files}
    copies.difference_update(each.pick.candidate.path for each in distinct)
    is_lacking = bool(cuts) or not packs or confidence is not Confidence.STRONG
    unseen = context.unseen(deterministic=search.deterministic) if is_lacking else ()
    return SlateResponse(
        # The sender of the request has the removed fields.
        request=replace(request, statistics=None, vector=None),
        confidence=confidence,
        slate=drawn_slate.slate,
        session=_advanced(request, session, sorted(told_of(packs, copies))),
        facts=drawn_slate.facts,
        copies=() if request.seen is None else tuple(sorted(copies)),
        **context.head(
            slate_fingerprint(request, context.settings),
            deterministic=search.deterministic,
            limits=cuts,
            notices=(
                *search_notices(search, context.encoder),
                *confidence_notices(confidence),
                *_suppressed(selection),
                *unseen,
                *absent_notices(ranked.segments, search.filters, deadline),
            ),
            spans=stages.spans,
            shown=[pack.path for pack in packs],
        ),
    )


def _session(context: Context, request: SlateRequest) -> tuple[Sessions, SessionToken] | None:
    """Return the session of a request, continued or new; the token lists all files shown before."""
    if request.session is None:
        return None
    # The manifest is not used, because it contains the old name if the repository has moved.
    store_id = StoreId(context.view.store.name)
    sessions = sessions_of(context.home, store_id, context.deadline, context.clock)
    if request.session.token:
        resumed = sessions.resume(request.session.token)
        counted = resumed.seen.union(map(bytes.fromhex, request.seen or ()))
        return sessions, replace(resumed, seen=counted)
    snapshot_id = context.view.manifest.snapshot_id
    name = slate_fingerprint(request, context.settings)
    fixed = request.search.deterministic
    session_id = derived_id(name, snapshot_id) if fixed else context.new_id()
    return sessions, sessions.begin(snapshot_id, session_id)


def _advanced(
    request: SlateRequest, session: tuple[Sessions, SessionToken] | None, returned: Iterable[str]
) -> SessionState | None:
    if request.session is None or session is None:
        return None
    sessions, token = session
    if request.seen is not None:  # the caller records the returned files itself
        token, returned = replace(token, seen=frozenset()), ()
    return sessions.advance(token, returned, request.session.op)


def _chosen(
    ranked: Ranked,
    rules: RoleRules,
    request: SlateRequest,
    files: int,
    session: SessionToken | None,
    deadline: Deadline,
) -> tuple[Selection, RelatedFiles | None]:
    """Return the chosen files, and the relations of all files to the best code."""
    gatherer = CandidateFiles(ranked, rules, deadline)
    asked = request.session
    if asked is not None and asked.op == "expand":
        return _targets(gatherer, asked.targets), None
    beside = companions(ranked, best_rows_of(ranked, gatherer.leading(ORIGINS)), deadline)
    candidates = gatherer.candidates(beside)
    if session is not None and asked is not None and asked.delta_only:
        return select(candidates, files, seen=session.has_seen), beside
    return select(candidates, files), beside


def _targets(gatherer: CandidateFiles, targets: Sequence[str]) -> Selection:
    """Return the files that `targets` names, each with its named lines."""
    lines: dict[str, list[int]] = {}
    for target in targets:
        path, _, number = target.rpartition(":")
        if path and number.isascii() and number.isdigit():
            lines.setdefault(path, []).append(int(number[:9]))
        else:
            lines.setdefault(target, [])
    picks: list[Pick] = []
    for path, asked in lines.items():
        candidate = gatherer.target(path)
        if candidate is None:
            raise InvalidRequest(f"targets: {path!a}: the snapshot has no such file")
        rank = sum(pick.candidate.section is candidate.section for pick in picks)
        picks.append(Pick(candidate, "expand_target", rank, tuple(asked)))
    return Selection(tuple(picks), 0, 0)


def _kept(
    selection: Selection, confidence: Confidence, request: SlateRequest
) -> tuple[Selection, tuple[LimitHit, ...]]:
    """Return the selection without files that a weak answer hides, and the limit to report."""
    picks = selection.picks
    named = request.session is not None and request.session.op == "expand"
    keep_weak = named or request.search.keep_weak
    number = files_shown(len(picks), confidence, keep_weak=keep_weak)
    if number >= len(picks):
        return selection, ()
    first = sorted(picks, key=lambda pick: (pick.rank, -pick.candidate.score))[:number]
    kept = tuple(pick for pick in picks if pick in first)
    left = selection.left + len(picks) - len(kept)
    cut = LimitHit("low_confidence", len(kept), len(picks))
    return replace(selection, picks=kept, left=left), (cut,)


def _suppressed(selection: Selection) -> tuple[Notice, ...]:
    """Return the notice on files that were omitted because the session has shown them."""
    if not selection.suppressed:
        return ()
    message = (
        f"{selection.suppressed} matching files are omitted, because this session has shown "
        "them before"
    )
    return (Notice("files_seen", message),)


def _over_files(selection: Selection, files: int) -> tuple[LimitHit, ...]:
    if not selection.left or len(selection.picks) < files:
        return ()
    return (LimitHit("max_slate_files", files, len(selection.picks) + selection.left),)


def _session_snapshot(store: Unpinned, request: SlateRequest) -> SnapshotId | None:
    """Return the snapshot of the request's session; None for the active one."""
    if request.session is None:
        return None
    sessions = sessions_of(store.home, store.store_id, store.deadline, store.clock)
    return sessions.snapshot_of(request.session.token) if request.session.token else None


SLATE: Final = Answerer(slate, check_slate, _session_snapshot, vectors=True)
