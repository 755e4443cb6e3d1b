"""Renders the JSON document of an answer as text for agents."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct, convert

from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.model.containers import OTHER_CONTAINER
from ggrep.model.index_freshness import INCOMPLETE_CODES
from ggrep.model.outline import PathOutline, TourSection, counted, outline_lines, tour_lines
from ggrep.model.sanitise import first_of, sanitise_line
from ggrep.render.agent_hits import (
    AlreadyShown,
    expansion_lines,
    hit_lines,
    match_lines,
    neighbour_lines,
)
from ggrep.render.agent_names import (
    MAX_LISTED,
    definition_lines,
    fresh,
    reference_lines,
)
from ggrep.render.limits_text import limits_line
from ggrep.render.printed import CUTS_IN_TEXT
from ggrep.search.slate.slate_lines import folded_place, slate_lines

_Object: TypeAlias = Mapping[str, Any]

_SECOND_MS = 1_000


def status_lines(document: _Object) -> Iterator[str]:
    """Yield lines about the index, its freshness, the watcher and the daemon."""
    if "snapshot" not in document:
        state = "there is an index" if document.get("indexed") else "there is no index yet"
        yield f"no daemon runs; {state}; a search starts a daemon and updates the index"
        return
    snapshot, daemon = document["snapshot"], document["daemon"]
    if snapshot["active_snapshot_id"] is None:
        yield "nothing is indexed yet"
    else:
        commit = f", at {snapshot['head_sha'][:12]}" if snapshot["head_sha"] else ""
        changed = " with uncommitted changes" if snapshot["dirty"] else ""
        whole = ", first part only" if snapshot["partial"] else ""
        files, chunks = counted(snapshot["files"], "file"), counted(snapshot["chunks"], "chunk")
        yield (f"indexed: {files}, {chunks}, {snapshot['created_at']}{commit}{changed}{whole}")
    yield from _sync(document["sync"])
    yield _watch(document.get("watch", {}))
    stale = f", outdated settings: {daemon['stale_reason']}" if daemon["stale"] else ""
    load = document["queries"]
    yield (
        f"daemon: process {daemon['pid']}, version {daemon['binary_version']}{stale};"
        f" {load['in_flight']} searches running, {load['queue_depth']} waiting"
    )


def _sync(sync: _Object) -> Iterator[str]:
    """Yield lines about the freshness of the index and about files that it lacks."""
    left = [
        f"{sync[key]} {words}"
        for key, words in (
            ("skipped_files", "not indexed"),
            ("secret_files", "of them with secrets"),
        )
        if sync[key]
    ]
    looks = sync["state"] == "indexing" and sync.get("stage") in {"scan", "compare"}
    # A sync that is still comparing files has not found a change.
    if sync["state"] == "indexing" and not (looks and sync["last_result"] == "ok"):
        of = f" of {sync['total_files']}" if sync.get("total_files") else ""
        done = f", {sync['done_files']}{of} files" if of else ""
        yield f"indexing: {sync.get('stage') or 'begins'}{done}"
    elif sync.get("last_error"):
        again = sync.get("next_retry_ms")
        when = "" if again is None else f"; next try in {again // _SECOND_MS} s"
        yield f"not fresh: the last sync failed: {sync['last_error']}{when}"
    elif sync.get("pending"):
        yield "not fresh: changes wait for the next sync"
    elif sync["last_sync_at"] is None:
        yield "this daemon has not synced yet"
    else:
        now = "; a sync is checking for changes" if looks else ""
        yield f"fresh: last sync {sync['last_sync_at']}, {sync['last_result']}{now}"
    if left:
        yield f"files {', '.join(left)}; ggrep_health names them"


def _watch(watch: _Object) -> str:
    match watch.get("mode", "off"):
        case "off":
            mode = "off; sync=true indexes changes"
        case "polling":
            mode = "by checking every few seconds"
        case _:
            mode = f"by events, {watch['events_total']} so far"
    problem = f"; {watch['problem']}" if watch.get("problem") else ""
    return f"watched: {mode}{problem}"


def health_lines(document: _Object) -> Iterator[str]:
    """Yield the failed checks, then the number of passed checks."""
    checks = document["checks"]
    bad = [check for check in checks if check["severity"] != "ok"]
    yield "healthy" if document["ok"] else "not healthy"
    for check in bad:
        yield f"{check['severity']} {check['code']}: {check['message']}"
        yield from (f"  {path}" for path in check["paths"])
    yield f"{len(checks) - len(bad)} of {len(checks)} checks are ok"


BUDGETS: Final = {
    "results": 4_096,
    "definitions": 4_096,
    "references": 4_096,
}
"""Maximum bytes of an answer's text, by a key of that kind of answer; not for slates."""

_ID: Final = re.compile(r"[0-9a-f]{64}")
_SHORT_ID: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
"""An id with 64 digits, which is shortened to its first 12."""
_FIRST: Final = r"\1"


MERGED_BY_RANK: Final = (
    'merged by rank only, because no merge strategy is set; "global" ranks better'
)
"""Note for a workspace if neither its file nor the request sets a merge strategy."""


class AgentView(Struct, frozen=True):
    """Settings for an answer's text for agents.

    Attributes:
        budget: maximum bytes of an answer's lines; 0 for the default of its kind.
        more: advice on how to see the cut lines; `{}` is replaced by the budget, in bytes, that
            would show all lines.
        comments: also show long comments of an expansion.
        arguments: name arguments of tools instead of flags.
    """

    budget: int = 0
    more: str = "a larger budget"
    comments: bool = False
    arguments: bool = False


def agent_text(
    document: _Object,
    view: AgentView | None = None,
    notes: Sequence[str] = (),
    asked: Sequence[str] = (),
) -> str:
    """Return an answer's JSON document as text for agents, without a final newline.

    A line that several answers contain is shown once; the budget applies to each answer. `notes`
    are appended to a single answer. `asked` contains the query of each of several answers, for
    answers whose document does not contain the query.
    """
    view = view or AgentView()
    answers = document.get("answers")
    if answers is None:
        tail = (f"note: {note}" for note in notes)
        return "\n".join((*_within(document, _body(document, view), view), *tail))
    shown_before, lines = AlreadyShown(), list[str]()
    names = (*asked, *("" for _ in answers))
    for answer, name in zip(answers, names, strict=False):
        head, body, earlier = _fresh(answer, name, shown_before, view)
        shown = () if body is None else _within(answer, body, view)
        lines += (*head, *shown, *earlier)
    return "\n".join(lines)


def _fresh(
    document: _Object, typed: str, shown_before: AlreadyShown, view: AgentView
) -> tuple[list[str], Iterator[str] | None, tuple[str, ...]]:
    """Return an answer's head, its new lines, and lines about locations that were shown before.

    The head of an expansion is its first line; lines about neighbouring chunks are omitted.
    """
    opened = "boundary" in document
    asked = document.get("name") or document.get("target") or sanitise_line(typed)
    head = [f"## {_SHORT_ID.sub(_FIRST, asked)}"] if asked and not opened else []
    rest, earlier = fresh(document, shown_before)
    if rest is None:
        return head, None, earlier
    if not opened:
        return head, _body(rest, view), earlier
    # With a budget, the end of the expansion may be cut, so its lines do not count as shown.
    lines = expansion_lines(
        rest, comments=view.comments, shown_before=None if view.budget else shown_before
    )
    return [f"## {next(lines)}"], lines, earlier


def _within(document: _Object, lines: Iterator[str], view: AgentView) -> Iterator[str]:
    """Yield warnings, the lines of an answer up to the budget, and a line about cuts.

    The first line of the answer is always shown; a failure precedes its warnings.
    """
    if "code" in _failure(document):
        yield next(lines)
    yield from _warnings(document)
    most = view.budget or next((size for key, size in BUDGETS.items() if key in document), 0)
    taken, shown, left = 0, 0, 0
    for line in lines:
        taken += len(line.encode()) + 1
        if most and taken > most and shown:
            left += 1
        else:
            shown += 1
            yield line
    if left:
        yield f"cut: {left} more lines; {view.more.format(taken)} shows them"
    mentioned = {*CUTS_IN_TEXT, *(("max_expand_bytes",) if document.get("hidden_lines") else ())}
    if others := document.get("mentions"):
        every = len(document["references"]) + others
        more = f"limit={every}" if view.arguments else f"--max {every}"
        yield f"cut: {every - others} of about {every} usages; more: {more}"
        mentioned.add("max_references")
    limits = (item for item in document.get("limits_hit", ()) if item["code"] not in mentioned)
    if cuts := limits_line(limits, arguments=view.arguments):
        yield cuts


def _body(document: _Object, view: AgentView) -> Iterator[str]:
    failed = _failure(document)
    if "code" in failed:
        yield f"{failed['code']}: {_SHORT_ID.sub(_FIRST, failed['message'])}"
        if hint := failed.get("hint"):
            yield f"hint: {hint}"
    elif "slate" in document:
        yield from _slate(document)
    elif "results" in document:
        yield from match_lines(document) if "matches" in document else hit_lines(document)
    elif "definitions" in document:
        yield from definition_lines(document)
    elif "references" in document:
        yield from reference_lines(document, arguments=view.arguments)
    elif "boundary" in document:
        yield from expansion_lines(document, comments=view.comments)
        yield from neighbour_lines(document)
    else:
        yield from _other(document)


def _failure(document: _Object) -> _Object:
    """Return the error object of a failure; for an answer, an object without `code`."""
    if "message" in document:
        return document
    error: _Object | None = document.get("error")
    return error or {}


def _other(document: _Object) -> Iterator[str]:
    if "outlines" in document:
        for number, outline in enumerate(convert(document["outlines"], tuple[PathOutline, ...])):
            yield from ("",) if number else ()
            yield from outline_lines(outline, outline.path)
    elif "sections" in document:
        yield from tour_lines(convert(document["sections"], tuple[TourSection, ...]))
    elif "running" in document:
        yield from status_lines(document)
    elif "checks" in document:
        yield from health_lines(document)
    else:
        yield stable_json.dumps(_without_ids(document)).decode()


def _warnings(document: _Object) -> Iterator[str]:
    """Yield a line for each warning, and for each status of repositories without an answer.

    Warnings about an incomplete index come first.
    """
    diagnostics = document.get("diagnostics", {})
    notices = (
        *diagnostics.get("errors", ()),
        *document.get("warnings", ()),
        *diagnostics.get("warnings", ()),
    )
    repos = {repo["repoId"]: repo for repo in document.get("repos", ())}
    names = {key: repo.get("alias") or key for key, repo in repos.items()}
    notes: dict[tuple[str, str], list[str]] = {}
    for note in sorted(notices, key=lambda note: note["code"] not in INCOMPLETE_CODES):
        if note["code"] == OTHER_CONTAINER and "references" in document:
            continue
        whose = notes.setdefault((note["code"], note["message"]), [])
        whose += [names[note["repoId"]]] if note.get("repoId") in names else []
    for (_, message), whose in notes.items():
        prefix = f"{first_of(whose, MAX_LISTED)}: " if whose else ""
        yield f"warning: {prefix}{message}"
    silent: dict[str, list[str]] = {}
    for key, repo in repos.items():
        if (status := repo.get("status", "ok")) != "ok":
            silent.setdefault(status, []).append(names[key])
    yield from (f"{status}: {first_of(whose, MAX_LISTED)}" for status, whose in silent.items())


def _slate(document: _Object) -> Iterator[str]:
    slate = document["slate"]
    files = sum(len(section["files"]) for section in slate.get("sections", ()))
    counts = f"{counted(files, 'file')}, level {slate.get('level', 1)}"
    yield f"{document.get('confidence', 'found')}, {counts}"
    yield from slate_lines(slate)
    if place := folded_place(slate):
        yield f"folded: expand {place} shows the longest range"
    if session := document.get("session"):
        yield f"session {session['token']}"


def _without_ids(value: Json) -> Json:
    """Return a document without ids that have 64 digits."""
    if isinstance(value, Mapping):
        return {key: _without_ids(each) for key, each in value.items() if not _is_id(each)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_without_ids(each) for each in value if not _is_id(each)]
    return value


def _is_id(value: Json) -> bool:
    return isinstance(value, str) and bool(_ID.fullmatch(value))
