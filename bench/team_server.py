"""A team server on a Ray cluster, over SeaweedFS and real packages: its answers, and its losses.

    python3 dev.py bench team [NUMBER] [FOLDER] [answers|kills|head|store|costs ...]

Three Ray nodes of one core, in network namespaces where they can be made, hold the snapshots of
the packages. A proxy stands between the nodes and the object store. Answers must have the bytes of
the same application over engines of this process. What is built in FOLDER is kept.
"""

import itertools
import os
import random
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

import httpx
import psutil
from msgspec import Struct, field

from bench.cluster import workspace_with_keys
from bench.federation_packages import QUESTIONS, run_ggrep
from bench.many_packages import lay_out
from bench.serving import load_average
from bench.team_site import (
    AT_ONCE,
    EVERY,
    PATIENCE_S,
    SOME,
    TIMEOUT_MS,
    Asked,
    Body,
    Site,
    credentials,
    questions,
    remote_of,
)
from ggrep.base import stable_json
from ggrep.base.errors import Busy
from ggrep.base.processes import raise_descriptors
from ggrep.index.remote.objects import open_objects
from tests.cluster.ray_nodes import OWN, RayNodes, can_make_namespaces
from tests.remote.fault_proxy import FaultProxy, drop, lie, no_fault, slow, status, truncate
from tests.remote.object_server import REGION, ObjectServer

NUMBER: Final = 1_000
ASKED: Final = 300
OF_ALL: Final = 8
"""Questions of these about all packages; the others are about those of a user."""
DRILLED: Final = 1_000
GOAL: Final = 3.0
_AGAIN_S: Final = 1.0
"""Time after which a client that was refused or got no reply asks again."""
_OUTAGE_S: Final = 15.0
"""Time between the end of nodes and their next start."""
PARTS: Final = ("answers", "kills", "head", "store", "costs")


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
        return {"GGREP_HOME": str(folder / "home-server"), "GGREP_OFFLINE": "1", **credentials()}

    with ExitStack() as stack:
        nodes = stack.enter_context(RayNodes(2, namespaces=apart, met=apart, environment=of_node))
        store = stack.enter_context(ObjectServer(folder / "objects", host=host))
        proxy = stack.enter_context(FaultProxy(store.endpoint))
        os.environ.update(credentials())
        yield f"team: {number} packages, 3 Ray nodes, {load_average()}"
        yield from _pushed(folder, file, store)
        site = Site(folder, nodes, store, proxy)
        stack.callback(site.close)
        yield site.start()
        for part in parts:
            yield from _PARTS[part](site)


def _answers(site: Site) -> Iterator[str]:
    """Compare answers with those of one machine."""
    asked = _asked_by(site, ASKED - OF_ALL)
    users = {SOME: asked, EVERY: questions(site, 9 * OF_ALL)[::9]}
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
        repos = len(site.keys if user == EVERY else site.some)
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
    refused: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """Return the time within which 99 of 100 answers came."""
        return sorted(self.seconds)[int(0.99 * len(self.seconds))]

    def line(self, name: str) -> str:
        """Return the figures."""
        middle = statistics.median(self.seconds)
        return (
            f"    {name}: {self.exact} exact, {self.partial} partial, {self.refused} refused,"
            f" {len(self.wrong)} wrong, {self.lost} without a reply;"
            f" median {1000 * middle:.0f} ms, p99 {1000 * self.p99:.0f} ms,"
            f" most {1000 * max(self.seconds):.0f} ms"
        )

    def note(self, path: str, content: bytes, whole: bytes) -> None:
        """Compare an answer with that of one machine."""
        if content == whole:
            self.exact += 1
        elif _is_refused(content):
            self.refused += 1
        elif _is_truly_partial(content, whole):
            self.partial += 1
        else:
            self.wrong.append(f"{path}: {content[:300]!r}")


def _is_refused(content: bytes) -> bool:
    """Return whether an answer refuses the question for the moment."""
    with suppress(ValueError, AttributeError):
        return bool(stable_json.loads(content).get("code") == Busy.code)
    return False


def _is_truly_partial(content: bytes, whole: bytes) -> bool:
    """Return whether an answer names lost repositories that can have changed it."""
    try:
        answer, expected = stable_json.loads(content), stable_json.loads(whole)
    except ValueError:
        return False
    if not isinstance(answer, dict) or not isinstance(expected, dict) or "repos" not in answer:
        return False
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
    expected = site.expected(asked, SOME)
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
                content = site.ask(path, body, SOME).content
            except httpx.HTTPError:
                with lock:
                    drill.lost += 1
                time.sleep(_AGAIN_S)
                continue
            with lock:
                drill.seconds.append(time.perf_counter() - begun)
                drill.note(path, content, whole)
            if _is_refused(content):
                time.sleep(_AGAIN_S)

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
        time.sleep(_OUTAGE_S)
        restart(1, 2)

    for name, number, story in (("each node", DRILLED, one_by_one), ("two nodes", 200, two)):
        drill = _drilled(site, asked, number, story)
        ratio = drill.p99 / plain.p99
        yield f"{drill.line(f'SIGKILL of {name}')}; p99 {ratio:.1f}x (goal {GOAL:.0f})"
        yield from (f"      wrong: {wrong}" for wrong in drill.wrong[:3])
        yield f"      {lines}"
    yield from _next_coordinator(site, asked[0])


def _head(site: Site) -> Iterator[str]:
    """Kill the head of the cluster, and start all again as service managers would."""
    asked = _asked_by(site, 120)
    lines: list[str] = []
    _drilled(site, asked)

    def story() -> None:
        site.nodes.kill(0)
        time.sleep(_OUTAGE_S)
        site.nodes.start(0)
        begun = time.perf_counter()
        site.wait_for_end()
        lines.append(f"coordinator ended {time.perf_counter() - begun:.0f} s after the next head")
        for node in (1, 2):
            site.nodes.kill(node)  # unless Ray has ended it
        site.nodes.start(1, 2)
        begun = time.perf_counter()
        site.launch()
        site.wait_for(site.is_whole)
        lines.append(f"whole again {time.perf_counter() - begun:.0f} s after its start")

    drill = _drilled(site, asked, 200, story)
    yield f"  head: questions about {len(site.some)} repositories, {AT_ONCE} at once"
    yield drill.line("SIGKILL of the head")
    yield from (f"      wrong: {wrong}" for wrong in drill.wrong[:3])
    yield f"      {lines}"


def _next_coordinator(site: Site, asked: Asked) -> Iterator[str]:
    """Kill the coordinator, and start it again as a service manager would."""
    (path, body), (whole,) = asked, site.expected([asked], SOME)
    site.kill()
    begun = time.perf_counter()
    site.launch()
    while not _same(site, path, body, whole):
        if time.perf_counter() - begun > PATIENCE_S:
            raise SystemExit("the next coordinator does not answer")
    took = time.perf_counter() - begun
    yield f"    SIGKILL of the coordinator: the next one gives the whole answer after {took:.1f} s"


def _same(site: Site, path: str, body: Body, whole: bytes) -> bool:
    time.sleep(0.1)
    with suppress(httpx.HTTPError):
        return site.ask(path, body, SOME).content == whole
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
    for user, number in ((SOME, 100), (EVERY, 8)):
        for strategy, fold in (("global", False), ("global", True), ("rrf", True)):
            asked = _fresh(number, strategy, fold=fold)
            spent, begun = _Spent(site), time.perf_counter()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                ended = list(pool.map(partial(_reply, site, user), asked))
            took = time.perf_counter() - begun
            length = statistics.median(map(len, ended))
            repos = len(site.keys) if user == EVERY else len(site.some)
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
    search = {"deterministic": True, "timeoutMs": TIMEOUT_MS}
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


_PARTS: Final = {
    "answers": _answers,
    "kills": _kills,
    "head": _head,
    "store": _store,
    "costs": _costs,
}


def _pushed(folder: Path, file: Path, store: ObjectServer) -> Iterator[str]:
    """Build and push all packages that are not on the remote."""
    home = folder / "home"
    environ = {**os.environ, "GGREP_HOME": str(home), "GGREP_OFFLINE": "1"}
    (home / "config.toml").unlink(missing_ok=True)  # it names the store's last address
    home.mkdir(exist_ok=True, mode=0o700)
    remote = remote_of(store)
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
