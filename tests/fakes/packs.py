"""Repositories whose segments are packed, and questions to all of them at once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ggrep.base.clock import Deadline
from ggrep.base.identifiers import IdSource
from ggrep.base.ids import StoreId
from ggrep.base.locks import Patience
from ggrep.config.home import Home
from ggrep.index.packs.pack_directory import Unpacked, make_packs
from ggrep.index.packs.pack_image import Pack
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.view import SnapshotView
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.joint_pools import joint_pools
from ggrep.search.query.joint_view import JointView, join
from tests.fakes.repos import AheadClock, open_engine, write_tree

CLOCK = AheadClock()
NEVER = Deadline.never(CLOCK)

GUIDE = "# Retries\n\nHow a request is retried after a timeout.\n"
TREES: Mapping[str, Mapping[str, str]] = {
    "cart": {
        "src/cart.py": "def add_item(cart, item):\n    return retry(cart.append, item)\n",
        "src/retry.py": "def retry(call, *args):\n    '''Retry a call after a timeout.'''\n",
        "docs/guide.md": GUIDE,
    },
    "mail": {
        "mail/send.go": "package mail\n\nfunc Send(to string) error {\n\treturn retry(to)\n}\n",
        "docs/guide.md": GUIDE,
        "empty.txt": "",
    },
    "site": {"index.js": "export function render(page) {\n  return page.title;\n}\n"},
}


def unpacked_segments(home: Home) -> list[Unpacked]:
    """Return the segments of all active snapshots of a home, by store."""
    results = []
    for store in sorted(home.data.iterdir()):
        active = read_active(store)
        if active is not None:
            results += [
                Unpacked(StoreId(store.name), ref.table, ref.image.sha256)
                for ref in read_manifest(store, active).segments
            ]
    return results


def pack(home: Home, segments: list[Unpacked] | None = None) -> list[Path]:
    patience = Patience(Deadline.after(CLOCK, 60_000), lambda _: None)
    return make_packs(home, segments or unpacked_segments(home), IdSource(CLOCK), patience)


class Stores:
    """Repositories of one home."""

    def __init__(self, home: Home, base: Path) -> None:
        self.home = home
        self.base = base
        self.engines: dict[str, Engine] = {}

    @contextmanager
    def cheap_parsing(self) -> Iterator[None]:
        """Parse in this process for the length of the block."""
        yield

    def write(self, name: str, files: Mapping[str, str | bytes | None]) -> None:
        """Write files of a repository and index it."""
        root = self.base / name
        write_tree(root, files)
        if name not in self.engines:
            self.engines[name] = open_engine(root, self.home.base, clock=CLOCK)
        self.engines[name].sync()

    def views(self) -> list[SnapshotView]:
        """Return the active snapshot of each, by name."""
        return [self.engines[name].view() for name in sorted(self.engines)]

    def joint(self, *packs: Pack) -> JointView:
        """Return all of them as one view."""
        return join(self.views(), packs)

    def ask(self, question: BatchedQuery, *packs: Pack) -> BatchedPoolResponse:
        """Return what they give to a question."""
        first = next(iter(self.engines.values()))
        return joint_pools(
            self.joint(*packs),
            question,
            encoder=first.encoder,
            settings=first.settings,
            deadline=NEVER,
        )

    def close(self) -> None:
        for engine in self.engines.values():
            engine.close()


@contextmanager
def some_stores(base: Path) -> Iterator[Stores]:
    made = Stores(Home(base / "home"), base)
    with made.cheap_parsing():
        for name, files in TREES.items():
            made.write(name, files)
        yield made
    made.close()


def question(query: str, top: int = 10, **fields: object) -> BatchedQuery:
    ours = {name: fields.pop(name) for name in ("folds", "per_list") if name in fields}
    values = {"per_list": 50, "folds": True} | ours
    search = SearchRequest(query, **fields)  # type: ignore[arg-type]  # named by each caller
    return BatchedQuery(search=search, top=top, **values)  # type: ignore[arg-type]  # likewise
