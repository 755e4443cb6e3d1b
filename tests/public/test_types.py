"""What a type checker sees of the interface from outside of the package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

CLIENT = """\
import ggrep

repo = ggrep.open(".", daemon="never")
answer = repo.search("q", limit=3, mode="debug", filters=["lang:python"])
reveal_type(repo)
reveal_type(answer.hits[0].path)
reveal_type(answer.confidence)
reveal_type(answer.limits_hit)
reveal_type(repo.slate("q", level=1).slate.sections)
reveal_type(repo.expand("a.py:12").content)
reveal_type(repo.sync().indexed)
reveal_type(repo.status().snapshot.files)
reveal_type(ggrep.open_workspace("w").search("q", select=["a"]).hits[0].hit)
try:
    repo.search("q", limt=3)
except ggrep.Busy as error:
    reveal_type(error.retry_after_ms)
repo.symbol("q", limit="3")
ggrep.open(daemon="perhaps")
ggrep.opne()


async def twins() -> None:
    async with ggrep.AsyncRepository(".") as one, ggrep.AsyncWorkspace("w") as many:
        reveal_type(await one.symbol("q", limit=2))
        reveal_type(await many.slate("q", level=2))
"""
REVEALED = [
    "ggrep.service.repository.Repository",
    "str",
    "ggrep.model.confidence.Confidence",
    "tuple[ggrep.model.limits.LimitHit, ...]",
    "tuple[tuple[ggrep.model.slate.Section, tuple[ggrep.model.slate.Pack, ...]], ...]",
    "str",
    "int",
    "int",
    "ggrep.model.response.Hit",
    "int",
    "ggrep.service.answers.SymbolAnswer",
    "ggrep.service.workspace_calls.WorkspaceSlateAnswer",
]
WRONG = {
    "limt=3": 'Unexpected keyword argument "limt" for "search" of "Repository"',
    'limit="3"': 'has incompatible type "str"; expected "int"',
    '"perhaps"': "expected \"Literal['auto', 'require', 'never']\"",
    "opne": 'Module has no attribute "opne"',
}


@pytest.mark.slow
def test_a_client_is_typed_under_strict_mypy(tmp_path: Path) -> None:
    """Every name has its own type, and a misspelt option is found before the program runs."""
    # Under the options of our own check, whose cache holds then: what did not change is not read.
    config = tmp_path / "mypy.toml"
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    config.write_text(re.sub(r"(?m)^files = .*\n", "", settings), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", f"--config-file={config}", "-c", CLIENT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (ROOT / "ggrep" / "py.typed").is_file()
    lines = done.stdout.splitlines()
    revealed = [line.partition("Revealed type is ")[2] for line in lines if "Revealed" in line]
    errors = [line for line in lines if ": error: " in line]
    assert [kind.strip('"') for kind in revealed] == REVEALED, done.stdout + done.stderr
    assert len(errors) == len(WRONG)
    for place, (part, told) in zip(errors, WRONG.items(), strict=True):
        number = int(place.split(":")[1])
        assert part in CLIENT.splitlines()[number - 1]
        assert told in place
