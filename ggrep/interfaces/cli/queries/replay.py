"""`ggrep replay`: runs a receipt's query again and compares the answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.boundary import could_not_run
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    EncoderFlag,
    Flag,
    JsonFlag,
    PlainFlag,
    ProfileFlag,
)
from ggrep.interfaces.cli.queries.receipt_file import read_receipt
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.receipt import Receipt
from ggrep.render.query_json import query_success
from ggrep.render.replay_json import replay_json
from ggrep.render.replay_text import render_replay
from ggrep.service.places import open_engine, place_of

if TYPE_CHECKING:
    from ggrep.federation.workspace_receipts import WorkspaceReceipt
    from ggrep.model.response import QueryResponse


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
    asked = _Asked(repo, workspace, profile, encoder, today)
    with could_not_run("the replay"):
        outcome = _outcome(terminal, read_receipt(file), asked)
    if json:
        terminal.write_json(outcome.document, pretty=True)
    else:
        terminal.write(outcome.text)
    return 0 if outcome.is_reproduced else 1


class _Asked(Struct, frozen=True):
    """The options given besides the file."""

    repo: Path | None
    workspace: Path | None
    profile: str | None
    encoder: str | None
    today: bool


class _Outcome(Struct, frozen=True):
    """The outcome of a replay, as text and as JSON."""

    is_reproduced: bool
    document: stable_json.Document
    text: str


def answer_bytes(response: "QueryResponse") -> bytes:
    """Return the answer as `--json` prints it."""
    return stable_json.dumps(query_success(response)) + b"\n"


def _outcome(terminal: Terminal, receipt: "Receipt | WorkspaceReceipt", asked: _Asked) -> _Outcome:
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


def _of_repository(terminal: Terminal, receipt: Receipt, asked: _Asked) -> _Outcome:
    root = place_of(asked.repo, directory=True).root
    flags = {"encoder": asked.encoder, "profile": asked.profile}
    engine = open_engine(root, terminal.environ, flags=flags)
    from ggrep.search.engine.receipts import replay as replay_receipt

    found = replay_receipt(engine, receipt, answer_bytes, today=asked.today)
    return _Outcome(found.is_reproduced, replay_json(found), render_replay(found, terminal.style))


def _of_workspace(
    terminal: Terminal, receipt: "WorkspaceReceipt", file: Path, encoder: str | None
) -> _Outcome:
    from ggrep.federation.workspace_receipts_json import workspace_replay_json
    from ggrep.interfaces.cli.queries.workspace_replay import (
        render_workspace_replay,
        replay_workspace,
    )

    found = replay_workspace(terminal, receipt, file, encoder=encoder)
    text = render_workspace_replay(found, terminal.style)
    return _Outcome(found.is_reproduced, workspace_replay_json(found), text)
