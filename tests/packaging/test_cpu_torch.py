"""Encoders that need torch run with its build for the CPU, and nothing of CUDA is loaded."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.service.machine import CPU, installed_torch
from tests.embedding.test_transformer import model_folder
from tests.fakes.repos import write_tree

pytestmark = [pytest.mark.deep, pytest.mark.timeout(600)]

RUN = """
import sys
from pathlib import Path
from ggrep.interfaces.cli.app import run
status = run(["index"]) or run(["search", "money shopping checkout", "--offline", "--keep-weak"])
import torch
loaded = Path("/proc/self/maps").read_text()
foreign = [name for name in ("libcuda", "libcudart", "torch_cuda", "libnccl") if name in loaded]
print("status", status, "torch", torch.__version__, "foreign", foreign)
"""
TREE = {
    "a.md": "# Purchases\n\nThe customer pays for the goods in the basket.\n",
    "b.md": "# Weather\n\nClouds gather above the northern mountains.\n",
    ".git/HEAD": "ref: x\n",
}


def test_a_transformer_answers_by_torch_for_the_cpu(tmp_path: Path) -> None:
    """From the shell: the index is made and asked, and the doctor says what it stands on."""
    result = installed_torch()
    if result is None or result.made_for != CPU:
        pytest.skip("the torch that is installed here is no build for the CPU")
    write_tree(tmp_path / "repo", TREE)
    environ = {
        **os.environ,
        "GGREP_HOME": str(tmp_path / "home"),
        "GGREP_ENCODER": f"sentence-transformers:{model_folder()}",
    }

    def said(*line: str) -> str:
        return subprocess.run(
            [sys.executable, *line],
            cwd=tmp_path / "repo",
            env=environ,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    answer = said("-c", RUN)
    doctor = stable_json.loads(said("-m", "ggrep", "doctor", "--json"))
    checks = {check["name"]: check for check in doctor["checks"]}

    assert "a.md" in answer
    assert answer.splitlines()[-1] == f"status 0 torch {version('torch')} foreign []"
    assert checks["encoder"]["message"].startswith("sentence-transformers")
    assert checks["torch"]["message"].startswith(f"torch {version('torch')}, a build for the CPU")
