"""What must hold of packs that were interrupted, damaged or cut off from power."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.index.packs.pack_directory import pack_files
from ggrep.index.packs.pack_image import Pack
from ggrep.search.engine.engine import Engine
from tests.fakes.packs import Stores, pack, question

ASKS = (
    question("retry queue"),
    question('"return retry" again', folds=False),
    question("queue", top=1, keep_weak=True),
)


class Lot:
    """Repositories that are asked at once, from packs and without.

    Args:
        engines: one over each; they are opened anew where a home is a copy.
        home: of all of them.
    """

    def __init__(self, engines: Sequence[Engine], home: Path) -> None:
        self.home = Home(home)
        self._stores = Stores(self.home, home.parent)
        self._stores.engines = {engine.identity.root.name: engine for engine in engines}
        self.plain = self._told()

    def answers_rightly(self) -> bool:
        return self._told(*OpenedPacks(self.home).packs()) == self.plain

    def packs_again(self) -> bool:
        """Pack everything; return whether that is all there is then, and right."""
        written = pack(self.home)
        lying = {path for path in self.home.packs.iterdir() if path.name != ".lock"}
        readable = len(OpenedPacks(self.home).packs()) == len(written) > 0
        return lying == set(written) == set(pack_files(self.home)) and readable

    def _told(self, *packs: Pack) -> list[bytes]:
        return [stable_json.dumps(to_builtins(self._stores.ask(ask, *packs))) for ask in ASKS]
