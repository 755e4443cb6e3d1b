"""A team: repositories that were pushed to a remote, search nodes, and one machine with all."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import anyio
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.config.fingerprints import store_id
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.config.settings import Settings, load_settings
from ggrep.federation.coordinator import federated_search
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.searcher import Searchers
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_expand import federated_expand
from ggrep.federation.workspace_names import federated_references, federated_symbol, name_request
from ggrep.federation.workspace_slates import SlateShape, federated_slate
from ggrep.index.remote.objects import open_objects
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import Find, SearchRequest
from ggrep.protocol.client.link import Unreachable
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.push_pull import push_to
from ggrep.server.epoch import Epoch, Refs, workspace_of
from ggrep.server.node import SearchNode
from ggrep.server.node_searchers import NodeSearchers
from ggrep.server.nodes import Nodes
from ggrep.server.placement import placed
from ggrep.service.searchers import EngineSearchers
from tests.fakes.repos import AheadClock, open_engine, write_tree

CLOCK = AheadClock()
NEVER = Deadline.never(CLOCK)

GUIDE = "# Retries\n\nHow a request is retried after a timeout.\n"
COPIED = "def retry_twice(call):\n    '''Retry a call twice.'''\n    return call() or call()\n"
TREES: Mapping[str, Mapping[str, str]] = {
    "acme/cart": {
        "src/cart.py": "def add_item(cart, item):\n    return retry(cart.append, item)\n",
        "src/retry.py": "def retry(call, *args):\n    '''Retry a call after a timeout.'''\n",
        "src/copied.py": COPIED,
        "docs/guide.md": GUIDE,
    },
    "acme/mail": {
        "mail/send.go": "package mail\n\nfunc Send(to string) error {\n\treturn retry(to)\n}\n",
        "docs/guide.md": GUIDE,
        "lib/copied.py": COPIED,
        "empty.txt": "",
    },
    "acme/site": {
        "index.js": "export function render(page) {\n  return page.title;\n}\n",
        "guide.md": GUIDE,
    },
    "tools/cart": {
        "bin/pay.py": "from retry import retry\n\n\ndef pay(amount):\n    return retry(amount)\n",
        "a/copied.py": COPIED,
        "b/copied.py": COPIED,
        "c/copied.py": COPIED,
    },
    "tools/log": {"log.py": "def log(line):\n    '''Write a line.'''\n    print(line)\n"},
}


class Link:
    """A node of this process, which can be killed, be stopped, or answer nonsense."""

    def __init__(self, node: SearchNode) -> None:
        self.node = node
        self.killed = self.lies = False
        self.stopped: Event | None = None
        self.kill_after = -1
        self.sent: list[bytes] = []

    def send(self, data: bytes, timeout_s: float) -> bytes:
        self.sent.append(data)
        self.kill_after -= 1
        if self.killed or self.kill_after == 0:
            self.killed = True
            raise Unreachable("the process was killed")
        if self.stopped is not None:
            self.stopped.wait(60)
        return b"{}]" if self.lies else self.node.answer(data)


class Team:
    """Repositories of one machine, and a remote to which they were pushed."""

    def __init__(self, base: Path) -> None:
        self.base = base
        (base / "remote").mkdir()
        self.remote = Remote("team", f"file://{base}/remote")
        self.engines: dict[str, Engine] = {}
        self._opened: dict[str, Engine] = {}
        self._filled_nodes: dict[int, dict[str, Link]] = {}
        self.refs = Refs(open_objects(self.remote, time.sleep), "")

    def push(self, key: str, files: Mapping[str, str | bytes | None]) -> None:
        """Write files of a repository, index it and push it."""
        root = self.base / "work" / key
        write_tree(root, {**files, ".ggrep.toml": f'repo_key = "{key}"\n'})
        engine = self.engines.get(key) or open_engine(root, self.base / "home", clock=CLOCK)
        self.engines[key] = engine
        engine.sync()
        push_to(engine, self.remote)
        self._close_opened()
        self.refs.fingerprint = engine.identity.config_fingerprint

    def epoch(self) -> Epoch:
        return self.refs.read()

    def settings(self) -> Settings:
        home = Home(self.base / "home")
        return load_settings(home, self.base, environ={}, flags={"encoder": "hashed"}).settings

    def nodes(self, number: int, label: str = "") -> dict[str, Link]:
        """Return nodes that hold nothing yet."""
        return {
            f"node-{place}": Link(
                SearchNode(
                    self.base / f"node{label}{number}-{place}", self.remote, self.settings(), CLOCK
                )
            )
            for place in range(number)
        }

    def filled_nodes(self, number: int) -> dict[str, Link]:
        """Return nodes that hold what the remote has, always the same ones."""
        if number not in self._filled_nodes:
            self._filled_nodes[number] = self.nodes(number)
            hold(self._filled_nodes[number], self.epoch())
        return self._filled_nodes[number]

    def here(self) -> EngineSearchers:
        """Return the searchers of one machine with all repositories."""
        return engines_here(self.opened)

    def opened(self, key: str, label: str = "") -> Engine:
        """Return an engine of a repository, one for each label until the next push."""
        name = f"{key} {label}"
        if name not in self._opened:
            root = self.engines[key].identity.root
            self._opened[name] = open_engine(root, self.base / "home", clock=CLOCK)
        return self._opened[name]

    def far(self, nodes: Nodes, epoch: Epoch) -> NodeSearchers:
        """Return the searchers of all repositories on nodes."""
        repos = {repo.repo_id: repo for repo in epoch.repos.values()}
        return NodeSearchers(nodes, self.refs.fingerprint, repos, KnownHosts())

    def workspace(self, keys: Sequence[str] = tuple(TREES)) -> Workspace:
        """Return the workspace of some repositories."""
        return workspace_of("team", keys)

    def close(self) -> None:
        self._close_opened()
        for engine in self.engines.values():
            engine.close()
        for links in self._filled_nodes.values():
            for link in links.values():
                link.node.close()

    def _close_opened(self) -> None:
        for engine in self._opened.values():
            engine.close()
        self._opened.clear()


def engines_here(open_key: Callable[[str], Engine]) -> EngineSearchers:
    """Return the searchers of one machine, with an engine for each key.

    The id of a store contains the path of its root. The hash of the repositories' state contains
    this id, so it is that of a machine with the roots of the workspace.
    """

    def opened(repo: WorkspaceRepo) -> Engine:
        engine = open_key(str(repo.root_canonical)[1:])
        name = store_id(repo.root_canonical, engine.identity.config_fingerprint)
        engine.identity = replace(engine.identity, store_id=name)
        return engine

    return EngineSearchers(opened)


def hold(links: Mapping[str, Link], epoch: Epoch) -> None:
    """Let each node hold its repositories."""
    for name, link in links.items():
        trees = [repo for key, repo in epoch.repos.items() if name in placed(key, links)]
        assert not link.node.hold(trees)


@contextmanager
def some_team(base: Path, trees: Mapping[str, Mapping[str, str]] = TREES) -> Iterator[Team]:
    team = Team(base)
    for key, files in trees.items():
        team.push(key, files)
    yield team
    team.close()


def search(query: str = "retry", **fields: Any) -> FederatedRequest:
    """Return a request; fields of the search begin with `search_`."""
    of_search = {
        name.removeprefix("search_"): fields.pop(name)
        for name in [*fields]
        if name.startswith("search_")
    }
    request = FederatedRequest(_search(query, of_search))
    return replace(request, **fields)


def _search(query: str, fields: Mapping[str, Any]) -> Any:

    return SearchRequest(query, **{"deterministic": True, "timeout_ms": 20_000, **fields})


SEARCHES: Mapping[str, FederatedRequest] = (
    {
        f"{query}-{strategy}-{'folded' if fold else 'unfolded'}-{top}": search(
            query, merge_strategy=strategy, fold=fold, top=top
        )
        for query in (
            "retry",
            "retry a call twice",
            "how is a request retried",
            "pay",
            "nothing here",
        )
        for strategy in ("global", "rrf")
        for fold in (True, False)
        for top in (1, 3, 10)
    }
    | {
        f"{find.value}-{strategy}": search(query, search_find=find, merge_strategy=strategy)
        for find, query in (
            (Find.DEFINITION, "retry"),
            (Find.USAGE, "retry"),
            (Find.EXACT_TEXT, "return retry"),
            (Find.SIMILAR_CODE, "return call() or call()"),
            (Find.REGEX, "re.ry"),
        )
        for strategy in ("global", "rrf")
    }
    | {
        "without vectors": search("retry", search_vectors=False, merge_strategy="global"),
        "selected": search("retry", select=("log",), only=("acme/cart", "log")),
        "globs": search("retry", repo_filter=("**/tools/**",), merge_strategy="global"),
        "nothing": search("retry", repo_filter=("**/absent/**",)),
        "wrong": search("", merge_strategy="global"),
    }
)


async def answer(searchers: Searchers, workspace: Workspace, request: FederatedRequest) -> bytes:
    """Return the answer to a search."""
    return await _bytes(lambda: federated_search(workspace, request, searchers, CLOCK))


async def follow_ups(searchers: Searchers, workspace: Workspace) -> dict[str, bytes]:
    """Return the answers to questions about names and places, and slates."""
    plain = search("retry", merge_strategy="global")
    symbol = SymbolRequest("retry", deterministic=True, timeout_ms=20_000)
    uses = ReferencesRequest("retry", deterministic=True, timeout_ms=20_000)

    place = ExpandRequest("log:log.py:1", deterministic=True, timeout_ms=20_000)

    async def slate() -> Any:
        return await federated_slate(workspace, plain, SlateShape(), searchers, CLOCK)

    async def definitions() -> Any:
        request = name_request(plain, symbol)
        return await federated_symbol(workspace, request, symbol, searchers, CLOCK)

    async def references() -> Any:
        request = name_request(plain, uses)
        return await federated_references(workspace, request, uses, searchers, CLOCK)

    async def around() -> Any:
        return await federated_expand(workspace, plain, place, searchers, CLOCK)

    return {
        "slate": await _bytes(slate),
        "symbol": await _bytes(definitions),
        "references": await _bytes(references),
        "expand": await _bytes(around),
    }


async def _bytes(ask: Any) -> bytes:
    from ggrep.base.errors import GgrepError

    try:
        with anyio.fail_after(60):
            return stable_json.dumps((await ask()).to_json())
    except GgrepError as error:
        return f"{error.code}: {error}".encode()
