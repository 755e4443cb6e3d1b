"""Importing lancedb without its client for remote namespaces and its checks of itself."""

import subprocess
import sys
from pathlib import Path

import pytest

STORE = """
import sys
from pathlib import Path
from ggrep.index.store.lean_import import import_lancedb, leave_out_remote_client
{before}
leave_out_remote_client()
lancedb = import_lancedb()
table = lancedb.connect(sys.argv[1]).create_table("t", data=[{{"a": 1}}, {{"a": 2}}])
assert table.take_offsets([1]).to_arrow().to_pylist() == [{{"a": 2}}]
left_out = [sys.modules.get(name) for name in ("lance_namespace_urllib3_client", "overrides")]
print({{getattr(one, "__file__", None) is not None for one in left_out if one is not None}})
"""
REFUSING = """
import ggrep.index.store.lean_import as lean
def refuse(self, module):
    raise ImportError(module.__name__)
lean._Finder.exec_module = refuse
"""


@pytest.mark.slow
@pytest.mark.parametrize(("before", "whole"), [("", False), (REFUSING, True)])
def test_lancedb_works_without_what_is_left_out_or_gets_it(
    tmp_path: Path, before: str, whole: bool
) -> None:
    """A release that insists on it costs half a second, not the search."""
    code = STORE.format(before=before)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str({whole})
