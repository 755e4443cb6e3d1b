"""What programs import from `ggrep`: the names, their parameters, and that they cost nothing."""

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from typing import get_type_hints

import pytest
from msgspec.structs import fields

import ggrep
from ggrep.base.errors import GgrepError
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SlateRequest
from ggrep.service import calls, workspace_calls

EXPORTED = """
AsyncRepository AsyncWorkspace Busy Cancelled Closed Confidence Corpus DeadlineExceeded ExpandAnswer
Filter Find Forked GgrepError Hit Incompatible InvalidRequest LimitHit LoadError Mode NoIndex
NotStarted Notice OutlineAnswer ReferencesAnswer Repository RequestError SearchAnswer SessionExpired
SessionRequest SlateAnswer SnippetMode Status StoreError SymbolAnswer SyncAnswer SyncRefused Unasked
TourAnswer Unreachable Workspace WorkspaceAnswer WorkspaceError WorkspaceExpandAnswer
WorkspaceReferencesAnswer WorkspaceSlateAnswer WorkspaceSymbolAnswer __version__ open open_workspace
"""
OPENED = (
    "daemon: DaemonUse='auto', {index}encoder: str | None=None, {profile}"
    "environ: Mapping[str, str] | None=None) -> None"
)
OPENED_REPOSITORY = "path: AnyPath='.', *, " + OPENED.format(
    index="index: bool=False, ", profile="profile: str | None=None, "
)
OPENED_WORKSPACE = "file: AnyPath, *, " + OPENED.format(index="", profile="")
METHODS = {
    "search": "query: str, **options: Unpack[SearchOptions]) -> SearchAnswer",
    "slate": "query: str, **options: Unpack[SlateOptions]) -> SlateAnswer",
    "symbol": "name: str, **options: Unpack[SymbolOptions]) -> SymbolAnswer",
    "references": "name: str, **options: Unpack[ReferencesOptions]) -> ReferencesAnswer",
    "expand": "target: str, **options: Unpack[ExpandOptions]) -> ExpandAnswer",
    "outline": "*targets: str, **options: Unpack[OutlineOptions]) -> OutlineAnswer",
    "tour": "**options: Unpack[TourOptions]) -> TourAnswer",
    "sync": "*, strict: bool=False) -> SyncAnswer",
    "status": ") -> Status",
}
WORKSPACE_METHODS = {
    "search": "query: str, **options: Unpack[WorkspaceSearchOptions]) -> WorkspaceAnswer",
    "slate": "query: str, **options: Unpack[WorkspaceSlateOptions]) -> WorkspaceSlateAnswer",
    "symbol": "name: str, **options: Unpack[WorkspaceSymbolOptions]) -> WorkspaceSymbolAnswer",
    "references": (
        "name: str, **options: Unpack[WorkspaceReferencesOptions]) -> WorkspaceReferencesAnswer"
    ),
    "expand": "target: str, **options: Unpack[WorkspaceExpandOptions]) -> WorkspaceExpandAnswer",
}


def test_the_names_are_these() -> None:
    """A name that goes breaks programs; one that comes is kept for ever."""
    assert ggrep.__all__ == sorted(ggrep.__all__, key=lambda name: (name.islower(), name))
    assert sorted(ggrep.__all__) == sorted(EXPORTED.split())
    assert set(ggrep.__all__) <= set(dir(ggrep))
    assert all(getattr(ggrep, name) is not None for name in ggrep.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'opne'"):
        _ = ggrep.opne  # type: ignore[attr-defined]  # misspelt on purpose


def signature(function: object) -> str:
    """Return a method's parameters and result as they are written, without modules."""
    (written,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body  # type: ignore[arg-type]  # it is one
    assert isinstance(written, ast.FunctionDef | ast.AsyncFunctionDef)
    assert written.returns is not None
    given = ast.unparse(written.args).removeprefix("self").removeprefix(", ")
    return re.sub(r"\b(answers|calls)\.", "", f"{given}) -> {ast.unparse(written.returns)}")


@pytest.mark.parametrize(
    ("kind", "opened", "methods"),
    [
        (ggrep.Repository, OPENED_REPOSITORY, METHODS),
        (ggrep.AsyncRepository, OPENED_REPOSITORY, METHODS),
        (ggrep.Workspace, OPENED_WORKSPACE, WORKSPACE_METHODS),
        (ggrep.AsyncWorkspace, OPENED_WORKSPACE, WORKSPACE_METHODS),
    ],
)
def test_the_methods_are_these(kind: type, opened: str, methods: dict[str, str]) -> None:
    """Both twins take the same and give the same."""
    leaving = "aclose" if kind.__name__.startswith("Async") else "close"
    public = {name for name in dir(kind) if not name.startswith("_")}

    assert public == {*methods, leaving, "root" if "sync" in methods else "roots"}
    assert signature(kind.__init__) == opened
    assert {name: signature(getattr(kind, name)) for name in methods} == methods


def test_open_is_the_class() -> None:
    assert (ggrep.open, ggrep.open_workspace) == (ggrep.Repository, ggrep.Workspace)


def test_every_exported_error_is_one_of_ours() -> None:
    """One `except` catches all that is raised on purpose."""
    errors = [result for name in ggrep.__all__ if isinstance(result := getattr(ggrep, name), type)]

    assert {error.__name__ for error in errors if issubclass(error, Exception)} == {
        error.__name__ for error in errors if issubclass(error, GgrepError)
    }


@pytest.mark.slow
def test_importing_it_loads_nothing_of_it() -> None:
    """The fast path imports the package too, and has a millisecond for it."""
    program = (
        "import sys; before = set(sys.modules); import ggrep; ggrep.__version__;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.split() == [b"ggrep"]


@pytest.mark.slow
def test_asking_a_daemon_loads_neither_a_store_nor_other_surfaces() -> None:
    program = "import sys, ggrep; ggrep.open; ggrep.GgrepError; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = {name.decode() for name in done.stdout.split()}
    heavy = {"anyio", "lancedb", "numpy", "pyarrow", "rich", "tree_sitter", "typer"}
    others = {
        "ggrep.interfaces.api",
        "ggrep.interfaces.cli",
        "ggrep.search.engine",
        "ggrep.federation",
        "ggrep.interfaces.mcp",
    }

    assert loaded & (heavy | others) == set()


def names(kind: type) -> set[str]:
    """Return the fields of a request."""
    return {field.name for field in fields(kind)}


OF_SEARCH = names(SearchRequest) - {"query", "scope", "within"}
OF_HITS = {
    *("limit", "per_file", "snippet", "include_anchors", "explain"),
    *("ignore_case", "whole_words", "lines_before", "lines_after", "list_files"),
}
OF_SHAPE = (names(SlateShape) | names(Budgets)) - {"budgets"}
OF_MEMBERS = {
    *("select", "only", "tags", "repo_filter", "include_disabled"),
    *("concurrency", "strict", "include_paths", "stats", "all_repos"),
}
OF_WORKSPACE = names(FederatedRequest) - {"search", "top", "deadline", "base_dirs"}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (calls.SearchOptions, OF_SEARCH | {"path"}),
        (calls.SlateOptions, (OF_SEARCH - OF_HITS) | OF_SHAPE | {"path", "session"}),
        (calls.SymbolOptions, (names(SymbolRequest) - {"name", "scope"}) | {"path"}),
        (calls.ReferencesOptions, (names(ReferencesRequest) - {"name", "scope"}) | {"path"}),
        (calls.ExpandOptions, names(ExpandRequest) - {"target"}),
        (calls.OutlineOptions, names(OutlineRequest) - {"targets"}),
        (calls.TourOptions, names(TourRequest)),
        (
            workspace_calls.WorkspaceSymbolOptions,
            (names(SymbolRequest) - {"name", "scope"}) | OF_MEMBERS,
        ),
        (
            workspace_calls.WorkspaceReferencesOptions,
            (names(ReferencesRequest) - {"name", "scope"}) | OF_MEMBERS,
        ),
        (workspace_calls.WorkspaceExpandOptions, (names(ExpandRequest) - {"target"}) | OF_MEMBERS),
        (workspace_calls.WorkspaceSearchOptions, OF_SEARCH | OF_WORKSPACE),
        (workspace_calls.WorkspaceSlateOptions, (OF_SEARCH - OF_HITS) | OF_SHAPE | OF_WORKSPACE),
    ],
)
def test_options_are_the_fields_of_requests(kind: type, expected: set[str]) -> None:
    """A field that a request gains is an option as well, and none is left behind."""
    assert set(get_type_hints(kind)) == expected
    assert names(SlateRequest) >= names(SlateShape) - {"budgets"}
