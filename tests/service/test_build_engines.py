"""Repositories of a workspace are built wherever an engine says, and come back by the remote."""

from collections.abc import Callable
from pathlib import Path

import pytest
from anyio import to_thread
from msgspec.structs import replace

import ggrep as package
from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, UsageError
from ggrep.config.home import Home
from ggrep.daemon.sync_work import Worker
from ggrep.index.maintenance.inventory import list_stores
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, error_from, error_json
from ggrep.service.build_engines import cluster, engine, node
from ggrep.service.build_engines.cluster import NoCluster, host_and_port, require_answer
from ggrep.service.build_engines.engine import LocalEngine, open_engine
from ggrep.service.build_engines.on_cluster import ClusterEngine
from tests.fakes.remotes import SHOP, commit, directory_remote, objects_of
from tests.journeys.command import Command, CommandOver, fits

pytestmark = pytest.mark.slow

BUILD = "ggrep.interfaces.cli.workspaces.build"


class Nodes:
    """A cluster of one node, in this process, with a home of its own."""

    name = "ray"
    cores = 2

    def __init__(self) -> None:
        self.tasks: list[str] = []
        self.closed = False
        self.fails: Callable[[str], None] = lambda _: None

    def submit(self, task: str) -> str:
        self.tasks.append(task)
        return task

    def result(self, task: str) -> str:
        self.fails(task)
        return node.do(task)

    def cancel(self, handle: object) -> None:
        """Nothing is under way for long."""

    def close(self) -> None:
        self.closed = True


class InProcessWorker:
    """A build worker without a process of its own."""

    async def run(self, job: SyncJob, _: object) -> SyncOutcome:
        try:
            return await to_thread.run_sync(Worker(node._Unheard(), node._never).do, job)
        except GgrepError as error:
            raise error_from(error_json(error)) from error

    async def aclose(self) -> None:
        """End nothing."""


@pytest.fixture(autouse=True)
def local_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build in this process; tests of `workspace build` start processes."""
    monkeypatch.setattr(LocalEngine, "worker", lambda _: InProcessWorker())


@pytest.fixture
def ggrep(home: Path, command_over: CommandOver) -> Command:
    """Return the command with a home of its own."""
    return command_over(home, GGREP_ENCODER="none")


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nodes:
    """Return the cluster that commands are given."""
    result = Nodes()
    monkeypatch.setattr(node, "home_from", lambda _: Home(tmp_path / "home-of-the-node"))
    monkeypatch.setattr(f"{BUILD}.open_engine", lambda *_, **__: ClusterEngine(result))
    return result


@pytest.fixture
def workspace(ggrep: Command, tmp_path: Path) -> Path:
    """Return the file of two repositories, with a remote added."""
    for name in ("shop", "mail"):
        named = {".ggrep.toml": f'repo_key = "team/{name}"\n', f"{name}.py": f"{name}_needle = 1\n"}
        commit(tmp_path / name, SHOP | named)
    ggrep("remote", "add", "origin", directory_remote(tmp_path).url)
    file = tmp_path / "ws.jsonc"
    assert ggrep("workspace", "init", file, tmp_path / "shop", tmp_path / "mail").status == 0
    return file


def stores(home: Path) -> list[str]:
    return sorted(Path(entry.canonical_root or "").name for entry in list_stores(Home(home)))


def test_what_a_cluster_builds_comes_back(
    ggrep: Command, workspace: Path, nodes: Nodes, home: Path, tmp_path: Path
) -> None:
    """The node's home and this one hold the same, and the remote one state of each."""
    done = ggrep("workspace", "build", workspace, "--engine", "ray", "--cluster", "x:1", "--json")

    assert done.status == 0, done.err
    fits(done.document, "workspace")
    assert nodes.closed
    assert stores(home) == stores(tmp_path / "home-of-the-node") == ["mail", "shop"]
    assert "2 of 2 built on the cluster; pulling them" in done.err
    assert done.err.count("files pulled") == 2
    refs = [stat.key for stat in objects_of(directory_remote(tmp_path)).list("refs")]
    assert {key.rpartition("/")[0] for key in refs} == {"refs/team/mail", "refs/team/shop"}
    shown = ggrep("mail_needle", "--workspace", workspace, "--offline", "--compact")
    assert shown.out.splitlines()[0].endswith("mail.py")


def test_a_build_for_others_leaves_this_home_alone(
    ggrep: Command, workspace: Path, nodes: Nodes, home: Path
) -> None:
    """A farm needs no indexes where it is driven from."""
    assert ggrep("workspace", "build", workspace, "--engine", "ray", "--no-local").status == 0
    assert stores(home) == []


def test_a_second_build_finds_all_done(ggrep: Command, workspace: Path, nodes: Nodes) -> None:
    """Tasks may be done twice, by a retry or by whoever runs the command again."""
    ggrep("workspace", "build", workspace, "--engine", "ray")
    again = [node.outcome_of(node.do(task)) for task in nodes.tasks]

    assert [outcome.published for outcome in again] == [False, False]
    assert all(outcome.pushed for outcome in again)


def test_one_that_a_cluster_gives_up_fails_alone(
    ggrep: Command, workspace: Path, nodes: Nodes, home: Path
) -> None:
    """Its node died over it, again and again."""

    def fails(task: str) -> None:
        if '/mail"' in task:
            raise RuntimeError("a long story\nthe node died")

    nodes.fails = fails
    done = ggrep("workspace", "build", workspace, "--engine", "ray")

    assert done.status == 1
    assert "the build on the cluster failed: the node died" in done.err
    assert stores(home) == ["shop"]


def test_a_node_says_what_it_cannot_do(tmp_path: Path) -> None:
    """Another try would not help, so it is an answer and no failure of the cluster."""
    task = node.task_of(SyncJob(tmp_path / "none", tmp_path / "home"))

    for wrong in (task, task.replace(package.__version__, "9.9.9")):
        with pytest.raises(SyncFailed, match=r"does not exist on this node|this node has ggrep"):
            node.outcome_of(node.do(wrong))


def test_a_job_travels_whole(tmp_path: Path) -> None:
    """What it is told here it does there."""
    job = SyncJob(tmp_path, tmp_path / "home", remote={"name": "origin"}, pull=True, push=True)
    sent = stable_json.loads(node.task_of(job).encode())

    assert replace(node.job_from(sent["job"]), environ=job.environ, flags=job.flags) == job


def test_pulling_and_pushing_need_no_cluster(
    ggrep: Command, workspace: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each repository is pulled first where there is a remote."""
    first = ggrep("workspace", "build", workspace, "--push")
    assert (first.status, "files pulled" in first.err) == (0, False)
    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "elsewhere"))
    ggrep("remote", "add", "origin", directory_remote(tmp_path).url)

    assert ggrep("workspace", "build", workspace).err.count("files pulled") == 2
    assert stores(tmp_path / "elsewhere") == stores(home)
    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "third"))
    assert ggrep("workspace", "build", workspace, "--push").status == 2, "there is no remote here"
    ggrep("remote", "add", "origin", directory_remote(tmp_path).url)
    assert "pulled" not in ggrep("workspace", "build", workspace, "--no-pull").err


def test_a_build_names_what_it_did_to_each_repository(
    ggrep: Command, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = ggrep("workspace", "build", workspace, "--push")
    same = ggrep("workspace", "build", workspace, "--push", "--json")
    (tmp_path / "mail/more.py").write_text("more = 1\n")
    edited = ggrep("workspace", "build", workspace, "--no-pull")
    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "elsewhere"))
    ggrep("remote", "add", "origin", directory_remote(tmp_path).url)
    pulled = ggrep("workspace", "build", workspace, "--concurrency", "1")

    assert new.err.count(": indexed in ") == new.err.count(" s, pushed\n") == 2
    assert new.err.splitlines()[-1] == "2 of 2 built: 2 indexed; 2 pushed"
    assert same.err.count(": unchanged in ") == same.err.count(" s, already at the remote\n") == 2
    assert same.err.splitlines()[-1] == (
        "2 of 2 built: 2 unchanged; 0 pushed, 2 already at the remote"
    )
    fits(same.document, "workspace")
    outcomes = [entry["outcome"] for entry in same.document["diagnostics"]["entries"]]
    assert outcomes == [{"index": "unchanged", "pushed": "present", "warnings": []}] * 2
    assert edited.err.splitlines()[-1] == "2 of 2 built: 1 unchanged, 1 indexed"
    assert pulled.err.count(": pulled in ") == 2
    assert pulled.err.count(" files pulled, 1 indexed\n") == 1
    assert pulled.err.splitlines()[-1] == "2 of 2 built: 2 pulled"


@pytest.mark.parametrize(
    ("gone", "reason"),
    [(True, "/remote does not exist"), (False, "the remote has no snapshot of these files")],
)
def test_a_remote_without_a_repository_is_a_warning(
    ggrep: Command, workspace: Path, tmp_path: Path, *, gone: bool, reason: str
) -> None:
    if gone:
        (tmp_path / "remote").rmdir()

    built = ggrep("workspace", "build", workspace, "--json")

    assert built.status == 0
    assert built.err.count("mail: warning: nothing could be pulled: ") == 1
    entries = built.document["diagnostics"]["entries"]
    assert [entry["outcome"]["warnings"][0]["code"] for entry in entries] == ["not_pulled"] * 2
    assert all(reason in entry["outcome"]["warnings"][0]["message"] for entry in entries)


def test_a_failed_push_leaves_a_built_index(
    ggrep: Command, workspace: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "remote").rmdir()
    (tmp_path / "remote").write_text("no directory")

    built = ggrep("workspace", "build", workspace, "--push", "--no-pull", "--json")

    assert built.status == 1
    assert stores(home) == ["mail", "shop"]
    assert built.err.count(": indexed in ") == 2
    assert built.err.count(": the index could not be pushed: origin: ") == 2
    assert built.err.splitlines()[-1] == "2 of 2 built: 2 indexed; 0 pushed"
    fits(built.document, "workspace")
    entry = built.document["diagnostics"]["entries"][0]
    assert (entry["status"], entry["exitCode"]) == ("failed", 1)
    assert entry["error"].startswith("the index could not be pushed: origin: ")
    assert (entry["outcome"]["index"], entry["outcome"]["pushed"]) == ("indexed", "failed")


def test_without_the_extra_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, ggrep: Command, workspace: Path
) -> None:
    """Nothing is looked for, and nothing built."""
    monkeypatch.setattr(cluster, "is_installed", lambda: False)
    done = ggrep("workspace", "build", workspace, "--engine", "ray")

    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "pip install 'ggrep[cluster]'" in done.err


def test_an_engine_that_is_gone_is_refused_by_name(ggrep: Command, workspace: Path) -> None:
    done = ggrep("workspace", "build", workspace, "--engine", "dask")

    assert done.status == 2
    assert "'dask'; use local or ray" in done.err


def test_where_the_cluster_is_has_to_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the flag, or by the variable of the engine's own tools."""
    monkeypatch.setattr(cluster, "is_installed", lambda: True)
    with pytest.raises(UsageError, match="RAY_ADDRESS"):
        open_engine("ray", None, {}, abreast=1)
    with pytest.raises(UsageError, match="--engine ray"):
        open_engine("local", "x:1", {}, abreast=1)
    with pytest.raises(NoCluster, match=r"no ray cluster answers at 127\.0\.0\.1:9"):
        open_engine("ray", None, {"RAY_ADDRESS": "127.0.0.1:9"}, abreast=1)


def test_addresses_are_read_in_both_forms() -> None:
    """As Ray prints them, or with a scheme."""
    assert host_and_port("head") == ("head", 6379)
    assert host_and_port("tcp://10.0.0.1:8786") == ("10.0.0.1", 8786)
    for wrong in ("", ":1", "host:port"):
        with pytest.raises(NoCluster, match="invalid address"):
            require_answer(wrong)


def test_the_protocol_is_small() -> None:
    """Whoever writes another engine reads it in a minute."""
    assert len(Path(engine.__file__).read_text().splitlines()) < 100
    assert LocalEngine(2).name == "local"


def test_the_doctor_says_how_a_cluster_is_started(ggrep: Command) -> None:
    """Of Ray and of an object store, and what is missing here."""
    plain, whole = ggrep("doctor", "--plain"), ggrep("doctor", "--cluster", "--plain")

    assert "ray start" not in plain.out
    assert "ray start --head" in whole.out
    assert "weed server" in whole.out
    fits(ggrep("doctor", "--cluster", "--json").document, "machine")
