"""Slates, definitions, usages and surroundings go the way of a search."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import DeadlineExceeded, InvalidRequest
from ggrep.base.fair_queue import Lane
from ggrep.base.stable_json import decode
from ggrep.model.navigation import (
    ExpandRequest,
    ExpandResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.operations import bounded
from ggrep.model.outline import OutlineRequest, OutlineResponse, TourRequest, TourResponse
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.protocol.wire.messages import Ask
from tests.fakes import slates
from tests.fakes.hosts import Served, served
from tests.fakes.navigations import FakeNavigation

WORD = "xyzzyplugh"
MESSAGES: dict[str, Any] = {
    "slate": Ask(SlateRequest(SearchRequest(WORD, scope=WORD))),
    "symbol": Ask(SymbolRequest(WORD)),
    "references": Ask(ReferencesRequest(WORD)),
    "expand": Ask(ExpandRequest(WORD)),
    "outline": Ask(OutlineRequest((WORD,))),
    "tour": Ask(TourRequest()),
}
KINDS: dict[str, type[Any]] = {
    "slate": SlateResponse,
    "symbol": SymbolResponse,
    "references": ReferencesResponse,
    "expand": ExpandResponse,
    "outline": OutlineResponse,
    "tour": TourResponse,
}
every = pytest.mark.parametrize("name", MESSAGES)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeNavigation:
    """Return what answers in place of engines."""
    fake = FakeNavigation()
    fake.install(monkeypatch)
    return fake


@pytest.fixture
def host(engine: FakeNavigation, lasting_host: Served) -> Served:
    """Return a daemon that serves the small tree, and the tests before and after."""
    return lasting_host


@pytest.fixture
def own_host(engine: FakeNavigation, indexed: Path, home: Path) -> Iterator[Served]:
    """Return a daemon of one test alone."""
    with served(indexed, home) as result:
        result.settled()
        yield result


def events(host: Served) -> list[dict[str, Any]]:
    """Return what the log says of questions."""
    logs = sorted(host.daemon.shared.home.logs.iterdir())
    lines = [stable_json.loads(line) for log in logs for line in log.read_bytes().splitlines()]
    return [line for line in lines if line["event"] == "query"]


def deterministic(message: Any) -> Ask[Any]:
    result: Ask[Any] = replace(message, request=bounded(message.request, deterministic=True))
    return result


@every
def test_the_reply_is_the_document(host: Served, engine: FakeNavigation, name: str) -> None:
    """Under the client's name of the request, admitted with its deadline; facts are left out."""
    with host.wire() as wire:
        wire.send_message("mine", MESSAGES[name])
        reply = wire.next()

    request, given = engine.asked[0]
    assert (reply["message"], reply["request_id"]) == (name, "mine")
    assert set(reply) == {"message", "request_id", "response"}
    assert reply["response"]["request_id"] == "mine"
    assert reply["response"]["schema_version"] == 1
    assert "facts" not in reply["response"]
    assert request == MESSAGES[name].request
    assert given["admitted"].in_flight == 1
    assert 0 < given["deadline"].remaining_ms() <= 60_000


@every
def test_the_reply_is_a_value_on_request(host: Served, engine: FakeNavigation, name: str) -> None:
    body = host.ask(replace(MESSAGES[name], values=True)).body
    result = decode(KINDS[name], body["value"], "value")

    assert set(body) == {"value"}
    assert result.request == MESSAGES[name].request
    if isinstance(result, SlateResponse):
        assert [facts.path for facts in result.facts] == [slates.DOCS.path, slates.CODE.path]


@pytest.mark.parametrize("name", ["slate", "symbol", "references"])
@pytest.mark.parametrize(("below", "scope"), [("/src/pay.py", "src/pay.py"), ("", "")])
def test_an_absolute_path_narrows(
    host: Served, engine: FakeNavigation, name: str, below: str, scope: str
) -> None:
    """A command line sends where it stands."""
    root = str(host.daemon.identity.root)
    host.ask(replace(MESSAGES[name], path=root + below))
    request = engine.asked[0][0]

    assert (request.search if name == "slate" else request).scope == scope


@pytest.mark.parametrize("name", ["slate", "symbol", "references"])
@pytest.mark.parametrize("path", ["/etc", "{root}/../other", "{root}2"])
def test_an_outer_path_fails(host: Served, engine: FakeNavigation, name: str, path: str) -> None:
    """An empty answer would say that nothing is there."""
    with pytest.raises(InvalidRequest, match="not inside the repository"):
        host.ask(replace(MESSAGES[name], path=path.format(root=host.daemon.identity.root)))
    assert engine.asked == []


def test_an_answer_of_settings_that_have_changed_says_so(own_host: Served) -> None:
    (own_host.daemon.identity.root / ".ggrep.toml").write_text("max_file_size_bytes = 1000\n")
    own_host.reload()
    assert own_host.daemon.stale

    for name, message in MESSAGES.items():
        body = own_host.ask(replace(message, values=True)).body
        codes = {notice.code for notice in decode(KINDS[name], body["value"], "value").warnings}
        assert "stale_config" in codes, name


def test_every_question_leaves_one_event_without_its_words(own_host: Served) -> None:
    """Readers of logs need not be allowed to read the code; a batch waits in its own lane."""
    for message in MESSAGES.values():
        own_host.ask(message, client_id="editor")
    own_host.ask(replace(MESSAGES["tour"], priority="batch"))

    *interactive, batch = events(own_host)
    told = [(event["asked"], event["hits"]) for event in interactive]
    assert told == [
        *(("slate", 2), ("symbol", 2), ("references", 3)),
        *(("expand", 1), ("outline", 2), ("tour", 2)),
    ]
    for event in interactive:
        assert (event["status"], event["client"]) == ("ok", "editor")
        assert event["snapshot_id"] == "01JH0000000000000000000000"
        assert event["lane"] == Lane.INTERACTIVE.value
        assert WORD not in stable_json.dumps(event).decode()
    assert batch["lane"] == Lane.BATCH.value
    assert own_host.daemon.load().queries.query_total == len(MESSAGES) + 1


def test_failures_are_counted_and_logged_by_their_code(
    own_host: Served, engine: FakeNavigation
) -> None:
    for error, status in (
        (DeadlineExceeded("late"), "timeout"),
        (InvalidRequest("no such place"), "error"),
    ):
        engine.fail.append(error)
        with pytest.raises(type(error), match=str(error)):
            own_host.ask(MESSAGES["symbol"])
        event = events(own_host)[-1]

        assert (event["asked"], event["status"], event["error_code"]) == (
            *("symbol", status),
            error.code,
        )


def test_a_query_waits_for_the_first_index(engine: FakeNavigation, root: Path, home: Path) -> None:
    """Rather than to say that there is nothing."""
    (root / "a.py").write_text("def settle(): pass\n")
    with (
        served(root, home, gated=True) as host,
        host.wire() as wire,
    ):
        wire.send_message("1", MESSAGES["slate"])
        host.eventually(lambda: host.daemon.requests)
        assert engine.asked == []
        host.syncs.gate.set()
        reply = wire.next()

    assert "response" in reply
