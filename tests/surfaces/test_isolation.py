"""Attempts to read what lies outside of the allowed roots, over HTTP and MCP, on real indexes.

Each is made twice: with a repository outside on disk and in the home, and without it. Both answers
are the same bytes, and none has the word that all texts and names outside bear.
"""

import random
import shutil
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.interfaces.api.http_app import ApiRules, make_app
from ggrep.interfaces.mcp.access import Access
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tool_calls import Calls
from ggrep.interfaces.surfaces.http_server import AccessRules
from ggrep.service.federator import Federator
from ggrep.service.searchers import IndexFallback
from ggrep.service.workspace_access import Allowlist
from tests.fakes.hosts import FLAGS
from tests.fakes.repos import indexed

CANARY = "quokkazeal"
"""Stands in each text and name outside, and in no attempt that does not search for it."""

OUTSIDE = {
    f"src/{CANARY}.py": f"def {CANARY}_refund(money):\n    return {CANARY}.pay(money)\n",
    "src/pay.py": f"def refund_order(money):\n    return '{CANARY} refund money'\n",
}
VOLATILE = {"elapsedMs", "elapsed_ms", "timings_ms", "request_id", "requestId", "token"}
OPERATIONS: Mapping[str, dict[str, Any]] = {
    "search": {"query": "refund money"},
    "context": {"query": "refund money"},
    "symbol": {"name": "refund_order"},
    "references": {"name": "refund_order"},
    "expand": {"target": "src/pay.py:1"},
    "outline": {"path": ["src/pay.py"]},
}
OF_WORKSPACES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "search": ("/search/federated", {"query": "refund money", "search": {"deterministic": True}}),
    "slate": ("/search/federated", {"query": "refund money", "format": "slate"}),
    "symbol": ("/symbol/federated", {"name": "refund_order"}),
    "references": ("/references/federated", {"name": "refund_order"}),
    "expand": ("/expand/federated", {"target": "src/pay.py:1"}),
}


class Server(Struct):
    """Both surfaces over one home.

    Attributes:
        api: a client that has no token.
        calls: tools of a server that shows paths.
    """

    api: httpx.AsyncClient
    calls: Calls


class Attempt(Struct):
    """One question.

    Attributes:
        kind: its family.
        text: tells it from others.
        searches: it has the canary itself.
    """

    kind: str
    text: str
    ask: Callable[[Server], Awaitable[object]]
    searches: bool = False


class Site(Struct):
    """Directories of a site: `inside` may be searched, `outside` may not."""

    base: Path
    inside: Path
    outside: Path
    home: Path
    bare_home: Path
    tokens: Mapping[str, str]


@asynccontextmanager
async def serving(home: Path, *, repo: Path, allowed: Path) -> AsyncIterator[Server]:
    """Serve the indexes of a home without daemons."""
    environ = {"GGREP_OFFLINE": "1", "GGREP_HOME": str(home)}
    federator = Federator(
        Home(home),
        environ,
        SystemClock(),
        flags=FLAGS,
        fallback=IndexFallback(environ, FLAGS, lambda _: None),
        descriptors=False,
    )
    app = make_app(federator, ApiRules(AccessRules(), Allowlist([allowed])), SystemClock())
    calls = Calls(federator, Access(StartOptions(repo, allowed=(allowed,))), shows_paths=True)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield Server(client, calls)
    await federator.aclose()


def posted(path: str, body: Mapping[str, object]) -> Callable[[Server], Awaitable[object]]:
    """Return the question that posts a body."""

    async def ask(server: Server) -> object:
        reply = await server.api.post(path, json=body)
        return reply.status_code, reply.json()

    return ask


def got(path: str, parameters: Mapping[str, str]) -> Callable[[Server], Awaitable[object]]:
    """Return the question that gets a path."""

    async def ask(server: Server) -> object:
        reply = await server.api.get(path, params=parameters)
        return reply.status_code, reply.text

    return ask


def called(tool: str, **arguments: object) -> Callable[[Server], Awaitable[object]]:
    async def ask(server: Server) -> object:
        result = await server.calls.call(tool, arguments)
        return result.failed, result.document, result.text

    return ask


def steady(value: object) -> object:
    """Return an answer without what differs from run to run."""
    if isinstance(value, Mapping):
        return {key: steady(each) for key, each in value.items() if key not in VOLATILE}
    if isinstance(value, list | tuple):
        return [steady(each) for each in value]
    return value


def workspace_text(*roots: str, **more: object) -> str:
    """Return a workspace file over the inner repository and these roots."""
    entries = [{"root": "../a", "alias": "a"}, *({"root": root} for root in roots)]
    return stable_json.dumps({"schemaVersion": 1, "repos": entries, **more}).decode()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Site:
    base = tmp_path_factory.mktemp("isolation").resolve()
    inside, outside, home = base / "in", base / "out", base / "home"
    for path in (inside / "ws", inside / "many", outside / f"{CANARY}-home" / "sub"):
        path.mkdir(parents=True)
    for name in ("a", "b"):
        text = "def refund_order(money):\n    return money\n"
        indexed(inside / name, home, {"src/pay.py": text}, **FLAGS).close()
    indexed(outside / "c", home, OUTSIDE, **FLAGS).close()
    (outside / f"{CANARY}-home" / ".git").mkdir()
    (outside / f"{CANARY}-home" / ".git" / "HEAD").touch()
    (outside / "closed" / CANARY).mkdir(parents=True)
    links = {
        inside / "link": "../out/c",
        inside / "chain": "link",
        inside / "hop": "../out/hop",
        inside / "up": "../out",
        inside / "a" / "door": "../../out/c",
        outside / "hop": f"{CANARY}-home",
        outside / "loop": "loop",
        inside / "loop": "loop",
        inside / "ws" / "file.jsonc": f"../../out/{CANARY}.jsonc",
        inside / "ws" / "named.jsonc": "../../out/named.jsonc",
    }
    for link, meant in links.items():
        link.symlink_to(meant)
    (outside / "named.jsonc").symlink_to(f"{CANARY}.jsonc")
    (outside / f"{CANARY}.jsonc").write_text(f'{{"schemaVersion": 1, "{CANARY}": 1}}')
    (inside / "ws" / "plain.jsonc").write_text(workspace_text("../b"))
    (inside / "ws" / "both.jsonc").write_text(workspace_text("../../out/c"))
    return Site(base, inside, outside, home, base / "bare", {})


@pytest.fixture
async def site(built: Site) -> Site:
    """Return the site with sessions and cursors of a server that may search all of it.

    The bare home is a copy without the repository outside.
    """
    tokens = {}
    async with serving(built.home, repo=built.inside / "a", allowed=built.base) as server:
        for name in ("plain", "both"):
            file = str(built.inside / "ws" / f"{name}.jsonc")
            slate = {"query": "refund money", "format": "slate", "session": {}}
            reply = await server.api.post(
                "/search/federated", json={"workspacePath": file, **slate}
            )
            tokens[f"{name} session"] = reply.json()["session"]["token"]
            reply = await server.api.post(
                "/symbol/federated",
                json={"workspacePath": file, "name": "refund_order", "limit": 1},
            )
            tokens[f"{name} cursor"] = reply.json()["next_cursor"]
        reply = await server.api.post(
            "/context",
            json={"root": str(built.outside / "c"), "query": "refund money", "session": {}},
        )
        tokens["outer session"] = reply.json()["session"]["token"]
    shutil.rmtree(built.bare_home, ignore_errors=True)
    shutil.copytree(built.home, built.bare_home)
    outer = [*built.bare_home.rglob("c-*")]
    assert outer
    for path in outer:
        shutil.rmtree(path, ignore_errors=True)
    return Site(built.base, built.inside, built.outside, built.home, built.bare_home, tokens)


def spellings(site: Site, relative: str) -> list[str]:
    """Return ways to write an outside path; `relative` leads from `outside` to it."""
    outside, inside = site.outside, site.inside
    real = f"{outside}/{relative}"
    climbing = f"{inside}/a/../../out/{relative}"
    return [
        *(real, f"{real}/", f"//{real}", f"/.{real}", f"{real}/.", f"{real}/gone/..", f"{real}//"),
        *(climbing, climbing.replace("/..", "/./.././"), f"{inside}/gone/../../out/{relative}"),
        *(
            f"{inside}/up/{relative}",
            f"{inside}/up/../out/{relative}",
            f"{inside}/link/../{relative}",
        ),
        *(f"{inside}/a/door/../{relative}", f"{inside}/chain/../{relative}"),
        *(f"/proc/self/root{real}", f"/proc/self/cwd/{real}", f"{inside}/ws/../../out/{relative}"),
        *(
            real.upper(),
            real.title(),
            real.replace("out", "Out"),
            real.replace("out", "o\u0075\u0301t"),
        ),
        *(unicodedata.normalize("NFD", f"{real}\u00e9"), real.replace("out", "\uff4fut")),
        *(quote(real, safe=""), real.replace("/", "%2f"), climbing.replace("..", "%2e%2e")),
        *(quote(quote(climbing, safe=""), safe=""), climbing.replace("/", "\\\\")),
        *(f"file://{real}", f"~{real}", f"$PWD{real}", f" {real}", f"{real} ", f"{real}\n"),
        *(f"{real}\0", f"{inside}\0{real}", f"{inside}/a\0/../../../out/{relative}"),
        *(f"{real}/{'x' * 300}", f"{real}{'/.' * 2500}", f"{inside}/up/{relative}/{'y' * 256}"),
        *(f"{real}/src", f"{real}/src/pay.py", f"{real}/gone", f"{real}/.git", f"{real}/*"),
    ]


TARGETS = ("c", "hop", "hop/sub", "gone", "loop", "loop/x", "closed", "named.jsonc", "")


def paths_named(site: Site) -> Iterator[Attempt]:
    """Yield attempts that name an outside path as a root or as a workspace file."""
    operations = [*OPERATIONS.items()]
    for target in TARGETS:
        for number, path in enumerate(dict.fromkeys(spellings(site, target))):
            name, body = operations[number % len(operations)]
            yield Attempt("root", f"{name} {path}", posted(f"/{name}", {"root": path, **body}))
            kind, (place, asked) = [*OF_WORKSPACES.items()][number % len(OF_WORKSPACES)]
            file = {"workspacePath": path, **asked}
            yield Attempt("workspace path", f"{kind} {path}", posted(place, file))
            yield Attempt("tool's root", path, called("search", query="refund money", root=path))
            tool = called("search_workspace", query="refund money", workspace=path)
            yield Attempt("tool's workspace", path, tool)
            if number % 4 == 0:
                yield Attempt("status", path, got("/status", {"root": path}))
                yield Attempt("health", path, got("/health", {"root": path}))
                for tool_name in ("ggrep_status", "ggrep_health"):
                    yield Attempt(tool_name, path, called(tool_name, root=path))


def written(site: Site, number: int, text: str) -> str:
    """Write a workspace file; return its path."""
    file = site.inside / "ws" / f"w{number}.jsonc"
    file.write_text(text)
    return str(file)


def files_written(site: Site) -> Iterator[Attempt]:
    """Yield attempts by workspace files inside that lead outside."""
    texts = [workspace_text(root) for root in ROOTS]
    texts += [workspace_text("../hop", root) for root in ROOTS]
    texts += [workspace_text(include=[glob]) for glob in GLOBS]
    texts += [workspace_text(cacheRoot=root) for root in ROOTS]
    texts += [workspace_text(defaults={"enabled": False}).replace("../a", root) for root in ROOTS]
    entry = {"root": "../../out/c", "alias": "../../out/c", "tags": ["t"], "priority": 9}
    texts.append(stable_json.dumps({"schemaVersion": 1, "repos": [entry]}).decode())
    for number, text in enumerate(texts):
        file = written(site, number, text)
        for kind, (place, body) in OF_WORKSPACES.items():
            ask = posted(place, {"workspacePath": file, **body})
            yield Attempt("workspace file", f"{kind} {text}", ask)
        ask = called("search_workspace", query="refund money", workspace=file)
        yield Attempt("workspace file of a tool", text, ask)
    for name in ("file", "named"):
        file = str(site.inside / "ws" / f"{name}.jsonc")
        for kind, (place, body) in OF_WORKSPACES.items():
            ask = posted(place, {"workspacePath": file, **body})
            yield Attempt("linked file", f"{kind} {name}", ask)


ROOTS = (
    *("../../out/c", "../link", "../chain", "../hop", "../hop/sub", "../up/hop", "../up/hop/sub"),
    *("../../out/hop", "../../out/hop/sub", "../../out/loop", "../../out/gone", "../a/door"),
    *("../../out/c/src", "../link/src", "../../out", "../up", "../../out/named.jsonc"),
    *("../a/../link", "../../out/c/", "../../Out/c", "..%2f..%2fout/c", "../../out/closed"),
    *("../loop", "../.."),
)
GLOBS = (
    *(
        "../../out/*",
        "../up/*",
        "../../*/*",
        "../*",
        "../**",
        "../../**",
        "../../out/**",
        "../up/**",
    ),
    *("../../{in,out}/*", "../../o?t/c", "../../[o]ut/*", "../hop", "../h*", "../hop/*", "../l*"),
    *("../../out/*.jsonc", "../up/*.jsonc", "file.jsonc", "*.jsonc", "named.jsonc", "!../../out/c"),
    *("../a/*", "../link/*", "../../out/../in/*", "../../out/c/..", "../../out/hop/../c", "/**"),
)


def repositories_chosen(site: Site) -> Iterator[Attempt]:
    """Yield attempts that choose the repository outside by a name or a path."""
    file = str(site.inside / "ws" / "both.jsonc")
    names = [*spellings(site, "c"), *spellings(site, "hop"), *ROOTS, "c", "C", "**/c", "*quokka*"]
    for name in dict.fromkeys(names):
        for flag in ("select", "only", "repoFilter"):
            body = {"workspacePath": file, "query": "refund money", "select": {flag: [name]}}
            yield Attempt(flag, name, posted("/search/federated", body))


def targets_named(site: Site) -> Iterator[Attempt]:
    """Yield attempts to expand and to outline what is outside."""
    file, repo = str(site.inside / "ws" / "both.jsonc"), str(site.inside / "a")
    for name in ("c", "[c]", "../../out/c", f"{site.outside}/c", "../link", "a", "[a]", "hop", ""):
        for rest in ("src/pay.py:1", "../../out/c/src/pay.py", "door/src/pay.py", "/src/pay.py:1"):
            target = f"{name} {rest}" if name.startswith("[") else f"{name}:{rest}"
            body = {"workspacePath": file, "target": target}
            yield Attempt("target", target, posted("/expand/federated", body))
            for root in (repo, str(site.inside)):
                ask = called("expand", target=target, root=root)
                yield Attempt("tool's target", f"{root} {target}", ask)
            yield Attempt("outline", target, called("outline", path=[target, rest], root=repo))


def tokens_used(site: Site) -> Iterator[Attempt]:
    """Yield attempts with sessions and cursors of a server that may search everything."""
    chance = random.Random(1)
    for name, token in site.tokens.items():
        using = with_cursor if name.endswith("cursor") else with_session
        for number in range(20):
            yield from using(site, token if number == 0 else altered(token, chance), number)


def with_cursor(site: Site, token: str, _: int) -> Iterator[Attempt]:
    """Yield attempts to go on with a cursor."""
    for file in ("both", "plain"):
        path = str(site.inside / "ws" / f"{file}.jsonc")
        body = {"workspacePath": path, "name": "refund_order", "cursor": token, "limit": 1}
        yield Attempt("cursor", f"{body}", posted("/symbol/federated", body))


def with_session(site: Site, token: str, number: int) -> Iterator[Attempt]:
    """Yield attempts to go on with a session."""
    expanding = {"op": "expand", "targets": ["src/pay.py"]}
    session = {"token": token, **(expanding if number % 2 else {"op": "refine"})}
    for file in ("both", "plain"):
        path = str(site.inside / "ws" / f"{file}.jsonc")
        body = {"workspacePath": path, "query": "refund money", "format": "slate"}
        ask = posted("/search/federated", {**body, "session": session})
        yield Attempt("session", f"{file} {session}", ask)
    body = {"root": str(site.inside / "a"), "query": "refund money", "session": session}
    yield Attempt("session of a repository", f"{session}", posted("/context", body))


def altered(token: str, chance: random.Random) -> str:
    """Return a token with a character changed, left out or added."""
    at = chance.randrange(len(token))
    return token[:at] + chance.choice(("", "A", "z", "AA", "-")) + token[at + chance.randrange(2) :]


def words_searched(site: Site) -> Iterator[Attempt]:
    """Yield searches for what is outside alone, and for words that are inside as well."""
    for file in ("both", "plain"):
        path = str(site.inside / "ws" / f"{file}.jsonc")
        for query in (CANARY, f"{CANARY}_refund", f"refund {CANARY}", "refund", "money pay", "c"):
            for strategy in ("global", "rrf"):
                for explain in (False, True):
                    search = {"deterministic": True, "explain": explain}
                    body = {"workspacePath": path, "query": query, "search": search}
                    body["merge"] = {"strategy": strategy}
                    body["debug"] = {"stats": True}
                    ask = posted("/search/federated", body)
                    yield Attempt("words", f"{body}", ask, searches=CANARY in query)
            for kind in ("symbol", "references"):
                asked = {"workspacePath": path, "name": query.split()[-1]}
                ask = posted(f"/{kind}/federated", asked)
                yield Attempt("names", f"{kind} {asked}", ask, searches=CANARY in query)


async def answers(site: Site, home: Path, attempts: list[Attempt]) -> list[str]:
    async with serving(home, repo=site.inside / "a", allowed=site.inside) as server:
        return [repr(steady(await attempt.ask(server))) for attempt in attempts]


def differing(first: str, second: str) -> tuple[str, str]:
    """Return the texts around their first difference; around the canary if they are equal."""
    pairs = enumerate(zip(first, second, strict=False))
    at = next((at for at, (near, far) in pairs if near != far), first.find(CANARY))
    return first[max(at - 90, 0) : at + 90], second[max(at - 90, 0) : at + 90]


async def check(site: Site, attempts: list[Attempt]) -> None:
    """Check that attempts are answered as if there were nothing outside."""
    first = await answers(site, site.home, attempts)
    away = site.base / "away"
    site.outside.rename(away)
    try:
        again = await answers(site, site.bare_home, attempts)
    finally:
        away.rename(site.outside)
    leaks = [
        (attempt.kind, attempt.text, *differing(near, far))
        for attempt, near, far in zip(attempts, first, again, strict=True)
        if near != far or (CANARY in near and not attempt.searches)
    ]
    assert not leaks, f"{len(leaks)} of {len(attempts)}: {leaks[:20]}"


def every_attempt(site: Site) -> list[Attempt]:
    families = (
        *(paths_named, files_written, repositories_chosen),
        *(targets_named, tokens_used, words_searched),
    )
    attempts = {(each.kind, each.text): each for family in families for each in family(site)}
    return [*attempts.values()]


async def test_nothing_outside_shows_in_any_answer(site: Site) -> None:
    kinds: dict[str, list[Attempt]] = {}
    for each in every_attempt(site):
        kinds.setdefault(each.kind, []).append(each)
    chance = random.Random(3)
    attempts = [each for some in kinds.values() for each in chance.sample(some, min(len(some), 9))]

    assert len(attempts) > 160
    await check(site, attempts)


@pytest.mark.deep
async def test_nothing_outside_shows_in_all_answers(site: Site) -> None:
    attempts = every_attempt(site)

    assert len(attempts) > 2_500, Counter(each.kind for each in attempts)
    await check(site, attempts)
