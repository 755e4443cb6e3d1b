"""Every JSON document that ggrep prints fits the schema that ships beside the code."""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import failure_json
from ggrep.federation.workspace import resolved_object
from ggrep.federation.workspace_receipts import workspace_receipt_document
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SessionRequest, SlateRequest
from ggrep.render.answer_json import answer_json, answers_json
from ggrep.render.failures import query_error
from ggrep.render.receipts import receipt_document, replay_json
from ggrep.search.engine.engine import Engine
from tests.contract import schema_files
from tests.fakes import daemons, evaluations
from tests.fakes.leases import held_lease
from tests.fakes.receipts import (
    everywhere,
    receipt_of,
    replayed,
    workspace_receipt_of,
    workspace_replay_of,
)
from tests.fakes.workspace_documents import Workspaces
from tests.golden import documents
from tests.golden.documents import Repos

NAMES = tuple(sorted(schema_files.DOCUMENTS))
FOLDER = files("ggrep") / "model" / "schemas"
SCHEMAS = {name: stable_json.loads((FOLDER / f"{name}.schema.json").read_bytes()) for name in NAMES}
_MAY_BE_OPEN = re.compile(r"^/[$]defs/(explain|term|admission|federated_stats|repo_stats)$")
_PROPERTY = re.compile(r"^(?!.*/(if|then|else)/).*/properties/\w+$")
_SPEAKING = {"description", "const", "enum", "items", "$ref"}
GOLDENS = sorted((Path(__file__).parents[1] / "golden" / "__snapshots__").rglob("*.json"))


@pytest.fixture(scope="module")
def repos(tmp_path_factory: pytest.TempPathFactory) -> Repos:
    """Return copies of the fixture repositories."""
    return Repos(tmp_path_factory.mktemp("contract").resolve())


@pytest.fixture(scope="module")
def produced(repos: Repos) -> dict[str, tuple[dict[str, Any], ...]]:
    """Return fresh documents by the name of their schema, nothing replaced in them."""
    shop, report = repos.index("shop")
    workspace = repos.workspace("shop", "gateway")
    search = SearchRequest("refund", explain=True)
    everything = FederatedRequest(search, merge_strategy="global", stats=True, include_paths=True)
    missing = FederatedRequest(search, only=("gateway",), stats=True)
    preview = documents.preview_document(shop)
    synced = documents.report_document(shop, report)
    failed = query_error(InvalidRequest("gone"))
    workspaces = Workspaces(repos.directory / "workspaces")
    federated = repos.federate(workspace, FederatedRequest(replace(search, deterministic=True)))
    kept = workspace_receipt_of(federated)
    return {
        "query_success": (
            documents.search_document(shop, "refund", explain=True),
            documents.search_document(shop, "refund", deterministic=False),
        ),
        "query_error": (failed,),
        "page_places": (documents.page_places_document(),),
        "page_session": (documents.page_session_document(),),
        "slate_success": tuple(
            answer_json(shop.ask(SlateRequest(question, level, session=session)))
            for question in (search, replace(search, deterministic=True))
            for level, session in ((0, None), (1, SessionRequest()), (2, None), (3, None))
        ),
        "symbol_success": (
            answer_json(shop.ask(SymbolRequest("round_cents"))),
            answer_json(shop.ask(SymbolRequest("round_cent", deterministic=True))),
        ),
        "answers": (
            answers_json(
                [
                    shop.ask(SymbolRequest("round_cents")),
                    shop.ask(ReferencesRequest("round_cents")),
                    shop.ask(ExpandRequest("README.md")),
                    InvalidRequest("gone"),
                ]
            ),
        ),
        "references_success": (
            answer_json(shop.ask(ReferencesRequest("round_cents"))),
            answer_json(shop.ask(ReferencesRequest("total", comments=True))),
        ),
        "expand_success": (
            answer_json(shop.ask(ExpandRequest("README.md"))),
            answer_json(shop.ask(ExpandRequest("README.md:3", max_bytes=40))),
        ),
        "outline_success": (
            answer_json(shop.ask(OutlineRequest(("shop", "README.md")))),
            answer_json(shop.ask(OutlineRequest(("shop/pricing.py",), 1, 200, deterministic=True))),
        ),
        "tour_success": (
            answer_json(shop.ask(TourRequest())),
            answer_json(shop.ask(TourRequest(300, deterministic=True))),
        ),
        "receipt": (receipt_document(receipt_of(shop, "refund")),),
        "replay_report": (replay_json(replayed(shop, receipt_of(shop, "refund"))),),
        "federated_success": (repos.federate(workspace, everything).to_json(),),
        "federated_slate": tuple(
            repos.slate(workspace, everything, SlateShape(level)).to_json() for level in range(4)
        ),
        "federated_answers": (
            {
                "schema_version": ANSWERS_SCHEMA,
                "answers": [
                    repos.symbol(workspace, SymbolRequest("refund")).to_json(),
                    repos.references(workspace, ReferencesRequest("refund")).to_json(),
                    failed,
                ],
            },
        ),
        "federated_symbol": (
            repos.symbol(workspace, SymbolRequest("refund", limit=1)).to_json(),
            repos.symbol(workspace, SymbolRequest("refnd", deterministic=True)).to_json(),
        ),
        "federated_references": (
            repos.references(workspace, ReferencesRequest("refund", limit=2)).to_json(),
            repos.references(workspace, ReferencesRequest("total", comments=True)).to_json(),
        ),
        "federated_expand": (
            repos.expand(workspace, ExpandRequest("shop:README.md:3", max_bytes=40)).to_json(),
        ),
        "federated_error": (
            repos.expand(workspace, ExpandRequest("nowhere.py")).to_json(),
            repos.slate(workspace, missing, SlateShape()).to_json(),
            repos.federate(workspace, missing).to_json(),
            failure_json(InvalidRequest("gone"), include_paths=True),
        ),
        "handshake_request": (documents.hello_document(),),
        "handshake_response": (documents.welcome_document(),),
        "daemons": (documents.daemons_document(), documents.stops_document()),
        "status": (
            documents.status_document(shop),
            documents.status_document(shop, daemons.busy_load()),
        ),
        "audit": (documents.audit_document(shop),),
        "health": (
            documents.health_document(shop, deep=True),
            documents.health_document(shop, load=daemons.busy_load()),
        ),
        "index_report": (
            synced,
            preview,
            {
                "schema_version": 1,
                "ok": False,
                "repos": [
                    {"repo": "a", "ok": True, **synced},
                    {"repo": "b", "ok": True, **preview},
                    {"repo": "c", "ok": False, **failed},
                ],
            },
        ),
        "eval_comparison": (evaluations.comparison_document(),),
        "eval_report": (
            evaluations.report_document(evaluations.some_run()),
            evaluations.report_document(evaluations.some_run(), deterministic=False),
        ),
        "check_report": (evaluations.check_document(evaluations.some_checks(repos.directory)),),
        "machine": (documents.machine_document(),),
        "remotes": documents.remote_documents(),
        "maintenance": documents.maintenance_documents(shop),
        "agents": documents.agents_documents(repos),
        "profiles": (documents.profiles_document(repos, shop),),
        "workspace": workspaces.printed(),
        "workspace_manifest": (workspaces.kept(),),
        "workspace_receipt": (workspace_receipt_document(kept),),
        "workspace_replay": (
            workspace_replay_of(kept, federated, {}).to_dict(),
            workspace_replay_of(kept, federated, everywhere(kept)).to_dict(),
        ),
        "workspace_resolved": (
            resolved_object(workspace),
            resolved_object(replace(workspace, cache_root=repos.home, name="")),
        ),
        "inventory": (
            documents.inventory_document(repos.home),
            documents.removal_document({"shop-0": 12}),
            documents.upgrade_document(shop),
            documents.stores_gc_document(repos.home),
            _refused_collection(repos, shop),
        ),
    }


def test_what_ships_is_made_of_the_types() -> None:
    """`python3 dev.py schemas` was run after the last change of a type."""
    shipped = {path: path.read_bytes() for path in schema_files.FOLDER.glob("*.json")}

    assert shipped == schema_files.schema_files()


def test_every_schema_is_listed_here() -> None:
    """One that is not would be checked by nothing."""
    found = {entry.name for entry in FOLDER.iterdir() if entry.name.endswith(".schema.json")}

    assert found == {f"{name}.schema.json" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_named_by_its_file(name: str) -> None:
    """References between schemas go by these names."""
    schema = SCHEMAS[name]

    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"ggrep://schemas/{name}.schema.json"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", NAMES)
def test_objects_refuse_unknown_keys_but_for_explanations_and_figures(name: str) -> None:
    """A key that is not written down is a key nobody promised."""
    open_ones = [place for place, part in _objects(SCHEMAS[name]) if _is_open(part)]

    assert [place for place in open_ones if not _MAY_BE_OPEN.search(place)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_and_word_is_described(name: str) -> None:
    """The schema is the documentation of the wire."""
    bare = [
        place
        for place, part in _objects(SCHEMAS[name])
        if _PROPERTY.search(place) and not _speaks(part)
    ]

    assert bare == []


def test_the_codes_of_query_error_are_those_of_the_errors() -> None:
    """A code outside the list would be refused by those who validate."""
    listed = SCHEMAS["query_error"]["$defs"]["error"]["properties"]["code"]["anyOf"][0]["enum"]

    assert set(listed) == {kind.code for kind in documents.error_classes()}


def test_there_are_goldens_of_every_schema() -> None:
    """The next test must not pass for want of anything to check."""
    assert {_schema_of(path) for path in GOLDENS} == set(NAMES)


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_fits_its_schema(path: Path) -> None:
    """What was looked at by a person is also what is promised."""
    validator(_schema_of(path)).validate(stable_json.loads(path.read_bytes()))


@pytest.mark.parametrize("name", NAMES)
def test_fresh_documents_fit_their_schema(
    name: str, produced: Mapping[str, tuple[dict[str, Any], ...]]
) -> None:
    """Without the zeros that goldens carry."""
    for document in produced[name]:
        validator(name).validate(_as_read(document))


@pytest.mark.parametrize("name", NAMES)
def test_another_schema_version_is_refused(
    name: str, produced: Mapping[str, tuple[dict[str, Any], ...]]
) -> None:
    """A reader must not take a shape it does not know for one it does."""
    for document in produced[name]:
        assert not validator(name).is_valid(_as_read({**document, "schema_version": 99}))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_key_is_refused(
    name: str, produced: Mapping[str, tuple[dict[str, Any], ...]]
) -> None:
    """Neither does a key slip in at the top, nor in an entry of a workspace's report."""
    for document in produced[name]:
        assert not validator(name).is_valid(_as_read({**document, "surprise": 1}))


def test_an_entry_of_a_workspace_report_refuses_unknown_keys(
    produced: Mapping[str, tuple[dict[str, Any], ...]],
) -> None:
    """Entries are put together from two shapes; the seam must hold."""
    document = _as_read(produced["index_report"][2])
    for entry in document["repos"]:
        entry["surprise"] = 1
        assert not validator("index_report").is_valid(document)
        del entry["surprise"]

    validator("index_report").validate(document)


def test_a_resolved_workspace_lacks_no_key(
    produced: Mapping[str, tuple[dict[str, Any], ...]],
) -> None:
    """Null is said, never left out."""
    document = _as_read(produced["workspace_resolved"][0])
    entry = document["repos"][0]
    shorter = [{k: v for k, v in document.items() if k != key} for key in document]
    shorter += [
        {**document, "repos": [{k: v for k, v in entry.items() if k != key}]} for key in entry
    ]

    assert not any(validator("workspace_resolved").is_valid(found) for found in shorter)


def test_health_that_contradicts_its_checks_is_refused(
    produced: Mapping[str, tuple[dict[str, Any], ...]],
) -> None:
    """`ok` is what scripts look at."""
    document = _as_read(produced["health"][0])

    assert not validator("health").is_valid({**document, "ok": not document["ok"]})


def test_busy_always_says_when_to_come_back() -> None:
    """A client that must guess comes back at once."""
    silent = {"error": {"code": "busy", "message": "daemon busy"}}

    assert not validator("query_error").is_valid(silent)


def _refused_collection(repos: Repos, engine: Engine) -> dict[str, Any]:
    """Return what is said of stores of which one is in use."""
    with held_lease(engine.identity.store, repos.clock):
        return documents.stores_gc_document(repos.home, force=True)


def validator(name: str) -> Any:
    """Return the validator of one schema; it needs no other."""
    return jsonschema_rs.Draft202012Validator(SCHEMAS[name], validate_formats=True)


def _as_read(document: stable_json.Json) -> Any:
    """Return a document as a client reads it: through bytes."""
    return stable_json.loads(stable_json.dumps(document))


def _schema_of(golden: Path) -> str:
    return golden.parent.name.removeprefix("test_")


def _objects(value: object, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of a schema with its place in it."""
    if isinstance(value, dict):
        yield place, value
        for key, item in value.items():
            yield from _objects(item, f"{place}/{key}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _objects(item, f"{place}/{index}")


def _speaks(part: dict[str, Any]) -> bool:
    """Return whether a property, or the type that it refers to, is described."""
    return bool(_SPEAKING & set(part)) or any("$ref" in form for form in part.get("anyOf", ()))


def _is_open(part: dict[str, Any]) -> bool:
    kind = part.get("type", ())
    return "object" in kind and "properties" in part and "additionalProperties" not in part
