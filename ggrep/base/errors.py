"""Every error ggrep raises on purpose.

    GgrepError
    ├── RequestError             the caller can fix it
    │   ├── InvalidRequest       invalid_request   exit 2
    │   │   └── UsageError       invalid_request   exit 2   a wrong command line
    │   ├── WorkspaceError       ERR_*             exit 1   a workspace file; a request: exit 2
    │   ├── MissingRoot          ERR_WORKSPACE_REPO_ROOT_NOT_FOUND  exit 1
    │   ├── NoIndex              no_index          exit 1
    │   │   └── Unasked          no_index          exit 2   no consent to index the directory
    │   ├── SnapshotGone         snapshot_gone     exit 1
    │   ├── SessionExpired       session_expired   exit 1
    │   ├── SessionFull          session_full      exit 1
    │   ├── Forbidden            forbidden         exit 1   outside the roots of a surface
    │   ├── Closed               invalid_request   exit 1   used after it was closed
    │   ├── Forked               invalid_request   exit 1   used in a forked child
    │   └── Incompatible         incompatible      exit 13
    ├── LoadError                try again later
    │   ├── Busy                 busy              exit 10
    │   ├── DeadlineExceeded     timeout           exit 11
    │   └── Cancelled            cancelled         exit 12
    ├── RemoteError              remote_failed     exit 1   no local store changed
    │   └── NotTrusted           remote_failed     exit 1   an object differs from the published one
    └── StoreError               an operator must act
        ├── BudgetExceeded       budget_exceeded   exit 1
        ├── LeaseLost            internal          exit 1
        ├── SyncRefused          internal          exit 1
        └── CorruptStore         internal          exit 1
            └── IndexDamaged     index_damaged     exit 1   no snapshot can answer

`code` is the wire name and never changes once shipped. Any other exception is a bug, and is
reported as `internal`.
"""

from msgspec import Struct


class GgrepError(Exception):
    """Base of all errors ggrep raises on purpose."""

    code: str = "internal"
    exit_status: int = 1
    request_id: str = ""
    snapshot_id: str = ""


class LoadError(GgrepError):
    """The request was valid, but capacity or time was insufficient."""


class Busy(LoadError):
    """The query queue is full, or another writer is using the store."""

    code = "busy"
    exit_status = 10

    def __init__(self, message: str = "daemon busy", *, retry_after_ms: int) -> None:
        super().__init__(f"{message}, retry after {retry_after_ms} ms")
        self.retry_after_ms = retry_after_ms


class DeadlineExceeded(LoadError):
    """The request's time ran out before its work was done."""

    code = "timeout"
    exit_status = 11


class Cancelled(LoadError):
    """The caller, or a shutdown, ended the request."""

    code = "cancelled"
    exit_status = 12


class RequestError(GgrepError):
    """The request must be changed before it can succeed."""


class InvalidRequest(RequestError):
    """A flag, field or frame is malformed or out of range."""

    code = "invalid_request"
    exit_status = 2


class UsageError(InvalidRequest):
    """A typed word is unknown, or flags contradict each other.

    Attributes:
        code: `invalid_request`, or the mistake's code in the federated contract.
    """

    def __init__(self, message: str, *, code: str = "invalid_request") -> None:
        super().__init__(message)
        self.code = code


class MissingRoot(RequestError):
    """The directory of a workspace's repository is missing or cannot be read."""

    code = "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"


class NoIndex(RequestError):
    """The repository has no published snapshot yet."""

    code = "no_index"

    def __init__(self, message: str = "this repository has no index yet; run: ggrep index") -> None:
        super().__init__(message)


class Unasked(NoIndex):
    """The user has not consented to index this directory."""

    exit_status = 2


class SnapshotGone(RequestError):
    """The snapshot for which a request was prepared is not active; prepare the request again."""

    code = "snapshot_gone"


class SessionExpired(RequestError):
    """The snapshot of a session is no longer kept; start a new session."""

    code = "session_expired"


class SessionFull(RequestError):
    """A session returned as many files as its token can name; start a new session."""

    code = "session_full"


class Forbidden(RequestError):
    """A path is outside the roots that this interface may read."""

    code = "forbidden"


class Closed(RequestError):
    """The repository or workspace was closed."""

    code = "invalid_request"


class Forked(RequestError):
    """The repository or workspace belongs to the parent process."""

    code = "invalid_request"


class Incompatible(RequestError):
    """An artifact or a peer has a version that this build cannot read."""

    code = "incompatible"
    exit_status = 13


class Issue(Struct, frozen=True):
    """One problem of a workspace file or federated request.

    Attributes:
        path: the file; empty for a request.
        field: JSONPath-like place, for example `$.repos[2].root`.
        line: line of the file, from 1; 0 if unknown.
    """

    code: str
    message: str
    path: str = ""
    field: str = ""
    reason: str = ""
    hint: str = ""
    line: int = 0


class WorkspaceError(RequestError):
    """A workspace file or federated request is invalid; `issues` lists all problems."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        first = issues[0]
        more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
        super().__init__(first.message + more)
        self.code = first.code
        self.issues = issues
        if first.code.startswith("ERR_FEDERATED_"):
            self.exit_status = InvalidRequest.exit_status


class RemoteError(GgrepError):
    """A remote cannot be reached, or fails."""

    code = "remote_failed"


class NotTrusted(RemoteError):
    """An object of a remote differs from the published object; no part of it was used."""


class StoreError(GgrepError):
    """The store on disk is in an unusable state."""


class CorruptStore(StoreError):
    """A store file is present but invalid."""


class IndexDamaged(CorruptStore):
    """No snapshot of the store can answer; the message contains the reason and a command."""

    code = "index_damaged"


class BudgetExceeded(StoreError):
    """The new snapshot exceeds a configured byte budget."""

    code = "budget_exceeded"


class LeaseLost(StoreError):
    """Another writer took the store over; this writer's snapshot was not published."""


class SyncRefused(StoreError):
    """A rule forbids publishing this snapshot; the previous snapshot stays active.

    Attributes:
        reasons: one line per file or rule that prevents publishing.
    """

    def __init__(self, reasons: tuple[str, ...]) -> None:
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        super().__init__(f"{reasons[0]}{more}; nothing was published")
        self.reasons = reasons
