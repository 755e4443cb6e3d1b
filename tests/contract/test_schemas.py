"""Every JSON document that ggrep prints fits the schema that ships beside the code."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
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
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import Request, SearchRequest
from ggrep.model.slate import SessionRequest, SlateRequest
from ggrep.render.answer_json import answer_json, answers_json
from ggrep.render.failures import query_error
from tests.contract import schema_files
from tests.fakes import evaluations
from tests.fakes.golden_documents import GOLDENS, golden
from tests.fakes.leases import held_lease
from tests.fakes.receipts import (
    everywhere,
    workspace_receipt_of,
    workspace_replay_of,
)
from tests.golden import documents, goldens
from tests.golden.goldens import World

NAMES = tuple(sorted(schema_files.DOCUMENTS))
FOLDER = files("ggrep") / "model" / "schemas"
SCHEMAS = {name: stable_json.loads((FOLDER / f"{name}.schema.json").read_bytes()) for name in NAMES}
_MAY_BE_OPEN = re.compile(r"^/[$]defs/(explain|term|admission|federated_stats|repo_stats)$")
_PROPERTY = re.compile(r"^(?!.*/(if|then|else)/).*/properties/\w+$")
_SPEAKING = {"description", "const", "enum", "items", "$ref"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("contract").resolve())


@pytest.fixture(scope="module")
def produced(world: World) -> dict[str, list[Mapping[str, Any]]]:
    """Return fresh documents by the name of their schema, nothing replaced in them."""
    more = _beside_goldens(world)
    return {
        name: [*(make(world) for make in cases.values()), *more.get(name, ())]
        for name, cases in goldens.GOLDENS.items()
    }


def _beside_goldens(world: World) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return documents that tell timings, figures and cuts, which no golden can."""
    repos = world.copies()
    shop, _ = repos.index("shop")
    workspace = repos.workspace("shop", "gateway")  # which has no index
    search = SearchRequest("refund", explain=True)
    everything = FederatedRequest(search, merge_strategy="global", stats=True, include_paths=True)
    missing = FederatedRequest(search, only=("gateway",), stats=True)
    failed = InvalidRequest("gone")
    round_cents = SymbolRequest("round_cents"), ReferencesRequest("round_cents")
    federated = repos.federate(workspace, FederatedRequest(replace(search, deterministic=True)))
    kept = workspace_receipt_of(federated)

    def answer(request: Request[Any]) -> Mapping[str, Any]:
        return answer_json(shop.ask(request))

    return {
        "slate_success": tuple(
            answer(SlateRequest(question, level, session=session))
            for question in (search, replace(search, deterministic=True))
            for level, session in ((0, None), (1, SessionRequest()), (2, None), (3, None))
        ),
        "symbol_success": (answer(round_cents[0]),),
        "answers": (
            answers_json(
                [*map(shop.ask, round_cents), shop.ask(ExpandRequest("README.md")), failed]
            ),
        ),
        "references_success": (answer(round_cents[1]),),
        "expand_success": (
            answer(ExpandRequest("README.md")),
            answer(ExpandRequest("README.md:3", max_bytes=40)),
        ),
        "outline_success": (
            answer(OutlineRequest(("shop", "README.md"))),
            answer(OutlineRequest(("shop/pricing.py",), 1, 200, deterministic=True)),
        ),
        "tour_success": (answer(TourRequest()), answer(TourRequest(300, deterministic=True))),
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
                    query_error(failed),
                ],
            },
        ),
        "federated_symbol": (repos.symbol(workspace, SymbolRequest("refund", limit=1)).to_json(),),
        "federated_references": (
            repos.references(workspace, ReferencesRequest("refund", limit=2)).to_json(),
        ),
        "federated_expand": (
            repos.expand(workspace, ExpandRequest("shop:README.md:3", max_bytes=40)).to_json(),
        ),
        "federated_error": (
            repos.expand(workspace, ExpandRequest("nowhere.py")).to_json(),
            repos.slate(workspace, missing, SlateShape()).to_json(),
            repos.federate(workspace, missing).to_json(),
            failure_json(failed, include_paths=True),
        ),
        "index_report": (_index_of_a_workspace(world),),
        "eval_report": (evaluations.report_document(evaluations.some_run(), deterministic=False),),
        "workspace_replay": (
            workspace_replay_of(kept, federated, {}).to_dict(),
            workspace_replay_of(kept, federated, everywhere(kept)).to_dict(),
        ),
        "workspace_resolved": (
            resolved_object(replace(workspace, cache_root=repos.home, name="")),
        ),
        "inventory": (_refused_collection(world),),
    }


def _index_of_a_workspace(world: World) -> Mapping[str, Any]:
    reports = [goldens.GOLDENS["index_report"][case](world) for case in ("first", "dry_run")]
    return {
        "schema_version": 1,
        "ok": False,
        "repos": [
            *(
                {"repo": name, "ok": True, **report}
                for name, report in zip("ab", reports, strict=True)
            ),
            {"repo": "c", "ok": False, **query_error(InvalidRequest("gone"))},
        ],
    }


def test_what_ships_is_made_of_the_types_and_listed_here() -> None:
    """`python3 dev.py schemas` was run after the last change of a type."""
    shipped = {path: path.read_bytes() for path in schema_files.FOLDER.glob("*.json")}

    assert shipped == schema_files.schema_files()

    results = {entry.name for entry in FOLDER.iterdir() if entry.name.endswith(".schema.json")}

    assert results == {f"{name}.schema.json" for name in NAMES}
    assert {name for name, _ in GOLDENS} == set(goldens.GOLDENS) == set(NAMES)

    listed = SCHEMAS["query_error"]["$defs"]["error"]["properties"]["code"]["anyOf"][0]["enum"]

    assert set(listed) == {kind.code for kind in documents.error_classes()}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_named_by_its_file(name: str) -> None:
    schema = SCHEMAS[name]

    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"ggrep://schemas/{name}.schema.json"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", NAMES)
def test_objects_refuse_unknown_keys_but_for_explanations_and_figures(name: str) -> None:
    """A key that is not written down is a key nobody promised; each is described."""
    open_ones = [place for place, part in _objects(SCHEMAS[name]) if _is_open(part)]

    assert [place for place in open_ones if not _MAY_BE_OPEN.search(place)] == []

    bare = [
        place
        for place, part in _objects(SCHEMAS[name])
        if _PROPERTY.search(place) and not _speaks(part)
    ]

    assert bare == []


@pytest.mark.parametrize(("name", "case"), GOLDENS)
def test_a_golden_fits_its_schema(name: str, case: str) -> None:
    """A published document is also a promised one."""
    validator(name).validate(golden(name, case))


@pytest.mark.parametrize("name", NAMES)
def test_fresh_documents_fit_their_schema(
    name: str, produced: Mapping[str, list[Mapping[str, Any]]]
) -> None:
    for document in produced[name]:
        validator(name).validate(_as_read(document))


@pytest.mark.parametrize("more", [{"schema_version": 99}, {"surprise": 1}])
@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_key_or_another_schema_version_is_refused(
    name: str, more: Mapping[str, object], produced: Mapping[str, list[Mapping[str, Any]]]
) -> None:
    """A reader must not take a shape it does not know for one it does."""
    for document in produced[name]:
        assert not validator(name).is_valid(_as_read({**document, **more}))


def test_an_entry_of_a_workspace_report_refuses_unknown_keys(world: World) -> None:
    """Entries are put together from two shapes; the seam must hold."""
    document = _as_read(_index_of_a_workspace(world))
    for entry in document["repos"]:
        entry["surprise"] = 1
        assert not validator("index_report").is_valid(document)
        del entry["surprise"]

    validator("index_report").validate(document)


def test_a_resolved_workspace_lacks_no_key(
    produced: Mapping[str, list[Mapping[str, Any]]],
) -> None:
    """Null is said, never left out."""
    document = _as_read(produced["workspace_resolved"][0])
    entry = document["repos"][0]
    shorter = [{k: v for k, v in document.items() if k != key} for key in document]
    shorter += [
        {**document, "repos": [{k: v for k, v in entry.items() if k != key}]} for key in entry
    ]

    assert not any(validator("workspace_resolved").is_valid(item) for item in shorter)


def test_what_contradicts_itself_or_says_too_little_is_refused(
    produced: Mapping[str, list[Mapping[str, Any]]],
) -> None:
    """A client that must guess when to come back comes back at once."""
    document = _as_read(produced["health"][0])

    assert not validator("health").is_valid({**document, "ok": not document["ok"]})

    silent = {"error": {"code": "busy", "message": "daemon busy"}}

    assert not validator("query_error").is_valid(silent)


def _refused_collection(world: World) -> Mapping[str, Any]:
    """Return the document of stores of which one is in use."""
    with held_lease(world.shop.identity.store, world.repos.clock):
        return documents.stores_gc_document(world.repos.home, force=True)


@cache
def validator(name: str) -> Any:
    """Return the validator of one schema; it needs no other."""
    return jsonschema_rs.Draft202012Validator(SCHEMAS[name], validate_formats=True)


def _as_read(document: stable_json.Json) -> Any:
    """Return a document as a client reads it: through bytes."""
    return stable_json.loads(stable_json.dumps(document))


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
