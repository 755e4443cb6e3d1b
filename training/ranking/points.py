"""What is fitted: some of the weights, the values they may take, and where a fit begins."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.weights import DEFAULT_WEIGHTS, FUSION, Fusion, Weights, weights_for

NONE: Final = "none"
Grid = Mapping[str, tuple[float, ...]]
"""The values that a fit tries, by the name of the figure; figures are tried in this order."""


class Point(Struct, frozen=True):
    """The fitted figures; as they stand here, round ones that nothing was fitted to.

    Attributes:
        text: as in `Weights`; `path`, `stem` and `symbol` likewise.
        row: as in `Fusion`; `near` is its `file`, and `floor` its own.
        name_symbol: `symbol` where the query is one name; `name_stem` and `name_dense` likewise.
    """

    text: float = 0.5
    path: float = 1.0
    stem: float = 0.25
    symbol: float = 1.0
    row: float = 0.2
    near: float = 0.5
    floor: float = 0.2
    name_symbol: float = 2.0
    name_stem: float = 0.25
    name_dense: float = 1.0

    @property
    def fusion(self) -> Fusion:
        """Return how cosines are blended in."""
        return Fusion(self.row, self.near, self.floor)

    def weights(self, kind: QueryKind) -> Weights:
        """Return the weights of one kind of query; those that are not fitted are the usual ones."""
        base = replace(
            DEFAULT_WEIGHTS, text=self.text, path=self.path, stem=self.stem, symbol=self.symbol
        )
        own = weights_for(kind, base)
        if kind is not QueryKind.SYMBOL:
            return own
        return replace(own, symbol=self.name_symbol, stem=self.name_stem, dense=self.name_dense)


OF_ENCODER: Final = ("row", "near", "floor", "name_dense")
"""Figures that say nothing without an encoder."""

OF_ALL: Final[Grid] = {
    "near": (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
    "floor": (0.0, 0.1, 0.2, 0.3, 0.4),
    "row": (0.0, 0.1, 0.2, 0.3),
    "text": (0.2, 0.35, 0.5, 0.75),
    "path": (0.5, 0.75, 1.0, 1.25),
    "stem": (0.1, 0.25, 0.4),
    "symbol": (0.5, 0.75, 1.0, 1.25),
}
"""Fitted to all questions. `file` stays, since a ranking knows shares only: it sets the scale.

The encoder's figures come first: they matter most, and once others have adapted to the neutral
ones, the step that is due to them loses on too many repositories. With words first, 0.007 less of
NDCG@10 was reached held out.
"""

OF_NAMES: Final[Grid] = {
    "name_symbol": (1.0, 2.0, 3.0),
    "name_stem": (0.25, 0.5, 1.0, 1.5),
    "name_dense": (0.0, 0.5, 1.0),
}
"""Fitted to the questions that are one name."""


def grid_for(encoder: str, grid: Grid) -> Grid:
    """Return the part of a grid that an encoder of that name leaves to choose."""
    return {k: v for k, v in grid.items() if encoder != NONE or k not in OF_ENCODER}


def neutral(encoder: str) -> Point:
    """Return where a fit begins."""
    return Point() if encoder != NONE else Point(row=0.0, near=0.0, floor=0.0)


def in_force(encoder: str) -> Point:
    """Return what the ranking uses with an encoder of that name."""
    names = weights_for(QueryKind.SYMBOL, DEFAULT_WEIGHTS)
    fusion = FUSION[encoder]
    return Point(
        text=DEFAULT_WEIGHTS.text,
        path=DEFAULT_WEIGHTS.path,
        stem=DEFAULT_WEIGHTS.stem,
        symbol=DEFAULT_WEIGHTS.symbol,
        row=fusion.row,
        near=fusion.file,
        floor=fusion.floor,
        name_symbol=names.symbol,
        name_stem=names.stem,
        name_dense=names.dense,
    )


def extremes(encoder: str) -> tuple[Point, ...]:
    """Return the neutral point, and it with each figure at its least and at its greatest."""
    start = neutral(encoder)
    grid = grid_for(encoder, {**OF_ALL, **OF_NAMES})
    ends = ((name, end) for name, values in grid.items() for end in (min(values), max(values)))
    return (start, *(replace(start, **{name: end}) for name, end in ends))
