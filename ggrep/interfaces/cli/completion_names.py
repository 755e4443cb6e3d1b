"""Names that completions look up in files: profiles, repositories, tags, stores and their roots.

Regular expressions find the names; files are not parsed, as a missing or extra name does no harm.
"""
# ruff: noqa: PTH100, PTH109, PTH111, PTH112, PTH113, PTH118, PTH119, PTH120, PTH123, PTH208
# importing pathlib takes longer than running this whole module

import os
import re

_MOST_BYTES = 1024 * 1024
_MOST_NAMES = 2_000
_WORKSPACES = (".json", ".jsonc", ".json5")
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_REPO = re.compile(r"\{[^{}]*\"root\"[^{}]*\}")
_ROOT = re.compile(r'"root"\s*:\s*"([^"]+)"')
_ALIAS = re.compile(r'"alias"\s*:\s*"([^"]+)"')
_TAGS = re.compile(r'"tags"\s*:\s*\[([^\]]*)\]')
_TEXT = re.compile(r'"([^"]*)"')
_GLOB = re.compile(r'"((?:[^"*]*/)?)\*"')
_PROFILE = re.compile(r'^[ \t]*\[profiles\.(?:"([^"]+)"|([\w-]+))', re.MULTILINE)
_STORE_ROOT = re.compile(r'"canonical_root"\s*:\s*("(?:\\.|[^"\\])*")')


def named(kind: str, before: list[str], repo_file: str) -> list[str]:
    """Return all names of a kind, such as `@tag`, sorted; `before` may contain a workspace file."""
    match kind:
        case "@repository":
            results = _repositories(_workspace(before))
        case "@tag":
            lists = _TAGS.findall(_bare(_workspace(before)))
            results = [tag for each in lists for tag in _TEXT.findall(each)]
        case "@profile":
            pairs = _PROFILE.findall(_read(_above(repo_file)))
            results = [quoted or bare for quoted, bare in pairs]
        case "@store":
            results = os.listdir(_data())
        case "@root":
            results = _roots()
        case _:
            results = []
    seen = {name for name in results if name.isprintable() and name}
    return sorted(seen)[:_MOST_NAMES]


def _workspace(before: list[str]) -> str:
    """Return the workspace file: the value of `--workspace`, else a word with a JSON suffix."""
    for at, word in enumerate(before[:-1]):
        if word == "--workspace":
            return before[at + 1]
    for word in before:
        file = word.removeprefix("--workspace=")
        if file != word or file.endswith(_WORKSPACES):
            return file
    raise ValueError("none")


def _repositories(file: str) -> list[str]:
    """Return the aliases of a workspace's repositories; without an alias, the directory's name."""
    text, result = _bare(file), []
    for entry in _REPO.findall(text):
        alias = _ALIAS.search(entry)
        root = _ROOT.search(entry)
        if alias is not None:
            result.append(alias[1])
        elif root is not None:
            path = os.path.join(os.path.dirname(file), root[1])
            result.append(os.path.basename(os.path.abspath(path)))
    for folder in _GLOB.findall(text):
        place = os.path.join(os.path.dirname(file), folder)
        if os.path.isdir(place):
            with os.scandir(place) as entries:
                result += [each.name for each in entries if each.is_dir()]
    return result


def _bare(file: str) -> str:
    """Return the text of a workspace file without its comments."""
    return _COMMENT.sub(lambda match: match[1] or " ", _read(os.path.expanduser(file)))


def _above(name: str) -> str:
    """Return the nearest file with this name in the current directory or its parents."""
    here = os.getcwd()
    while not os.path.isfile(os.path.join(here, name)) and here != os.path.dirname(here):
        here = os.path.dirname(here)
    return os.path.join(here, name)


def _roots() -> list[str]:
    from _json import scanstring

    result, data = [], _data()
    for store in os.listdir(data)[:_MOST_NAMES]:
        try:
            root = _STORE_ROOT.search(_read(os.path.join(data, store, "index_state.json")))
        except (OSError, ValueError):
            continue
        if root is not None:
            result.append(scanstring(root[1], 1)[0])
    return result


def _data() -> str:
    environ = os.environ  # noqa: TID251 - config.settings is too slow to import here
    home = environ.get("GGREP_HOME") or os.path.join(environ.get("HOME", ""), ".ggrep")
    return os.path.join(home, "data")


def _read(file: str) -> str:
    with open(file, "rb") as stream:
        return stream.read(_MOST_BYTES).decode()
