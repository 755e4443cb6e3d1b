"""Which configuration keys are specific enough to relate two files that name them."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.config_keys import last_part

MOST_MENTIONING: Final = 3
"""Files that may name a key which is a plain word, and still mean it."""

_SPREAD: Final = 8
_LEAST_CHARACTERS: Final = 5
_DISTINCT: Final = re.compile(r"_|-|[a-z0-9][A-Z]|[A-Z][A-Z0-9]*_")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_WORDS: Final = (
    "name version description license authors author readme keywords classifiers dependencies"
    " scripts include exclude files value values default options config settings environment"
    " image build steps runs-on with uses command commands args ports volumes services restart"
    " type types format formats title index source target rules select ignore paths level"
    " depends_on container_name entrypoint working_dir env_file timeout-minutes continue-on-error"
    " fail-fast python-version node-version requires-python build-system build-backend"
    " optional-dependencies devDependencies peerDependencies python_requires install_requires"
    " apiVersion metadata matchLabels maxLength minLength additionalProperties operationId"
    " envlist testenv skip_missing_interpreters basepython passenv setenv allowlist_externals"
    " fetch-depth cache-dependency-path if-no-files-found default_language_version language_version"
    " per-file-ignores line-length target-version line_length testpaths addopts"
)
_USUAL: Final = frozenset(_WORDS.split())
_RECORDS: Final = re.compile(
    r"\.(?:ini|toml|ya?ml|jsonc?|conf|cfg|cnf|properties|env|lock|xml|md|rst|adoc|txt|html?|csv|sql)$"
)
_SCHEMED: Final = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.gitlab)/|(?:^|/)(?:docker-)?compose[^/]*\.ya?ml$|Dockerfile"
    r"|(?:^|/)(?:\.gitlab-ci|\.travis|azure-pipelines|openapi|swagger|package"
    r"|tsconfig|composer|Cargo|Gemfile|tox|setup|pytest|pyproject)[^/]*$"
)
"""Files whose keys another program prescribes: only their variables tell something."""


class KeyMentions:
    """How often the words of the selected files stand in files that could read a key."""

    def __init__(self, facts: Sequence[FileFacts]) -> None:
        self._words = {item.path: frozenset(item.mentions) for item in facts}
        self._holders = Counter(word for words in self._words.values() for word in words)

    def joined(self, config: FileFacts, reader: FileFacts) -> str | None:
        """Return the smallest name by which `reader` names a key of `config`."""
        if reader.section is Section.CONFIG or _RECORDS.search(reader.path):
            read = {name for kind, name in reader.needs if kind == "environment"}
            return min(read.intersection(config.keys), default=None)
        words = self._words[reader.path]
        own = self._words[config.path]
        schemed = _SCHEMED.search(config.path) is not None
        names = {
            name
            for key in config.keys
            if not schemed or _VARIABLE.fullmatch(key)
            for name in self._said(key, words, own)
        }
        return min(names, default=None)

    def _said(self, key: str, words: frozenset[str], own: frozenset[str]) -> list[str]:
        last = last_part(key)
        if "." in key and key in words and last not in _USUAL:
            return [key]
        for spelled in (last, last.replace("-", "_")):
            if spelled in words and self._tells(key, last, spelled, words, own):
                return [spelled]
        return []

    def _tells(
        self, key: str, last: str, spelled: str, words: frozenset[str], own: frozenset[str]
    ) -> bool:
        others = self._holders[spelled] - (spelled in own)
        if len(last) < _LEAST_CHARACTERS or last in _USUAL or others > _SPREAD:
            return False
        if _DISTINCT.search(last):
            return True
        parent = last_part(key.removesuffix(f".{last}")) if "." in key else ""
        return len(parent) > 2 and parent in words and others <= MOST_MENTIONING
