"""Workers: one process for each target, killed when its time runs out."""

import os
import select
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.errors import Cancelled
from ggrep.base.stable_json import decode
from ggrep.interfaces.evaluation.questions import Answer, CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.suite_processes import (
    Conditions,
    Job,
    JobResult,
    Workers,
    in_a_process,
    run_jobs,
)
from ggrep.interfaces.evaluation.suite_worker import run
from ggrep.search.query import context
from tests.fakes.evaluations import answer
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE

JOB = Job("a", QueriedPath(Path("/nowhere")), (CaseQuery("q", "words"),))

JOB_DOCUMENT = {
    "path": "/nowhere/at/all",
    "is_workspace": False,
    "alone": True,
    "sync": False,
    "encoder": None,
    "merge": None,
    "weights": {"text": 0.0},
    "questions": [],
}


def python(code: str) -> tuple[str, ...]:
    """Return the command that runs a line of Python."""
    return (sys.executable, "-S", "-c", code)


@pytest.mark.parametrize(
    ("code", "timeout_s", "error"),
    [
        ("import signal; signal.pause()", 0.05, "no answer within 0.05 s; it was killed"),
        (
            "import sys; sys.exit('boom\\x1b[31m')",
            600,
            "the worker ended with status 1: boom ",
        ),
        ("print('[1]')", 600, "the worker ended with status 0"),
    ],
)
def test_a_worker_that_hangs_crashes_or_babbles_is_no_answer(
    code: str, timeout_s: float, error: str
) -> None:
    outcome = in_a_process(JOB, Conditions(timeout_s=timeout_s), command=python(code))

    assert outcome.error.startswith(error)
    assert outcome.answers == ()


def test_outcomes_come_in_the_order_of_the_jobs() -> None:
    jobs = [Job(name, JOB.target, ()) for name in "cab"]
    seen: list[str] = []
    outcomes = run_jobs(jobs, JobResult, at_once=3, done=lambda each: seen.append(each.job.name))

    assert [each.job.name for each in outcomes] == seen == ["c", "a", "b"]


def test_an_interrupt_ends_what_runs() -> None:
    workers = Workers()
    hangs = python("import signal; signal.pause()")
    ask = partial(in_a_process, conditions=Conditions(), workers=workers, command=hangs)
    jobs = [Job(name, JOB.target, ()) for name in ("quick", "slow", "waiting")]

    def interrupted(_: JobResult) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(
            jobs,
            lambda job: JobResult(job) if job.name == "quick" else ask(job),
            at_once=2,
            done=interrupted,
            stop=workers.kill,
        )
    with pytest.raises(Cancelled):
        ask(JOB)


@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_with_its_parent(tmp_path: Path, way: signal.Signals) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = (
        "import signal; from ggrep.base.linux import end_with_parent;"
        "end_with_parent();"
        f"kept = open({str(pipe)!r}, 'wb', 0); kept.write(b'up'); signal.pause()"
    )
    parent = (
        "import sys; from pathlib import Path;"
        "from ggrep.interfaces.evaluation.suite_processes import *;"
        "from ggrep.interfaces.evaluation.questions import QueriedPath;"
        "job = Job('a', QueriedPath(Path('/nowhere')), ());"
        f"run_jobs([job], lambda job: in_a_process(job, Conditions(),"
        f" command=(sys.executable, '-c', {child!r})), at_once=1, done=print)"
    )
    started = subprocess.Popen([sys.executable, "-c", parent], cwd=SOURCE)
    reader = os.open(pipe, os.O_RDONLY)
    try:
        came = os.read(reader, 10)
        started.send_signal(way)
        started.wait(60)
        ended, _, _ = select.select([reader], [], [], 60)
        rest = os.read(reader, 10) if ended else b"it runs still"
    finally:
        os.close(reader)

    assert (came, rest) == (b"up", b"")


@pytest.mark.slow
def test_a_worker_whose_parent_is_another_does_nothing() -> None:
    job = stable_json.dumps({"parent": 1, "path": "/nowhere"})
    command = [sys.executable, "-m", "ggrep.interfaces.evaluation.suite_worker"]
    ended = subprocess.run(command, input=job, capture_output=True, check=False, cwd=SOURCE)

    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")


def test_answers_cross_unchanged() -> None:
    whole = answer("q", "a.py", "b.py", confidence="weak")

    assert decode(Answer, to_builtins(whole)) == whole


def test_a_root_that_is_not_there_fails_its_job_alone() -> None:
    assert "no such file or directory" in str(run({**JOB_DOCUMENT, "weights": {}})["error"])


@pytest.mark.slow
def test_a_worker_indexes_and_answers(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process runs over a tree; other weights, in this process, give other scores."""
    write_tree(root, {"a.py": "def needle():\n    return 1\n", "b.py": "needle = 2\n"})
    monkeypatch.setenv("GGREP_HOME", str(home))
    question = CaseQuery("q", "needle")
    usual = in_a_process(Job("a", QueriedPath(root, alone=True), (question,)), Conditions())
    monkeypatch.setattr(context, "rank", context.rank)  # `use_weights` replaces it
    other = run({**JOB_DOCUMENT, "path": str(root), "questions": to_builtins([question])})

    assert (usual.error, other["error"]) == ("", "")
    assert sorted(usual.answers[0].files) == ["a.py", "b.py"]
    assert usual.answers[0].hits[0].section == "code"
    answers = (usual.answers, decode(tuple[Answer, ...], other["answers"]))
    scores = [{hit.file: hit.score for hit in each[0].hits} for each in answers]
    assert scores[1]["a.py"] < scores[0]["a.py"]
