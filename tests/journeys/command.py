"""The `ggrep` command as a user has it: arguments in, exit status and two streams out."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import jsonschema_rs
import pytest
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.interfaces.entry import main

SOURCE = Path(__file__).parents[2]
REPOS = SOURCE / "fixtures" / "repos"
WORKSPACE_NAMES = ("gateway", "ledger", "shop")
SCHEMAS: dict[str, Any] = {
    entry.name.removesuffix(".schema.json"): stable_json.loads(entry.read_bytes())
    for entry in (files("ggrep") / "model" / "schemas").iterdir()
    if entry.name.endswith(".schema.json")
}
WORDS = {"a.py": "def alpha_needle():\n    return 1\n", "docs/b.md": "# Beta needle\n\nText.\n"}


class Outcome(Struct, frozen=True):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Return standard output as the one JSON document it has to be."""
        document: dict[str, Any] = stable_json.loads(self.out.encode())
        return document

    def error(self, schema: str = "query_error") -> dict[str, Any]:
        """Return the error of a JSON answer that fits its schema.

        It names its request, but for a workspace's answer: its bytes do not vary.
        """
        fits(self.document, schema)
        error: dict[str, Any] = self.document["error"]
        assert "request_id" in error or "repos" in self.document
        return error


def fits(document: object, schema: str) -> None:
    jsonschema_rs.validator_for(SCHEMAS[schema]).validate(document)


class Command(Struct, frozen=True):
    """Runs `ggrep` in this process."""

    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: object) -> Outcome:
        """Run with these arguments; what was printed before is dropped."""
        self.capture.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = self.capture.readouterr()
        return Outcome(status, out, err)


CommandOver: TypeAlias = Callable[..., Command]
"""Takes a home and variables; returns the command over it. See `conftest.command_over`."""


def start(
    *arguments: object,
    home: Path,
    run: tuple[str, ...] = ("-m", "ggrep"),
    environ: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.Popen[str]:
    """Start `python -m ggrep` with a home of its own; `finish` ends it."""
    variables = {"PYTHONPATH": str(SOURCE), "GGREP_HOME": str(home), **(environ or {})}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(
        [sys.executable, *run, *(str(argument) for argument in arguments)],
        text=True,
        env={**os.environ, **variables},
        **piped,
    )


def finish(process: subprocess.Popen[str]) -> Outcome:
    """Wait for a process to end."""
    with process:
        try:
            out, err = process.communicate(timeout=1_200)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Outcome(process.returncode, out or "", err)
