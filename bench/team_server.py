"""A team server on a Ray cluster, over SeaweedFS and real packages: its answers, and its losses.

    python3 dev.py bench team [NUMBER] [FOLDER] [answers|kills|store|costs ...]

Three Ray nodes of one core, in network namespaces where they can be made, hold the snapshots of
the packages. A proxy stands between the nodes and the object store. Answers must have the bytes of
the same application over engines of this process. What is built in FOLDER is kept.
"""

import hashlib
import itertools
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final

import anyio
import httpx
import psutil
from msgspec import Struct, field

from bench.cluster import workspace_with_keys
from bench.federation_packages import QUESTIONS, run_ggrep
from bench.many_packages import lay_out
from bench.serving import CLOCK, load_average
from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy
from ggrep.base.processes import raise_descriptors
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.config.settings import load_settings
from ggrep.federation.searcher import Searchers
from ggrep.index.remote.objects import open_objects
from ggrep.interfaces.team.app import make_team_app
from ggrep.model.request import Request, SearchRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from ggrep.server.access import Access, Identity, Rule
from ggrep.server.audit import AuditEntry
from ggrep.server.epoch import Epoch, Refs
from ggrep.server.nodes import Nodes
from ggrep.server.team import Team, UserService
from ggrep.server.tokens import Tokens
from tests.cluster.ray_nodes import OWN, RayNodes, can_make_namespaces
from tests.fakes.issuer import AUDIENCE, Issuer
from tests.fakes.team import engines_here
from tests.remote.fault_proxy import FaultProxy, drop, lie, no_fault, slow, status, truncate
from tests.remote.object_server import ACCESS_KEY, REGION, SECRET_KEY, ObjectServer

NUMBER: Final = 1_000
ASKED: Final = 300
OF_ALL: Final = 8
"""Questions of these about all packages; the others are about those of a user."""
DRILLED: Final = 1_000
AT_ONCE: Final = 4
FEW: Final = 40
"""Repositories of the user whose questions are asked while nodes die."""
GOAL: Final = 3.0
_SEED: Final = 53
_EVERY: Final = "every@example.com"
_SOME: Final = "some@example.com"
_OPERATOR: Final = "ops@example.com"
_ISSUER: Final = "https://id.example.com"
_PATIENCE_S: Final = 1_200.0
_TIMEOUT_MS: Final = 60_000
PARTS: Final = ("answers", "kills", "store", "costs")

Body = Mapping[str, Any]
Asked = tuple[str, Body]
"""A route, and the body that is sent to it."""


def measure(work: Path, arguments: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of the parts, all of them unless some are named."""
    number = next((int(word) for word in arguments if word.isdecimal()), NUMBER)
    parts = [word for word in arguments if word in PARTS] or PARTS
    folders = [word for word in arguments if not word.isdecimal() and word not in PARTS]
    folder = Path(folders[0]).resolve() if folders else work
    raise_descriptors()
    roots = lay_out(folder / "kept", number)
    file = folder / "ws.jsonc"
    if not file.exists():
        workspace_with_keys(folder, roots)
    apart = can_make_namespaces()
    host = OWN if apart else "127.0.0.1"

    def of_node(_: int) -> Mapping[str, str]:
        return {"GGREP_HOME": str(folder / "home-server"), "GGREP_OFFLINE": "1", **_credentials()}

    with ExitStack() as stack:
        nodes = stack.enter_context(RayNodes(2, namespaces=apart, met=apart, environment=of_node))
        store = stack.enter_context(ObjectServer(folder / "objects", host=host))
        proxy = stack.enter_context(FaultProxy(store.endpoint, host=host))
        os.environ.update(_credentials())
        yield f"team: {number} packages, 3 Ray nodes, {load_average()}"
        yield from _pushed(folder, file, store)
        site = Site(folder, nodes, store, proxy)
        stack.callback(site.close)
        yield site.start()
        for part in parts:
            yield from _PARTS[part](site)


class Site:
    """A server on a cluster, and the client of its users."""

    def __init__(
        self, folder: Path, nodes: RayNodes, store: ObjectServer, proxy: FaultProxy
    ) -> None:
        self.folder, self.nodes, self.store, self.proxy = folder, nodes, store, proxy
        self.remote = _remote(store)
        self.settings = load_settings(Home(folder / "home"), folder, environ={}).settings
        self.file, self.access = folder / "server.jsonc", folder / "access.jsonc"
        self.keys = tuple(self.epoch().keys)
        self.some = sorted(random.Random(_SEED).sample(self.keys, min(FEW, len(self.keys) // 5)))
        self.allow({_EVERY: ["*"], _SOME: self.some})
        issuer = Issuer(_ISSUER)
        (folder / "keys.json").write_bytes(stable_json.dumps(issuer.document("/keys")))
        expires = time.time() + 86_400
        self._tokens = {
            user: issuer.token(user, exp=expires) for user in (_EVERY, _SOME, _OPERATOR)
        }
        self.url = f"http://{nodes.ip(0) if nodes.namespaces else '127.0.0.1'}:7347"
        self.file.write_bytes(stable_json.dumps(self._document()))
        limits = httpx.Limits(max_connections=2 * AT_ONCE)
        self._client = httpx.Client(base_url=self.url, timeout=300, limits=limits)
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = _Answers(self)

    def epoch(self) -> Epoch:
        """Return the content of the remote."""
        settings = self.settings
        root, home = self.folder / "cache", Home(self.folder / "home")
        from ggrep.index.repo_identity import identify

        fingerprint = identify(root, home, settings).config_fingerprint
        return Refs(open_objects(self.remote, time.sleep), fingerprint).read()

    def allow(self, rights: Mapping[str, Sequence[str]]) -> None:
        """Let users see repositories."""
        rules = [{"repos": [*repos], "users": [user]} for user, repos in rights.items()]
        self.access.write_bytes(stable_json.dumps({"rules": rules}))

    def start(self) -> str:
        """Start the server, wait until the nodes hold all snapshots; return how long it took."""
        begun = time.perf_counter()
        self.launch()
        state = self.wait_for(self.is_whole)
        took = time.perf_counter() - begun
        fetched = sum(node["fetched_bytes"] for node in state["nodes"].values())
        return f"  ready in {took:.0f} s, {fetched / 1e6:.0f} MB fetched"

    def launch(self) -> None:
        """Start the process of the coordinator, on the network of the head."""
        command = [*self.nodes.command(0), sys.executable, "-m", "ggrep", "server", "start"]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, str(self.file)],
                env=self.nodes.environment(0),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """SIGKILL the coordinator."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the coordinator."""
        self._client.close()
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(30)
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int:
        """Return the process of the coordinator."""
        assert self._process is not None
        return self._process.pid

    def ask(self, path: str, body: Body | None = None, user: str = _EVERY) -> httpx.Response:
        """Return the response to a user's request."""
        headers = {"authorization": f"Bearer {self._tokens[user]}"}
        if body is None:
            return self._client.get(path, headers=headers)
        return self._client.post(path, json=body, headers=headers)

    def state(self) -> Any:
        """Return the state; None while the server does not answer."""
        with suppress(httpx.HTTPError):
            response = self.ask("/status", user=_OPERATOR)
            return response.json() if response.status_code == 200 else None
        return None

    def wait_for(self, done: Callable[[Any], bool], patience_s: float = _PATIENCE_S) -> Any:
        """Return the state once it is as wanted."""
        last, state = time.monotonic() + patience_s, None
        while time.monotonic() < last:
            state = self.state()
            if state is not None and done(state):
                return state
            if self._process is not None and self._process.poll() is not None:
                break
            time.sleep(0.2)
        raise SystemExit(f"{state}\n{(self.folder / 'server.log').read_text()[-3_000:]}")

    def is_whole(self, state: Any) -> bool:
        """Return whether all nodes answer and hold two copies of each repository."""
        nodes = state["nodes"].values()
        held = sum(node.get("trees", 0) for node in nodes)
        whole = all(node["answering"] for node in nodes) and held >= 2 * len(self.keys)
        return whole and state["repos"] == len(self.keys)

    def expected(self, asked: Sequence[Asked], user: str) -> list[bytes]:
        """Return the answers of one machine."""
        return self._answers.of(asked, self.keys if user == _EVERY else self.some)

    def _document(self) -> dict[str, Any]:
        endpoint = self.proxy.endpoint
        return {
            "remote": {
                "url": self.remote.url,
                "endpoint": endpoint,
                "region": REGION,
                "plainHttp": True,
            },
            "login": {
                "issuer": _ISSUER,
                "audience": AUDIENCE,
                "jwks": f"file://{self.folder / 'keys.json'}",
            },
            "access": "access.jsonc",
            "cache": "cache",
            "host": httpx.URL(self.url).host,
            "nodes": 3,
            "ray": self.nodes.address,
            "sweepSeconds": 2,
            "operators": [_OPERATOR],
        }


class _Here(UserService, frozen=True):
    """The queries of a user over engines of this process."""

    team: "_OneMachine"

    async def ask_repo(self, root: Path, request: Request[Any]) -> dict[str, Any]:
        engine = self.team.engine(str(root)[1:])
        ask: Any = engine.search if isinstance(request, SearchRequest) else engine.ask
        document: dict[str, Any] = answer_json(ask(request, Deadline.never(CLOCK)))
        return document

    def _searchers(self) -> Searchers:  # type: ignore[override]
        return self.team.searchers


class _OneMachine(Team):
    """The coordinator of repositories that are all on this machine."""

    def __init__(self, site: Site) -> None:
        refs = Refs(open_objects(site.remote, time.sleep), "")
        super().__init__("team", Nodes({}), refs, site.access, site.settings, CLOCK)
        self._site = site
        self.epoch = site.epoch()
        self.searchers = engines_here(self.engine)

    def engine(self, key: str) -> Engine:
        """Return the engine over the repository that was pushed."""
        root = self._site.folder / "services" / key.rpartition("/")[2]
        return Engine(
            root, Home(self._site.folder / "home"), settings=self._site.settings, clock=CLOCK
        )

    def allow(self, keys: Sequence[str]) -> None:
        """Let everyone see some repositories."""
        self._access = Access((Rule(tuple(keys), ("*",)),))
        self._allowed.clear()

    def service(self, identity: Identity, entry: AuditEntry | None = None) -> UserService:
        return _Here(self, self.view(identity), entry or AuditEntry())


class _Anyone(Tokens):
    def identity(self, token: str | None) -> Identity:
        return Identity(token or "")


class _Answers:
    """Answers of one machine, kept in files."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._kept = site.folder / "answers"
        self._machine: _OneMachine | None = None
        self._known: dict[str, bytes] = {}

    def of(self, asked: Sequence[Asked], keys: Sequence[str]) -> list[bytes]:
        """Return the answers to questions of a user who sees some repositories."""
        names = [_digest(keys, each) for each in asked]
        if not self._known.keys() >= {*names}:
            self._kept.mkdir(exist_ok=True)
            repos = self._site.epoch().repos
            trees = [repos[key].tree.sha256 for key in keys]
            files = [self._kept / _digest(trees, each) for each in asked]
            pairs = dict(zip(files, asked, strict=True))
            if missing := {file: each for file, each in pairs.items() if not file.exists()}:
                anyio.run(self._ask, missing, keys)
            self._known |= {
                name: file.read_bytes() for name, file in zip(names, files, strict=True)
            }
        return [self._known[name] for name in names]

    async def _ask(self, missing: Mapping[Path, Asked], keys: Sequence[str]) -> None:
        machine = self._machine = self._machine or _OneMachine(self._site)
        machine.allow(keys)
        app = make_team_app(
            machine,
            _Anyone(_ISSUER, AUDIENCE, CLOCK),
            hosts=frozenset({"127.0.0.1"}),
            operators=frozenset(),
            report_error=_raised,
        )
        transport = httpx.ASGITransport(app)
        address = "http://127.0.0.1"
        async with httpx.AsyncClient(transport=transport, base_url=address) as client:
            headers = {"authorization": "Bearer anyone"}
            for file, (path, body) in missing.items():
                response = await client.post(path, json=body, headers=headers, timeout=None)
                file.write_bytes(response.content)


def _raised(error: BaseException) -> None:
    raise error


def _digest(names: Sequence[str], asked: Asked) -> str:
    return hashlib.sha256(stable_json.dumps([*names, *asked])).hexdigest()


def questions(site: Site, number: int) -> list[Asked]:
    """Return questions of all kinds with words of the packages' paths, the same in each run."""
    chance = random.Random(_SEED)
    names = [key.rpartition("/")[2] for key in site.keys]
    asked = []
    for place in range(number):
        root = site.folder / "services" / chance.choice(names)
        paths = sorted(path.relative_to(root) for path in root.rglob("*.*s"))
        path = chance.choice(paths or [Path("index.js")])
        asked.append(_question(place, chance, root.name, path))
    return asked


def _question(place: int, chance: random.Random, name: str, path: Path) -> Asked:
    stem = path.name.partition(".")[0]
    stem = stem or path.name
    words = " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", stem)) or stem
    written = chance.choice(QUESTIONS)
    every = {"workspacePath": "/team"}
    plain = {"deterministic": True, "timeoutMs": _TIMEOUT_MS}
    merge = {"strategy": ("global", "rrf")[place % 2], "fold": place % 4 < 2}

    def search(query: str, **more: Any) -> Asked:
        top = chance.choice((1, 5, 10, 20))
        return "/search/federated", {
            "query": query,
            **every,
            "merge": merge,
            "search": {"top": top, **plain, **more},
        }

    word = words.partition(" ")[0]
    of_name = {"name": word, **every, **plain}
    of_repo = {"query": written, "root": f"/packages/{name}", "search": plain}
    kinds: tuple[Callable[[], Asked], ...] = (
        lambda: search(written),
        lambda: search(written),
        lambda: search(f"{written} {words}"),
        lambda: search(words),
        lambda: search(words, perFile=1),
        lambda: search(stem, filter=["lang:python"]),
        lambda: search(str(path)),
        lambda: search(word, find="definition"),
        lambda: search(word, find="usage"),
        lambda: search(word, find="exact-text"),
        lambda: search(f"{re.escape(word[:3])}\\w+r", find="regex"),
        lambda: search(written, vectors=False),
        lambda: ("/symbol/federated", of_name),
        lambda: ("/references/federated", of_name),
        lambda: ("/search/federated", {**search(written)[1], "format": "slate"}),
        lambda: ("/search", of_repo),
        lambda: ("/context", of_repo),
    )
    return kinds[place // 4 % len(kinds)]()


def _answers(site: Site) -> Iterator[str]:
    """Compare answers with those of one machine."""
    asked = _asked_by(site, ASKED - OF_ALL)
    users = {_SOME: asked, _EVERY: questions(site, 9 * OF_ALL)[::9]}
    seconds: dict[str, list[float]] = {}
    unequal = []
    expected: list[bytes] = []
    for user, each in users.items():
        wholes = site.expected(each, user)
        expected += wholes
        spent = _Spent(site)
        for (path, body), whole in zip(each, wholes, strict=True):
            begun = time.perf_counter()
            content = site.ask(path, body, user).content
            took = time.perf_counter() - begun
            seconds.setdefault(f"{user}, {_kind(path, body)}", []).append(took)
            if content != whole:
                unequal.append((path, body))
                (site.folder / f"unequal-{len(unequal)}.json").write_bytes(content + whole)
        repos = len(site.keys if user == _EVERY else site.some)
        yield f"    {repos} repositories: {len(unequal)} of {len(each)} questions unequal so far"
        yield f"    {repos} repositories: processor time of a question: {spent.shares(len(each))}"
    refused = sum(b'"ok":false' in whole[:2_000] for whole in expected)
    yield (
        f"  answers: {len(expected) - len(unequal)} of {len(expected)} equal one machine's byte for"
        f" byte ({refused} of them refusals), {load_average()}"
    )
    yield from (f"    unequal: {path} {stable_json.dumps(body).decode()}" for path, body in unequal)
    for kind, took_s in sorted(seconds.items()):
        yield f"    {kind}: median {1000 * statistics.median(took_s):.0f} ms, of {len(took_s)}"


def _kind(path: str, body: Body) -> str:
    if path != "/search/federated":
        return path
    if body.get("format") == "slate":
        return "slate"
    merge = body["merge"]
    return f"{merge['strategy']}, {'folded' if merge['fold'] else 'not folded'}"


class _Spent:
    """The processor time of the coordinator and of the nodes."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._before = self._now()

    def shares(self, number: int) -> str:
        """Return the milliseconds of each of a number of questions."""
        after = self._now()
        spent = [1000 * (after[name] - self._before.get(name, 0.0)) / number for name in after]
        return ", ".join(f"{name} {ms:.0f} ms" for name, ms in zip(after, spent, strict=True))

    def _now(self) -> dict[str, float]:
        nodes = self._site.nodes
        seconds = {"coordinator": _seconds([self._site.pid])}
        for node in nodes.nodes:
            seconds[f"node {node}"] = _seconds(nodes.workers(node))
        return seconds


def _seconds(pids: Sequence[int]) -> float:
    total = 0.0
    for pid in pids:
        with suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            total += times.user + times.system
    return total


class _Drill(Struct):
    """The answers to many questions."""

    begun: int = 0
    seconds: list[float] = field(default_factory=list)
    exact: int = 0
    partial: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """Return the time within which 99 of 100 answers came."""
        return sorted(self.seconds)[int(0.99 * len(self.seconds))]

    def line(self, name: str) -> str:
        """Return the figures."""
        middle = statistics.median(self.seconds)
        return (
            f"    {name}: {self.exact} exact, {self.partial} partial, {len(self.wrong)} wrong;"
            f" median {1000 * middle:.0f} ms, p99 {1000 * self.p99:.0f} ms,"
            f" most {1000 * max(self.seconds):.0f} ms"
        )

    def note(self, path: str, content: bytes, whole: bytes) -> None:
        """Compare an answer with that of one machine."""
        if content == whole:
            self.exact += 1
        elif _is_truly_partial(content, whole):
            self.partial += 1
        else:
            self.wrong.append(f"{path}: {content[:300]!r}")


def _is_truly_partial(content: bytes, whole: bytes) -> bool:
    """Return whether an answer names lost repositories that can have changed it.

    A question about a single repository is refused for the moment.
    """
    try:
        answer, expected = stable_json.loads(content), stable_json.loads(whole)
    except ValueError:
        return False
    if not isinstance(answer, dict) or not isinstance(expected, dict):
        return False
    if "repos" not in answer:
        return answer.get("code") == Busy.code
    lost = [row for row in answer["repos"] if row["status"] not in {"ok", "skipped"}]
    if not lost or not all(row.get("error") for row in lost):
        return False
    verdicts = {row.get("couldChange", {}).get("verdict") for row in lost}
    same = answer.get("results") == expected.get("results")
    return same or bool(verdicts & {"yes", "unknown"})


def _drilled(
    site: Site,
    asked: Sequence[Asked],
    number: int = 0,
    story: Callable[[], object] = lambda: None,
) -> _Drill:
    """Ask a user's questions, four at once, at least some number and until a story has ended."""
    expected = site.expected(asked, _SOME)
    pairs = itertools.cycle(zip(asked, expected, strict=True))
    drill, lock = _Drill(), Lock()

    def ask() -> None:
        while True:
            with lock:
                if drill.begun >= (number or len(asked)) and telling.done():
                    return
                drill.begun += 1
                (path, body), whole = next(pairs)
            begun = time.perf_counter()
            try:
                content = site.ask(path, body, _SOME).content
            except httpx.HTTPError as error:
                content = repr(error).encode()
            with lock:
                drill.seconds.append(time.perf_counter() - begun)
                drill.note(path, content, whole)

    with ThreadPoolExecutor(AT_ONCE + 1) as pool:
        telling = pool.submit(story)
        for each in [pool.submit(ask) for _ in range(AT_ONCE)]:
            each.result()
        telling.result()
    return drill


def _kills(site: Site) -> Iterator[str]:
    """Kill nodes and the coordinator during questions of a user."""
    asked = _asked_by(site, 120)
    lines: list[str] = []
    yield f"  kills: questions about {len(site.some)} repositories, {AT_ONCE} at once"
    _drilled(site, asked)
    plain = _drilled(site, asked, DRILLED // 2)
    yield plain.line("no kill")

    def restart(*nodes: int) -> None:
        site.nodes.start(*nodes)
        begun = time.perf_counter()
        site.wait_for(site.is_whole)
        lines.append(f"{nodes} whole again {time.perf_counter() - begun:.0f} s after its start")

    def one_by_one() -> None:
        site.nodes.kill_workers(1)
        site.wait_for(lambda state: not site.is_whole(state))
        site.wait_for(site.is_whole)
        for node in (1, 2):
            site.nodes.kill(node)
            time.sleep(5)
            restart(node)

    def two() -> None:
        site.nodes.kill(1)
        site.nodes.kill(2)
        time.sleep(15)
        restart(1, 2)

    for name, number, story in (("each node", DRILLED, one_by_one), ("two nodes", 200, two)):
        drill = _drilled(site, asked, number, story)
        ratio = drill.p99 / plain.p99
        yield f"{drill.line(f'SIGKILL of {name}')}; p99 {ratio:.1f}x (goal {GOAL:.0f})"
        yield from (f"      wrong: {wrong}" for wrong in drill.wrong[:3])
        yield f"      {lines}"
    yield from _next_coordinator(site, asked[0])


def _next_coordinator(site: Site, asked: Asked) -> Iterator[str]:
    """Kill the coordinator, and start it again as a service manager would."""
    (path, body), (whole,) = asked, site.expected([asked], _SOME)
    site.kill()
    begun = time.perf_counter()
    site.launch()
    while not _same(site, path, body, whole):
        if time.perf_counter() - begun > _PATIENCE_S:
            raise SystemExit("the next coordinator does not answer")
    took = time.perf_counter() - begun
    yield f"    SIGKILL of the coordinator: the next one gives the whole answer after {took:.1f} s"


def _same(site: Site, path: str, body: Body, whole: bytes) -> bool:
    time.sleep(0.1)
    with suppress(httpx.HTTPError):
        return site.ask(path, body, _SOME).content == whole
    return False


def _asked_by(site: Site, number: int) -> list[Asked]:
    """Return questions of all kinds that name repositories of a user."""
    asked: list[Asked] = []
    for place, (path, body) in enumerate(questions(site, number)):
        named = {"root": f"/{site.some[place % len(site.some)]}"} if "root" in body else {}
        asked.append((path, {**body, **named}))
    return asked


def _store(site: Site) -> Iterator[str]:
    """Kill the object store, and let it be slow, lie and fail."""
    asked = _asked_by(site, 120)[::6]
    _drilled(site, asked)
    before = site.wait_for(site.is_whole)
    site.store.kill()
    state = site.wait_for(lambda state: any("remote" in line for line in state["problems"]))
    drill = _drilled(site, asked)
    yield f"{drill.line('object store killed')}"
    yield f"      status: refs read at {before['read_at']} then, {state['read_at']} now"
    yield f"      status: {state['problems']}"
    failed = _push(site, "first", "change while the store is dead")
    yield f"      a push: {failed}"
    site.store.start()
    yield f"      a push when it runs again: {_push(site, 'first', 'and when it runs again')}"
    state = site.wait_for(lambda state: state["epoch"] != before["epoch"] and site.is_whole(state))
    yield f"      the next epoch: refs read at {state['read_at']}, problems {state['problems']}"
    for name, fault in _FAULTS.items():
        epoch = state["epoch"]
        site.proxy.fault = fault
        pushed = _push(site, "second", f"change under {name}")
        time.sleep(8.0)
        during = site.state()
        drill = _drilled(site, asked)
        site.proxy.fault = no_fault
        begun = time.perf_counter()
        state = site.wait_for(partial(_is_after, site, epoch))
        took = time.perf_counter() - begun
        yield (
            f"{drill.line(f'storage {name}')}; the push around it: {pushed[-60:]!r}; problems"
            f" {during['problems']}; the new snapshot {took:.0f} s after"
        )
        yield from (f"      wrong: {wrong}" for wrong in drill.wrong[:3])


def _is_after(site: Site, epoch: str, state: Any) -> bool:
    return state["epoch"] != epoch and site.is_whole(state) and not state["problems"]


def _of_reads(fault: Any) -> Any:
    return lambda method, _path, _number: fault if method in {"GET", "HEAD"} else None


def _of_blobs(fault: Any) -> Any:
    return lambda method, path, _: fault if method == "GET" and "/blobs/" in path else None


_FAULTS: Final[Mapping[str, Any]] = {
    "slow by 1 s": _of_reads(slow(1.0)),
    "with wrong bytes": _of_blobs(lie()),
    "with wrong bytes everywhere": _of_reads(lie()),
    "with truncated objects": _of_blobs(truncate(100)),
    "that answers 500": _of_reads(status(500)),
    "that closes connections": _of_reads(drop()),
}


def _push(site: Site, name: str, text: str) -> str:
    """Change a repository that no question of the user is about, and push it past the proxy."""
    key = next(key for key in site.keys if key not in site.some)
    root = site.folder / "services" / key.rpartition("/")[2]
    (root / f"drill_{name}.md").write_text(f"# {text} {time.time()}\n")
    environ = {**os.environ, "GGREP_HOME": str(site.folder / "home"), "GGREP_OFFLINE": "1"}
    run_ggrep(environ, "index", "--path", str(root))
    done = subprocess.run(
        [sys.executable, "-m", "ggrep", "push", str(root)],
        env=environ,
        check=False,
        capture_output=True,
        text=True,
    )
    return f"status {done.returncode}: {(done.stdout + done.stderr).strip()}"


def _costs(site: Site) -> Iterator[str]:
    """Measure the server's figures for the table of what a server needs."""
    cache = site.folder / "cache"
    size = sum(file.stat().st_blocks * 512 for file in cache.rglob("*") if file.is_file())
    memory = {
        node: sum(_memory(pid) for pid in site.nodes.workers(node)) for node in site.nodes.nodes
    }
    each = size / len(site.keys) / 2e3
    yield f"  costs: nodes hold {size / 1e6:.0f} MB on disk, {each:.0f} kB a copy"
    yield f"    memory: {', '.join(f'{mb / 1e6:.0f} MB' for mb in memory.values())}"
    for user, number in ((_SOME, 100), (_EVERY, 8)):
        for strategy, fold in (("global", False), ("global", True), ("rrf", True)):
            asked = _fresh(number, strategy, fold=fold)
            spent, begun = _Spent(site), time.perf_counter()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                ended = list(pool.map(partial(_reply, site, user), asked))
            took = time.perf_counter() - begun
            length = statistics.median(map(len, ended))
            repos = len(site.keys) if user == _EVERY else len(site.some)
            yield (
                f"    {repos} repositories, {strategy}{', folded' if fold else ''}:"
                f" {number / took:.1f} questions/s; processor time {spent.shares(number)};"
                f" {length / 1000:.0f} kB, {load_average()}"
            )


def _reply(site: Site, user: str, asked: Asked) -> bytes:
    return site.ask(*asked, user=user).content


def _fresh(number: int, strategy: str, *, fold: bool) -> list[Asked]:
    """Return questions of which none was asked before."""
    chance = random.Random(f"{time.time()}")
    words = " ".join(QUESTIONS).split()
    search = {"deterministic": True, "timeoutMs": _TIMEOUT_MS}
    merge = {"strategy": strategy, "fold": fold}
    every = {"workspacePath": "/team", "merge": merge, "search": search}
    return [
        ("/search/federated", {"query": " ".join(chance.sample(words, 4)), **every})
        for _ in range(number)
    ]


def _memory(pid: int) -> int:
    with suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


_PARTS: Final = {"answers": _answers, "kills": _kills, "store": _store, "costs": _costs}


def _pushed(folder: Path, file: Path, store: ObjectServer) -> Iterator[str]:
    """Build and push all packages that are not on the remote."""
    home = folder / "home"
    environ = {**os.environ, "GGREP_HOME": str(home), "GGREP_OFFLINE": "1"}
    (home / "config.toml").unlink(missing_ok=True)  # it names the store's last address
    home.mkdir(exist_ok=True, mode=0o700)
    remote = _remote(store)
    options = ("--endpoint", remote.endpoint, "--region", REGION, "--plain-http")
    run_ggrep(environ, "remote", "add", "origin", remote.url, *options)
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run_ggrep(environ, "workspace", "build", str(file), "--push", "--no-pull")
    took, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    objects = open_objects(remote, time.sleep)
    stats = [stat for part in ("blobs", "trees", "refs", "by-state") for stat in objects.list(part)]
    refs = sum(stat.key.startswith("refs/") for stat in stats)
    size = sum(stat.size_bytes for stat in stats)
    yield (
        f"  pushed in {took:.0f} s, {cpu:.0f} CPU-s: {refs} repositories, {len(stats)} objects,"
        f" {size / 1e6:.0f} MB (each {size / refs / 1e3:.0f} kB, {len(stats) / refs:.1f} objects)"
    )


def _remote(store: ObjectServer) -> Remote:
    url = f"s3://{store.bucket}/team"
    return Remote("origin", url, store.endpoint, REGION, plain_http=True)


def _credentials() -> Mapping[str, str]:
    return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
