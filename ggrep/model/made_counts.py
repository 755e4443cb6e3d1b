"""Counts of generated files, as status and health show them."""

from msgspec import Struct


class MadeFiles(Struct, frozen=True):
    """How many visible files no person wrote.

    Attributes:
        shortened: those of the minified and the data files whose beginning alone is indexed.
    """

    generated: int = 0
    minified: int = 0
    data: int = 0
    shortened: int = 0

    def told(self) -> str:
        """Return it as one line; empty where there are none."""
        kinds = (
            (self.generated, "generated"),
            (self.minified, "minified"),
            (self.data, "data file" if self.data == 1 else "data files"),
        )
        parts = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
        return f"{parts}; ranked below hand-written files" if parts else ""
