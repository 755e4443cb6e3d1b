"""Receipts of a workspace's answers: written with the answer, checked by `ggrep replay`.

All is read in this process: a daemon could publish between question and comparison.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
from msgspec.structs import replace

import ggrep
from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.ids import parse_snapshot_id
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_outcomes import RepoReport
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_receipts import (
    RepoChange,
    WorkspaceReceipt,
    WorkspaceReplay,
    make_workspace_receipt,
    origin_of,
    replay_of,
    request_of,
    standing,
)
from ggrep.federation.workspace_receipts_json import workspace_receipt_document
from ggrep.interfaces.cli.queries.receipt_file import write_receipt
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.receipt import ReceiptHit
from ggrep.model.replay import NewHit, OldHit, Place, Whereabouts
from ggrep.model.sanitise import sanitise_line
from ggrep.render.replay_text import render_change, render_fates, render_summary
from ggrep.render.style import Style
from ggrep.service.places import open_engine
from ggrep.service.searchers import engine_searchers


def keep_receipt(path: Path, response: FederatedResponse, *, force: bool) -> None:
    """Write the receipt of an answer; with `force`, over any regular file.

    Raises:
        UsageError: it cannot be written there.
    """
    version, build = ggrep.__version__, build_id()
    receipt = make_workspace_receipt(response, _bytes(response), version=version, build=build)
    data = stable_json.dumps(workspace_receipt_document(receipt)) + b"\n"
    write_receipt(path, data, force=force)


def replay_workspace(
    terminal: Terminal, receipt: WorkspaceReceipt, file: Path, *, encoder: str | None
) -> WorkspaceReplay:
    """Return the outcome of replaying a receipt on a workspace.

    Raises:
        InvalidRequest: the workspace file, or the question, is wrong.
        GgrepError: no repository answers.
    """
    workspace = load(file)
    today = anyio.run(_ask, terminal, workspace, receipt, encoder)
    if today.error is not None:
        raise today.error
    answer = _bytes(today)
    now = origin_of(today, answer, version=ggrep.__version__, build=build_id())
    is_reproduced = now.answer_sha256 == receipt.origin.answer_sha256
    found: dict[str, Sequence[Whereabouts]] = {}
    for repo_id, hits in _by_repo(receipt).items():
        looked = standing(hits) if is_reproduced else _look(terminal, today, repo_id, hits, encoder)
        if looked is not None:
            found[repo_id] = looked
    return replay_of(receipt, now, today, found)


def render_workspace_replay(replay: WorkspaceReplay, style: Style) -> str:
    """Return the outcome, what differs of each repository, and what became of each hit."""
    if replay.is_reproduced:
        count = f"{len(replay.hits)} hits of {len(replay.now.repos)} repositories"
        return style.paint("good", "reproduced") + f": the same bytes, {count}\n"
    names = {
        repo.repo_id: repo.alias or repo.repo_id
        for repo in (*replay.receipt.origin.repos, *replay.now.repos)
    }
    hits = [_named(item.item, names.get(item.repo_id, item.repo_id)) for item in replay.hits]
    new = [
        NewHit(item.item.rank, _below(item.item.place, names.get(item.repo_id, item.repo_id)))
        for item in replay.new_hits
    ]
    lines = [style.paint("bad", "not reproduced") + ": the workspace gives different bytes"]
    lines += [style.paint("muted", f"  {line}") for line in _changes(replay.changes, names)]
    lines += ["", *render_fates(hits, new, style), "", render_summary(hits, new)]
    return "\n".join(lines) + "\n"


async def _ask(
    terminal: Terminal, workspace: Workspace, receipt: WorkspaceReceipt, encoder: str | None
) -> FederatedResponse:
    request = request_of(receipt.question, Path.cwd())
    searchers = engine_searchers(terminal.environ, {"encoder": encoder})
    return await federated_search(workspace, request, searchers, SystemClock())


def _look(
    terminal: Terminal,
    today: FederatedResponse,
    repo_id: str,
    hits: Sequence[ReceiptHit],
    encoder: str | None,
) -> tuple[Whereabouts, ...] | None:
    """Return where a repository's hits are in the snapshot that answered; None if unknown."""
    report = _report(today, repo_id)
    if report is None or report.snapshot_id is None:
        return None
    from ggrep.search.query.relocate import whereabouts

    try:
        root, flags = report.repo.root_canonical, {"encoder": encoder}
        engine = open_engine(root, terminal.environ, flags=flags)
        deadline = Deadline.after(engine.clock, engine.settings.query_timeout_ms)
        with engine.pin(deadline, snapshot_id=parse_snapshot_id(report.snapshot_id)) as view:
            return whereabouts(view, hits, deadline)
    except GgrepError as error:
        terminal.tell(f"{report.repo.alias or repo_id}: {error}")
        return None


def _by_repo(receipt: WorkspaceReceipt) -> dict[str, list[ReceiptHit]]:
    """Return the hits of each repository, in their order."""
    held: dict[str, list[ReceiptHit]] = {}
    for item in receipt.hits:
        held.setdefault(item.repo_id, []).append(item.hit)
    return held


def _report(today: FederatedResponse, repo_id: str) -> RepoReport | None:
    return next((report for report in today.reports if report.repo.repo_id == repo_id), None)


def _bytes(response: FederatedResponse) -> bytes:
    """Return the answer as `--json` prints it."""
    return stable_json.dumps(response.to_json()) + b"\n"


def _changes(changes: Sequence[RepoChange], names: dict[str, str]) -> Iterator[str]:
    for item in changes:
        whose = "" if item.repo_id is None else f"{names.get(item.repo_id, item.repo_id)}: "
        yield sanitise_line(whose) + render_change(item.change)


def _named(item: OldHit, name: str) -> OldHit:
    """Return a hit whose paths are prefixed by its repository's name."""
    found = item.whereabouts
    place = None if found.place is None else _below(found.place, name)
    hit = replace(item.hit, path=f"{name}/{item.hit.path}")
    return replace(item, hit=hit, whereabouts=replace(found, place=place))


def _below(place: Place, name: str) -> Place:
    return replace(place, path=f"{name}/{place.path}")
