"""Checkouts of one repository, each with a home of its own, around one remote."""

import itertools
import time
from collections.abc import Mapping
from pathlib import Path

from ggrep.config.remotes import Remote
from ggrep.index.remote.objects import Objects, open_objects
from ggrep.index.remote.pull import PullReport
from ggrep.model.maintenance import PushReport
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.push_pull import pull_from, push_to
from tests.fakes.git import run_git
from tests.fakes.repos import open_engine, write_tree

NAMED = {".ggrep.toml": 'repo_key = "team/shop"\n'}
SHOP = {
    "src/pay.py": 'def settle_invoice(amount):\n    """Pay an invoice."""\n    return amount\n',
    "src/cart.py": "class Cart:\n    def total(self):\n        return 0\n",
    "docs/refunds.md": "# Refunds\n\nA refund undoes a payment.\n",
    **NAMED,
    "settings.json": '{"currency": "EUR"}\n',
}
_numbers = itertools.count()


def memory_remote() -> Remote:
    return Remote("origin", f"memory://bucket{next(_numbers)}")


def directory_remote(folder: Path) -> Remote:
    """Return a remote that is a directory."""
    (folder / "remote").mkdir(exist_ok=True)
    return Remote("origin", f"file://{folder}/remote")


def objects_of(remote: Remote) -> Objects:
    return open_objects(remote, time.sleep)


def commit(root: Path, files: Mapping[str, str | bytes | None], message: str = "change") -> str:
    """Write files and commit them; the directory becomes a repository with the first."""
    root.mkdir(parents=True, exist_ok=True)
    if not (root / ".git").exists():
        run_git(root, "init", "-q")
    write_tree(root, files)
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", message)
    return run_git(root, "rev-parse", "HEAD").strip()


def clone(origin: Path, goal: Path) -> Path:
    goal.parent.mkdir(parents=True, exist_ok=True)
    run_git(goal.parent, "clone", "-q", str(origin), str(goal))
    return goal


def engine_at(root: Path, home: Path, **flags: object) -> Engine:
    """Return an engine over a checkout."""
    return open_engine(root.resolve(), home, **flags)


def pushed(engine: Engine, remote: Remote, *, again: bool = False) -> PushReport:
    return push_to(engine, remote, again=again)


def pulled(engine: Engine, remote: Remote) -> PullReport:
    report = pull_from(engine, remote).report
    assert report is not None
    return report
