"""The demo: a workspace over installed packages, indexed and asked three questions.

Real code that nobody here wrote, on any machine that can run the tests. Run it with
`python3 dev.py demo`; everything it makes lies in `.demo/`, its own ggrep home included. Daemons
answer, and have ended when the demo has, however that came about.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / ".demo"
HOME = DEMO / "home"
WORKSPACE = DEMO / "demo.ggrep-workspace.jsonc"

PACKAGES = ("anyio", "click", "hypothesis", "lancedb", "pathspec", "pytest", "rich", "typer")
"""Import names; pytest's own code lies in `_pytest`."""

QUESTIONS = (
    "how wide is a Chinese character on the terminal",
    "turn a gitignore pattern into a regular expression",
    "estimate the remaining time of a progress bar",
)

GREP = ("grep", "-rniI", "chinese")
"""A person's command for the first question; it finds nothing but names of emoji."""

_INTERRUPTED = 130
_STARTING_S = 3.0
_ENDING_S = 20.0


def main() -> int:
    """Run the demo and end its daemons; return the first exit status that is not zero."""
    if "--fresh" in sys.argv[1:]:
        shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir(exist_ok=True)
    os.environ["GGREP_HOME"] = str(HOME)
    status = _INTERRUPTED
    try:
        status = _index() or _ask()
    except KeyboardInterrupt:
        return status
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_daemons(broken_off=status != 0)
    if not status:
        _farewell()
    return status


def _index() -> int:
    steps = [] if WORKSPACE.exists() else [_init()]
    steps.append(["index", "--workspace", str(WORKSPACE)])
    return next((status for step in steps if (status := _ggrep(step))), 0)


def _ask() -> int:
    for number, question in enumerate(QUESTIONS, start=1):
        print(f"\n\033[1m? {question}\033[0m" if sys.stdout.isatty() else f"\n? {question}")
        sys.stdout.flush()
        search = ["search", question, "--workspace", str(WORKSPACE), "-m", "5", "-s"]
        if status := _ggrep(search):
            return status
        if status := _ggrep([*search, "--json"], DEMO / f"answer-{number}.json"):
            return status
        if number == 1:
            _grep()
    _tell_of_daemons()
    return 0


def _grep() -> None:
    """Print the answer of grep to the first question."""
    folders = [Path(place) for name in PACKAGES if (place := folder(name))]
    if not folders or not shutil.which("grep"):
        return
    command = [*GREP, *(folder.name for folder in folders)]
    print(f"\n$ {' '.join(command)}", flush=True)
    subprocess.run(command, cwd=folders[0].parent, check=False)


def _tell_of_daemons() -> None:
    from ggrep.config.home import Home
    from ggrep.protocol.client.daemon_files import running

    daemons = running(Home(HOME))
    processes = len({daemon.pid for daemon in daemons})
    if daemons:
        print(f"\nAnswered by {len(daemons)} daemons (processes: {processes}), which end now.")
    else:
        print("\nNo daemon could be had: the indexes were read without.")


def _end_daemons(*, broken_off: bool) -> None:
    """End what runs in the demo's home, and what was still starting when it was broken off."""
    began = time.monotonic()
    least_s = _STARTING_S if broken_off else 0.0
    while True:
        _ggrep(["stop-all", "--json"], Path(os.devnull))
        elapsed_s = time.monotonic() - began
        up = any((HOME / "daemon").glob("*.sock"))
        if elapsed_s >= _ENDING_S or (elapsed_s >= least_s and not up):
            return
        time.sleep(0.2)


def _init() -> list[str]:
    entries = [f"{name}={place}" for name in PACKAGES if (place := folder(name))]
    return ["workspace", "init", str(WORKSPACE), "--name", "demo", *entries]


def folder(package: str) -> str | None:
    """Return the directory of an installed package; None where there is none."""
    spec = find_spec("_pytest" if package == "pytest" else package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return next(iter(spec.submodule_search_locations))


def _ggrep(arguments: list[str], answer: Path | None = None) -> int:
    """Run one ggrep command in this process, its output into `answer` if that is named."""
    from ggrep.interfaces.entry import main as ggrep

    if answer is None:
        status = ggrep(arguments)
        sys.stdout.flush()
        return status
    with answer.open("w", encoding="utf-8") as file, redirect_stdout(file):
        return ggrep(arguments)


def _farewell() -> None:
    shown = WORKSPACE.relative_to(ROOT)
    print(
        f"""
The same answers as JSON: {DEMO.relative_to(ROOT)}/answer-1.json to answer-{len(QUESTIONS)}.json

Try next, in this folder (the demo's indexes lie in {HOME.relative_to(ROOT)}):
  export GGREP_HOME=$PWD/{HOME.relative_to(ROOT)} PATH=$PWD/.venv/bin:$PATH
  ggrep search "your own question" --workspace {shown}
  ggrep search "Console.print" --workspace {shown} --only rich --explain
  ggrep workspace status {shown}
  ggrep stop-all        # searches start daemons; this ends them
and for your own code, in any repository:
  ggrep "where is the retry policy decided"
"""
    )


if __name__ == "__main__":
    sys.exit(main())
