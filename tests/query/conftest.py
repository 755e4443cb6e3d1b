"""A small repository, kept through edits, with an engine over it."""

import pytest

from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine, write_tree

FILES = {
    "src/cache.py": "class Cache:\n    def load(self, key):\n        return retry(key)\n",
    "src/queue.py": "def retry(item):\n    return item\n\n\ndef drain(queue):\n    retry(queue)\n",
    "src/main.go": "package main\n\n// Waits.\nfunc Retry(queue int) int {\n\treturn queue\n}\n",
    "tests/test_queue.py": "def test_retry():\n    assert retry(1) == 1\n",
    "docs/guide.md": "# Retry\n\nHow the queue is drained.\n\n# Cache\n\nLoads keys.\n",
    "conf/app.json": '{"retry": 3, "queue": "main"}\n',
    "flow.mmd": "flowchart TD\n  queue --> retry\n",
    "docs/keep.md": "# Kept\n\nCache of old.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine whose store has several segments and dead rows."""
    base = tmp_path_factory.mktemp("query").resolve()
    root = base / "repo"
    root.mkdir()
    opened = open_engine(root, base / "home")
    write_tree(root, dict.fromkeys(FILES, "def retry_old(queue):\n    pass\n"))
    write_tree(root, {"gone.py": "def retry(queue):\n    cache = 1\n"})
    write_tree(root, {"docs/keep.md": FILES["docs/keep.md"]})
    opened.sync()
    names = list(FILES)[:-1]
    for group in (names[:3], names[3:5], names[5:]):
        write_tree(root, {name: FILES[name] for name in group} | {"gone.py": None})
        opened.sync()
    assert len(opened.view().segments) == 4
    return opened
