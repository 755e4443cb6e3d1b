"""Nothing is encoded twice in one home, and no answer tells."""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.embedding.quantise import quantise
from ggrep.index.sync.segment_builder import VectorSource
from ggrep.model.request import SearchRequest
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import answer_bytes, open_engine, write_tree
from tests.fakes.vectors import CountingEncoder, open_cache

TREE: Mapping[str, str | bytes | None] = {
    "lease.py": '"""The lease."""\n\n\ndef acquire(path):\n    return path\n',
    "docs/store.md": "# Store\n\nSnapshots are immutable.\n\n# Lease\n\nOne writer.\n",
    "publish.py": "def publish(snapshot):\n    swap(snapshot)\n",
}
BRANCH: Mapping[str, str | bytes | None] = {
    "lease.py": "def acquire(path, patience):\n    return wait(path, patience)\n",
    "docs/store.md": None,
    "docs/reader.md": "# Reader\n\nPins a snapshot.\n",
}


def sync(root: Path, home: Path, **flags: object) -> tuple[Engine, SyncReport, list[str]]:
    """Return the engine, what the sync reported, and the texts it had encoded."""
    engine = open_engine(root, home, **flags)
    encoder = CountingEncoder()
    engine._loaded = (encoder,)
    return engine, engine.sync(), encoder.texts


@pytest.mark.slow
def test_a_branch_switch_and_back_encodes_each_text_once(root: Path, home: Path) -> None:
    """People switch branches all day."""
    write_tree(root, TREE)
    _, first, texts = sync(root, home)
    write_tree(root, BRANCH)
    _, there, more = sync(root, home)
    write_tree(root, {**dict.fromkeys(BRANCH), **TREE})
    _, back, none = sync(root, home)

    assert first.vectors_encoded == len(texts) == len(set(texts)) > 4
    assert first.vectors_reused == 0
    assert there.vectors_encoded == len(more) > 0
    assert none == []
    assert (back.files.indexed, back.vectors_encoded) == (2, 0)
    assert back.vectors_reused > 0


def test_a_copy_of_a_repository_encodes_nothing(root: Path, home: Path) -> None:
    """A linked worktree or a clone is another store over the same texts."""
    write_tree(root, TREE)
    _, first, _ = sync(root, home)
    twin = root.with_name("worktree")
    shutil.copytree(root, twin)
    _, second, texts = sync(twin, home)

    assert texts == []
    assert second.vectors_reused == second.chunks == first.chunks


def test_a_moved_file_encodes_its_header_alone(root: Path, home: Path) -> None:
    """The header chunk says where the file stands, all others only what it holds."""
    long = "\n\n".join(f"def step_{n}(value):\n" + "    value += 1\n" * 40 for n in range(8))
    write_tree(root, {"old.py": long})
    sync(root, home)
    (root / "old.py").rename(root / "new.py")
    _, there, texts = sync(root, home)
    (root / "new.py").rename(root / "old.py")
    _, _, none = sync(root, home)

    assert (there.files.indexed, there.files.deleted) == (1, 1)
    assert ["new.py" in text for text in texts] == [True]
    assert there.vectors_reused == there.chunks - 1 > 5
    assert none == []


@pytest.mark.slow
def test_answers_are_the_same_with_a_cache_and_without(root: Path, home: Path) -> None:
    """A cached vector is the computed one, bit for bit."""
    write_tree(root, TREE)
    sync(root, home)
    write_tree(root, BRANCH)
    sync(root, home)
    shutil.rmtree(home / "data")
    reusing, report, _ = sync(root, home)
    request = SearchRequest("acquire lease", deterministic=True)
    reused = answer_bytes(reusing, request)
    shutil.rmtree(home)
    fresh, other, _ = sync(root, home)

    assert (report.vectors_encoded, other.vectors_reused) == (0, 0)
    assert answer_bytes(fresh, request) == reused


def test_without_an_encoder_no_cache_is_opened(root: Path, home: Path) -> None:
    """There is nothing to keep."""
    write_tree(root, TREE)
    report = open_engine(root, home, encoder="none").sync()

    assert (report.vectors_encoded, report.vectors_reused) == (0, 0)
    assert not (home / "cache").exists()


def test_a_cache_that_cannot_be_had_costs_only_time(root: Path, home: Path) -> None:
    """A file where the directory should be, say."""
    write_tree(root, TREE)
    home.mkdir(mode=0o700)
    (home / "cache").write_bytes(b"")
    _, report, texts = sync(root, home)

    assert report.published
    assert len(texts) == report.chunks


@pytest.mark.slow
def test_encoders_share_no_vector(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of two encoders cannot be compared."""

    class Louder(HashedEncoder):
        identity = HashedEncoder.identity.__class__("louder", "1", "", 256)

    write_tree(root, TREE)
    sync(root, home)
    monkeypatch.setattr("ggrep.index.repo_identity.identity_of", lambda _: Louder.identity)
    monkeypatch.setattr("ggrep.search.engine.repo_index.open_encoder", lambda _: Louder())
    report = open_engine(root, home).sync()

    assert report.vectors_reused == 0
    assert len(list((home / "cache" / "vectors").glob("*.sqlite3"))) == 2


WORDS = st.lists(st.sampled_from(["parse", "lease", "publish", "vector", ""]), max_size=4)
TEXTS = st.lists(WORDS.map(" ".join), max_size=12)


def hashes_of(texts: list[str]) -> list[bytes]:
    return [hashlib.sha256(text.encode()).digest() for text in texts]


@pytest.mark.slow
@given(batches=st.lists(TEXTS, max_size=4))
def test_a_vector_is_the_same_from_wherever_it_comes(batches: list[list[str]]) -> None:
    """Equal texts in one batch and no cache: each row is what the encoder would have given."""
    source = VectorSource(HashedEncoder(), None)

    for texts in batches:
        vectors, scales = source.vectors_of(hashes_of(texts), texts)
        right, right_scales = quantise(HashedEncoder().encode_documents(texts))
        assert vectors.dtype == np.int8
        assert vectors.tobytes() == right.tobytes()
        assert scales.tobytes() == right_scales.tobytes()


def test_only_what_is_new_is_encoded(tmp_path: Path) -> None:
    """Once for each text, in this batch, a later one or a later process."""
    encoder = CountingEncoder()
    first, second = ["a b", "c", "a b"], ["c", "d", "", "a b", ""]
    with open_cache(tmp_path / "vectors", dimension=256) as cache:
        source = VectorSource(encoder, cache)
        source.vectors_of(hashes_of(first), first)
    with open_cache(tmp_path / "vectors", dimension=256) as cache:
        later = VectorSource(encoder, cache)
        vectors, scales = later.vectors_of(hashes_of(second), second)
    right, right_scales = quantise(HashedEncoder().encode_documents(second))

    assert encoder.texts == ["a b", "c", "d", ""]
    assert (source.encoded, source.reused) == (2, 1)
    assert (later.encoded, later.reused) == (2, 3)
    assert vectors.tobytes() == right.tobytes()
    assert scales.tobytes() == right_scales.tobytes()
