"""`POST /search/federated` with the format `slate`: the same route and rules, another answer."""

from collections.abc import Callable

import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import load_workspace
from ggrep.federation.workspace_slates import SlateShape
from ggrep.interfaces.api.openapi import openapi_document
from ggrep.interfaces.surfaces.body import parse_federated_body
from ggrep.model.slate import Budgets, SessionRequest
from tests.fakes.sites import Site
from tests.journeys.command import fits

MakeSite = Callable[..., Site]
WANTED = {"format": "slate", "slate": {"level": 2, "maxFiles": 3, "graph": False}}


async def test_the_slate_is_the_coordinators_byte_for_byte(site: Site) -> None:
    workspace = load_workspace(site.place / "in/ws/w.jsonc", resolve_root=canonical_root)

    response = await site.federated(**WANTED, search={"deterministic": True})
    ((request, shape),) = site.service.asked
    again = await site.service.slate(workspace, request, shape)

    assert response.status_code == 200
    assert shape == SlateShape(2, Budgets(files=3), graph=False)
    assert response.content == stable_json.dumps(again.to_json()) + b"\n"
    fits(response.json(), "federated_slate")
    assert {pack["repo"] for pack in response.json()["slate"]["sections"][0]["files"]} == {"a", "b"}


async def test_a_session_reaches_the_coordinator(site: Site) -> None:
    """An empty one starts one, a token goes on, and targets open."""
    for given, wanted in (
        ({}, SessionRequest()),
        ({"token": "t", "deltaOnly": True}, SessionRequest("t", "refine", delta_only=True)),
        ({"token": "t", "targets": "a:x.py"}, SessionRequest("t", "expand", ("a:x.py",))),
    ):
        await site.federated(format="slate", session=given)
        assert site.service.asked[-1][1].session == wanted


async def test_without_the_word_slate_the_answer_is_hits(site: Site) -> None:
    for fields in ({}, {"format": None}, {"format": "hits"}):
        assert "results" in (await site.federated(**fields)).json()

    assert all(isinstance(asked, FederatedRequest) for asked in site.service.asked)


async def test_a_slate_as_events_ends_with_the_slate(site: Site) -> None:
    """Repositories are told of when they have searched; the bytes are those of the plain route."""
    plain = await site.federated(**WANTED)
    response = await site.client.post("/search/federated/stream", json=site.body(**WANTED))
    events = [block.split("\n") for block in response.text.split("\n\n")[:-1]]

    assert [name for name, _ in events] == ["event: repo", "event: repo", "event: answer"]
    assert events[-1][1].removeprefix("data: ").encode() + b"\n" == plain.content


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"format": "xml"}, "$.format"),
        ({"format": "slate", "slate": {"level": 4}}, "$.slate.level"),
        ({"format": "slate", "slate": {"maxFiles": -1}}, "$.slate.maxFiles"),
        ({"format": "slate", "slate": {"anchors": 1}}, "$.slate.anchors"),
        ({"format": "slate", "slate": {"session": "new"}}, "$.slate.session"),
        ({"format": "slate", "session": {"token": 1}}, "$.session.token"),
        ({"format": "slate", "session": {"op": "stop"}}, "$.session.op"),
        ({"format": "hits", "session": {}}, "$.session"),
    ],
)
async def test_what_is_wrong_with_a_slate_is_said_with_its_field(
    site: Site, fields: dict[str, object], field: str
) -> None:
    response = await site.federated(**fields)

    assert response.status_code == 400
    assert [issue["field"] for issue in response.json()["error"]["issues"]] == [field]
    assert site.service.asked == []


async def test_a_budget_that_holds_no_slate_is_a_bad_request(site: Site) -> None:
    fields = {"format": "slate", "slate": {"maxBytes": 9}}
    plain = await site.federated(**fields)
    stream = await site.client.post("/search/federated/stream", json=site.body(**fields))

    assert (plain.status_code, plain.json()["code"]) == (400, "invalid_request")
    assert "max_slate_bytes" in plain.json()["message"]
    assert stream.text.startswith("event: error\ndata: ")
    assert site.told == []


def test_the_body_of_a_slate_is_described_as_it_is_understood() -> None:
    """A generated client can say all of it, and nothing else."""
    schemas = openapi_document()["components"]["schemas"]
    validator = jsonschema_rs.validator_for(schemas["federated_body"])
    body = {"query": "q", "workspacePath": "/w"}

    for fields in (WANTED, {"format": None, "slate": None}, {"format": "hits"}):
        parse_federated_body({**body, **fields})
        validator.validate({**body, **fields})
    for fields in ({"format": "xml"}, {"slate": {"level": 4}}, {"slate": {"depth": 1}}):
        assert not validator.is_valid({**body, **fields})


def test_both_answers_are_described() -> None:
    """A generated client must be ready for either."""
    route = openapi_document()["paths"]["/search/federated"]["post"]
    answer = route["responses"]["200"]["content"]["application/json"]["schema"]

    assert [each["$ref"].rpartition("/")[2] for each in answer["oneOf"]] == [
        "federated_success",
        "federated_slate",
    ]
