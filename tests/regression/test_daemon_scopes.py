"""A search from a directory below the root once found nothing through a daemon.

The daemon joined the scope to an absolute path, while rows hold paths relative to the root; and
where it matched, a directory matched all others whose names begin alike.
"""

from pathlib import Path

from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Search
from tests.fakes.hosts import Served, served
from tests.fakes.repos import open_engine, write_tree

TREE = {
    "src/pay.py": "def settle_invoice():\n    return 'settled'\n",
    "src/deep/pay.py": "def settle_deeply():\n    return 'settled'\n",
    "src2/pay.py": "def settle_other():\n    return 'settled'\n",
    "src.py": "def settle_alone():\n    return 'settled'\n",
}


def found(host: Served, scope: str) -> list[str]:
    """Return the files found within a scope."""
    reply = host.ask(Search(SearchRequest("settled", scope=scope, per_file=1)))
    return sorted(hit["path"] for hit in reply.body["response"]["results"])


def test_a_directory_is_itself_and_no_other(root: Path, home: Path) -> None:
    """By any way to name it, as without a daemon."""
    write_tree(root, TREE)
    open_engine(root, home).sync()
    with served(root, home) as host:
        assert found(host, "src") == ["src/deep/pay.py", "src/pay.py"]
        assert found(host, "src/deep") == ["src/deep/pay.py"]
        assert found(host, "src/pay.py") == ["src/pay.py"]
        assert found(host, "src2") == ["src2/pay.py"]
        assert found(host, "sr") == []
        assert len(found(host, "")) == 4
