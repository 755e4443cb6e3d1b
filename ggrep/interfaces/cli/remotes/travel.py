"""`ggrep push` and `ggrep pull`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest, NoIndex
from ggrep.config.remotes import read_remotes
from ggrep.config.settings import home_from
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    EncoderFlag,
    Flag,
    JsonFlag,
    PlainFlag,
    ProfileFlag,
    YesFlag,
)
from ggrep.interfaces.cli.remotes.remote import known_remote
from ggrep.interfaces.cli.stores.index import summary
from ggrep.interfaces.cli.terminal import (
    Terminal,
    ask_before_indexing,
    open_terminal,
    show_progress,
)
from ggrep.interfaces.cli.text_tables import bytes_text, plural
from ggrep.model.hints import with_path
from ggrep.model.sanitise import sanitise_line
from ggrep.service.places import on_disk, open_index, place_of

if TYPE_CHECKING:
    from ggrep.index.sync.sync_report import SyncReport
    from ggrep.model.schemas.remotes import PullJson
    from ggrep.search.engine.repo_index import RepoIndex
    from ggrep.search.engine.travelling import Pulled


def push(
    path: Annotated[
        Path | None,
        Argument("A directory in the repository, or a remote's name; default: the current one."),
    ] = None,
    to: Annotated[
        str | None, Flag("--remote", "Remote to use; default: the only one, or origin.")
    ] = None,
    again: Annotated[bool, Flag("--again", "Upload every object, even if it exists.")] = False,
    encoder: EncoderFlag = None,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Push the index of a repository to a remote, so that nobody else has to build it.

    What is pushed is the active snapshot; `ggrep index` brings it up to date first. Only what the
    remote lacks is sent, and secrets are masked in it as they are in every index.
    """
    from ggrep.search.engine.travelling import push_to

    terminal = open_terminal(plain=plain)
    path, to = _meant(path, to, terminal)
    remote = known_remote(terminal, to)
    index = _index(path, terminal, encoder, profile)
    try:
        report = push_to(index, remote, again=again)
    except NoIndex as error:
        root = index.identity.root
        elsewhere = None if Path.cwd().is_relative_to(root) else root
        raise NoIndex(with_path(str(error), elsewhere)) from error
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
        return 0
    what = f"{report.repo_key}, commit {report.commit[:12]}" if report.commit else report.repo_key
    if report.pushed:
        size = bytes_text(report.written_bytes)
        told = f"pushed {what} to {remote.name}: {report.written} of {report.blobs} blobs, {size}"
    else:
        told = f"{remote.name} has {what} already"
    terminal.tell(sanitise_line(f"{told}, in {report.duration_ms / 1000:.1f} s"))
    return 0


def pull(
    path: Annotated[
        Path | None,
        Argument("A directory in the repository, or a remote's name; default: the current one."),
    ] = None,
    of: Annotated[
        str | None, Flag("--remote", "Remote to use; default: the only one, or origin.")
    ] = None,
    auto: Annotated[
        bool,
        Flag("--auto", "If the pull fails, index instead; for scripts and hooks."),
    ] = False,
    yes: YesFlag = False,
    encoder: EncoderFlag = None,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Take over from a remote what was indexed of these files, then index what is missing.

    The snapshot nearest to this checkout is taken: of the same files, else of the commit with the
    longest history in common. Of it only files are shown that lie here, byte for byte.
    """
    terminal, clock = open_terminal(plain=plain), SystemClock()
    path, of = _meant(path, of, terminal)
    index = _index(path, terminal, encoder, profile)
    ask_before_indexing(require_modest, index.identity.root, index.home, yes=yes)
    label = index.identity.root.name
    since_ms = clock.monotonic_ms()
    outcome = _pulled(index, terminal, of, auto=auto)
    pull_ms = int(clock.monotonic_ms() - since_ms)
    if not json:
        _tell(outcome, terminal, pull_ms)
    with show_progress(terminal, label) as progress:
        synced = index.sync(progress=progress)
    spent_ms = int(clock.monotonic_ms() - since_ms)
    if json:
        terminal.write_json(pull_json(outcome, synced, (pull_ms, spent_ms)), pretty=True)
        return 0
    root = index.identity.root
    elsewhere = None if Path.cwd().is_relative_to(root) else root
    terminal.tell(with_path(summary(label, synced), elsewhere))
    return 0


def _meant(
    path: Path | None, remote: str | None, terminal: Terminal
) -> tuple[Path | None, str | None]:
    """Return directory and remote of a command line; a remote's name may be typed as with git."""
    if path is None or remote is not None or on_disk(path).exists():
        return path, remote
    known = {one.name for one in read_remotes(home_from(terminal.environ).remotes)}
    return (None, str(path)) if str(path) in known else (path, None)


def _pulled(index: "RepoIndex", terminal: Terminal, name: str | None, *, auto: bool) -> "Pulled":
    """Pull; under `auto` a remote that fails or is not there is told of and is no failure."""
    from ggrep.search.engine.travelling import Pulled, pull_from, pull_if_possible

    try:
        remote = known_remote(terminal, name)
    except InvalidRequest as error:
        if not auto:
            raise
        return Pulled(None, reason=str(error))
    with show_progress(terminal, index.identity.root.name) as progress:
        return (pull_if_possible if auto else pull_from)(index, remote, progress)


def _tell(outcome: "Pulled", terminal: Terminal, pull_ms: int) -> None:
    report, remote = outcome.report, outcome.remote
    name = remote.name if remote else ""
    if remote is None:
        told = f"nothing was pulled: {outcome.reason}"
    elif report is None or outcome.reason:
        told = f"nothing was pulled from {name}: {outcome.reason}"
    elif report.outcome == "current":
        told = f"the index holds all {plural(report.files, 'file', 'files')} as they are"
    else:
        at = f" of commit {report.commit[:12]}" if report.commit else ""
        size = bytes_text(outcome.traffic.bytes_down if outcome.traffic else 0)
        told = (
            f"pulled {report.brought} of {plural(report.of_files, 'file', 'files')}{at} from"
            f" {name}, {size} in {pull_ms / 1000:.1f} s"
        )
    terminal.tell(sanitise_line(told))
    for line in report.passed_over if report and report.outcome == "pulled" else ():
        terminal.tell(sanitise_line(f"passed over: {line}"))


def _index(
    path: Path | None, terminal: Terminal, encoder: str | None, profile: str | None
) -> "RepoIndex":
    root = place_of(path, directory=True).root
    return open_index(root, terminal.environ, flags={"encoder": encoder, "profile": profile})


def pull_json(outcome: "Pulled", synced: "SyncReport", times_ms: tuple[int, int]) -> "PullJson":
    """Return what a pull did.

    Args:
        outcome: of the pull.
        synced: what the sync after it did.
        times_ms: until the pulled files could be searched, and in all.
    """
    from ggrep.index.remote.pull import PullReport

    report = outcome.report or PullReport("failed", None, None)
    return {
        "schema_version": 1,
        "remote": outcome.remote.name if outcome.remote else None,
        "repo_key": report.repo_key,
        "outcome": report.outcome,
        "reason": sanitise_line(outcome.reason) or None,
        "exact": report.exact,
        "commit": report.commit,
        "files": report.files,
        "of_files": report.of_files,
        "brought": report.brought,
        "passed_over": [sanitise_line(line) for line in report.passed_over],
        "traffic": outcome.traffic,
        "pull_ms": times_ms[0],
        "snapshot_id": synced.snapshot_id,
        "indexed": synced.indexed,
        "vectors_encoded": synced.vectors_encoded,
        "duration_ms": times_ms[1],
    }
