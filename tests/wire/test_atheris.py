"""Coverage-guided bytes find no way to crash, hang or bloat the wire."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = os.environ.get("GGREP_TEST_FUZZ_SECONDS", "60")


@pytest.mark.deep
@pytest.mark.timeout(2 * int(SECONDS) + 120)
def test_coverage_guided_bytes_find_nothing(tmp_path: Path) -> None:
    """LibFuzzer ends with another status for a crash, a second of one input, or 512 MB."""
    pytest.importorskip("atheris")
    target = Path(__file__).with_name("atheris_target.py")
    source = Path(__file__).parents[2]

    done = subprocess.run(
        [sys.executable, str(target), f"-max_total_time={SECONDS}", "-max_len=4096"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )

    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:]
