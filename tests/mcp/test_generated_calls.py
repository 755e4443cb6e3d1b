"""Generated calls of all tools, judged by the official JavaScript client."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
import starlette

from ggrep.base import stable_json
from ggrep.interfaces.mcp.tools import TOOLS
from tests.mcp.generated_calls import Drawing
from tests.mcp.processes import Settled, settled

pytestmark = [pytest.mark.deep, pytest.mark.timeout(900)]

CALLS = 500
SEED = 20_261_125
_ID = re.compile(r"[0-9a-f]{64}")


def sources_of(package: object) -> dict[str, str]:
    """Return the modules of an installed package: a tree that nobody here wrote."""
    folder = Path(str(package.__file__)).parent
    return {
        path.relative_to(folder.parent).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    """Return two indexed packages and their workspace."""
    with settled(sources_of(anyio), sources_of(starlette)) as result:
        yield result


def test_generated_calls_satisfy_the_javascript_client(
    place: Settled, node: Path, tmp_path: Path
) -> None:
    """It throws at a document that its tool's output schema does not describe."""
    roots = (place.root, place.base / "mail", place.bare)
    calls = Drawing(SEED, roots, place.workspace, "anyio/_core/_tasks.py").calls(CALLS)
    file = tmp_path / "calls.json"
    file.write_bytes(stable_json.dumps(calls))
    ran = subprocess.run(
        [
            "node",
            "sdk_calls.mjs",
            str(file),
            sys.executable,
            *place.arguments("--structured", "--legacy"),
        ],
        cwd=node,
        env={**place.environ, "PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    results = stable_json.loads(ran.stdout)

    assert len(results) == CALLS
    answered: Counter[tuple[str, bool]] = Counter()
    for call, result in zip(calls, results, strict=True):
        assert "thrown" not in result, (call, result)
        document, failed = result["structured"], result["isError"]
        assert failed == ("message" in document), call
        assert not failed or document["code"] != "internal", (call, document)
        (text,) = result["texts"]
        assert text, call
        assert "\n" not in text, call
        # What stands in a file is the file's; neither package has such digits.
        assert not _ID.search(text), (call, text)
        answered[call["tool"], failed] += 1
    sys.stderr.write(f"{dict(answered)}\n")
    for tool in TOOLS:
        assert answered[tool.name, False] >= 10, answered
        assert answered[tool.name, True] >= 1, answered
