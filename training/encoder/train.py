"""The step from pairs to a model on disk, with a card that says how it came about."""

import hashlib
import platform
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import scipy

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import UsageError
from ggrep.base.stable_json import Json
from training.encoder.bags import PackageBags, bagged, pairs_of, vocabulary_of
from training.encoder.model_file import write_model
from training.encoder.training import Point, Recipe, Trained, train

REVISION = "1"
"""Of the shipped model; another one is another encoder to every index."""


def train_model(
    folder: Path,
    model: Path,
    jobs: int,
    tell: Callable[[str], None],
    recipe: Recipe | None = None,
) -> str:
    """Train on the pairs in `folder/pairs`, write the model and return its digest.

    Args:
        folder: as the steps before left it.
        model: where it is written to.
        jobs: processes that split texts.
        tell: takes a line about what is known so far.
        recipe: the usual one unless given.

    Raises:
        UsageError: there are no pairs, or too few to learn from, or a line is none.
    """
    recipe, clock = recipe or Recipe(), SystemClock()
    packages = bagged(folder / "pairs", jobs)
    if not any(package.pairs for package in packages):
        raise UsageError(f"{folder / 'pairs'}: no pairs")
    vocabulary = vocabulary_of(packages, recipe.vocabulary)
    if not vocabulary.words:
        raise UsageError(f"{folder / 'pairs'}: no word that several packages share")
    pairs = pairs_of(packages, vocabulary)
    tell(f"{len(pairs)} pairs of {len(packages)} packages, {len(vocabulary.words)} features")

    def told(point: Point) -> None:
        tell(f"epoch {point.epoch}: loss {point.loss}, MRR@10 {point.reciprocal_rank}")

    found = train(pairs, vocabulary, recipe, _seconds(clock), told)
    card = card_of(recipe, found, packages, _digest_of(folder / "pairs"))
    learnt = found.learnt
    return write_model(
        model,
        vocabulary.words,
        learnt.rows,
        np.exp(learnt.documents).astype(np.float64),
        np.exp(learnt.queries).astype(np.float64),
        card,
    )


def card_of(
    recipe: Recipe, found: Trained, packages: Sequence[PackageBags], pairs: str
) -> dict[str, Json]:
    """Return what the model's card says besides its figures.

    Args:
        recipe: it was trained by.
        found: what came of it.
        packages: it was trained with.
        pairs: digest of their files.
    """
    kinds = Counter(pair.kind for package in packages for pair in package.pairs)
    languages = Counter(pair.language for package in packages for pair in package.pairs)
    return {
        "revision": REVISION,
        "recipe": recipe.to_json(),
        "curve": [
            {
                "epoch": point.epoch,
                "seconds": point.seconds,
                "loss": point.loss,
                "mrr10": point.reciprocal_rank,
            }
            for point in found.curve
        ],
        "pairs": {
            "sha256": pairs,
            "total": sum(kinds.values()),
            "packages": len(packages),
            "kinds": dict(sorted(kinds.items())),
            "languages": dict(sorted(languages.items())),
        },
        "kept_back": list(found.judges),
        "made_with": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
    }


def _digest_of(folder: Path) -> str:
    """Return the SHA-256 over names and contents of the files with pairs."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.jsonl")):
        digest.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _seconds(clock: Clock) -> Callable[[], float]:
    return lambda: clock.monotonic_ms() / 1000.0
