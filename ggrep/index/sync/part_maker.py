"""Makes parts of segments from the chunks of files; runs in worker processes or in the parent.

Each word is split into terms only once, because postings and the static encoder use the same terms.
The vocabulary is kept between parts.
"""

from array import array
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.encoder import Vectors
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.features import MAX_WORDS
from ggrep.index.embedding.identity import STATIC, STATIC_FOLDER
from ggrep.index.embedding.quantise import quantise
from ggrep.index.embedding.static_encoder import StaticEncoder
from ggrep.index.lexical.layout import BODY, CRUMB
from ggrep.index.lexical.postings_builder import Vocabulary
from ggrep.index.store.rows import ChunkRow
from ggrep.index.store.table_columns import pack_rows
from ggrep.index.sync.image_builder import ImageBuilder
from ggrep.index.sync.segment_builder import FileRows, Part

_MOST_WORDS: Final = 200_000
"""Number of words, about 40 MB, above which the vocabulary is emptied before the next part."""


class PartMaker:
    """Makes any number of parts. Not thread-safe."""

    def __init__(self, encoder: str) -> None:
        """Open the encoder; parts have vectors only if the encoder is static and intact."""
        self._encoder: StaticEncoder | None = None
        if encoder == STATIC or encoder.startswith(STATIC_FOLDER):
            with suppress(InvalidRequest):  # the parent reports the error
                opened = open_encoder(encoder)
                self._encoder = opened if isinstance(opened, StaticEncoder) else None
        self._begin_vocabulary()

    def make(self, files: Sequence[FileRows]) -> Part:
        """Return the part of a segment with these files, in their order."""
        image = ImageBuilder(vocabulary=self._vocabulary)
        rows: list[ChunkRow] = []
        for file in files:
            traits = file.rows[0].traits
            image.add_file(file.path_key, file.file_hash, file.size_bytes, file.language, traits)
            image.add_rows(file.rows)
            rows += file.rows
        made = self._made(image, rows)
        if len(self._vocabulary.word_ids) > _MOST_WORDS:
            self._begin_vocabulary()
        return made

    def _made(self, image: ImageBuilder, rows: Sequence[ChunkRow]) -> Part:
        if self._encoder is None:
            return Part(image.part(), pack_rows(rows))
        vectors, scales = quantise(self._encode(self._encoder, image, len(rows)))
        digest = self._encoder.identity.digest
        return Part(image.part(), pack_rows(rows), digest, vectors.tobytes(), scales.tobytes())

    def _begin_vocabulary(self) -> None:
        self._vocabulary = Vocabulary()
        self._features = array("i")

    def _encode(self, encoder: StaticEncoder, image: ImageBuilder, rows: int) -> Vectors:
        """Return the vectors of all rows, from each row's breadcrumb, text and extra words."""
        pairs = image.words_of(CRUMB), image.words_of(BODY)
        words, owners = (np.concatenate(both) for both in zip(*pairs, strict=True))
        sizes = np.bincount(owners, minlength=rows)
        if sizes.max(initial=0) > MAX_WORDS:
            order = np.argsort(owners, kind="stable")
            words, owners = words[order], owners[order]
            places = np.arange(len(owners)) - (np.cumsum(sizes) - sizes)[owners]
            words, owners = words[places < MAX_WORDS], owners[places < MAX_WORDS]
        vocabulary, features = self._vocabulary, self._features
        features.extend(map(encoder.row_of, vocabulary.terms_in_order[len(features) :]))
        terms, owners = vocabulary.expand(words, owners)
        vector_rows = np.array(features, dtype=np.int32)[terms]
        known = vector_rows >= 0
        return encoder.encode_terms(rows, owners[known], vector_rows[known])
