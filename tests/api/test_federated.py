"""Routes of a workspace: the documents of every other surface, for callers who may have them."""

import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import httpx
import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import Busy, CorruptStore, DeadlineExceeded, GgrepError, NoIndex
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import load_workspace
from ggrep.federation.workspace_slates import SlateShape
from ggrep.interfaces.api.openapi import openapi_document
from ggrep.interfaces.surfaces.body import parse_federated_body
from ggrep.model.slate import Budgets, SessionRequest
from ggrep.protocol.client.link import NoReply
from tests.fakes.sites import TOKEN, Site
from tests.journeys.command import fits

MakeSite = Callable[..., Site]
NAMED: dict[str, dict[str, Any]] = {
    "symbol": {"name": "retry"},
    "references": {"name": "retry"},
    "expand": {"target": "a:src/a1.py"},
}
SLATE = {"format": "slate", "slate": {"level": 2, "maxFiles": 3, "graph": False}}
LISTS = pytest.mark.parametrize("kind", ["search", "slate"])
EVERY = pytest.mark.parametrize("kind", ["search", "slate", *NAMED])
EVERY_NAMED = pytest.mark.parametrize("kind", NAMED)


async def ask(site: Site, kind: str, **more: object) -> httpx.Response:
    if kind in NAMED:
        body = {"workspacePath": site.body()["workspacePath"], **NAMED[kind], **more}
        return await site.client.post(f"/{kind}/federated", json=body)
    return await site.federated(**(SLATE if kind == "slate" else {}), **more)


async def test_the_answer_is_the_coordinators_byte_for_byte(site: Site) -> None:
    file = site.place / "in" / "ws" / "w.jsonc"
    workspace = load_workspace(file, resolve_root=canonical_root)
    call = site.body(search={"top": 3, "deterministic": True})

    response = await site.client.post("/search/federated", json=call)
    (request,) = site.service.asked
    assert isinstance(request, FederatedRequest)
    again = await site.service.search(workspace, request)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert response.content == stable_json.dumps(again.to_json()) + b"\n"
    assert [hit["repoAlias"] for hit in response.json()["results"]] == ["a", "b", "a"]
    fits(response.json(), "federated_success")


@pytest.mark.parametrize("change", ["rewritten", "gone", "a link"])
async def test_a_file_that_changes_meanwhile_is_searched_as_it_was_checked(
    site: Site, change: str
) -> None:
    file = site.place / "in" / "ws" / "w.jsonc"
    outside = '{"schemaVersion": 1, "repos": [{"root": "../../out/c", "alias": "a"}]}'
    expected = await site.federated()

    async def meanwhile(_: str) -> None:
        file.unlink()
        if change == "rewritten":
            file.write_text(outside)
        elif change == "a link":
            (site.place / "out" / "w.jsonc").write_text(outside)
            file.symlink_to(site.place / "out" / "w.jsonc")

    site.service.pause = meanwhile
    response = await site.federated()
    site.service.pause = None
    afterwards = await site.federated()

    assert response.content == expected.content
    assert {hit["repoAlias"] for hit in response.json()["results"]} == {"a", "b"}
    assert afterwards.json().get("results", []) == []
    assert afterwards.content != expected.content


async def test_per_repo_top_may_be_zero_and_a_path_must_not_be_relative(site: Site) -> None:
    response = await site.federated(limits={"perRepoTop": 0})

    assert response.status_code == 200
    assert response.json()["meta"]["limits"]["perRepoTop"] == 0
    assert (await site.federated(workspacePath="w.jsonc")).status_code == 400


@pytest.mark.parametrize("directory", ["out", "in/link"])
async def test_a_workspace_outside_is_forbidden(site: Site, directory: str) -> None:
    (site.place / "out" / "w.jsonc").write_text("{")
    (site.place / "in" / "link").symlink_to(site.place / "out")
    response = await site.federated(workspacePath=str(site.place / directory / "w.jsonc"))

    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert site.service.asked == []


async def test_a_root_that_is_a_file_fails_alone(site: Site) -> None:
    """One that is gone is a row like any other, with the code that the commands print."""
    (site.place / "in" / "b").rmdir()
    (site.place / "in" / "b").write_text("x")

    response = await site.federated()

    rows = {row["alias"]: row for row in response.json()["repos"]}
    assert response.status_code == 200
    assert {name: row["status"] for name, row in rows.items()} == {"a": "ok", "b": "missing_root"}
    assert rows["b"]["error"]["code"] == "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"
    fits(response.json(), "federated_success")


async def test_whether_something_outside_is_missing_is_not_told(site: Site) -> None:
    outside = site.place / "out"
    shutil.rmtree(outside, ignore_errors=True)

    response = await site.federated(select={"includeDisabled": True})

    rows = {row["alias"]: row for row in response.json()["repos"]}
    assert rows["c"]["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"cohort": "nothing"}, "ERR_FEDERATED_COHORT_NOT_FOUND"),
        ({"workspaceId": "ws1-0"}, "ERR_FEDERATED_WORKSPACE_ID_MISMATCH"),
    ],
)
async def test_a_cohort_or_a_workspace_that_is_not_there_is_a_bad_request(
    site: Site, body: dict[str, str], code: str
) -> None:
    response = await site.federated(**body)

    assert response.status_code == 400
    assert response.json()["code"] == code


async def test_an_id_alone_names_no_workspace(site: Site) -> None:
    response = await site.client.post(
        "/search/federated", json={"workspaceId": "ws1-0", "query": "q"}
    )

    assert response.status_code == 400
    assert response.json()["error"]["issues"][0]["field"] == "$.workspacePath"


@pytest.mark.parametrize("name", ["x" * 5000, "x/" * 3000, "w.jsonc/x", ".", "w\n.jsonc", "\u202e"])
async def test_a_strange_path_is_a_bad_request(site: Site, name: str) -> None:
    path = f"{site.place}/in/ws/{name}"

    federated = await site.federated(workspacePath=path)
    status = await site.client.get("/status", params={"root": path})

    assert federated.status_code == 400
    assert status.status_code == (200 if name == "." else 400)
    assert site.told == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"select": {"includeDisabled": True}},
        {"select": {"repos": ["/srv/x"], "repoFilter": ["/**"]}},
        {"search": {"stats": True, "explain": True}},
        {"workspacePath": "/etc/passwd"},
        {"cohort": "/etc/passwd"},
    ],
)
async def test_no_absolute_path_leaves(site: Site, fields: dict[str, object]) -> None:
    response = await site.federated(**fields)

    assert str(site.place) not in response.text
    assert "/etc" not in response.text
    assert "/srv" not in response.text


async def test_there_is_room_for_so_many_searches(make_site: MakeSite) -> None:
    site, auth = make_site(max_searches=1), anyio.Event()
    site.service.pause = lambda _: auth.wait()

    async with anyio.create_task_group() as group:
        group.start_soon(site.federated)
        while not site.service.asked:
            await anyio.lowlevel.checkpoint()
        refused = await site.federated()
        streamed = await site.client.post("/search/federated/stream", json=site.body())
        auth.set()
    after = await site.federated()

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert streamed.status_code == 429
    assert after.status_code == 200


async def test_a_client_that_leaves_ends_its_search(site: Site) -> None:
    gone = anyio.Event()
    site.service.pause = lambda _: anyio.sleep_forever()
    sent: list[object] = []
    received = [
        {"type": "http.request", "body": stable_json.dumps(site.body()), "more_body": False}
    ]

    async def receive() -> dict[str, object]:
        if received:
            return received.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        sent.append(message)

    async with anyio.create_task_group() as group:
        group.start_soon(partial(site.app, scope("/search/federated"), receive, send))
        while not site.service.asked:
            await anyio.lowlevel.checkpoint()
        gone.set()

    assert site.service.cancelled == 1
    assert len(sent) == 2, "a response that nobody reads"


def scope(path: str) -> dict[str, object]:
    headers = {
        "host": "127.0.0.1",
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
    }
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 7345),
        "state": {},
    }


@EVERY
async def test_a_repository_outside_is_forbidden_by_name(site: Site, kind: str) -> None:
    """An answer without the repository would miss the point of the request."""
    response = await ask(site, kind, select={"repos": ["c"]})

    assert response.status_code == 403
    assert response.json()["error"]["code"] == "forbidden"


@LISTS
async def test_a_repository_outside_fails_alone(site: Site, kind: str) -> None:
    """The others answer, and its row gives the reason."""
    response = await ask(site, kind, select={"includeDisabled": True})

    rows = {row["alias"]: row for row in response.json()["repos"]}
    assert response.status_code == 200
    assert [rows[name]["status"] for name in "abc"] == ["ok", "ok", "error"]
    assert rows["c"]["error"]["code"] == "forbidden"
    assert "src/c" not in response.text
    assert str(site.place) not in response.text


@EVERY
async def test_paths_are_for_those_who_have_presented_the_token(
    make_site: MakeSite, kind: str
) -> None:
    debug = {"includePaths": True}

    entitled = await ask(make_site(), kind, debug=debug)
    anyone = await ask(make_site(token=None), kind, debug=debug)

    assert entitled.json()["meta"]["workspace"]["workspacePath"].endswith("/in/ws/w.jsonc")
    assert (anyone.status_code, anyone.json()["code"]) == (403, "forbidden")


@LISTS
@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NoIndex("nothing there"), 409, "NO_INDEX"),
        (Busy(retry_after_ms=1200), 429, "busy"),
        (DeadlineExceeded("too late"), 504, "timeout"),
        (NoReply("the daemon process 7 does not answer"), 504, "timeout"),
        (CorruptStore("damaged"), 500, "internal"),
        (GgrepError("odd"), 500, "internal"),
        (ZeroDivisionError("secret"), 500, "internal"),
    ],
)
async def test_every_failure_has_one_envelope(
    site: Site, kind: str, error: Exception, status: int, code: str
) -> None:
    """The status is HTTP's, all else is as on every surface."""
    site.service.fail.append(error)

    response = await ask(site, kind)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert (response.json()["ok"], response.json()["backend"]) == (False, "federated")
    fits(response.json(), "federated_error")
    assert "secret" not in response.text
    assert response.headers.get("retry-after") == ("2" if status == 429 else None)
    assert site.told == ([error] if status == 500 else [])


@LISTS
async def test_an_answer_that_failed_has_the_status_of_its_error(site: Site, kind: str) -> None:
    site.service.rows = {}

    response = await ask(site, kind)

    assert response.status_code == 409
    assert [row["status"] for row in response.json()["repos"]] == ["missing_index"] * 2
    fits(response.json(), "federated_error")


@EVERY_NAMED
async def test_a_workspace_answers(site: Site, kind: str) -> None:
    response = await ask(site, kind, deterministic=True)

    assert response.status_code == 200
    document = response.json()
    assert (document["ok"], document["format"]) == (True, kind)
    assert {row["status"] for row in document["repos"]} == {"ok"}


@EVERY_NAMED
async def test_selection_is_the_workspaces_own(site: Site, kind: str) -> None:
    document = (await ask(site, kind, select={"only": ["a"]})).json()

    assert [row["alias"] for row in document["repos"]] == ["a"]


@EVERY_NAMED
async def test_what_only_lists_heed_is_refused(site: Site, kind: str) -> None:
    """It would change nothing."""
    response = await ask(site, kind, merge="global")

    assert response.status_code == 400
    assert "merge" in response.json()["message"]


@EVERY_NAMED
async def test_a_path_of_one_repository_is_refused(site: Site, kind: str) -> None:
    for key in ("root", "scope"):
        response = await ask(site, kind, **{key: "/x"})

        assert response.status_code == 400
        assert key in response.json()["message"]


async def test_a_place_that_nobody_has_is_a_failure_with_rows(site: Site) -> None:
    response = await ask(site, "expand", target="nowhere.py")

    assert (response.status_code, response.json()["ok"]) == (400, False)
    assert len(response.json()["repos"]) == 2


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
