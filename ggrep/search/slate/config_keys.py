"""Keys that configuration sets, dotted, and environment variables that are set or read."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MOST_KEYS: Final = 200

_MOST_NESTED: Final = 16
_ENTRY: Final = re.compile(
    r"^([ \t]*)(?:export[ \t]+|set[ \t]+)?[\"']?([A-Za-z_][\w.-]{0,79})[\"']?[ \t]*=(?!=)"
)
_SECTION: Final = re.compile(
    r"^[ \t]*\[{1,2}[ \t]*([\w.\"-]{1,80})(?:[ \t]+\"([\w./-]{1,80})\")?[ \t]*\]"
)
_YAML: Final = re.compile(r"^([ ]*)(- )?[\"']?([A-Za-z_][\w./-]{0,79})[\"']?[ ]*:(?:[ \t]|$)")
_JSON: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]:,]')
_JSON_KEY: Final = re.compile(r'"([A-Za-z_@$][\w./@$-]{0,79})"')
_BLOCK: Final = re.compile(r"^([ \t]*)([a-z_]\w{0,79})(?:[ \t]+\"([\w.-]{1,80})\"){0,2}[ \t]*\{")
_CONSTANT: Final = re.compile(
    r"^[ \t]{0,4}(?:export[ \t]+const[ \t]+|const[ \t]+)?"
    r"([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})[ \t]*(?::[^=\n]{1,80})?=[^=]",
    re.MULTILINE,
)
_VARIABLE: Final = r"[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}"
_SET: Final = (
    re.compile(rf"^[ \t]*(?:ENV|ARG)[ \t]+({_VARIABLE})\b", re.MULTILINE),
    re.compile(
        rf"^[ \t]*(?:-[ \t]+)?(?:export[ \t]+)?[\"']?({_VARIABLE})[\"']?[ \t]*(?:=|:[ \t])",
        re.MULTILINE,
    ),
    re.compile(rf"^[ \t]*+(?:-[ \t]*+)?\"?name\"?:[ \t]*[\"']?({_VARIABLE})\b", re.MULTILINE),
    re.compile(rf"\b(?:Environment|env)[ \t]*=[ \t]*\"?({_VARIABLE})=", re.MULTILINE),
)
_READER: Final = (
    r"[gG]et_?[eE]nv(?:ironment_?[vV]ariable)?|LookupEnv|Getenv|GETENV|ENV\.fetch|env|env_var|env!"
    r"|option_env!|env::var|var_os|fetch_env!?|get_env|environ_get|config|secure_getenv|env\.get"
)
_READ: Final = (
    re.compile(
        r"\benviron(?:\.get|\.setdefault|\.pop)?[ \t]*[\[(]"
        rf"[ \t\n]*[\"']({_VARIABLE})[\"']"
    ),
    re.compile(rf"\b(?:{_READER})[ \t]*\([ \t\n]*:?[\"']({_VARIABLE})[\"']"),
    re.compile(rf"\bENV\[[ \t]*[\"']({_VARIABLE})[\"']"),
    re.compile(rf"\b(?:process|import\.meta|Deno|Bun)\.env(?:\.|\[[\"'])({_VARIABLE})\b"),
    re.compile(rf"\benvvar[ \t]*=[ \t]*[\"']({_VARIABLE})[\"']"),
    re.compile(rf"\$_(?:ENV|SERVER)\[[\"']({_VARIABLE})[\"']"),
)
_TOOLS: Final = re.compile(
    r"(?:GITHUB|RUNNER|CI|PYTHON|PIP|NODE|NPM|CARGO|RUST|GO|JAVA|MAVEN|LD|LC|XDG|DEBIAN|DOCKER|UV|TOX"
    r"|PYTEST|COVERALLS|CODECOV|HTTP|HTTPS|NO)_|(?:PYTHON|GOPATH|LOG_LEVEL|SOURCE_DATE_EPOCH|REMOTE_ADDR"
    r"|REQUEST_METHOD|PATH_INFO|QUERY_STRING|CONTENT_TYPE|CONTENT_LENGTH|SERVER_NAME|SERVER_PORT)"
)
_DEPENDENCIES: Final = re.compile(
    r"(?:^|[.-])(?:\w*[dD]ependenc(?:y|ies)|require(?:-dev)?|packages|extras)(?:\.|$)"
)
_EXPANDED: Final = re.compile(rf"\$\{{?({_VARIABLE})\b")
_EXPANDING: Final = frozenset(
    {"bash", "yaml", "dockerfile", "make", "ini", "toml", "desktop", "hcl", "fish", "just", "json"}
)


def keys_in(text: str, language: str) -> list[str]:
    """Return configuration keys behind their sections, in order, each once."""
    match language:
        case "yaml":
            found = _yaml_keys(text)
        case "json" | "jsonnet":
            found = _json_keys(text)
        case "hcl":
            found = _hcl_keys(text)
        case "toml" | "ini" | "text" | "lock" | "desktop" | "dockerfile":
            found = _section_keys(text)
        case _:
            found = iter(_CONSTANT.findall(text))
    kept = (key for key in found if len(key) <= 120 and not _DEPENDENCIES.search(key))
    return list(dict.fromkeys(kept))[:MOST_KEYS]


def variables_set(text: str) -> frozenset[str]:
    """Return environment variables that a text of configuration sets, those of tools left out."""
    found = (name for pattern in _SET for name in pattern.findall(text))
    return frozenset(name for name in found if not _TOOLS.match(name))


def variables_read(text: str, language: str) -> frozenset[str]:
    """Return environment variables that a text reads, by the usual calls and expansions."""
    found = {name for pattern in _READ for name in pattern.findall(text)}
    if language in _EXPANDING:
        found.update(_EXPANDED.findall(text))
    return frozenset(name for name in found if not _TOOLS.match(name))


def last_part(key: str) -> str:
    """Return what stands behind the last dot."""
    return key.rpartition(".")[2]


def _section_keys(text: str) -> Iterator[str]:
    section = ""
    for line in text.splitlines():
        header = _SECTION.match(line)
        if header is not None:
            section = ".".join(part for part in header.groups() if part).replace('"', "")
            yield section
        elif (entry := _ENTRY.match(line)) is not None:
            yield _joined((section, entry[2]))


def _yaml_keys(text: str) -> Iterator[str]:
    parents: list[tuple[int, str]] = []
    for line in text.splitlines():
        entry = _YAML.match(line)
        if entry is None:
            continue
        depth = len(entry[1]) + (2 if entry[2] else 0)
        while parents and parents[-1][0] >= depth:
            parents.pop()
        yield _joined([*(name for _, name in parents), entry[3]])
        parents.append((depth, entry[3]))


def _json_keys(text: str) -> Iterator[str]:
    parents: list[str] = []
    last = ""
    for piece in _JSON.findall(text):
        match piece:
            case ":":
                if last and len(parents) < _MOST_NESTED:
                    yield _joined([*parents, last])
            case "{" | "[":
                parents.append(last)
                last = ""
            case "}" | "]":
                parents, last = parents[:-1], ""
            case _:
                named = _JSON_KEY.fullmatch(piece)
                last = named[1] if named else ""


def _hcl_keys(text: str) -> Iterator[str]:
    for line in text.splitlines():
        block, entry = _BLOCK.match(line), _ENTRY.match(line)
        if block is not None and block[3]:
            yield block[3]
        elif entry is not None:
            yield entry[2]


def _joined(parts: Iterable[str]) -> str:
    return ".".join(part for part in parts if part)
