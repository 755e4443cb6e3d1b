"""Stand-ins for the sync worker: programs that speak its language and misbehave on demand."""

import sys
from pathlib import Path

import anyio
import psutil

_END_S = 30.0

_PROGRAM = """#!{python}
import json, os, subprocess, sys, time
from pathlib import Path

def say(**what):
    print(json.dumps({{"job_id": job["job_id"], **what}}), flush=True)

OUTCOME = dict(store_id="store", snapshot_id=str(os.getpid()), published=True, indexed=1,
    deleted=0, unchanged=0, chunks=1, segments=1, merged_segments=0, vectors_encoded=0,
    vectors_reused=0, skipped=0, degraded=0, notices=[], duration_ms=1, cpu_ms=1,
    compaction=None, collected_bytes=0)
wishes = []
for line in sys.stdin:
    job = json.loads(line)
    if "wish" in job:
        wishes.append(job["wish"])
        continue
    say(progress=dict(stage="scan", done_files=0, total_files=0, cpu_ms=0))
    match job["environ"].get("act", "answer"):
        case "answer":
            say(report=OUTCOME)
        case "last":
            say(report=OUTCOME)
            break
        case "tell":
            say(report=dict(OUTCOME, snapshot_id=json.dumps(wishes)))
        case "listen":
            say(report=dict(OUTCOME, snapshot_id=sys.stdin.readline()))
        case "busy":
            say(error=dict(code="busy", message="held", retry_after_ms=77))
        case "refuse":
            say(error=dict(code="budget_exceeded", message="full"))
        case "crash":
            print("first words", file=sys.stderr)
            sys.exit("it broke")
        case "killed":
            os.kill(os.getpid(), 9)
        case "status":
            say(error=dict(code="incompatible", message="another build's", exit_status=13))
        case "garble":
            print("no JSON at all", flush=True)
        case "hang":
            child = subprocess.Popen(["sleep", "600"])
            pids = Path(job["home"])
            pids.with_suffix(".new").write_text(f"{{os.getpid()}} {{child.pid}}")
            pids.with_suffix(".new").rename(pids)
            time.sleep(600)
"""


def write_worker(directory: Path) -> str:
    """Write a program that takes the interpreter's place; return its path.

    A job's variable `act` says what it does. One that hangs writes its own pid and its child's
    to the job's home.
    """
    path = directory / "worker"
    path.write_text(_PROGRAM.format(python=sys.executable))
    path.chmod(0o700)
    return str(path)


async def hanging_ended(directory: Path) -> None:
    """Wait until the worker that hangs and its child are gone: killed, they still take a moment.

    Raises:
        TimeoutError: one of them lives on.
    """
    pids = [int(pid) for pid in (directory / "pids").read_text().split()]
    with anyio.fail_after(_END_S):
        while any(map(_is_alive, pids)):  # noqa: ASYNC110 - no event tells of it
            await anyio.sleep(0.005)


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
