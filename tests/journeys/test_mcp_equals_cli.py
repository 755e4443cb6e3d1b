"""What an agent gets over MCP, a person gets on the terminal and a program over HTTP: the same."""

from collections.abc import Iterator, Mapping
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.interfaces.mcp.arguments import body_of, read_arguments
from ggrep.interfaces.mcp.tool_calls import placed_for
from ggrep.interfaces.mcp.tools import BY_NAME
from tests.journeys.command import Command, fits
from tests.journeys.questions import CASES, MAIL, PAY, QUESTION, ROW, SESSION, Case
from tests.mcp.processes import Settled, http, settled

pytestmark = pytest.mark.slow

OTHERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "timed": ("context", {"query": QUESTION}),
    "joined": ("search_workspace", {"query": QUESTION}),
    "status": ("ggrep_status", {}),
    "health": ("ggrep_health", {}),
    "deep": ("ggrep_health", {"deep": True}),
    "gone": ("expand", {"target": "src/gone.py:3"}),
    "spent": ("context", {"query": QUESTION, "session": "spent"}),
    "unnamed": ("symbol", {"name": "a\0b"}),
}
GROWING = {
    "daemon",
    "performance",
    "queries",
    "resources",
    "disk_budgets_logs",
    "perf_query_latency",
}
"""Parts of a status and checks of a health that tell of the questions so far."""

PATHS = {
    "search_workspace": "/search/federated",
    "search": "/search",
    "context": "/context",
    "symbol": "/symbol",
    "references": "/references",
    "expand": "/expand",
    "outline": "/outline",
}


class Elsewhere(Struct, frozen=True):
    """What the other surfaces answer, by the case's name.

    Attributes:
        called: bytes over MCP, a newline behind them.
        known: what placeholders in cases stand for.
        posted: bytes over HTTP.
        others: documents of what is asked of MCP beside the cases.
    """

    called: Mapping[str, bytes]
    known: Mapping[str, str]
    posted: Mapping[str, bytes]
    others: Mapping[str, dict[str, Any]]

    def document(self, name: str) -> dict[str, Any]:
        result: dict[str, Any] = stable_json.loads(self.called[name])
        return result


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    """Return an indexed workspace whose daemons end with the module."""
    with settled(PAY, MAIL) as result:
        yield result


@pytest.fixture
def ggrep(
    place: Settled, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return the command in this process, over the home that the daemons serve."""
    return place.command(monkeypatch, capsys)


def arguments(place: Settled, case: Case, known: Mapping[str, str]) -> dict[str, Any]:
    """Return what a case gives to its tool: fixed bytes, and the root where it is narrowed."""
    given = {key: known.get(str(value), value) for key, value in case.given.items()}
    options = [*given.pop("options", []), "deterministic=true"]
    root = {"root": str(place.root / case.below)} if case.below else {}
    return {**given, **root, "options": options}


def is_slate(case: Case) -> bool:
    return case.tool == "context" or case.given.get("format") == "slate"


def body(place: Settled, case: Case, known: Mapping[str, str]) -> dict[str, Any]:
    """Return what a case posts: each argument in its place, the narrowing beside the root."""
    tool = BY_NAME[case.tool]
    given = arguments(place, case, known)
    values = read_arguments(tool.name, tool.arguments, given, tool.rare)
    several = tool.name == "search_workspace"
    if not case.of_workspace:
        values["root"] = str(place.root)
    result: dict[str, Any] = body_of(
        placed_for(tool.every, values) if several else tool.every, values
    )
    if case.of_workspace:
        result["workspacePath"] = str(place.workspace)
    if is_slate(case):
        result.setdefault("slate", {})["ofText"] = True
    if case.below:
        holder = result["search"] if case.tool in {"search", "context"} else result
        holder["scope"] = case.below
    return result


async def call_all(
    place: Settled,
) -> tuple[dict[str, bytes], dict[str, str], dict[str, dict[str, Any]]]:
    """Return what MCP answers, what placeholders stand for in it, and the other documents."""
    answers: dict[str, bytes] = {}
    known: dict[str, str] = {}
    others: dict[str, dict[str, Any]] = {}
    async with Client(stdio_client(place.server("--structured"))) as client:
        for name, case in CASES.items():
            result = await client.call_tool(case.tool, arguments(place, case, known))
            document = result.structured_content
            assert not result.is_error, (name, document)
            answers[name] = stable_json.dumps(document) + b"\n"
            if name == "context-session":
                known[SESSION] = document["session"]["token"]
            if name == "symbol":
                known[ROW] = document["definitions"][0]["row_id"]
        for name, (tool, given) in OTHERS.items():
            others[name] = (await client.call_tool(tool, given)).structured_content
            while b"index_behind" in stable_json.dumps(others[name]) or (
                name == "status" and others[name]["sync"]["state"] != "idle"
            ):
                await anyio.sleep(0.05)  # the daemon looks at the root once more after its start
                others[name] = (await client.call_tool(tool, given)).structured_content
    return answers, known, others


def path_of(case: Case) -> str:
    if case.schema == "tour_success":
        return "/tour"
    named = case.of_workspace and case.tool != "search_workspace"
    return f"{PATHS[case.tool]}/federated" if named else PATHS[case.tool]


def post_all(place: Settled, known: Mapping[str, str]) -> dict[str, bytes]:
    """Return what HTTP answers."""
    with http(place) as client:
        answers = {
            name: client.post(path_of(case), json=body(place, case, known)).content
            for name, case in CASES.items()
        }
        asked = {"workspacePath": str(place.workspace), "query": QUESTION}
        asked["search"] = {"snippet": "short"}
        return answers | {"joined": client.post(PATHS["search_workspace"], json=asked).content}


@pytest.fixture(scope="module")
def elsewhere(place: Settled) -> Elsewhere:
    """Return the answers of the surfaces that are servers, each asked once for all."""
    called, known, others = anyio.run(call_all, place)
    return Elsewhere(called, known, post_all(place, known), others)


@pytest.mark.parametrize("name", CASES)
def test_every_surface_answers_with_the_same_bytes(
    place: Settled, ggrep: Command, elsewhere: Elsewhere, name: str
) -> None:
    case = CASES[name]
    words = [elsewhere.known.get(word, word) for word in case.typed]
    where = [str(place.root / case.below)] if case.below else ["--repo", str(place.root)]
    where = ["--workspace", str(place.workspace)] if case.of_workspace else where

    counted = ["--of-text"] if is_slate(case) else []
    typed = ggrep(*words, *where, *counted, "--json", "--deterministic")

    assert typed.status == 0, typed.err
    assert elsewhere.called[name] == typed.out.encode()
    assert elsewhere.posted.get(name) in {None, elsewhere.called[name]}
    if case.schema:
        fits(typed.document, case.schema)


def test_the_cases_have_something_to_differ_in(elsewhere: Elsewhere) -> None:
    """Empty answers are equal on every surface."""
    sections = elsewhere.document("context")["slate"]["sections"]
    assert {section["kind"] for section in sections} >= {"code", "docs", "tests"}
    assert elsewhere.document("context")["slate"]["graph"]["edges"]
    assert elsewhere.document("search")["results"]
    assert elsewhere.document("symbol-unknown")["suggestions"]
    kinds = {each["kind"] for each in elsewhere.document("references-everywhere")["references"]}
    assert kinds == {"usage", "string", "comment"}
    assert elsewhere.document("expand-row")["path"] == "src/pay.py"
    joined = [elsewhere.document(f"workspace-{merge}") for merge in STRATEGIES]
    assert all(answer["results"] for answer in joined)
    assert [answer["meta"]["merge"]["strategy"] for answer in joined] == list(STRATEGIES)
    assert b"WARN_FEDERATED_SELECT_UNMATCHED" in elsewhere.called["workspace-unmatched"]
    assert elsewhere.document("workspace-symbol")["definitions"]
    assert all(elsewhere.document(f"workspace-{tool}")["ok"] for tool in ("references", "expand"))
    # Whoever has seen everything is shown nothing twice.
    assert elsewhere.document("context-delta")["slate"]["sections"] == []
    assert len(set(elsewhere.called.values())) > len(CASES) * 0.9


def test_levels_disclose_more_and_more_of_the_same_files(elsewhere: Elsewhere) -> None:
    slates = [
        elsewhere.document(name)["slate"]
        for name in ("context-paths", "context", "context-long", "context-whole")
    ]

    paths = [
        [file["path"] for section in slate["sections"] for file in section["files"]]
        for slate in slates
    ]
    assert [slate["level"] for slate in slates] == [0, 1, 2, 3]
    assert paths == [paths[0]] * 4
    assert b"Ledger().book" not in elsewhere.called["context-paths"]
    assert b"Ledger().book" in elsewhere.called["context-whole"]


def test_only_volatile_fields_differ(place: Settled, ggrep: Command, elsewhere: Elsewhere) -> None:
    """Names of requests and how long they took; the slate itself never differs."""
    typed = ggrep("slate", QUESTION, "--of-text", "--repo", place.root, "--json").document
    called = elsewhere.others["timed"]

    varying = {"request_id", "timings_ms", "admitted"}
    assert typed.keys() == called.keys()
    assert typed.keys() & varying
    assert {key: typed[key] for key in typed if key not in varying} == {
        key: called[key] for key in called if key not in varying
    }


def test_a_workspace_answers_with_the_same_bytes_unless_told_and_without_daemons(
    place: Settled, ggrep: Command, elsewhere: Elsewhere
) -> None:
    """A workspace's answer holds nothing that varies."""
    words = ("search", QUESTION, "--workspace", place.workspace, "--json", "--short-snippet")

    typed = ggrep(*words).out.encode()

    assert stable_json.dumps(elsewhere.others["joined"]) + b"\n" == typed
    assert elsewhere.posted["joined"] == typed == ggrep(*words, "--offline").out.encode()


def without_request(error: dict[str, Any]) -> dict[str, Any]:
    assert error["request_id"]
    return {key: value for key, value in error.items() if key != "request_id"}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("gone", ["expand", "src/gone.py:3"]),
        ("spent", ["slate", QUESTION, "--session", "spent"]),
        ("unnamed", ["symbol", "a\0b"]),
    ],
)
def test_a_failure_has_the_error_of_the_command_line(
    place: Settled, ggrep: Command, elsewhere: Elsewhere, name: str, typed: list[str]
) -> None:
    """Beside it stand code, message and a hint, for clients that read no further."""
    output = ggrep(*typed, "--repo", place.root, "--json")
    called = elsewhere.others[name]

    assert output.status != 0
    assert without_request(called["error"]) == without_request(output.error())
    assert called["code"] == called["error"]["code"]


def test_status_and_health_are_equal(place: Settled, ggrep: Command, elsewhere: Elsewhere) -> None:
    """Figures that grow from question to question aside."""
    status = ggrep("status", "--path", place.root, "--json").document
    health = ggrep("health", "--path", place.root, "--json").document
    deep = ggrep("health", "--path", place.root, "--json", "--deep").document

    called = elsewhere.others["status"]
    assert called.keys() - status.keys() == {"running"}
    assert {key for key in status if status[key] != called[key]} <= GROWING
    assert grown(elsewhere.others["health"]) == grown(health)
    assert grown(elsewhere.others["deep"]) == grown(deep)
    assert health != deep


def grown(health: dict[str, Any]) -> dict[str, Any]:
    """Return a health without the figures that grow: it has been asked since."""
    checks = [
        {**check, "message": "" if check["code"] in GROWING else check["message"]}
        for check in health["checks"]
    ]
    return {**health, "checks": checks}
