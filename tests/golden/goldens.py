"""Each golden by the schema of its document and a case, with the function that makes it.

The contract suite makes the same documents anew and holds them against their schemas.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import errors, stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import failure_json
from ggrep.federation.workspace import Workspace, resolved_object
from ggrep.federation.workspace_draft import WorkspaceDefaults
from ggrep.federation.workspace_receipts import workspace_receipt_document
from ggrep.federation.workspace_slates import SlateShape
from ggrep.index.maintenance.checks import audit
from ggrep.index.maintenance.inventory import list_profiles, list_stores, remove_store
from ggrep.interfaces.cli.daemons.serve import stops_json
from ggrep.interfaces.cli.daemons.status_text import daemons_json
from ggrep.interfaces.cli.machine.doctor import machine_checks, of_daemons
from ggrep.interfaces.cli.stores.home_stores import inventory_json
from ggrep.interfaces.cli.stores.index import preview_json
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.daemons import Daemon, DaemonState
from ggrep.model.filters import Filter
from ggrep.model.maintenance import Removal, RemovedStore
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.page import PagePlaces, PageRepository, PageSession, PageWorkspace
from ggrep.model.request import Request, SearchRequest, SnippetMode
from ggrep.model.slate import Budgets, SlateRequest
from ggrep.model.status import ProfilesReport
from ggrep.model.sync import SyncReport
from ggrep.parse.source.walk import walk
from ggrep.render.answer_json import answer_json, answers_json
from ggrep.render.failures import query_error
from ggrep.render.receipts import receipt_document, replay_json
from ggrep.search.engine.engine import Engine
from ggrep.service.machine import room, watches
from tests.fakes import daemons, evaluations, navigations, searchers
from tests.fakes.daemons import busy_load
from tests.fakes.receipts import (
    AFTER,
    BEFORE,
    everywhere,
    receipt_of,
    replayed,
    without_builds,
    workspace_receipt_of,
    workspace_replay_of,
)
from tests.fakes.repos import write_tree
from tests.fakes.workspace_documents import Workspaces
from tests.golden import documents
from tests.golden.documents import Repos

Json: TypeAlias = Mapping[str, Any]

Replacements: TypeAlias = tuple[tuple[str, str], ...]

_OF_FIXTURES: Final[Replacements] = (
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "0" * 26),
    (r"\b(shop|gateway|ledger)-[0-9a-f]{12}", r"\1-" + "0" * 12),
    (r"\b((?:shop|gateway|ledger)-0{12})-[0-9a-f]{12}", r"\1-" + "0" * 12),
    (r"\b(ws1|wm1)-[0-9a-f]{64}", r"\1-" + "0" * 64),
    (r'("config_fingerprint": ")[0-9a-f]{64}', r"\g<1>" + "0" * 64),
    (r'("(?:size_bytes|store_bytes|files_linked|files_copied)": )[0-9]+', r"\g<1>0"),
    (r"((?:store|cache|logs) uses )[0-9]+", r"\g<1>0"),
    (r'("modified_at": ")[^"]+', r"\g<1>2031-02-03T04:05:06Z"),
)
"""Replaced by zeros of the same form, so that a golden fits its schema: names that depend on the
path of the copy, ULIDs, sizes on disk. In this order: a store's name begins with its
repository's."""

_OF_WORKSPACES: Final[Replacements] = (
    (r"\b(ws1|wm1|wsc1)-[0-9a-f]{64}", r"\1-" + "0" * 64),
    (r"\b(alpha|beta|gamma)-[0-9a-f]{12}", r"\1-" + "0" * 12),
    (r"(-0{12}-)[0-9a-f]{12}", r"\g<1>" + "0" * 12),
    (r'("configFingerprint": ")[0-9a-f]{64}', r"\g<1>" + "0" * 64),
    (r'("(?:cohort|compatibility)Key": ")[0-9a-f]{16}', r"\g<1>" + "0" * 16),
    (r'("sizeBytes": )[0-9]+', r"\g<1>0"),
    (r'("modifiedAt": ")[^"]+', r"\g<1>2031-02-03T04:05:06Z"),
)


class World:
    """The fixture repositories, indexed when a document first needs them, and copies to change.

    All lie below one directory, each in a folder of its own, which `neutral_bytes` hides.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.repos = Repos(directory / "fixtures")
        self._copies = count()

    @cached_property
    def indexed(self) -> dict[str, tuple[Engine, SyncReport]]:
        """Return each fixture repository, indexed; documents only read them."""
        return {name: self.repos.index(name) for name in ("shop", "gateway", "ledger")}

    @property
    def shop(self) -> Engine:
        """Return the indexed shop."""
        return self.indexed["shop"][0]

    def workspace(self, *names: str, **priorities: int) -> Workspace:
        """Return a workspace over indexed repositories; over all of them without names."""
        every = self.indexed
        return self.repos.workspace(*(names or every), priorities=priorities)

    @cached_property
    def workspaces(self) -> Workspaces:
        """Return a workspace in which not all is well."""
        return Workspaces(self.directory / "workspaces")

    @cached_property
    def maintained(self) -> tuple[Json, ...]:
        """Return the documents of maintenance over a sound store."""
        return documents.maintenance_documents(self.shop)

    def copies(self) -> Repos:
        """Return copies of the fixture repositories that a document may change."""
        return Repos(self.directory / f"copy{next(self._copies)}")

    def ledger(self) -> Engine:
        """Return an indexed copy of the ledger."""
        return self.copies().index("ledger")[0]

    def answer(self, request: Request[Any]) -> Json:
        """Return the shop's answer."""
        return answer_json(self.shop.ask(request))


Make: TypeAlias = Callable[[World], Json]


class _Hiding(Struct, frozen=True):
    """A document that is not made from the fixture repositories."""

    make: Make
    replacements: Replacements

    def __call__(self, world: World) -> Json:
        return self.make(world)


def _exact(make: Callable[[], Json]) -> Make:
    """Return a document that is the same on every machine."""
    return _Hiding(lambda _: make(), ())


def _of_workspaces(name: str) -> Make:
    return _Hiding(lambda world: getattr(world.workspaces, name)(), _OF_WORKSPACES)


def neutral_bytes(make: Make, world: World) -> bytes:
    """Return a document as indented bytes without what differs from machine to machine."""
    replacements = make.replacements if isinstance(make, _Hiding) else _OF_FIXTURES
    folder = re.escape(str(world.directory)) + r"/\w+"
    text = stable_json.dumps_pretty(make(world)).decode()
    for pattern, plain in ((folder, "/tmp/repos"), *replacements):  # noqa: S108 - a name
        text = re.sub(pattern, plain, text)
    return text.encode()


def _audit(engine: Engine) -> Json:
    return audit(engine.identity.store, engine.identity.store_id).to_dict()


def _damaged(world: World) -> Json:
    engine = world.ledger()
    store, manifest = engine.identity.store, engine.view().manifest
    with (store / manifest.visibility.path).open("ab") as image:
        image.write(b"\0")
    (store_files.images_dir(store) / "seg_left_over.image").write_bytes(b"")
    return _audit(engine)


def _unindexed_files(world: World) -> Json:
    repos = world.copies()
    root = repos.open("ledger").identity.root
    (root / "logo.txt").write_bytes(b"\0\1\2")
    (root / "latin.txt").write_bytes(b"caf\xe9\n")
    return documents.health_document(repos.index("ledger")[0])


def _no_snapshot(world: World) -> Json:
    engine = world.ledger()
    store_files.manifest_file(engine.identity.store, engine.view().manifest.snapshot_id).unlink()
    return documents.health_document(engine)


def _preview(world: World) -> Json:
    engine = world.repos.open("shop")
    return preview_json(engine, walk(engine.identity.root, engine.settings))


def _second_index(world: World) -> Json:
    repos = world.copies()
    root = repos.index("ledger")[0].identity.root
    (root / "docs" / "closing.md").write_text("# Closing\n\nThe month ends at 23:00.\n")
    (root / "native" / "money.hpp").unlink()
    (root / "logo.txt").write_bytes(b"\0\1\2")
    return repos.index("ledger")[1].to_dict()


def _leftover(name: str, document: Callable[[Path], Json]) -> Make:
    def make(world: World) -> Json:
        engine = world.ledger()
        (engine.identity.store.parent / name).mkdir()
        return document(engine.home.base)

    return make


def _removed(world: World) -> Json:
    engine = world.ledger()
    store_id = engine.identity.store_id
    freed = RemovedStore(store_id, remove_store(engine.home, store_id))
    return Removal(removed=(freed,)).to_dict()


_PROFILES: Final = """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1_000_000
max_file_size_bytes = 100_000
max_store_bytes = 50_000_000

[profiles.docs.view]
paths = ["docs"]
"""


def _profiles(home: Home, engine: Engine) -> Json:
    states = list_profiles(engine.identity.root, home, {}, {"encoder": "none"})
    return ProfilesReport(repo_id=engine.identity.repo_id, profiles=states).to_dict()


def _named_profiles(world: World) -> Json:
    repos = world.copies()
    engine = repos.open("ledger")
    (engine.identity.root / ".ggrep.toml").write_text(_PROFILES)
    repos.index("ledger")
    return _profiles(engine.home, engine)


def _replay(*, ranking: str | None = None, edited: bool = False) -> Make:
    def make(world: World) -> Json:
        repos = world.copies()
        write_tree(repos.directory / "ledger", BEFORE)
        engine = repos.open_root(repos.directory / "ledger")
        engine.sync()
        receipt = receipt_of(engine)
        if edited:
            write_tree(engine.identity.root, AFTER)
            engine.sync()
        with pytest.MonkeyPatch.context() as patch:
            if ranking:
                patch.setattr("ggrep.search.engine.query_answers.RANKING_REVISION", ranking)
            document = without_builds(replay_json(replayed(engine, receipt, today=edited)))
        for item in document["differences"]:
            item["was"] = item["now"] = "0"  # they hang on where the copy lies
        return document

    return make


def _asked(request: Request[Any]) -> Make:
    return lambda world: world.answer(request)


def _search(query: str, **wanted: Any) -> Make:
    return _asked(SearchRequest(query, **({"deterministic": True} | wanted)))


def _slate(**changes: Any) -> Make:
    request = replace(navigations.SLATE, **changes)
    return _exact(lambda: answer_json(navigations.slate_response(request)))


def _federated(query: str, *, merge: str = "rrf", **wanted: Any) -> Make:
    top, only = wanted.pop("top"), wanted.pop("only", ())
    request = FederatedRequest(
        SearchRequest(query, **wanted), top=top, only=only, merge_strategy=merge
    )
    return lambda world: world.repos.federate(world.workspace(shop=5), request).to_json()


def _unindexed(*indexed: str, names: tuple[str, ...], query: str, **wanted: int) -> Make:
    def make(world: World) -> Json:
        repos = world.copies()
        for name in indexed:
            repos.index(name)
        request = FederatedRequest(SearchRequest(query, deterministic=True), **wanted)
        return repos.federate(repos.workspace(*names), request).to_json()

    return make


def _federated_slate(shape: SlateShape, merge: str = "rrf") -> Make:
    search = SearchRequest("retry with the same idempotency key", deterministic=True)
    request = FederatedRequest(search, merge_strategy=merge)
    return lambda world: world.repos.slate(world.workspace(), request, shape).to_json()


def _federated_symbol(name: str) -> Make:
    request = SymbolRequest(name, deterministic=True)
    return lambda world: world.repos.symbol(world.workspace(), request).to_json()


def _workspace_receipt(world: World) -> Json:
    search = SearchRequest("refund", deterministic=True, snippet=SnippetMode.NONE)
    asked = FederatedRequest(search, top=3, merge_strategy="global")
    response = world.repos.federate(world.workspace("shop", "ledger"), asked)
    return without_builds(workspace_receipt_document(workspace_receipt_of(response)))


def _lost_repository(world: World) -> Json:
    search = SearchRequest("refund", deterministic=True)
    asked = FederatedRequest(search, top=3, merge_strategy="global")
    before = world.repos.federate(world.workspace("shop", "ledger"), asked)
    receipt = workspace_receipt_of(before)
    shop = {key: fates for key, fates in everywhere(receipt).items() if key.startswith("shop")}
    today = world.repos.federate(world.workspace("shop"), asked)
    return without_builds(workspace_replay_of(receipt, today, shop).to_dict())


def _checks() -> Json:
    silent = Daemon("/srv/shop", "shop-1", DaemonState.SILENT, pid=4711)
    checks = [room(9_000_000_000), watches(8_192), *of_daemons([silent])]
    return machine_checks(checks).to_dict()


def _places() -> Json:
    shop = PageRepository("shop", "/srv/shop")
    team = PageWorkspace("team", "/srv/team.jsonc", (shop,))
    editors = {"zed": "zed://file{path}"}
    return PagePlaces(version="1.0", repository=shop, workspaces=(team,), editors=editors).to_dict()


def _resolved() -> Json:
    plain = searchers.repo(
        "billing", alias=None, root_input="../billing/src", index=1, enabled=False
    )
    core = searchers.repo("engine", tags=("core",), priority=10, index=0)
    return resolved_object(
        replace(
            searchers.workspace(core, plain),
            cache_root=Path("/srv/cache"),
            defaults=WorkspaceDefaults(priority=3, tags=("active",)),
            workspace_config_hash="wsc1-" + "0" * 64,
        )
    )


_ISSUES: Final = (
    errors.Issue(
        "ERR_WORKSPACE_DUPLICATE_ALIAS",
        "alias 'shop' is used twice",
        path="team.jsonc",
        field="$.repos[1].alias",
        reason="duplicate",
        hint="remove or rename one",
    ),
    errors.Issue("ERR_WORKSPACE_REPOS_EMPTY", "repos is empty", field="$.repos"),
)
ERRORS: Final[dict[str, errors.GgrepError]] = {
    "budget_exceeded": errors.BudgetExceeded("store uses 9 bytes of 8"),
    "busy": errors.Busy(retry_after_ms=250),
    "cancelled": errors.Cancelled("the daemon is shutting down"),
    "closed": errors.Closed("/srv/shop was closed"),
    "corrupt_store": errors.CorruptStore("manifest.json: $.segments: missing"),
    "forbidden": errors.Forbidden("/srv/other is outside the roots that may be searched"),
    "forked": errors.Forked(
        "/srv/shop was opened in another process; open it again in this process"
    ),
    "incompatible": errors.Incompatible("manifest.json: schema_version is 9; this build reads 1"),
    "index_damaged": errors.IndexDamaged("the index is damaged: segment a is corrupt; no snapshot"),
    "internal": errors.GgrepError("internal error (KeyError)"),
    "invalid_request": errors.InvalidRequest("limit: -1 is negative"),
    "lease_lost": errors.LeaseLost("another writer took the store over"),
    "missing_root": errors.MissingRoot("root '../shop': the directory does not exist"),
    "no_index": errors.NoIndex("this repository has no index yet; run: ggrep index"),
    "not_trusted": errors.NotTrusted(
        "remote origin: the content of blobs/0 does not match its digest"
    ),
    "remote_failed": errors.RemoteError("origin: refs/team/shop: connection refused"),
    "session_expired": errors.SessionExpired("session_token: expired; start a new session"),
    "session_full": errors.SessionFull("a session names 373 files; start a new session"),
    "snapshot_gone": errors.SnapshotGone("snapshot 0 is no longer active"),
    "sync_refused": errors.SyncRefused(("a.py: changed during each of 3 reads", "b.py: gone")),
    "terminal_escapes": errors.InvalidRequest("no such file: \x1b[31mred\n\u202egnp.txt"),
    "timeout": errors.DeadlineExceeded("deadline passed during score"),
    "unasked": errors.Unasked("this directory is no repository; to index it: ggrep index --path ."),
    "usage": errors.UsageError(
        "--workspace was given more than once", code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG"
    ),
    "workspace": errors.WorkspaceError(_ISSUES),
}
_FEDERATED_ERRORS: Final = {
    "busy": ERRORS["busy"],
    "redacted": InvalidRequest("/srv/team.jsonc: no such file or directory"),
    "workspace": ERRORS["workspace"],
}
_NO_NAME: Final = InvalidRequest("name: ' ' is not a name")
_RETRY: Final = "retry with the same idempotency key"
_CHECKOUT: Final = SearchRequest("what happens at checkout?", deterministic=True)
_REFUND: Final = ReferencesRequest("refund", comments=True, strings=True, deterministic=True)
_ROUND_CENTS: Final = ReferencesRequest(
    "round_cents", strings=True, comments=True, deterministic=True
)
_PRICING: Final = "shop/pricing.py:20"
_NO_TESTS: Final = (Filter("test", "true", negated=True),)

GOLDENS: Final[Mapping[str, Mapping[str, Make]]] = {
    "agents": {
        name: lambda world, at=at: documents.agents_documents(world.repos)[at]
        for at, name in enumerate(("written", "listed", "snippets"))
    },
    "answers": {
        "definitions_and_a_failure": _exact(
            lambda: answers_json([navigations.symbol_response(), _NO_NAME])
        )
    },
    "audit": {
        "sound": lambda world: _audit(world.shop),
        "damaged": _damaged,
    },
    "check_report": {
        "passed_and_failed": lambda world: evaluations.check_document(
            evaluations.some_checks(world.directory)
        )
    },
    "daemons": {
        "states": _exact(lambda: daemons_json(daemons.rows())),
        "stopped": _exact(lambda: stops_json(daemons.stops())),
    },
    "eval_comparison": {"two_runs": _exact(evaluations.comparison_document)},
    "eval_report": {
        "failure_and_gate": _exact(lambda: evaluations.report_document(evaluations.some_run()))
    },
    "expand_success": {
        "fields": _exact(lambda: answer_json(navigations.expand_response())),
        "tree": _asked(ExpandRequest(_PRICING, "definition", deterministic=True)),
    },
    "federated_answers": {
        "nothing_and_a_failure": lambda world: {
            "schema_version": ANSWERS_SCHEMA,
            "answers": [_federated_symbol("refnd")(world), query_error(_NO_NAME)],
        }
    },
    "federated_error": {
        **{
            name: _exact(partial(failure_json, error, include_paths=False))
            for name, error in _FEDERATED_ERRORS.items()
        },
        "no_index": _unindexed(names=("gateway", "shop"), query="retry"),
    },
    "federated_expand": {
        "definition": lambda world: world.repos.expand(
            world.workspace(),
            ExpandRequest(f"shop:{_PRICING}", "definition", deterministic=True),
        ).to_json()
    },
    "federated_references": {
        "used": lambda world: world.repos.references(world.workspace(), _REFUND).to_json()
    },
    "federated_slate": {
        "level_0": _federated_slate(SlateShape(0)),
        "level_1": _federated_slate(SlateShape(1, Budgets(files=8))),
        "level_2_global": _federated_slate(
            SlateShape(2, Budgets(files=6), anchors=False), "global"
        ),
    },
    "federated_success": {
        "global": _federated(_RETRY, merge="global", top=5, snippet=SnippetMode.SHORT),
        "global_planning": _federated(
            "refund",
            merge="global",
            top=4,
            mode=Mode.PLANNING,
            snippet=SnippetMode.NONE,
            explain=True,
        ),
        "one_corpus": _federated(
            "checkout", top=3, corpora=(Corpus.PROSE,), snippet=SnippetMode.SHORT
        ),
        "rrf": _federated(_RETRY, top=5, snippet=SnippetMode.SHORT),
        "selected": _federated(
            "round half to even",
            top=2,
            only=("gateway", "shop", "warehouse"),
            snippet=SnippetMode.NONE,
        ),
        "partly_indexed": _unindexed(
            "ledger", names=("gateway", "ledger"), query="trial balance", top=2
        ),
    },
    "federated_symbol": {
        "defined_in_one": _federated_symbol("Payments.refund"),
        "other_case": _federated_symbol("payments"),
        "nothing": _federated_symbol("refnd"),
    },
    "handshake_request": {"hello": _exact(documents.hello_document)},
    "handshake_response": {"welcome": _exact(documents.welcome_document)},
    "health": {
        "sound": lambda world: documents.health_document(world.shop, deep=True),
        "unindexed_files": _unindexed_files,
        "no_snapshot": _no_snapshot,
        "busy_daemon": lambda world: documents.health_document(world.shop, load=busy_load()),
    },
    "index_report": {
        "first": lambda world: world.indexed["shop"][1].to_dict(),
        "second": _second_index,
        "dry_run": _preview,
    },
    "inventory": {
        "listed": _leftover("left-behind", lambda home: inventory_json(list_stores(Home(home)))),
        "upgraded": lambda world: world.ledger().upgrade().to_dict(),
        "collected": _leftover(".trash-left-behind", documents.stores_gc_document),
        "removed": _removed,
    },
    "machine": {"checks": _exact(_checks)},
    "maintenance": {
        name: lambda world, at=at: world.maintained[at]
        for at, name in enumerate(("gc_preview", "gc", "compact", "repair"))
    },
    "outline_success": {
        "file_and_folder": _asked(OutlineRequest(("shop/pricing.py", "shop"), deterministic=True))
    },
    "page_places": {"repository_and_workspace": _exact(_places)},
    "page_session": {"key": _exact(lambda: PageSession(key="1800000000.00").to_dict())},
    "profiles": {
        "nameless": lambda world: _profiles(world.shop.home, world.shop),
        "named": _named_profiles,
    },
    "query_error": {name: _exact(partial(query_error, error)) for name, error in ERRORS.items()},
    "query_success": {
        "balanced": _search("retry when the payment provider is unavailable"),
        "clamped": _search(
            "reservation", limit=100_000, per_file=100_000, corpora=(Corpus.RECORDS,)
        ),
        "debug": _search("PaymentDeclined", mode=Mode.DEBUG, snippet=SnippetMode.SHORT),
        "discovery": _search("reservation expires", mode=Mode.DISCOVERY, limit=6),
        "explained": _search("refund a charge", mode=Mode.DEBUG, limit=3, explain=True),
        "filtered": _search("refund", filters=_NO_TESTS, limit=4),
        "implementation": _search("round_cents", mode=Mode.IMPLEMENTATION, limit=5),
        "nothing_found": _search("zyzzyva"),
        "one_corpus": _search("checkout", corpora=(Corpus.EXTRACTED_PROSE,)),
        "planning": _search("what happens at checkout", mode=Mode.PLANNING, limit=6),
        "scoped": _search("checkout", scope="docs", snippet=SnippetMode.NONE),
        "timings": _search("price list", deterministic=False, limit=1),
        "whole_chunks": _search("bulk discount", limit=2, snippet=SnippetMode.FULL),
    },
    "receipt": {
        "filtered": lambda world: without_builds(
            receipt_document(
                receipt_of(
                    world.shop,
                    "refund",
                    limit=2,
                    mode=Mode.DEBUG,
                    filters=_NO_TESTS,
                    snippet=SnippetMode.SHORT,
                )
            )
        )
    },
    "references_success": {
        "fields": _exact(lambda: answer_json(navigations.references_response())),
        "tree": _asked(_ROUND_CENTS),
    },
    "remotes": {
        name: _exact(lambda at=at: documents.remote_documents()[at])
        for at, name in enumerate(("remotes", "push", "pull", "pull_without_remote", "collection"))
    },
    "replay_report": {
        "reproduced": _replay(),
        "other_ranking": _replay(ranking="ranking-next"),
        "edited_tree": _replay(edited=True),
    },
    "slate_success": {
        "level_0": _slate(level=0),
        "level_1": _slate(level=1),
        "timings": _slate(
            search=replace(navigations.SLATE.search, deterministic=False), session=None
        ),
        "tree_level_0": _asked(SlateRequest(_CHECKOUT, 0)),
        "tree_level_2": _asked(SlateRequest(_CHECKOUT, 2)),
    },
    "status": {
        "indexed": lambda world: documents.status_document(world.shop),
        "no_index": lambda world: documents.status_document(world.copies().open("ledger")),
        "busy_daemon": lambda world: documents.status_document(world.shop, busy_load()),
    },
    "symbol_success": {
        "fields": _exact(lambda: answer_json(navigations.symbol_response())),
        "tree": _asked(SymbolRequest("Payments.refund", deterministic=True)),
    },
    "tour_success": {"tree": _asked(TourRequest(deterministic=True))},
    "workspace": {
        name: _of_workspaces(name)
        for name in ("written", "status", "catalog", "build", "doctor", "event", "collection")
    },
    "workspace_manifest": {"kept": _of_workspaces("kept")},
    "workspace_receipt": {"global": _workspace_receipt},
    "workspace_replay": {"lost_repository": _lost_repository},
    "workspace_resolved": {"two_repositories": _exact(_resolved)},
}
