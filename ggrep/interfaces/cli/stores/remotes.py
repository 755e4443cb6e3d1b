"""`ggrep remote`, `ggrep pull` and `ggrep push`."""

import os
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from msgspec.structs import asdict

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import InvalidRequest, NoIndex, UsageError
from ggrep.base.locks import Patience, alone
from ggrep.base.stable_json import Document
from ggrep.config.remotes import (
    GRACE_HOURS,
    Remote,
    checked,
    read_remotes,
    remote_named,
    write_remotes,
)
from ggrep.config.settings import home_from
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    EncoderFlag,
    Flag,
    JsonFlag,
    PlainFlag,
    ProfileFlag,
    RemoteFlag,
    YesFlag,
)
from ggrep.interfaces.cli.stores.index import summary
from ggrep.interfaces.cli.terminal import (
    Terminal,
    ask_before_indexing,
    open_terminal,
    show_progress,
)
from ggrep.interfaces.cli.text_tables import bytes_text, plural
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_path
from ggrep.service.location import is_marked, location_of, on_disk, open_index

if TYPE_CHECKING:
    from ggrep.model.schemas.stores import PullJson
    from ggrep.model.sync import SyncReport
    from ggrep.search.engine.push_pull import Pulled
    from ggrep.search.engine.repo_index import RepoIndex

_PathArgument: TypeAlias = Annotated[
    Path | None,
    Argument("A directory in the repository, or a remote's name; default: the current one."),
]

_LOCK_MS: Final = 10_000


def add(
    name: Annotated[
        str, Argument("Name of the remote, such as `origin`, which other commands use by default.")
    ],
    url: Annotated[
        str,
        Argument(
            "s3://BUCKET/FOLDER, gs://..., az://..., https://SERVER, or a directory.", metavar="URL"
        ),
    ],
    endpoint: Annotated[str | None, Flag("--endpoint", "URL of an S3-compatible service.")] = None,
    region: Annotated[
        str | None, Flag("--region", "S3 region; default: from the environment.")
    ] = None,
    plain_http: Annotated[bool, Flag("--plain-http", "Allow an endpoint without TLS.")] = False,
    readable: Annotated[
        bool,
        Flag(
            "--readable",
            "Let searches use pulled files before ggrep has compared them with the local files.",
        ),
    ] = False,
    token_env: Annotated[
        str | None, Flag("--token-env", "Environment variable with the token of a team server.")
    ] = None,
    token_file: Annotated[
        Path | None, Flag("--token-file", "File with the token of a team server.")
    ] = None,
    json: JsonFlag = False,
) -> int:
    """Add a remote, or change its URL.

    The remote is not contacted. Credentials come from variables of the provider, such as
    AWS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS or AZURE_STORAGE_ACCOUNT_KEY. An https://
    URL names a team server; a workspace file can list the server's repositories.
    """
    remote = checked(
        Remote(
            name,
            _as_url(url).rstrip("/"),
            (endpoint or "").rstrip("/"),
            region or "",
            plain_http=plain_http,
            readable=readable,
            token_env=token_env or "",
            token_file=str(token_file.expanduser().absolute()) if token_file else "",
        )
    )

    def added(known: Sequence[Remote]) -> Sequence[Remote]:
        others = {each.name: each for each in known}
        return tuple((others | {name: remote}).values())

    return _changed(added, f"{name} is {remote.url}", json=json)


def _as_url(typed: str) -> str:
    """Return the URL of a typed directory path; return other text unchanged."""
    if not typed.startswith(("/", "./", "../", "~/")):
        return typed
    return Path(os.path.abspath(Path(typed).expanduser())).as_uri()  # noqa: PTH100 - keeps links


def remove(name: Annotated[str, Argument("Name of the remote.")], json: JsonFlag = False) -> int:
    """Remove a remote from the settings; keep its uploaded data."""

    def removed(known: Sequence[Remote]) -> Sequence[Remote]:
        kept = tuple(each for each in known if each.name != name)
        if len(kept) == len(known):
            remote_named(known, name)
        return kept

    return _changed(
        removed, f"{name} was removed from the settings; its objects were kept", json=json
    )


def list_command(json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """List the configured remotes."""
    terminal = open_terminal(plain=plain)
    remotes = read_remotes(home_from(terminal.environ).remotes)
    if json:
        terminal.write_json(remotes_json(remotes), pretty=True)
        return 0
    for each in remotes:
        more = [f"endpoint {each.endpoint}"] if each.endpoint else []
        more += ["readable"] if each.readable else []
        more += ["team server"] if each.is_server else []
        suffix = f"  ({', '.join(more)})" if more else ""
        name = terminal.style.paint("name", each.name)
        terminal.write(f"{name}  {sanitise_line(each.url)}{sanitise_line(suffix)}\n")
    if not remotes:
        terminal.note("no remote is configured; to add one: ggrep remote add origin URL\n")
    return 0


def gc(
    name: Annotated[
        str | None, Argument("Name of the remote; default: the only one, or origin.")
    ] = None,
    grace_hours: Annotated[
        int,
        Flag(
            "--grace-hours",
            "Keep objects that are younger than this many hours.",
            least=GRACE_HOURS,
            most=8760,
        ),
    ] = GRACE_HOURS,
    force: Annotated[bool, Flag("--force", "Delete the objects.")] = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """List or delete remote objects that no snapshot needs.

    The last 32 pushes of each repository and configuration are kept.
    """
    from ggrep.index.remote.collect import collect
    from ggrep.index.remote.objects import open_objects

    terminal = open_terminal(plain=plain)
    remote = known_remote(terminal, name)
    objects = open_objects(remote, time.sleep)
    grace = timedelta(hours=grace_hours)
    result = collect(objects, SystemClock(), grace=grace, force=force)
    if json:
        terminal.write_json(result.to_dict(), pretty=True)
        return 0
    verb, count, size = "would delete", result.removable, result.removable_bytes
    if force:
        verb, count, size = "deleted", result.deleted, result.deleted_bytes
    text = plural(count, "object", "objects")
    terminal.write(
        f"{verb} {text}, {bytes_text(size)}; {result.kept} kept, {plural(result.refs, 'ref')}\n"
    )
    if not force and result.removable:
        more = "" if grace_hours == GRACE_HOURS else f" --grace-hours {grace_hours}"
        line = f"ggrep remote gc {remote.name} --force{more}"
        terminal.note(f"nothing was deleted; to delete: {line}\n")
    return 0


def known_remote(terminal: Terminal, name: str | None) -> Remote:
    """Return the named remote, or the default remote."""
    return remote_named(read_remotes(home_from(terminal.environ).remotes), name)


def remotes_json(remotes: Sequence[Remote]) -> Document:
    """Return the remotes of a home."""
    shown = [
        {key: None if value == "" else value for key, value in asdict(each).items()}
        for each in remotes
    ]
    return {"schema_version": 1, "remotes": shown}


def _changed(
    change: Callable[[Sequence[Remote]], Sequence[Remote]], message: str, *, json: bool
) -> int:
    terminal = open_terminal()
    home = home_from(terminal.environ)
    if home.base.exists() and not home.base.is_dir():
        raise UsageError(f"the ggrep home {home.base} is not a directory")
    deadline = Deadline.after(SystemClock(), _LOCK_MS)
    patience = Patience(deadline, time.sleep, "another process is changing the remotes")
    with alone(home.remotes_lock, patience):
        remotes = change(read_remotes(home.remotes))
        write_remotes(home.remotes, remotes)
    if json:
        terminal.write_json(remotes_json(remotes), pretty=True)
    else:
        terminal.tell(message)
    return 0


def push(
    path: _PathArgument = None,
    to: RemoteFlag = None,
    again: Annotated[
        bool, Flag("--again", "Upload every object, even if the remote has it.")
    ] = False,
    encoder: EncoderFlag = None,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Push the index of a repository to a remote, from which others can pull it.

    Run `ggrep index` first, because only the active snapshot is pushed. Secrets are masked.
    """
    from ggrep.search.engine.push_pull import push_to

    terminal = open_terminal(plain=plain)
    path, to = _meant(path, to, terminal)
    remote = known_remote(terminal, to)
    index = _index(path, terminal, encoder, profile)
    try:
        report = push_to(index, remote, again=again)
    except NoIndex as error:
        root = index.identity.root
        if not (index.settings.repo_key or is_marked(root)):
            raise InvalidRequest(
                f"{root} is not a repository; to push a repository: ggrep push DIRECTORY;"
                " to push all of a workspace: ggrep workspace build FILE --push"
            ) from error
        elsewhere = None if Path.cwd().is_relative_to(root) else root
        raise NoIndex(with_path(str(error), elsewhere)) from error
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
        return 0
    what = f"{report.repo_key}, commit {report.commit[:12]}" if report.commit else report.repo_key
    if report.pushed:
        size = bytes_text(report.written_bytes)
        text = f"pushed {what} to {remote.name}: {report.written} of {report.blobs} blobs, {size}"
    else:
        text = f"{remote.name} has {what} already"
    terminal.tell(sanitise_line(f"{text}, in {report.duration_ms / 1000:.1f} s"))
    return 0


def pull(
    path: _PathArgument = None,
    of: RemoteFlag = None,
    auto: Annotated[
        bool, Flag("--auto", "If the pull fails, index instead; for scripts and hooks.")
    ] = False,
    yes: YesFlag = False,
    encoder: EncoderFlag = None,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Pull the repository's index from a remote; then index files that the pulled index lacks.

    If no snapshot has exactly the local files, the snapshot of the nearest commit is pulled. Files
    that differ are hidden until they are indexed.
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
    """Return the directory and the remote; as in git, a single argument can name the remote."""
    if path is None or remote is not None or on_disk(path).exists():
        return path, remote
    known = {each.name for each in read_remotes(home_from(terminal.environ).remotes)}
    return (None, str(path)) if str(path) in known else (path, None)


def _pulled(index: "RepoIndex", terminal: Terminal, name: str | None, *, auto: bool) -> "Pulled":
    """Pull an index; with `auto`, a missing or failing remote is only reported."""
    from ggrep.search.engine.push_pull import Pulled, pull_from, pull_if_possible

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
        message = f"nothing was pulled: {outcome.reason}"
    elif report is None or outcome.reason:
        message = f"nothing was pulled from {name}: {outcome.reason}"
    elif report.outcome == "current":
        message = f"the index is already current: {plural(report.files, 'file')}"
    else:
        at = f" of commit {report.commit[:12]}" if report.commit else ""
        size = bytes_text(outcome.traffic.bytes_down if outcome.traffic else 0)
        message = (
            f"pulled {report.brought} of {plural(report.of_files, 'file', 'files')}{at} from"
            f" {name}, {size} in {pull_ms / 1000:.1f} s"
        )
    terminal.tell(sanitise_line(message))
    for line in report.passed_over if report and report.outcome == "pulled" else ():
        terminal.tell(sanitise_line(f"not used: {line}"))


def _index(
    path: Path | None, terminal: Terminal, encoder: str | None, profile: str | None
) -> "RepoIndex":
    root = location_of(path, directory=True).root
    return open_index(root, terminal.environ, flags={"encoder": encoder, "profile": profile})


def pull_json(outcome: "Pulled", synced: "SyncReport", times_ms: tuple[int, int]) -> "PullJson":
    """Return the JSON of a pull; `times_ms`: until pulled files could be searched, and in total."""
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
        "indexed": synced.files.indexed,
        "vectors_encoded": synced.vectors_encoded,
        "duration_ms": times_ms[1],
    }
