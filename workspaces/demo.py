"""The demo: a workspace over installed packages, indexed and asked three questions.

Real code that nobody here wrote, on any machine that can run the tests. Run it with
`python3 dev.py demo`; everything it makes lies in `.demo/`, its own ggrep home included.
"""

import os
import shutil
import sys
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / ".demo"
WORKSPACE = DEMO / "demo.ggrep-workspace.jsonc"

PACKAGES = ("anyio", "click", "hypothesis", "lancedb", "pathspec", "pytest", "rich", "typer")
"""Import names; pytest's own code lies in `_pytest`."""

QUESTIONS = (
    "turn a gitignore pattern into a regular expression",
    "cancel the remaining tasks of a task group when one of them fails",
    "estimate the remaining time of a progress bar",
)


def main() -> int:
    """Run the demo; return the first exit status that is not zero."""
    if "--fresh" in sys.argv[1:]:
        shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir(exist_ok=True)
    os.environ["GGREP_HOME"] = str(DEMO / "home")
    steps = [] if WORKSPACE.exists() else [_init()]
    steps.append(["index", "--workspace", str(WORKSPACE)])
    for step in steps:
        if status := _ggrep(step):
            return status
    for number, question in enumerate(QUESTIONS, start=1):
        print(f"\n\033[1m? {question}\033[0m" if sys.stdout.isatty() else f"\n? {question}")
        sys.stdout.flush()
        search = ["search", question, "--workspace", str(WORKSPACE), "-m", "5", "-s"]
        if status := _ggrep(search):
            return status
        if status := _ggrep([*search, "--json"], DEMO / f"answer-{number}.json"):
            return status
    _farewell()
    return 0


def _init() -> list[str]:
    folders = [_folder(name) for name in PACKAGES]
    entries = [f"{name}={folder}" for name, folder in zip(PACKAGES, folders, strict=True) if folder]
    return ["workspace", "init", str(WORKSPACE), "--name", "demo", *entries]


def _folder(package: str) -> str | None:
    spec = find_spec("_pytest" if package == "pytest" else package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return next(iter(spec.submodule_search_locations))


def _ggrep(arguments: list[str], answer: Path | None = None) -> int:
    """Run one ggrep command in this process, its output into `answer` if that is named."""
    from ggrep.entry import main as ggrep

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

Try next, in this folder (the demo's indexes lie in {DEMO.relative_to(ROOT)}/home):
  export GGREP_HOME=$PWD/{DEMO.relative_to(ROOT)}/home PATH=$PWD/.venv/bin:$PATH
  ggrep search "your own question" --workspace {shown}
  ggrep search "Console.print" --workspace {shown} --only rich --explain
  ggrep workspace status {shown}
and for your own code, in any repository:
  ggrep index && ggrep "where is the retry policy decided"
"""
    )


if __name__ == "__main__":
    sys.exit(main())
