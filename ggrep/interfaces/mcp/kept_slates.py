"""Slates of this server by a handle, for whoever is to read one that another asked for."""

import hashlib
from collections import OrderedDict
from typing import Final

from ggrep.base import stable_json
from ggrep.base.stable_json import Document
from ggrep.interfaces.mcp.resources import SLATE_BEGINNING
from ggrep.render.agent_text import agent_text

_DIGITS: Final = 12
MOST: Final = 64
MOST_BYTES: Final = 4 << 20


class KeptSlates:
    """Keeps the texts of the latest slates; equal slates have one handle."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0

    def keep(self, document: Document) -> str:
        """Return the address of a slate, whose text is kept; the oldest are let go."""
        slate: Document = document["slate"]  # type: ignore[assignment] # by its schema
        digest = hashlib.sha256(stable_json.dumps(slate)).hexdigest()
        handle, text = digest[:_DIGITS], agent_text(document)
        self._let_go(handle)
        self._texts[handle] = text
        self._bytes += len(text.encode())
        while len(self._texts) > 1 and (len(self._texts) > MOST or self._bytes > MOST_BYTES):
            self._let_go(next(iter(self._texts)))
        return SLATE_BEGINNING + handle

    def text(self, uri: str) -> str | None:
        """Return the text at an address; None where it is not kept (any more)."""
        return self._texts.get(uri.removeprefix(SLATE_BEGINNING))

    def _let_go(self, handle: str) -> None:
        self._bytes -= len(self._texts.pop(handle, "").encode())
