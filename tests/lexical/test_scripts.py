"""Words of scripts without spaces are found inside of runs, in whatever form they are encoded."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import scripts
from ggrep.base.scripts import nfc, spelled_in_any_form
from ggrep.index.lexical.postings_builder import PostingsBuilder
from ggrep.index.lexical.tokens import (
    contained_terms,
    folded_name,
    is_one_word,
    plain_text,
    query_terms,
    whole_terms,
    word_terms,
    words,
)

LETTERS = {
    "han": [*"日本語単值驗證库𠮷々〇葛", "葛\U000e0100"],
    "kana": [*"かなカナーッゝ", "ガ", "カ\u3099", "ｶ", "ｶﾞ", "ﾅｰ"],
    "bopomofo": [*"ㄅㄆㄇㄠ"],
    "hangul": [*"한국어를", "\u1112\u1161\u11ab", "어"],
    "thai": ["ก", "ภา", "ษา", "ที่", "น้ำ", "กิ", "เ", "ไ", "ฯ"],
    "lao": ["ພາ", "ສາ", "ລາ", "ວ", "ນ້ຳ", "ກິ່", "ເ"],
    "khmer": ["ភា", "សា", "ខ្មែ", "រ", "ស្វែ", "ង"],
    "myanmar": ["မြ", "န်", "မာ", "ဘာ", "သာ", "ရှာ", "ဖွေ", "က္က"],
    "tibetan": ["བོ", "ད", "ཡི", "ག", "ཞི", "སྐད"],
    "yi": [*"ꆈꌠꁱꂷ"],
    "javanese": ["ꦗ", "ꦮ", "ꦧꦱ", "ꦏꦶ", "ꦤ꧀"],
    "balinese": ["ᬩ", "ᬮᬶ", "ᬲᬦ᭄"],
    "tai le": [*"ᥖᥭᥰᥘᥫᥴ"],
    "new tai lue": [*"ᦅᦷᦈᦸ"],
    "tai tham": ["ᨣᩴ", "ᨾᩮ", "ᨾᩬᩥ", "ᨦ"],
    "tai viet": ["ꪎꪳ", "ꪼ", "ꪕ"],
    "cham": ["ꨌꩌ", "ꨌ", "ꨔꨰ"],
}
RUNS = st.sampled_from(sorted(LETTERS)).flatmap(
    lambda script: st.lists(st.sampled_from(LETTERS[script]), min_size=2, max_size=12)
)
OTHERS = ["", " ", "。", "_", "get", "Count", "x1", "é", "\u0e3f", "\u200b", "(", "१२"]
FORMS = st.sampled_from(["NFC", "NFD"])


def terms_of(text: str) -> set[str]:
    return {term for word in words(text) for term in word_terms(word)}


@st.composite
def texts_with_parts(draw: st.DrawFn) -> tuple[str, str]:
    """Return a text, and two or more neighbouring letters of it, each in a normal form."""
    run = draw(RUNS)
    start = draw(st.integers(0, len(run) - 2))
    end = draw(st.integers(start + 2, len(run)))
    around = draw(st.sampled_from(OTHERS)), draw(st.sampled_from(OTHERS))
    text = around[0] + "".join(run) + around[1]
    part = "".join(run[start:end])
    return unicodedata.normalize(draw(FORMS), text), unicodedata.normalize(draw(FORMS), part)


@given(texts_with_parts())
def test_a_text_has_the_terms_of_every_part_of_it(drawn: tuple[str, str]) -> None:
    """The index finds it, and so does the scan before the index."""
    text, part = drawn
    asked = query_terms(part)

    assert asked
    assert terms_of(text) >= asked.keys() == {*whole_terms(part)}
    assert all(term in plain_text(text) for term in asked)


@given(texts_with_parts())
def test_a_text_has_all_that_is_needed_to_contain_a_part_of_it(drawn: tuple[str, str]) -> None:
    """Postings choose the files that an exact text is looked for in."""
    text, part = map(nfc, drawn)
    terms = terms_of(text)

    for needed, whole in contained_terms(part):
        assert needed in terms if whole else any(needed in term for term in terms)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("日本語", ["日本", "本語", "語\0"]),
        ("値", ["値"]),
        ("日本語テキスト", ["日本", "本語", "語テ", "テキ", "キス", "スト", "ト\0"]),
        ("get単語Count", ["get", "単語", "語\0", "Count"]),
        ("单词_count __单词__ _x", ["单词", "词\0", "count", "单词", "词\0", "_x"]),
        ("第2章", ["第", "2", "章"]),
        ("ＡＰＩ１２ ﾃｷｽﾄ", ["API12", "テキ", "キス", "スト", "ト\0"]),  # noqa: RUF001 - full width
        ("น้ำตก", ["น้ํา", "าต", "ตก", "ก\0"]),
        ("ขวด๒๕", ["ขว", "วด", "ด\0", "๒๕"]),
        ("हिन्दी مُحَمَّد", ["हिन्दी", "مُحَمَّد"]),
        ("e\u0301cole tie\u0302\u0301ng", ["école", "tiếng"]),
        ("می\u200cخواهم co\u00adop", ["میخواهم", "coop"]),  # noqa: RUF001 - Persian
        ("ភាសា\u200bខ្មែរ a\u200bb", ["ភាសា", "សាខ្", "ខ្មែ", "មែរ", "រ\0", "a", "b"]),
        ("\u0301x ❤\ufe0f", ["x"]),
    ],
)
def test_runs_are_cut_into_pairs_of_letters_with_their_marks(text: str, pieces: list[str]) -> None:
    """A run has no spaces, and a mark has no meaning apart from its letter."""
    assert words(text) == pieces


@pytest.mark.parametrize(
    ("query", "shares"),
    [
        ("値", {"値": 1.0}),
        ("単語", {"単語": 1.0}),
        ("日本語", {"日本": 0.5, "本語": 0.5}),
        ("ab日本語", {"ab": 1.0, "日本": 0.5, "本語": 0.5}),
    ],
)
def test_a_word_in_a_query_weighs_as_one_word(query: str, shares: dict[str, float]) -> None:
    """However many pairs stand for it."""
    assert query_terms(query) == shares


def test_a_long_run_in_a_query_weighs_as_a_word_for_three_pairs() -> None:
    """It is a sentence, which has several words."""
    assert sum(query_terms("如何验证用户请求的签名").values()) == pytest.approx(10 / 3)


def test_a_run_is_as_long_as_it_has_pairs() -> None:
    """Single letters are indexed for queries of one letter; they do not lengthen a text."""
    builder = PostingsBuilder(1)
    for row, text in enumerate(["日本語", "値", "parser", "値 parser 日本"]):
        builder.add(row, 0, words(text))

    assert builder.lengths(0, 4).tolist() == [2, 1, 2, 4]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "b", True),
        ("a", "", False),
        ("a", "-", False),
        ("a", "単", False),
        ("語", "a", False),
        ("語", "単", False),
        ("क", "\u094d", True),
        ("ก", "\u0e34", True),
        ("\u0e34", "a", False),
    ],
)
def test_letters_without_spaces_do_not_belong_to_one_word(
    before: str, after: str, *, expected: bool
) -> None:
    """A quoted word may begin and end beside of them; it may not lose a mark."""
    assert is_one_word(before, after) is expected


@given(st.text(alphabet="aeêéệ\u0302\u0323\u0301\u0308u한가각か\u3099ガ", max_size=8))
def test_a_name_is_matched_in_every_normal_form(name: str) -> None:
    """Files hold names as their editors wrote them, and offsets are those of the file."""
    pattern = re.compile(spelled_in_any_form(name))

    for form in ("NFC", "NFD"):
        assert pattern.fullmatch(unicodedata.normalize(form, name))


@pytest.mark.parametrize("written", ["ê\u0323", "e\u0323\u0302", "ẹ\u0302", "ệ"])
def test_a_letter_is_matched_however_many_of_its_marks_are_apart(written: str) -> None:
    """Vietnamese keyboards set the tone apart."""
    assert re.fullmatch(spelled_in_any_form("ệ"), written)


@given(st.text(alphabet="aÉe\u0301\uff21ｶﾞガSßs_", max_size=6))
def test_names_in_any_normal_form_are_one_name(name: str) -> None:
    """The symbol field is looked up with the query's spelling."""
    assert folded_name(nfc(name)) == folded_name(unicodedata.normalize("NFD", name))


NAMED = (
    *("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "HANGUL SYLLABLE", "BOPOMOFO LETTER"),
    *("THAI CHARACTER", "LAO LETTER", "LAO VOWEL", "KHMER LETTER", "KHMER VOWEL", "MYANMAR LETTER"),
    *("TIBETAN LETTER", "YI SYLLABLE", "JAVANESE LETTER", "BALINESE LETTER", "TAI LE LETTER"),
)
"""Beginnings of the names of letters without spaces between words."""


@pytest.mark.slow
def test_the_ranges_are_what_python_knows_of_unicode() -> None:
    """They are constants; a letter of these scripts that is missing would hide its words."""
    unspaced, mark = (re.compile(f"[{each}]") for each in (scripts.UNSPACED, scripts.MARKS))
    spaced = ("LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW", "DEVANAGARI", "BENGALI", "TAMIL")
    for code in range(0x110000):
        letter = chr(code)
        if (kind := unicodedata.category(letter)[0]) not in "LM":
            continue
        name = unicodedata.name(letter, "")
        assert kind != "M" or mark.match(letter), name
        assert not name.startswith(NAMED) or unspaced.match(letter), name
        assert not (name.startswith(spaced) and unspaced.match(letter)), name
