"""Programs that use ggrep as a library, over daemons that are processes."""

import ast
import inspect
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

import ggrep
from ggrep.config.home import Home
from ggrep.interfaces.entry import main
from ggrep.protocol.client.daemon_address import arrange
from ggrep.protocol.client.daemon_control import stop
from tests.fakes.scripted import says_nothing, scripted
from tests.journeys.household import CLOCK, Household, eventually, household

pytestmark = pytest.mark.slow

NAMES = ("alder", "birch", "cedar")
BACKENDS = ["asyncio", "trio"]
DEATHS = ["asyncio", pytest.param("trio", marks=pytest.mark.deep)]
"""Backends of tests that kill daemons, which others start anew."""


def tree(name: str) -> dict[str, str]:
    """Return a repository that tells itself from others."""
    return {
        f"src/{name}.py": f"def plant_{name}(depth):\n    return dig(depth) + '{name} needle'\n",
        "src/dig.py": "def dig(depth):\n    return depth * 2\n",
        f"docs/{name}.md": f"# Planting\n\nHow to plant {name}, with a needle.\n",
    }


@pytest.fixture(scope="module")
def grove() -> Iterator[Household]:
    """Yield three repositories, each with a daemon in a process of its own, and a workspace."""
    with household() as result:
        for name in NAMES:
            root = result.repo(name, tree(name))
            result.serve_apart(root)
        roots = ", ".join(f'{{"root": "{name}", "alias": "{name}"}}' for name in NAMES)
        (result.base / "grove.jsonc").write_text(f'{{"schemaVersion": 1, "repos": [{roots}]}}')
        assert len({record.pid for record in result.records()}) == len(NAMES)
        yield result


def opened(grove: Household, name: str = "alder", **more: Any) -> ggrep.Repository:
    return ggrep.open(grove.base / name, environ=grove.environ(), **more)


def plain(answer: Any) -> Any:
    return replace(answer, request_id="", timings_ms=(), admitted=None)


QUESTIONS: dict[str, Callable[..., Any]] = {
    "search": lambda repo, **more: repo.search("plant a needle", filters=["-ext:rs"], **more),
    "explained": lambda repo, **more: repo.search("dig", explain=True, limit=3, **more),
    "slate": lambda repo, **more: repo.slate("plant a needle", level=2, timeout_ms=9_000, **more),
    "symbol": lambda repo, **more: repo.symbol("dig", **more),
    "references": lambda repo, **more: repo.references("dig", comments=True, **more),
    "expand": lambda repo, **more: repo.expand("src/dig.py:2", max_bytes=10**9, **more),
}


def test_a_daemons_answers_are_the_same(grove: Household) -> None:
    """The values, with request and provenance, and the documents."""
    with opened(grove, daemon="require") as far, opened(grove, daemon="never") as near:
        for (name, question), exact in product(QUESTIONS.items(), (True, False)):
            theirs, ours = question(far, deterministic=exact), question(near, deterministic=exact)
            assert type(theirs) is type(ours), name
            assert plain(theirs) == plain(ours), name
            assert plain(theirs).to_dict() == plain(ours).to_dict(), name
            assert theirs == ours or not exact, name


def test_both_tell_the_same_status(grove: Household) -> None:
    """But for the daemon itself."""
    with opened(grove, daemon="require") as far, opened(grove, daemon="never") as near:
        theirs, ours = far.status(), near.status()

    assert (theirs.daemon.running, ours.daemon.running) == (True, False)
    assert theirs.snapshot == ours.snapshot
    assert theirs.to_dict().keys() == ours.to_dict().keys()


@pytest.mark.parametrize("daemon", ["auto", "never"])
def test_a_workspace_answers_as_its_command(grove: Household, daemon: Any) -> None:
    """The same document, daemons or none."""
    file = grove.base / "grove.jsonc"
    with ggrep.open_workspace(file, daemon=daemon, environ=grove.environ()) as team:
        answer = team.search("plant a needle", deterministic=True, merge_strategy="global", limit=4)
        slate = team.slate("plant a needle", deterministic=True, level=0)
    typed = ("plant a needle", "--workspace", file, "--json", "--deterministic")
    printed = grove.run_here(main, "search", *typed, "--merge", "global", "-m", "4", cwd=grove.base)
    listed = grove.run_here(main, "slate", *typed, "--level", "0", cwd=grove.base)

    assert {merged.repo_alias for merged in answer.hits} == set(NAMES)
    assert answer.to_dict() == printed.document
    assert slate.to_dict() == listed.document
    assert team.roots == tuple(grove.base / name for name in NAMES)
    with pytest.raises(ggrep.Closed):
        team.search("needle")


@pytest.mark.parametrize("daemon", ["auto", "never"])
def test_workspace_names_are_answered_as_by_commands(grove: Household, daemon: Any) -> None:
    """The same documents, daemons or none; and a place is taken as it is printed."""
    file = grove.base / "grove.jsonc"
    flags = ("--workspace", file, "--json", "--deterministic", "-m", "1")
    with ggrep.open_workspace(file, daemon=daemon, environ=grove.environ()) as team:
        name = next(hit.hit.name for hit in team.search("plant a needle").hits if hit.hit.name)
        defined = team.symbol(name, limit=1, deterministic=True)
        used = team.references(name, limit=1, deterministic=True, only=NAMES)
        first = defined.to_dict()["definitions"][0]
        place = f"{first['repoAlias']}:{first['path']}:{first['line']}"
        around = team.expand(place, deterministic=True)

    assert (
        defined.to_dict() == grove.run_here(main, "symbol", name, *flags, cwd=grove.base).document
    )
    only = [word for each in NAMES for word in ("--only", each)]
    assert (
        used.to_dict() == grove.run_here(main, "refs", name, *flags, *only, cwd=grove.base).document
    )
    printed = grove.run_here(main, "expand", place, *flags[:4], cwd=grove.base).document
    assert around.to_dict() == printed


def test_a_workspace_without_any_answer_raises_the_reason(grove: Household) -> None:
    """An answer of nobody would pass for one without hits."""
    bare = grove.base / "bare"
    if not bare.exists():
        grove.repo("bare", {"a.py": "pass\n"})
    file = grove.base / "bare.jsonc"
    file.write_text('{"schemaVersion": 1, "repos": [{"root": "bare"}]}')
    with ggrep.open_workspace(file, environ=grove.environ()) as team:
        with pytest.raises(ggrep.GgrepError, match="no index yet"):
            team.search("needle")
        with pytest.raises(ggrep.WorkspaceError) as caught:
            team.search("needle", concurrency=0, merge_strategy="best")

    assert [issue.field for issue in caught.value.issues] == [
        "$.limits.concurrency",
        "$.merge.strategy",
    ]


SCRIPT = """
import sys, ggrep
try:
    with ggrep.open(sys.argv[1]) as repo:
        repo.sync()
        for hit in repo.search(sys.argv[2], limit=3, mode="implementation").hits:
            print(f"{hit.path}:{hit.start_line} {hit.name}")
            for mention in repo.references(hit.name, limit=5).references if hit.name else ():
                print(f"  {hit.name} used at {mention.path}:{mention.line}")
except ggrep.GgrepError as error:
    sys.exit(f"{error.code}: {error}")
"""


def test_a_script_ends_with_its_answer_or_its_failure(grove: Household, tmp_path: Path) -> None:
    """A whole program: an index, a search, what is used where, and its failures."""

    def run(root: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", SCRIPT, str(root), "dig a hole of some depth"]
        environ = grove.environ()
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)

    result, refused = run(grove.base / "alder"), run(tmp_path / "nowhere")

    assert (result.returncode, result.stderr) == (0, "")
    assert "src/dig.py:1 dig\n" in result.stdout
    assert "  dig used at src/alder.py:2\n" in result.stdout
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("invalid_request: ")


CELLS = (
    "import ggrep\nrepo = ggrep.open('alder')",
    "answer = repo.search('plant a needle')\nanswer.hits[0]",
    "team = ggrep.open_workspace('grove.jsonc')\nmerged = team.search('plant a needle')",
    "twin = ggrep.AsyncRepository('birch')\nother = await twin.search('plant a needle')",
    "slate = await twin.slate('dig')\nawait twin.aclose()",
    "repo.close(); team.close(); repo.close()",
)


async def test_notebooks_run_by_cell(grove: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own event loop runs in the thread of the cells, and some of them wait."""
    for name, value in grove.environ().items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GGREP_OFFLINE")
    monkeypatch.chdir(grove.base)
    cells: dict[str, Any] = {}
    for cell in CELLS:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        waiting = eval(compile(cell, "<cell>", "exec", flags=flags), cells)  # noqa: S307 - ours
        if inspect.isawaitable(waiting):
            await waiting

    assert {hit.path for hit in cells["answer"].hits} >= {"src/alder.py", "docs/alder.md"}
    assert {merged.repo_alias for merged in cells["merged"].hits} == set(NAMES)
    assert {hit.path for hit in cells["other"].hits} >= {"src/birch.py", "docs/birch.md"}
    assert cells["slate"].slate.overview.top_paths


@pytest.mark.parametrize("daemon", ["require", "never"])
def test_threads_share_one_repository(grove: Household, daemon: Any) -> None:
    """Each gets the answer to its own question."""
    asked = [f"plant {name} {number}" for number in range(8) for name in ("needle", "dig", "alder")]
    with opened(grove, daemon=daemon) as repo:

        def ask(query: str) -> Any:
            return repo.search(query, deterministic=True)

        alone = [ask(query) for query in asked]
        with ThreadPoolExecutor(8) as threads:
            together = list(threads.map(ask, asked))

    assert together == alone
    assert [answer.request.query for answer in together] == asked


def test_a_forked_process_goes_on_over_the_daemon(grove: Household) -> None:
    """Nothing of it is the parent's: neither connections nor locks that are held."""
    with opened(grove, daemon="require") as repo:
        before = repo.search("needle", deterministic=True)
        reading, writing = os.pipe()
        repo._opened._resources().lock.acquire()
        if not (pid := os.fork()):
            same = False
            try:
                same = repo.search("needle", deterministic=True) == before
                repo.close()
            finally:
                os.write(writing, b"same" if same else b"another")
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            output = pipe.read()
        os.waitpid(pid, 0)
        repo._opened._resources().lock.release()
        after = repo.search("needle", deterministic=True)

    assert output == b"same"
    assert after == before


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_cancelled_task_ends_its_request(grove: Household, backend: str, root: Path) -> None:
    (root / ".ggrep.toml").write_text("")
    environ = grove.environ()
    address = arrange(root, Home(grove.home), environ=environ)

    async def program() -> list[dict[str, Any]]:
        async with ggrep.AsyncRepository(root, daemon="require", environ=environ) as repo:
            async with anyio.create_task_group() as group:
                group.start_soon(repo.search, "needle")
                await anyio.to_thread.run_sync(daemon.saw, "search", abandon_on_cancel=True)
                group.cancel_scope.cancel()
            seen = partial(daemon.saw, "search", "cancel")
            return await anyio.to_thread.run_sync(seen, abandon_on_cancel=True)

    with scripted(address) as daemon:
        daemon.script = says_nothing
        asked, reported = anyio.run(program, backend=backend)

    assert reported["target"] == asked["request_id"]
    assert asked["values"] is True


def test_a_repository_of_another_loop_or_process_says_so(grove: Household) -> None:
    """Connections belong to the loop that made them."""
    repo = ggrep.AsyncRepository(grove.base / "alder", environ=grove.environ())
    first = anyio.run(partial(repo.search, "needle"))

    with pytest.raises(ggrep.InvalidRequest, match="belongs to another event loop"):
        anyio.run(partial(repo.search, "needle"))
    anyio.run(repo.aclose)
    with pytest.raises(ggrep.Closed):
        anyio.run(repo.status)
    assert first.hits


def kill(grove: Household, name: str) -> int:
    """Kill the process that serves a repository."""
    (results,) = [each for each in grove.records() if Path(each.root).name == name]
    os.kill(results.pid, signal.SIGKILL)
    return results.pid


def set_apart(grove: Household) -> None:
    """Give each repository a process of its own again: another takes in whose process died."""
    served = Counter(record.pid for record in grove.records())
    alone = set()
    for record in grove.records():
        if served[record.pid] > 1:
            stop(record, "it is served apart", CLOCK)
        else:
            alone.add(record.root)
    for root in (grove.base / name for name in NAMES):
        if str(root) not in alone:
            grove.serve_apart(root)


@pytest.mark.parametrize("backend", DEATHS)
def test_one_that_died_and_may_not_come_back_is_named(grove: Household, backend: str) -> None:
    """Where an operator starts daemons, and one is required."""
    given: Any = {"daemon": "require", "environ": grove.environ(GGREP_START_DAEMON="false")}
    results: dict[str, Any] = {}

    async def ask(name: str) -> None:
        async with ggrep.AsyncRepository(grove.base / name, **given) as repo:
            before = await repo.search("plant a needle")
            if name == "cedar":
                kill(grove, name)
            try:
                results[name] = plain(await repo.search("plant a needle")) == plain(before)
            except ggrep.GgrepError as error:
                results[name] = type(error)

    async def program() -> Any:
        async with anyio.create_task_group() as group:
            for name in NAMES:
                group.start_soon(ask, name)
        async with ggrep.AsyncWorkspace(grove.base / "grove.jsonc", **given) as team:
            return await team.search("plant a needle")

    set_apart(grove)
    team = anyio.run(program, backend=backend)

    names = {repo.repo_id: repo.alias for repo in team.workspace.repos}
    assert results == {"alder": True, "birch": True, "cedar": ggrep.NotStarted}
    assert {merged.repo_alias for merged in team.hits} == {"alder", "birch"}
    assert {names[trouble.repo_id] for trouble in team.errors} == {"cedar"}


@pytest.mark.parametrize("backend", DEATHS)
def test_one_of_three_dies_and_the_others_answer_whole(grove: Household, backend: str) -> None:
    """Questions on their way to it are put to the daemon that is started in its place."""

    async def program() -> dict[str, list[Any]]:
        answers: dict[str, list[Any]] = {name: [] for name in NAMES}

        async def ask(name: str) -> None:
            environ = grove.environ()
            async with ggrep.AsyncRepository(grove.base / name, environ=environ) as repo:
                for number in range(30):
                    answers[name].append(await repo.search("plant a needle", deterministic=True))
                    if name == "birch" and number == 10:
                        killed.append(kill(grove, name))

        async with anyio.create_task_group() as group:
            for name in NAMES:
                group.start_soon(ask, name)
        return answers

    killed: list[int] = []
    set_apart(grove)
    answers = anyio.run(program, backend=backend)

    for name in NAMES:
        with opened(grove, name, daemon="never") as repo:
            expected = repo.search("plant a needle", deterministic=True)
        assert answers[name] == [expected] * 30
    assert killed[0] not in {record.pid for record in grove.records()}
    eventually(lambda: len(grove.records()) == len(NAMES))
