"""A team server on Ray nodes for the drills, its users, and the same answers of one machine."""

import hashlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import anyio
import httpx

from bench.federation_packages import QUESTIONS
from bench.serving import CLOCK
from ggrep.base import stable_json
from ggrep.base.clock import Deadline
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
from tests.cluster.ray_nodes import RayNodes
from tests.fakes.issuer import AUDIENCE, Issuer
from tests.fakes.team import engines_here
from tests.remote.fault_proxy import FaultProxy
from tests.remote.object_server import ACCESS_KEY, REGION, SECRET_KEY, ObjectServer

AT_ONCE: Final = 4
FEW: Final = 40
"""Repositories of the user whose questions are asked while nodes die."""
SEED: Final = 53
EVERY: Final = "every@example.com"
SOME: Final = "some@example.com"
OPERATOR: Final = "ops@example.com"
ISSUER: Final = "https://id.example.com"
PATIENCE_S: Final = 1_200.0
TIMEOUT_MS: Final = 3_600_000

Body = Mapping[str, Any]
Asked = tuple[str, Body]
"""A route, and the body that is sent to it."""


class Site:
    """A server on a cluster, and the client of its users."""

    def __init__(
        self, folder: Path, nodes: RayNodes, store: ObjectServer, proxy: FaultProxy
    ) -> None:
        self.folder, self.nodes, self.store, self.proxy = folder, nodes, store, proxy
        self.remote = remote_of(store)
        self.settings = load_settings(Home(folder / "home"), folder, environ={}).settings
        self.file, self.access = folder / "server.jsonc", folder / "access.jsonc"
        self.keys = tuple(self.epoch().keys)
        self.some = sorted(random.Random(SEED).sample(self.keys, min(FEW, len(self.keys) // 5)))
        self.allow({EVERY: ["*"], SOME: self.some})
        issuer = Issuer(ISSUER)
        (folder / "keys.json").write_bytes(stable_json.dumps(issuer.document("/keys")))
        expires = time.time() + 86_400
        self._tokens = {user: issuer.token(user, exp=expires) for user in (EVERY, SOME, OPERATOR)}
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

    def wait_for_end(self) -> None:
        """Wait until the coordinator ends by itself."""
        assert self._process is not None
        self._process.wait(PATIENCE_S)

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

    def ask(self, path: str, body: Body | None = None, user: str = EVERY) -> httpx.Response:
        """Return the response to a user's request."""
        headers = {"authorization": f"Bearer {self._tokens[user]}"}
        if body is None:
            return self._client.get(path, headers=headers)
        return self._client.post(path, json=body, headers=headers)

    def state(self) -> Any:
        """Return the state; None while the server does not answer."""
        with suppress(httpx.HTTPError):
            response = self.ask("/status", user=OPERATOR)
            return response.json() if response.status_code == 200 else None
        return None

    def wait_for(self, done: Callable[[Any], bool], patience_s: float = PATIENCE_S) -> Any:
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
        copies = sum(node.get("trees", 0) for node in nodes)
        whole = all(node["answering"] for node in nodes) and copies >= 2 * len(self.keys)
        return whole and state["repos"] == len(self.keys)

    def expected(self, asked: Sequence[Asked], user: str) -> list[bytes]:
        """Return the answers of one machine."""
        return self._answers.of(asked, self.keys if user == EVERY else self.some)

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
                "issuer": ISSUER,
                "audience": AUDIENCE,
                "jwks": f"file://{self.folder / 'keys.json'}",
            },
            "access": "access.jsonc",
            "cache": "cache",
            "host": httpx.URL(self.url).host,
            "nodes": 3,
            "ray": self.nodes.address,
            "sweepSeconds": 2,
            "operators": [OPERATOR],
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
            _Anyone(ISSUER, AUDIENCE, CLOCK),
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
    chance = random.Random(SEED)
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
    plain = {"deterministic": True, "timeoutMs": TIMEOUT_MS}
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


def remote_of(store: ObjectServer) -> Remote:
    url = f"s3://{store.bucket}/team"
    return Remote("origin", url, store.endpoint, REGION, plain_http=True)


def credentials() -> Mapping[str, str]:
    return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
