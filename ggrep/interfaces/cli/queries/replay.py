"""Receipt files, and `ggrep replay`, which runs a receipt's query again and compares answers."""

import os
from collections.abc import Sequence
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
from ggrep.federation.workspace_receipts import (
    WorkspaceReceipt,
    WorkspaceReplay,
    make_workspace_receipt,
    origin_of,
    replay_of,
    standing,
    workspace_receipt_document,
    workspace_receipt_of,
)
from ggrep.interfaces.cli.boundary import could_not_run
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    EncoderFlag,
    Flag,
    JsonFlag,
    PlainFlag,
    ProfileFlag,
    RepoFlag,
)
from ggrep.interfaces.cli.report_file import is_standard_output, require_writable, shown_path
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.outline import counted
from ggrep.model.receipt import WORKSPACE_KIND, HitFate, HitPlace, Receipt, ReceiptHit, ReplayedHit
from ggrep.model.sanitise import sanitise_line
from ggrep.render.answer_json import answer_json
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
"""Mode of receipt files, which contain lines of the repository that may be confidential."""


def require_receipt_place(path: Path, *, force: bool) -> None:
    """Raise unless a receipt can be written to the path; called before the search runs."""
    if str(path) == "-" or is_standard_output(path):
        raise UsageError(f"{_FLAG}: must be a file, as the answer is written to standard output")
    require_writable({_FLAG: path}, [])
    if not path.exists():
        return
    if not path.is_file():
        raise UsageError(f"{_FLAG}: {shown_path(path)}: not a regular file")
    if not force and path.stat().st_size and not _is_receipt(path):
        raise UsageError(
            f"{_FLAG}: {shown_path(path)} exists and is not a receipt; to replace it: --force"
        )


def write_receipt(path: Path, data: bytes, *, force: bool) -> None:
    """Write a receipt atomically; a symbolic link is kept, and its target is replaced."""
    require_receipt_place(path, force=force)
    try:
        durable.replace_file(Path(os.path.realpath(path)), data, mode=_MODE)
    except OSError as error:
        raise UsageError(f"{_FLAG}: {shown_path(path)}: {error.strerror or error}") from error


def read_receipt(path: Path) -> Receipt | WorkspaceReceipt:
    """Return the receipt in a file."""
    try:
        if path.exists() and not path.is_file():
            raise InvalidRequest(f"{shown_path(path)} is not a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_RECEIPT_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{shown_path(path)}: {error.strerror or error}") from error
    if len(data) > MAX_RECEIPT_BYTES:
        raise InvalidRequest(f"{shown_path(path)} is larger than {MAX_RECEIPT_BYTES} bytes")
    try:
        values = open_sealed(data)
        return (
            workspace_receipt_of(values) if values["kind"] == WORKSPACE_KIND else receipt_of(values)
        )
    except InvalidRequest as error:
        raise InvalidRequest(f"{shown_path(path)}: {error}") from error


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
    repo: RepoFlag = None,
    workspace: Annotated[
        Path | None,
        Flag(
            "--workspace", "Query this workspace file; only for the receipt of a workspace search."
        ),
    ] = None,
    today: Annotated[
        bool, Flag("--today", "Query the newest snapshot instead of the receipt's snapshot.")
    ] = False,
    profile: ProfileFlag = None,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Repeat a receipt's query; exit with 1 on a different answer, with 2 when the replay fails."""
    terminal = open_terminal(plain=plain)
    options = _ReplayOptions(repo, workspace, profile, encoder, today)
    with could_not_run("the replay"):
        is_reproduced, document, text = _result(terminal, read_receipt(file), options)
    terminal.show(document, text, json=json)
    return 0 if is_reproduced else 1


class _ReplayOptions(Struct, frozen=True):
    """The options of `ggrep replay`."""

    repo: Path | None
    workspace: Path | None
    profile: str | None
    encoder: str | None
    today: bool


def answer_bytes(response: "QueryResponse") -> bytes:
    """Return the answer as `--json` prints it."""
    return stable_json.dumps(answer_json(response)) + b"\n"


def _result(
    terminal: Terminal, receipt: Receipt | WorkspaceReceipt, options: _ReplayOptions
) -> tuple[bool, stable_json.Document, str]:
    """Return whether the answer equals the receipt's, and the comparison as JSON and as text."""
    if isinstance(receipt, Receipt):
        if options.workspace is not None:
            raise UsageError("--workspace: the receipt belongs to one repository; use --repo")
        root = location_of(options.repo, directory=True).root
        flags = {"encoder": options.encoder, "profile": options.profile}
        engine = open_engine(root, terminal.environ, flags=flags)
        from ggrep.search.engine.receipts import replay as replay_receipt

        result = replay_receipt(engine, receipt, answer_bytes, today=options.today)
        return result.is_reproduced, replay_json(result), render_replay(result, terminal.style)
    if options.workspace is None:
        raise UsageError(
            "the receipt belongs to a workspace; name the workspace file with --workspace"
        )
    if options.repo is not None or options.today or options.profile is not None:
        raise UsageError("--repo, --profile, --today: not allowed for the receipt of a workspace")
    again = replay_workspace(terminal, receipt, options.workspace, encoder=options.encoder)
    text = render_workspace_replay(again, terminal.style)
    return again.reproduced, again.to_dict(), text


AnyPlace = TypeVar("AnyPlace", bound=HitPlace)


def keep_receipt(path: Path, response: FederatedResponse, *, force: bool) -> None:
    """Write the receipt of a workspace's answer; `force` replaces an existing file."""
    version, build = ggrep.__version__, build_id()
    receipt = make_workspace_receipt(response, _bytes(response), version=version, build=build)
    data = stable_json.dumps(workspace_receipt_document(receipt)) + b"\n"
    write_receipt(path, data, force=force)


def replay_workspace(
    terminal: Terminal, receipt: WorkspaceReceipt, file: Path, *, encoder: str | None
) -> WorkspaceReplay:
    """Return the outcome of replaying a receipt on a workspace."""
    workspace = load(file)
    request = replace(receipt.question, base_dirs=(Path.cwd(),))
    searchers = engine_searchers(terminal.environ, {"encoder": encoder})
    today = anyio.run(federated_search, workspace, request, searchers, SystemClock())
    if today.error is not None:
        raise today.error
    answer = _bytes(today)
    now = origin_of(today, answer, version=ggrep.__version__, build=build_id())
    is_reproduced = now.answer_sha256 == receipt.origin.answer_sha256
    results: dict[str, Sequence[HitFate]] = {}
    by_repo: dict[str, list[ReceiptHit]] = {}
    for item in receipt.hits:
        by_repo.setdefault(item.repo_id, []).append(item.hit)
    for repo_id, hits in by_repo.items():
        looked = standing(hits) if is_reproduced else _look(terminal, today, repo_id, hits, encoder)
        if looked is not None:
            results[repo_id] = looked
    return replay_of(receipt, now, today, results)


def render_workspace_replay(replay: WorkspaceReplay, style: Style) -> str:
    """Return the text of a replay: outcome, changes of repositories, and changes of hits."""
    if replay.reproduced:
        repos = counted(len(replay.now.repos), "repository")
        count = f"{counted(len(replay.hits), 'hit')} of {repos}"
        return style.paint("good", "reproduced") + f": the same bytes, {count}\n"
    names = {
        repo.repo_id: repo.alias or repo.repo_id
        for repo in (*replay.receipt.repos, *replay.now.repos)
    }
    hits = [_named(item, names.get(item.repo_id, item.repo_id)) for item in replay.hits]
    new = [_below(each, names.get(each.repo_id, each.repo_id)) for each in replay.new_hits]
    lines = [style.paint("bad", "not reproduced") + ": the workspace returns different bytes"]
    for change in replay.changes:
        prefix = f"{names.get(change.repo_id, change.repo_id)}: " if change.repo_id else ""
        line = sanitise_line(prefix) + render_change(change)
        lines.append(style.paint("muted", f"  {line}"))
    lines += ["", *render_fates(hits, new, style), "", render_summary(hits, new)]
    return "\n".join(lines) + "\n"


def _look(
    terminal: Terminal,
    today: FederatedResponse,
    repo_id: str,
    hits: Sequence[ReceiptHit],
    encoder: str | None,
) -> tuple[HitFate, ...] | None:
    """Return where a receipt's hits are in the snapshot of the new answer; None if unknown."""
    report = next((each for each in today.reports if each.repo.repo_id == repo_id), None)
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


def _bytes(response: FederatedResponse) -> bytes:
    """Return the answer as `--json` prints it."""
    return stable_json.dumps(response.to_json()) + b"\n"


def _named(item: ReplayedHit, name: str) -> ReplayedHit:
    """Return a hit whose paths begin with its repository's name."""
    place = None if item.place_now is None else _below(item.place_now, name)
    return replace(_below(item, name), place_now=place)


def _below(place: AnyPlace, name: str) -> AnyPlace:
    return replace(place, path=f"{name}/{place.path}")
