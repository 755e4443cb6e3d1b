"""Small files in many languages and record formats, and queries of every kind about them."""

from collections.abc import Callable

from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest, SnippetMode

WORDS = (
    *("parse", "token", "Cache", "retry", "queue", "HTTPServer", "load_config", "naïve", "row9"),
    *("parser", "parsing", "retries", "validated", "validation", "caches", "queued", "the", "of"),
)
"""Some of one family, one of another script's letters, some that carry no weight."""

PATHS = (
    *("src/alpha.py", "src/beta.py", "src/core/alpha.py", "lib/Queue.rb", "tests/test_alpha.py"),
    *("docs/guide.md", "docs/retry-queue.rst", "README.md", "conf/app.json", "conf/token.yaml"),
    *("vendor/cache.py", "flow.mmd", "conf/deploy.toml", "db/schema.sql", "web/cache.css"),
    *("Dockerfile", "notes/retry.ipynb", "docs/token.puml", "src/queue.go", "src/parse.ts"),
    *("vendor/retry/queue.go", "lib/parser.rs"),
)

words = st.sampled_from(WORDS)
bodies = st.lists(words, min_size=0, max_size=5)


def content(path: str, body: list[str]) -> str:
    """Return a small file of the path's kind that holds the words."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2]
    return _FORMS.get(ending, _plain)(body)


def _plain(body: list[str]) -> str:
    return "".join(f"RUN {w} # how the {w} is {body[0]}\n" for w in body)


def _python(body: list[str]) -> str:
    parts = [f'def {w}_{i}(x):\n    """{w} {body[0]} of it."""\n' for i, w in enumerate(body)]
    return "import os\n\n" + "\n\n".join(f"{part}    return x\n" for part in parts)


def _ruby(body: list[str]) -> str:
    return "\n\n".join(f"# The {w}.\ndef {w.lower()}\n  {w} {body[-1]}\nend" for w in body) + "\n"


def _go(body: list[str]) -> str:
    parts = [
        f"// {w} waits for {body[0]}.\nfunc {w}{i}(x int) int {{ return x }}\n" for i, w in _n(body)
    ]
    return "package queue\n\n" + "\n".join(parts)


def _typescript(body: list[str]) -> str:
    parts = [
        f"/** {w} of {body[-1]} */\nexport class {w}{i} {{ {w}() {{}} }}\n" for i, w in _n(body)
    ]
    return "\n".join(parts)


def _rust(body: list[str]) -> str:
    return "\n".join(f"/// {w} the {body[0]}\npub fn {w}{i}() {{}}\n" for i, w in _n(body))


def _markdown(body: list[str]) -> str:
    fence = "```mermaid\ngraph TD\n  cache --> retry\n```\n"
    page = "".join(f"# {w}\n\nHow {w} works with {body[-1]}.\n\n" for w in body)
    return page + fence * (len(body) % 2)


def _rst(body: list[str]) -> str:
    return "".join(f"{w}\n{'=' * len(w)}\n\nHow the {w} is {body[0]}.\n\n" for w in body)


def _sql(body: list[str]) -> str:
    return "\n".join(f"-- {w} of {body[0]}\nCREATE TABLE {w}{i} ({w} int);" for i, w in _n(body))


def _notebook(body: list[str]) -> str:
    cells = [
        {"cell_type": kind, "metadata": {}, "source": [f"{mark}{w} the {body[0]}\n"]}
        for w in body
        for kind, mark in (("markdown", "# "), ("code", "x = "))
    ]
    return stable_json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}).decode()


def _lines(form: str, head: str = "", foot: str = "") -> Callable[[list[str]], str]:
    def write(body: list[str]) -> str:
        return head + "".join(form.format(w=w, i=i, b=body[0]) for i, w in _n(body)) + foot

    return write


def _n(body: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(body))


_FORMS: dict[str, Callable[[list[str]], str]] = {
    "py": _python,
    "rb": _ruby,
    "go": _go,
    "ts": _typescript,
    "rs": _rust,
    "md": _markdown,
    "rst": _rst,
    "sql": _sql,
    "ipynb": _notebook,
    "json": _lines('"{w}{i}": "{w} of {b}",\n', "{", '"end": 1}\n'),
    "yaml": _lines("{w}{i}:\n  # the {w}\n  {b}: {w}\n"),
    "toml": _lines('[{w}{i}]\nkey = "{w} {b}"\n'),
    "css": _lines("/* {w} */\n.{w}{i} {{ color: red; }}\n"),
    "mmd": _lines("  {b} --> {w}{i}\n", "flowchart TD\n"),
    "puml": _lines("{b} -> {w}{i} : {w}\n", "@startuml\n", "@enduml\n"),
}

phrases = st.one_of(
    words,
    st.lists(words, min_size=2, max_size=3).map(" ".join),
    st.sampled_from(
        ("works with", "How the", "the", "of it", "import os", "is not here", "return x")
    ),
).map(lambda text: f'"{text}"')

path_texts = st.one_of(
    st.sampled_from(PATHS),
    st.sampled_from(PATHS).map(lambda path: path.rpartition("/")[2] + ":3"),
    st.sampled_from(
        ("./src/", "src/core/", "/home/me/work/src/alpha.py", "nowhere/alpha.py", "b.py:3")
    ),
)

texts = st.one_of(
    words,
    st.lists(words, min_size=2, max_size=4).map(" ".join),
    phrases,
    st.builds("{} {}".format, words, st.one_of(phrases, st.sampled_from(('"=>"', '"# "')))),
    st.builds("{} {}".format, phrases, phrases),
    path_texts,
    st.builds("{} {}".format, words, path_texts),
    st.builds("how is the {} {}?".format, words, words),
    st.builds("{}Error: no {} of {}".format, st.sampled_from(("Key", "Cache")), words, words),
    st.builds("{}_{}()".format, words, st.integers(0, 3)),
    st.sampled_from(("Cache()", "queue::retry", "alpha", "tests of the parser", "at of the")),
    st.lists(words, min_size=2, max_size=3)
    .map(lambda some: " ".join(some) + " ")
    .map(lambda text: text * 400),
)

filters = st.sampled_from(
    (
        (),
        (),
        (Filter("lang", "python"),),
        (Filter("path", "src/*"), Filter("ext", "md")),
        (Filter("test", "true", negated=True),),
        (Filter("kind", "function"),),
        (Filter("corpus", "extracted-prose"),),
    )
)

requests = st.builds(
    SearchRequest,
    query=texts,
    limit=st.sampled_from((1, 2, 3, 5, 40)),
    per_file=st.sampled_from((0, 1, 2, 3)),
    mode=st.sampled_from(tuple(Mode)),
    corpora=st.sampled_from(
        (tuple(Corpus), tuple(Corpus), (Corpus.CODE,), (Corpus.PROSE, Corpus.RECORDS))
    ),
    scope=st.sampled_from(("", "", "", "src", "docs", "src/alpha.py")),
    filters=filters,
    snippet=st.sampled_from((SnippetMode.DEFAULT, SnippetMode.FULL, SnippetMode.NONE)),
    include_anchors=st.booleans(),
    deterministic=st.just(True),
    explain=st.booleans(),
    keep_weak=st.booleans(),
)
