"""The encodings that a tree declares, and whether a snapshot was read by the same declarations.

The files that declare them are indexed like any other. They are published with the last portion, so
the visible ones are those by which all other visible files were read.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

from ggrep.base.ids import PathKey
from ggrep.index.sync.stat_cache import Known, KnownFile
from ggrep.model.files import FileText, SkippedFile, SourceFile
from ggrep.parse.source.encoding_rules import EncodingRules, is_rules_file


class Declarations:
    """See the module. A file is read when it is needed, and once."""

    def __init__(
        self, files: Collection[SourceFile], read: Callable[[SourceFile], FileText | SkippedFile]
    ) -> None:
        self._files = {file.path_key: file for file in files if is_rules_file(file.path_key)}
        self._read = read
        self._texts: dict[PathKey, FileText | SkippedFile] = {}

    def text(self, key: PathKey) -> FileText | SkippedFile | None:
        """Return a file that declares encodings as it was read; None for any other."""
        if key in self._files and key not in self._texts:
            self._texts[key] = self._read(self._files[key])
        return self._texts.get(key)

    @cached_property
    def rules(self) -> EncodingRules:
        """Return what the files declare."""
        texts = map(self.text, self._files)
        return EncodingRules.of(
            (text.path_key, text.data) for text in texts if isinstance(text, FileText)
        )

    def are_those_of(self, live: Mapping[PathKey, str], known: Mapping[PathKey, Known]) -> bool:
        """Tell whether the visible files declare the same.

        Args:
            live: digests of the visible files that are known to exist or to be gone.
            known: remembered files.
        """
        before = {key: digest for key, digest in live.items() if is_rules_file(key)}
        return before == {
            key: digest for key in self._files if (digest := self._digest(key, known))
        }

    def _digest(self, key: PathKey, known: Mapping[PathKey, Known]) -> str:
        memory = known.get(key)
        if isinstance(memory, KnownFile) and memory.file == self._files[key]:
            return memory.digest
        text = self.text(key)
        return text.digest if isinstance(text, FileText) else ""


def last(files: Sequence[SourceFile]) -> tuple[list[SourceFile], list[SourceFile]]:
    """Return the other files, and those that declare encodings."""
    declaring = [file for file in files if is_rules_file(file.path_key)]
    return [file for file in files if not is_rules_file(file.path_key)], declaring
