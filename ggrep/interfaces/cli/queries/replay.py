"""Receipts in files, and `ggrep replay`, which runs a receipt's query again and compares."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

import ggrep
from ggrep.base import durable, stable_json
from ggrep.base.build import build_id
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError, Incompatible, InvalidRequest, UsageError
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
    standing,
    workspace_receipt_document,
)
from ggrep.interfaces.cli.boundary import could_not_run
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    EncoderFlag,
    Flag,
    JsonFlag,
    PlainFlag,
    ProfileFlag,
)
from ggrep.interfaces.cli.report_file import is_standard_output, require_writable, shown_path
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.receipt import WORKSPACE_KIND, HitFate, Place, Receipt, ReceiptHit, ReplayedHit
from ggrep.model.sanitise import sanitise_line
from ggrep.render.answer_json import query_success
from ggrep.render.receipts import (
    MAX_RECEIPT_BYTES,
    open_sealed,
    receipt_of,
    render_change,
    render_fates,
    render_replay,
    render_summary,
    replay_json,
)
from ggrep.render.style import Style
from ggrep.service.location import location_of, open_engine
from ggrep.service.searchers import engine_searchers

if TYPE_CHECKING:
    from ggrep.model.response import QueryResponse

_FLAG = "--receipt"
_MODE = 0o600
"""It holds lines of the repository, which others may not be meant to read."""


def require_receipt_place(path: Path, *, force: bool) -> None:
    """Raise, before the search runs, unless a receipt may be written there.

    Args:
        path: where to.
        force: write over any regular file.

    Raises:
        UsageError: it may not, or cannot.
    """
    if str(path) == "-" or is_standard_output(path):
        raise UsageError(f"{_FLAG}: name a file; the answer goes to standard output")
    require_writable({_FLAG: path}, [])
    if not path.exists():
        return
    if not path.is_file():
        raise UsageError(f"{_FLAG}: {shown_path(path)}: not a regular file")
    if not force and path.stat().st_size and not _is_receipt(path):
        raise UsageError(
            f"{_FLAG}: {shown_path(path)} exists and is not a receipt; --force replaces it"
        )


def write_receipt(path: Path, data: bytes, *, force: bool) -> None:
    """Write a receipt atomically, to the target of any links.

    Raises:
        UsageError: it may not be written there, or cannot.
    """
    require_receipt_place(path, force=force)
    try:
        durable.replace_file(Path(os.path.realpath(path)), data, mode=_MODE)
    except OSError as error:
        raise UsageError(f"{_FLAG}: {shown_path(path)}: {error.strerror or error}") from error


def read_receipt(path: Path) -> "Receipt | WorkspaceReceipt":
    """Return the receipt in a file.

    Raises:
        InvalidRequest: there is none, or it was changed.
        Incompatible: another build wrote it, in a version that this one does not read.
    """
    try:
        if path.exists() and not path.is_file():
            raise InvalidRequest(f"{shown_path(path)}: not a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_RECEIPT_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{shown_path(path)}: {error.strerror or error}") from error
    if len(data) > MAX_RECEIPT_BYTES:
        raise InvalidRequest(f"{shown_path(path)}: more than {MAX_RECEIPT_BYTES} bytes")
    try:
        return _parsed(data)
    except InvalidRequest as error:
        raise InvalidRequest(f"{shown_path(path)}: {error}") from error


def _parsed(data: bytes) -> "Receipt | WorkspaceReceipt":
    values = open_sealed(data)
    if values["kind"] != WORKSPACE_KIND:
        return receipt_of(values)
    from ggrep.federation.workspace_receipts import workspace_receipt_of

    return workspace_receipt_of(values)


def _is_receipt(path: Path) -> bool:
    try:
        read_receipt(path)
    except Incompatible:
        return True
    except InvalidRequest:
        return False
    return True


def replay(
    file: Annotated[Path, Argument("A file that `ggrep search --receipt` wrote.")],
    repo: Annotated[
        Path | None,
        Flag("--repo", "Query this repository instead of the current one.", takes="root"),
    ] = None,
    workspace: Annotated[
        Path | None,
        Flag("--workspace", "For a workspace's receipt: query this workspace file."),
    ] = None,
    today: Annotated[
        bool, Flag("--today", "Query the newest snapshot, not the receipt's own.")
    ] = False,
    profile: ProfileFlag = None,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Run a receipt's query again; exit with 1 when bytes differ, with 2 when it cannot run."""
    terminal = open_terminal(plain=plain)
    asked = _ReplayOptions(repo, workspace, profile, encoder, today)
    with could_not_run("the replay"):
        outcome = _outcome(terminal, read_receipt(file), asked)
    if json:
        terminal.write_json(outcome.document, pretty=True)
    else:
        terminal.write(outcome.text)
    return 0 if outcome.is_reproduced else 1


class _ReplayOptions(Struct, frozen=True):
    """The options given besides the file."""

    repo: Path | None
    workspace: Path | None
    profile: str | None
    encoder: str | None
    today: bool


class _ReplayResult(Struct, frozen=True):
    """The outcome of a replay, as text and as JSON."""

    is_reproduced: bool
    document: stable_json.Document
    text: str


def answer_bytes(response: "QueryResponse") -> bytes:
    """Return the answer as `--json` prints it."""
    return stable_json.dumps(query_success(response)) + b"\n"


def _outcome(
    terminal: Terminal, receipt: "Receipt | WorkspaceReceipt", asked: _ReplayOptions
) -> _ReplayResult:
    """Return the outcome of replaying a receipt of either kind.

    Raises:
        UsageError: flags that do not go with its kind.
    """
    if isinstance(receipt, Receipt):
        if asked.workspace is not None:
            raise UsageError("--workspace: the receipt belongs to one repository; use --repo")
        return _of_repository(terminal, receipt, asked)
    if asked.workspace is None:
        raise UsageError("the receipt belongs to a workspace; give its file with --workspace")
    if asked.repo is not None or asked.today or asked.profile is not None:
        raise UsageError("--repo, --profile, --today: not available for a workspace")
    return _of_workspace(terminal, receipt, asked.workspace, asked.encoder)


def _of_repository(terminal: Terminal, receipt: Receipt, asked: _ReplayOptions) -> _ReplayResult:
    root = location_of(asked.repo, directory=True).root
    flags = {"encoder": asked.encoder, "profile": asked.profile}
    engine = open_engine(root, terminal.environ, flags=flags)
    from ggrep.search.engine.receipts import replay as replay_receipt

    found = replay_receipt(engine, receipt, answer_bytes, today=asked.today)
    return _ReplayResult(
        found.is_reproduced, replay_json(found), render_replay(found, terminal.style)
    )


def _of_workspace(
    terminal: Terminal, receipt: "WorkspaceReceipt", file: Path, encoder: str | None
) -> _ReplayResult:
    found = replay_workspace(terminal, receipt, file, encoder=encoder)
    text = render_workspace_replay(found, terminal.style)
    return _ReplayResult(found.reproduced, found.to_dict(), text)


AnyPlace = TypeVar("AnyPlace", bound=Place)


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
    found: dict[str, Sequence[HitFate]] = {}
    for repo_id, hits in _by_repo(receipt).items():
        looked = standing(hits) if is_reproduced else _look(terminal, today, repo_id, hits, encoder)
        if looked is not None:
            found[repo_id] = looked
    return replay_of(receipt, now, today, found)


def render_workspace_replay(replay: WorkspaceReplay, style: Style) -> str:
    """Return the outcome, what differs of each repository, and what became of each hit."""
    if replay.reproduced:
        count = f"{len(replay.hits)} hits of {len(replay.now.repos)} repositories"
        return style.paint("good", "reproduced") + f": the same bytes, {count}\n"
    names = {
        repo.repo_id: repo.alias or repo.repo_id
        for repo in (*replay.receipt.repos, *replay.now.repos)
    }
    hits = [_named(item, names.get(item.repo_id, item.repo_id)) for item in replay.hits]
    new = [_below(each, names.get(each.repo_id, each.repo_id)) for each in replay.new_hits]
    lines = [style.paint("bad", "not reproduced") + ": the workspace gives different bytes"]
    lines += [style.paint("muted", f"  {line}") for line in _changes(replay.changes, names)]
    lines += ["", *render_fates(hits, new, style), "", render_summary(hits, new)]
    return "\n".join(lines) + "\n"


async def _ask(
    terminal: Terminal, workspace: Workspace, receipt: WorkspaceReceipt, encoder: str | None
) -> FederatedResponse:
    request = replace(receipt.question, base_dirs=(Path.cwd(),))
    searchers = engine_searchers(terminal.environ, {"encoder": encoder})
    return await federated_search(workspace, request, searchers, SystemClock())


def _look(
    terminal: Terminal,
    today: FederatedResponse,
    repo_id: str,
    hits: Sequence[ReceiptHit],
    encoder: str | None,
) -> tuple[HitFate, ...] | None:
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
        yield sanitise_line(whose) + render_change(item)


def _named(item: ReplayedHit, name: str) -> ReplayedHit:
    """Return a hit whose paths are prefixed by its repository's name."""
    place = None if item.place_now is None else _below(item.place_now, name)
    return replace(_below(item, name), place_now=place)


def _below(place: AnyPlace, name: str) -> AnyPlace:
    return replace(place, path=f"{name}/{place.path}")
