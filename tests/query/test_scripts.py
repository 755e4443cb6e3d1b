"""What is written in scripts without spaces, or in another normal form, is found as it is typed."""

import re
import unicodedata
from pathlib import Path

import pytest

from ggrep.base.scripts import MARKS
from ggrep.model.confidence import Confidence
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import QueryResponse
from ggrep.search.engine.engine import Engine
from ggrep.search.query.understand import parse_query
from tests.fakes.repos import IndexOf, open_engine, write_tree

TEXTS = {
    "simplified": ("本模块负责用户登录验证和权限管理。", "验证"),
    "traditional": ("本模組負責使用者登錄驗證與權限管理。", "權限"),
    "japanese": ("これは日本語の索引テキスト処理です。", "索引テキスト"),
    "korean": ("사용자가단어를검색하는기능입니다.", "단어"),
    "thai": ("ฟังก์ชันนี้ใช้สำหรับค้นหาคำภาษาไทย", "ค้นหา"),
    "lao": ("ຟັງຊັນນີ້ໃຊ້ສຳລັບຄົ້ນຫາພາສາລາວ", "ຄົ້ນຫາ"),
    "khmer": ("មុខងារនេះប្រើសម្រាប់ស្វែងរកភាសាខ្មែរ", "ស្វែងរក"),
    "myanmar": ("ဤလုပ်ဆောင်ချက်သည်မြန်မာဘာသာရှာဖွေရန်ဖြစ်သည်", "ရှာဖွေ"),
    "tibetan": ("བོད་ཡིག་འཚོལ་ཞིབ་བྱེད་པ", "འཚོལ་ཞིབ"),
    "javanese": ("ꦥꦿꦺꦴꦒꦿꦩ꧀ꦲꦶꦏꦶꦩꦥꦺꦴꦏꦺ", "ꦩꦥꦺꦴꦏꦺ"),
    "supplementary": ("\U00020bb7野家は大阪市にある", "\U00020bb7野"),
    "hindi": ("यह हिन्दी खोज के लिए है", "हिन्दी"),
    "arabic": ("هَذَا مُحَمَّدٌ يَبْحَثُ", "مُحَمَّدٌ"),
    "vietnamese": ("tìm kiếm tiếng Việt", "kiếm"),
    "french": ("une requête déjà exécutée", "exécutée"),
}
FILES = {
    f"src/{name}.py": f"def {name}():\n    # {text}\n    pass\n"
    for name, (text, _) in TEXTS.items()
}
FILES |= {
    "src/apart.py": "# 验 和 证, 索 と 引 の テキスト\nx = 1\n",
    "src/mixed.py": "def get単語Count():\n    return 値\n",
    "src/wide.md": "# \uff21\uff30\uff29設定\n\nﾃｷｽﾄを処理\n",
    "src/menu.py": "def café_menu():\n    pass\n\n\n"
    "class Détails:\n    def prêt(self):\n        return café_menu()\n",
    "do\u0301ssier/fichié.py": "def dedans():\n    pass\n",
}


def decomposed(files: dict[str, str]) -> dict[str, str]:
    return {
        unicodedata.normalize("NFD", path): unicodedata.normalize("NFD", text)
        for path, text in files.items()
    }


@pytest.fixture(scope="module", params=["NFC", "NFD"])
def engine(request: pytest.FixtureRequest, shared_index: IndexOf) -> Engine:
    """Return an engine over files in one normal form."""
    return shared_index(FILES if request.param == "NFC" else decomposed(FILES))


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give scans all the time there is: the machine may be busy."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 1e9)
    monkeypatch.setattr("ggrep.search.scan.scanner.WHOLE_MS", 1e9)


def ask(engine: Engine, query: str, **more: object) -> QueryResponse:
    return engine.search(SearchRequest(query, **more))  # type: ignore[arg-type] # varied


def stems(response: QueryResponse) -> list[str]:
    names = [hit.path.rpartition("/")[2].partition(".")[0] for hit in response.hits]
    return list(dict.fromkeys(unicodedata.normalize("NFC", name) for name in names))


@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_inside_of_a_run_is_found(engine: Engine, name: str, form: str) -> None:
    """In either normal form, quoted or not."""
    word = unicodedata.normalize(form, TEXTS[name][1])

    assert stems(ask(engine, word))[0] == name
    assert stems(ask(engine, f'"{word}"')) == [name]


@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.usefixtures("unhurried")
def test_a_word_inside_of_a_run_is_found_before_there_is_an_index(
    tmp_path: Path, home: Path, name: str
) -> None:
    """The scan looks for what the index holds."""
    write_tree(
        tmp_path, decomposed({path: FILES[path] for path in (f"src/{name}.py", "src/apart.py")})
    )
    engine = open_engine(tmp_path, home, encoder="none")

    assert stems(engine.scan(SearchRequest(TEXTS[name][1])))[0] == name


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("値", "mixed"),
        ("験", None),
        ("驗", "traditional"),
        ("単語", "mixed"),
        ("単語 count", "mixed"),
        ("get単語Count", "mixed"),
        ("単語Count", "mixed"),
        ("API", "wide"),
        ("\uff21\uff30\uff29", "wide"),
        ("テキストを処理", "wide"),
        ("Détails", "menu"),
        ("cafe\u0301_menu", "menu"),
    ],
)
def test_a_letter_and_a_part_of_a_name_are_found(
    engine: Engine, query: str, first: str | None
) -> None:
    """One letter is a word, and a name may be of several scripts."""
    assert next(iter(stems(ask(engine, query))), None) == first


@pytest.mark.parametrize(("word", "name"), [("验证", "simplified"), ("索引", "japanese")])
def test_a_word_ranks_before_its_letters_apart(engine: Engine, word: str, name: str) -> None:
    """Letters that do not touch are no word."""
    assert stems(ask(engine, word)) == [name]


@pytest.mark.parametrize("query", ["มหา", "คนหา", "检验", "단어들검", "Count単"])
def test_letters_that_do_not_follow_each_other_are_no_phrase(engine: Engine, query: str) -> None:
    """Nor is a letter without its mark."""
    assert not stems(ask(engine, f'"{query}"', keep_weak=True))


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_exact_text_is_found_from_any_letter_on(engine: Engine, name: str) -> None:
    """The words of postings must not rule out a file that holds the text, as letters of NFC."""
    (path,) = (hit.path for hit in ask(engine, name, filters=(Filter("ext", "py"),), limit=1).hits)
    shown = engine.ask(ExpandRequest(path)).content
    line = unicodedata.normalize("NFC", shown.split("\n")[1].strip("# "))
    letters = re.findall(rf".[{MARKS}]*", line)
    for start in range(0, len(letters) - 1, 7):
        for size in (1, 2, 5):
            part = "".join(letters[start : start + size])
            if part.strip():
                assert name in stems(ask(engine, part, find=Find.EXACT_TEXT, limit=50)), part


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", ["café_menu", "Détails", "Détails.prêt", "get単語Count"])
def test_a_name_in_any_normal_form_is_one_name(engine: Engine, name: str, form: str) -> None:
    """In every question about names, without a notice that it is spelled otherwise."""
    asked = unicodedata.normalize(form, name)
    answer = engine.ask(SymbolRequest(asked))

    assert len(answer.definitions) == 1
    assert not answer.warnings
    assert stems(ask(engine, asked, find=Find.DEFINITION)) == [stems(ask(engine, asked))[0]]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_usages_of_a_name_are_found_in_any_normal_form(engine: Engine, form: str) -> None:
    """Their columns are those of the file."""
    name = unicodedata.normalize(form, "café_menu")
    answer = engine.ask(ReferencesRequest(name))

    assert [reference.line for reference in answer.references] == [7]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("pattern", ["dóssier", "dóssier/*", "*fichié*", "dóssier/fichié.py"])
def test_a_path_in_any_normal_form_is_one_path(engine: Engine, pattern: str, form: str) -> None:
    """File systems keep names as they were given, and some decompose them."""
    asked = unicodedata.normalize(form, pattern)

    assert stems(ask(engine, "dedans", filters=(Filter("path", asked),))) == ["fichié"]
    assert not stems(ask(engine, "dedans", filters=(Filter("path", asked, negated=True),)))
    if "*" not in asked:
        assert stems(ask(engine, "dedans", scope=asked)) == ["fichié"]
    if asked.endswith(".py"):
        assert engine.ask(ExpandRequest(asked)).content.startswith("def dedans")


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("単語検索", "symbol"),
        ("如何验证用户请求的签名", "words"),
        ("如何验证用户？", "question"),  # noqa: RUF001 - as it is typed
        ("हिन्दी", "symbol"),
        ("get単語Count", "symbol"),
    ],
)
def test_a_long_run_is_a_sentence(query: str, kind: str) -> None:
    """A short one may be a name."""
    assert parse_query(query).kind.value == kind


@pytest.mark.parametrize(
    ("query", "confidence"),
    [
        ("登录权限", Confidence.STRONG),
        ("登录缓存算法", Confidence.NONE),
        ("缓存算法", Confidence.NONE),
    ],
)
def test_a_pair_over_the_border_of_two_words_is_no_missing_word(
    engine: Engine, query: str, confidence: Confidence
) -> None:
    """Two words that are found apart are written without a space in a query."""
    assert ask(engine, query).confidence is confidence
