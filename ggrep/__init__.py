"""ggrep: code search by meaning over one repository or a workspace of them.

    repo = ggrep.open(".")
    for hit in repo.search("where are retries decided").hits:
        print(hit.path, hit.start_line, hit.name)

`docs/python.md` has more examples. Each name is loaded at its first use, so
reading the version loads nothing else.
"""

TYPE_CHECKING = False
"""Type checkers take it for true; `typing` takes the time of a search to load."""

if TYPE_CHECKING:
    from ggrep.base.errors import (
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
    from ggrep.model.confidence import Confidence
    from ggrep.model.corpus import Corpus, Mode
    from ggrep.model.filters import Filter
    from ggrep.model.limits import LimitHit, Notice
    from ggrep.model.request import Find, SnippetMode
    from ggrep.model.response import Hit
    from ggrep.model.slate import SessionRequest
    from ggrep.model.status import Status
    from ggrep.protocol.client.link import Unreachable
    from ggrep.protocol.client.starting import NotStarted
    from ggrep.service.answers import (
        ExpandAnswer,
        OutlineAnswer,
        ReferencesAnswer,
        SearchAnswer,
        SlateAnswer,
        SymbolAnswer,
        SyncAnswer,
        TourAnswer,
    )
    from ggrep.service.async_repository import AsyncRepository
    from ggrep.service.repository import Repository
    from ggrep.service.workspace import AsyncWorkspace, Workspace
    from ggrep.service.workspace_calls import (
        WorkspaceAnswer,
        WorkspaceExpandAnswer,
        WorkspaceReferencesAnswer,
        WorkspaceSlateAnswer,
        WorkspaceSymbolAnswer,
    )

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
    "OutlineAnswer",
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
    "TourAnswer",
    "Unasked",
    "Unreachable",
    "Workspace",
    "WorkspaceAnswer",
    "WorkspaceError",
    "WorkspaceExpandAnswer",
    "WorkspaceReferencesAnswer",
    "WorkspaceSlateAnswer",
    "WorkspaceSymbolAnswer",
    "__version__",
    "open",
    "open_workspace",
]

_HOMES = {
    "ggrep.protocol.client.link": ("Unreachable",),
    "ggrep.protocol.client.starting": ("NotStarted",),
    "ggrep.model.confidence": ("Confidence",),
    "ggrep.model.corpus": (
        "Corpus",
        "Mode",
    ),
    "ggrep.model.response": ("Hit",),
    "ggrep.model.limits": (
        "LimitHit",
        "Notice",
    ),
    "ggrep.model.filters": ("Filter",),
    "ggrep.model.request": ("Find", "SnippetMode"),
    "ggrep.model.slate": ("SessionRequest",),
    "ggrep.model.status": ("Status",),
    "ggrep.base.errors": (
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
    "ggrep.service.answers": (
        "ExpandAnswer",
        "OutlineAnswer",
        "ReferencesAnswer",
        "SearchAnswer",
        "SlateAnswer",
        "SymbolAnswer",
        "SyncAnswer",
        "TourAnswer",
    ),
    "ggrep.service.async_repository": ("AsyncRepository",),
    "ggrep.service.repository": ("Repository",),
    "ggrep.service.workspace": ("AsyncWorkspace", "Workspace"),
    "ggrep.service.workspace_calls": (
        "WorkspaceAnswer",
        "WorkspaceExpandAnswer",
        "WorkspaceReferencesAnswer",
        "WorkspaceSlateAnswer",
        "WorkspaceSymbolAnswer",
    ),
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

        value: object = getattr(import_module(_HOME_OF[defined]), defined)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
