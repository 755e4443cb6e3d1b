"""Builds the arrays of a segment's image from rows, new or read from a table.

New rows and read rows pass through the same code, so an image rebuilt from its table has equal
bytes.
"""

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.ids import PathKey
from ggrep.index.embedding.quantise import Int8
from ggrep.index.lexical.layout import (
    BODY,
    CHUNK_FIELDS,
    CRUMB,
    DOC,
    FILE_FIELDS,
    NAME,
    PATH,
    SCORED_FIELDS,
    SPELLED,
    STEM,
    SYMBOL,
)
from ggrep.index.lexical.possible_definitions import (
    ANY_WORD,
    definition_keys,
    possible_definitions,
)
from ggrep.index.lexical.postings_builder import PostingsBuilder, PostingsPart, Vocabulary
from ggrep.index.lexical.tokens import spelled_names, symbol_names, words
from ggrep.index.store.image import Array
from ggrep.index.store.row_texts import TextsBuilder, TextsPart
from ggrep.index.store.rows import ChunkRow
from ggrep.index.store.segment_image import FILE_POSTINGS, ROW_POSTINGS
from ggrep.model.corpus import CORPORA
from ggrep.model.files import ANCHOR, Chunk, traits_of
from ggrep.parse.languages.registry import GRAMMARS

_CORPUS_PLACE = {corpus: place for place, corpus in enumerate(CORPORA)}


class ImagePart(Struct, frozen=True, array_like=True):
    """The part of an image for some consecutive files, without vectors, numbered from 0.

    Attributes:
        numbers: numeric columns by name, each as bytes of u64.
        hashes: the concatenated digests of the files.
        ids: the concatenated ids of the rows.
        types: names of the chunk types; a type's number is its index.
        languages: names of the languages; a language's number is its index.
        definition_keys: keys of the names that files possibly define, as bytes of u64.
    """

    numbers: dict[str, bytes]
    paths: list[bytes]
    hashes: bytes
    ids: bytes
    types: list[str]
    languages: list[str]
    definition_keys: bytes
    row_postings: PostingsPart
    file_postings: PostingsPart
    texts: TextsPart


class ImageBuilder:
    """Accepts files in order; stores postings, numbers and compressed texts."""

    def __init__(self, dimension: int = 0, vocabulary: Vocabulary | None = None) -> None:
        """Start without files.

        Args:
            dimension: length of the vectors; 0 in a store without an encoder.
            vocabulary: the vocabulary of a process that builds parts; None to build a whole image.
        """
        self._dimension = dimension
        self._row_postings = PostingsBuilder(CHUNK_FIELDS, vocabulary)
        self._file_postings = PostingsBuilder(FILE_FIELDS, vocabulary)
        self._texts = TextsBuilder(of_part=vocabulary is not None)
        self._numbers = {name: array("Q") for name in _COLUMNS}
        self._paths: list[bytes] = []
        self._hashes: list[bytes] = []
        self._ids: list[bytes] = []
        self._types: dict[str, int] = {}
        self._languages: dict[str, int] = {}
        self._language = ""
        self._definition_keys = array("Q")
        self._vectors: list[Int8] = []
        self._scales: list[npt.NDArray[np.float64]] = []
        self._row = 0

    @property
    def files(self) -> int:
        """Return the number of files added so far."""
        return len(self._paths)

    @property
    def meta(self) -> dict[str, stable_json.Json]:
        """Return the metadata stored with the arrays."""
        return {"types": list(self._types), "languages": list(self._languages)}

    def add_file(
        self, path: PathKey, file_hash: bytes, size_bytes: int, language: str, traits: int
    ) -> None:
        """Add a file after the previous files of the segment."""
        number = len(self._paths)
        directories, _, name = path.rpartition("/")
        stem = name.lstrip(".").split(".", 1)[0] or name
        self._file_postings.add(number, PATH, words(f"{directories} {name}"))
        self._file_postings.add(number, STEM, words(stem))
        self._texts.begin_file()
        self._paths.append(path.encode())
        self._hashes.append(file_hash)
        self._language = language
        numbers = self._numbers
        numbers["file_sizes"].append(size_bytes)
        numbers["file_rows"].append(self._row)
        numbers["file_traits"].append(traits_of(path) | traits)
        numbers["file_languages"].append(self._languages.setdefault(language, len(self._languages)))

    def add_rows(self, rows: Sequence[ChunkRow]) -> None:
        """Add the rows of the file that was added last."""
        self._texts.add(rows)
        chunks = [row.chunk for row in rows]
        for number, chunk in enumerate(chunks, start=self._row):
            self._add_words(number, chunk)
        if self._language in GRAMMARS and any(row.method == "lines" for row in rows):
            self._definition_keys.extend(definition_keys((ANY_WORD,), len(self._paths) - 1))
        numbers, types = self._numbers, self._types
        numbers["row_files"].extend([len(self._paths) - 1] * len(rows))
        numbers["row_starts"].extend([chunk.start_line for chunk in chunks])
        numbers["row_ends"].extend([chunk.end_line for chunk in chunks])
        numbers["row_corpora"].extend([_CORPUS_PLACE[chunk.corpus] for chunk in chunks])
        numbers["row_types"].extend([types.setdefault(c.chunk_type, len(types)) for c in chunks])
        numbers["row_anchors"].extend([chunk.kind == ANCHOR for chunk in chunks])
        self._ids += [bytes.fromhex(row.row_id) for row in rows]
        self._row += len(rows)

    def _add_words(self, number: int, chunk: Chunk) -> None:
        """Record the words of one row's fields; empty fields have no words."""
        postings = self._row_postings
        postings.add(number, BODY, words(f"{chunk.text}\n{chunk.extra}"))
        defined = possible_definitions(chunk.text, self._language)
        if chunk.names:
            postings.add(number, NAME, words(" ".join(chunk.names)))
            known = (chunk.name, chunk.qualified_name, chunk.names)
            symbols = symbol_names(*known)
            defined.difference_update(symbols)
            postings.add_terms(number, SYMBOL, symbols)
            postings.add_terms(number, SPELLED, spelled_names(*known))
        if chunk.breadcrumb:
            postings.add(number, CRUMB, words(" ".join(chunk.breadcrumb)))
        if chunk.doc:
            postings.add(number, DOC, words(chunk.doc))
        self._definition_keys.extend(definition_keys(defined, len(self._paths) - 1))

    def words_of(self, field: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the numbers of the words in a field of a part's rows, and the row of each word."""
        return self._row_postings.words_of(field)

    def part(self) -> ImagePart:
        """Return the added files as a part of an image; the builder cannot be used again."""
        return ImagePart(
            numbers={name: values.tobytes() for name, values in self._numbers.items()},
            paths=self._paths,
            hashes=b"".join(self._hashes),
            ids=b"".join(self._ids),
            types=list(self._types),
            languages=list(self._languages),
            definition_keys=self._definition_keys.tobytes(),
            row_postings=self._row_postings.part(),
            file_postings=self._file_postings.part(),
            texts=self._texts.part(),
        )

    def add_part(self, part: ImagePart) -> None:
        """Add the files of a part after the previous files."""
        files = len(self._paths)
        types, languages = self._types, self._languages
        moved: dict[str, int | list[int]] = {
            "file_rows": self._row,
            "row_files": files,
            "row_types": [types.setdefault(name, len(types)) for name in part.types],
            "file_languages": [languages.setdefault(n, len(languages)) for n in part.languages],
        }
        for name, values in part.numbers.items():
            numbers, by = np.frombuffer(values, dtype=np.uint64), moved.get(name, 0)
            if isinstance(by, int):
                numbers = numbers + np.uint64(by)
            else:
                numbers = np.array(by, dtype=np.uint64)[numbers.astype(np.intp)]
            self._numbers[name].frombytes(numbers.tobytes())
        keys = np.frombuffer(part.definition_keys, dtype=np.uint64) + np.uint64(files)
        self._definition_keys.frombytes(keys.tobytes())
        self._row_postings.add_part(part.row_postings, self._row)
        self._file_postings.add_part(part.file_postings, files)
        self._texts.add_part(part.texts)
        self._paths += part.paths
        self._hashes.append(part.hashes)
        self._ids.append(part.ids)
        self._row += len(part.texts.details)

    def add_vectors(self, vectors: Int8, scales: npt.NDArray[np.float64]) -> None:
        """Add the vectors of any number of rows, in the rows' order."""
        self._vectors.append(vectors)
        self._scales.append(scales)

    def finish(self) -> dict[str, Array]:
        """Return the arrays; the builder cannot be used again."""
        arrays = self._arrays()
        arrays |= self._texts.finish()
        arrays |= self._row_postings.build(ROW_POSTINGS)
        arrays |= self._file_postings.build(FILE_POSTINGS)
        if self._dimension:
            none = np.zeros((0, self._dimension), np.int8)
            arrays["vectors"] = np.concatenate([*self._vectors, none])
            arrays["scales"] = np.concatenate([*self._scales, np.zeros(0, np.float64)])
        return arrays

    def _arrays(self) -> dict[str, Array]:
        self._numbers["file_rows"].append(self._row)
        arrays: dict[str, Array] = {
            name: np.frombuffer(self._numbers[name], dtype=np.uint64).astype(dtype)
            if self._numbers[name]
            else np.zeros(0, dtype)
            for name, dtype in _COLUMNS.items()
        }
        offsets = np.zeros(len(self._paths) + 1, np.uint32)
        np.cumsum([len(path) for path in self._paths], out=offsets[1:])
        order = sorted(range(len(self._paths)), key=self._paths.__getitem__)
        arrays["file_order"] = np.array(order, dtype=np.uint32)
        arrays["file_paths"] = np.frombuffer(b"".join(self._paths), np.uint8)
        arrays["file_path_offsets"] = offsets
        arrays["file_hashes"] = _digests(self._hashes)
        arrays["row_ids"] = _digests(self._ids)
        keys = np.frombuffer(self._definition_keys or array("Q"), dtype=np.uint64)
        arrays["definition_keys"] = np.unique(keys)
        for field in range(SCORED_FIELDS):
            arrays[f"row_lengths{field}"] = self._row_postings.lengths(field, self._row)
        for field in range(FILE_FIELDS):
            arrays[f"file_lengths{field}"] = self._file_postings.lengths(field, self.files)
        return arrays


_COLUMNS: dict[str, type[np.unsignedinteger]] = {
    "file_sizes": np.uint64,
    "file_rows": np.uint32,
    "file_traits": np.uint16,
    "file_languages": np.uint16,
    "row_files": np.uint32,
    "row_starts": np.uint32,
    "row_ends": np.uint32,
    "row_corpora": np.uint8,
    "row_types": np.uint8,
    "row_anchors": np.uint8,
}


def _digests(values: Sequence[bytes]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(-1, 32)
