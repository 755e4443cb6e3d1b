"""Reads the files of a tree in the encodings that files of the tree declare.

Files that declare encodings are indexed like all other files, but are published with the last
portion, so that all visible files were read with the visible declarations.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

from ggrep.base.ids import PathKey
from ggrep.index.sync.stat_cache import Known, KnownFile
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import FileText, SkippedFile, SourceFile
from ggrep.parse.source.encoding_rules import EncodingRules, is_rules_file
from ggrep.parse.source.read import read_file


class Declarations:
    """Reads a tree's files; a file that declares encodings is read only once."""

    def __init__(self, target: SyncTarget, files: Collection[SourceFile]) -> None:
        self._target = target
        self._files = {file.path_key: file for file in files if is_rules_file(file.path_key)}
        self._texts: dict[PathKey, FileText | SkippedFile] = {}

    def read(self, file: SourceFile) -> FileText | SkippedFile:
        """Return the text of a file, or the reason why it is not indexed."""
        text = self._text(file.path_key)
        return self._read(file, self._codec) if text is None else text

    def are_those_of(self, live: Mapping[PathKey, str], known: Mapping[PathKey, Known]) -> bool:
        """Return whether the visible files declare the same encodings as this tree's files.

        Args:
            live: digests of the visible files, without files whose existence is unknown.
            known: the files in the stat cache, by path.
        """
        before = {key: digest for key, digest in live.items() if is_rules_file(key)}
        return before == {
            key: digest for key in self._files if (digest := self._digest(key, known))
        }

    def _text(self, key: PathKey) -> FileText | SkippedFile | None:
        """Return the cached text of a file that declares encodings; None for all other files."""
        if key in self._files and key not in self._texts:
            self._texts[key] = self._read(self._files[key], lambda _: "")
        return self._texts.get(key)

    def _read(self, file: SourceFile, rule: Callable[[PathKey], str]) -> FileText | SkippedFile:
        settings = self._target.settings
        return read_file(
            self._target.root,
            file,
            max_bytes=settings.max_file_size_bytes,
            max_bulk_bytes=settings.max_bulk_bytes,
            rule=rule,
        )

    def _codec(self, key: PathKey) -> str:
        return self._rules.codec(key)

    @cached_property
    def _rules(self) -> EncodingRules:
        texts = map(self._text, self._files)
        return EncodingRules.of(
            (text.path_key, text.data) for text in texts if isinstance(text, FileText)
        )

    def _digest(self, key: PathKey, known: Mapping[PathKey, Known]) -> str:
        memory = known.get(key)
        if isinstance(memory, KnownFile) and memory.file == self._files[key]:
            return memory.digest
        text = self._text(key)
        return text.digest if isinstance(text, FileText) else ""


def last(files: Sequence[SourceFile]) -> tuple[list[SourceFile], list[SourceFile]]:
    """Return the files without declarations of encodings, and the files with declarations."""
    declaring = [file for file in files if is_rules_file(file.path_key)]
    return [file for file in files if not is_rules_file(file.path_key)], declaring
