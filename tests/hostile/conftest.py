"""What the hostile suite shares: a root beside a directory that nothing may come from."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.trees import CANARY, NEEDLE, plant_outside
from tests.journeys.conftest import ggrep

__all__ = ["ggrep"]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a directory full of what must not be read; its own name is such a thing."""
    path = tmp_path.resolve() / f"outside_{CANARY}"
    plant_outside(path)
    return path


@pytest.fixture
def hostile_root(root: Path, outside: Path) -> Iterator[Path]:
    """Return a root with one honest file, and remove it however deep it became."""
    (root / "honest.py").write_text(f"def {NEEDLE}():\n    return 1\n")
    yield root
    subprocess.run(["rm", "-rf", str(root)], check=True)
