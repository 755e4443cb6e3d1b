"""ggrep: code search by meaning over one repository or a workspace of them.

    repo = ggrep.open(".")
    for hit in repo.search("where are retries decided").hits:
        print(hit.path, hit.start_line, hit.name)

`docs/python.md` has examples of all of it. What a name stands for is loaded when it is first
used: whoever wants the version alone loads nothing.
"""

TYPE_CHECKING = False
"""Type checkers take it for true; `typing` takes the time of a search to load."""

if TYPE_CHECKING:
    from ggrep.client.link import Unreachable
    from ggrep.client.starting import NotStarted
    from ggrep.domain.confidence import Confidence
    from ggrep.domain.corpus import Corpus, Mode
    from ggrep.domain.filters import Filter
    from ggrep.domain.hit import Hit
    from ggrep.domain.limits import LimitHit, Notice
    from ggrep.domain.request import Find, SnippetMode
    from ggrep.domain.slate import SessionRequest
    from ggrep.errors import (
        Busy,
        Cancelled,
        Closed,
        DeadlineExceeded,
        Forked,
        GgrepError,
        Incompatible,
        InvalidRequest,
        LoadError,
        NoIndex,
        RequestError,
        SessionExpired,
        StoreError,
        SyncRefused,
        Unasked,
        WorkspaceError,
    )
    from ggrep.public.answers import (
        ExpandAnswer,
        ReferencesAnswer,
        SearchAnswer,
        SlateAnswer,
        SymbolAnswer,
        SyncAnswer,
    )
    from ggrep.public.async_repository import AsyncRepository
    from ggrep.public.async_workspace import AsyncWorkspace
    from ggrep.public.repository import Repository
    from ggrep.public.status import Status
    from ggrep.public.workspace import Workspace
    from ggrep.public.workspace_answers import WorkspaceAnswer, WorkspaceSlateAnswer

    open = Repository  # noqa: A001 - as files are opened
    open_workspace = Workspace

__version__ = "0.1.0"

__all__ = [
    "AsyncRepository",
    "AsyncWorkspace",
    "Busy",
    "Cancelled",
    "Closed",
    "Confidence",
    "Corpus",
    "DeadlineExceeded",
    "ExpandAnswer",
    "Filter",
    "Find",
    "Forked",
    "GgrepError",
    "Hit",
    "Incompatible",
    "InvalidRequest",
    "LimitHit",
    "LoadError",
    "Mode",
    "NoIndex",
    "NotStarted",
    "Notice",
    "ReferencesAnswer",
    "Repository",
    "RequestError",
    "SearchAnswer",
    "SessionExpired",
    "SessionRequest",
    "SlateAnswer",
    "SnippetMode",
    "Status",
    "StoreError",
    "SymbolAnswer",
    "SyncAnswer",
    "SyncRefused",
    "Unasked",
    "Unreachable",
    "Workspace",
    "WorkspaceAnswer",
    "WorkspaceError",
    "WorkspaceSlateAnswer",
    "__version__",
    "open",
    "open_workspace",
]

_HOMES = {
    "ggrep.client.link": ("Unreachable",),
    "ggrep.client.starting": ("NotStarted",),
    "ggrep.domain.confidence": ("Confidence",),
    "ggrep.domain.corpus": (
        "Corpus",
        "Mode",
    ),
    "ggrep.domain.hit": ("Hit",),
    "ggrep.domain.limits": (
        "LimitHit",
        "Notice",
    ),
    "ggrep.domain.filters": ("Filter",),
    "ggrep.domain.request": ("Find", "SnippetMode"),
    "ggrep.domain.slate": ("SessionRequest",),
    "ggrep.errors": (
        "Busy",
        "Cancelled",
        "Closed",
        "DeadlineExceeded",
        "Forked",
        "GgrepError",
        "Incompatible",
        "InvalidRequest",
        "LoadError",
        "NoIndex",
        "RequestError",
        "SessionExpired",
        "StoreError",
        "SyncRefused",
        "Unasked",
        "WorkspaceError",
    ),
    "ggrep.public.answers": (
        "ExpandAnswer",
        "ReferencesAnswer",
        "SearchAnswer",
        "SlateAnswer",
        "SymbolAnswer",
        "SyncAnswer",
    ),
    "ggrep.public.async_repository": ("AsyncRepository",),
    "ggrep.public.async_workspace": ("AsyncWorkspace",),
    "ggrep.public.repository": ("Repository",),
    "ggrep.public.status": ("Status",),
    "ggrep.public.workspace": ("Workspace",),
    "ggrep.public.workspace_answers": ("WorkspaceAnswer", "WorkspaceSlateAnswer"),
}
"""Where each exported name is defined."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ALIASES = {"open": "Repository", "open_workspace": "Workspace"}


if not TYPE_CHECKING:  # a name that there is not is for type checkers to find

    def __getattr__(name: str) -> object:
        """Return an exported name, loaded now."""
        defined = _ALIASES.get(name, name)
        if defined not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found: object = getattr(import_module(_HOME_OF[defined]), defined)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
