"""Text in any encoding is text; what is not text stays binary."""

import codecs

import pytest

from ggrep.parse.source.decoding import Decoded, decode

_CODE = "int add(int a, int b) {\n    return a + b;\n}\n" * 20
_COMMENTS = {
    "french": "// Vérifie que la clé est présente avant d'écrire\n/* L'élève n'a pas été trouvé */\n",
    "german": "// Prüft, ob die Größe für das Gerät gültig ist\n# löscht alle Schlüssel\n",
    "polish": "// Sprawdza, czy użytkownik istnieje\n/* jeśli nie można znaleźć pliku źródłowego */\n",
    "russian": "// Проверяет, существует ли пользователь\n/* ошибка, если файл не найден */\n",
    "greek": "// Ελέγχει αν ο χρήστης υπάρχει στη βάση δεδομένων\n",
    "japanese": "// ユーザーが存在するかどうかを確認する\n/* ファイルが見つからない場合 */\n",
    "simplified": "// 检查用户是否存在于数据库中\n/* 如果找不到文件则返回错误 */\n",
    "traditional": "// 檢查使用者是否存在於資料庫中\n/* 如果找不到檔案則傳回錯誤 */\n",
    "korean": "// 사용자가 데이터베이스에 있는지 확인한다\n/* 파일을 찾을 수 없으면 */\n",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("french", "iso8859-1"),
        ("german", "cp1252"),
        ("polish", "iso8859-2"),
        ("polish", "cp1250"),
        ("russian", "cp1251"),
        ("russian", "koi8-r"),
        ("greek", "cp1253"),
        ("japanese", "shift_jis"),
        ("japanese", "euc_jp"),
        ("japanese", "iso2022_jp"),
        ("simplified", "gb18030"),
        ("traditional", "big5"),
        ("korean", "euc_kr"),
        ("russian", "utf-16-le"),
        ("japanese", "utf-16-be"),
        ("german", "utf-32-le"),
    ],
)
def test_comments_in_any_encoding_are_read(language: str, encoding: str) -> None:
    """The language and the encoding of a program's comments do not hide the program."""
    text = _CODE + _COMMENTS[language] + _CODE

    found = decode(text.encode(encoding))

    assert found is not None
    assert found.data.decode() == text
    assert found.encoding != "utf-8"
    assert found.replaced == 0


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_names_the_encoding(name: str) -> None:
    """The mark itself is no part of the text."""
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(name) or {
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
    }[name]

    assert decode(mark + "größer\r\n".encode(name)) == Decoded("größer\r\n".encode(), name)


def test_utf_8_is_told_from_all_others_by_itself() -> None:
    """Nothing is detected where nothing is in doubt; a mark stays, as offsets do."""
    data = codecs.BOM_UTF8 + "größer = '日本'\n".encode()

    assert decode(data) == Decoded(data)


def test_one_stray_byte_among_ascii_is_a_western_letter() -> None:
    """The commonest case: one name in a comment, written long ago."""
    found = decode(_CODE.encode() + b"// by Andr\xe9\n")

    assert found is not None
    assert (found.data.decode()[-12:], found.encoding) == ("// by André\n", "cp1252")


def test_a_stray_byte_among_utf_8_is_replaced_and_counted() -> None:
    """The rest of the file is not read as something else for one byte's sake."""
    found = decode("größer, schöner, weiter: ä ö ü\n".encode() + b"\xff\n")

    assert found == Decoded("größer, schöner, weiter: ä ö ü\n\ufffd\n".encode(), "utf-8", 1)


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8,
        b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)) * 8,
        b"text\0text",
        bytes(64),
        codecs.BOM_UTF16_LE + bytes(64),
    ],
)
def test_what_is_no_text_stays_binary(data: bytes) -> None:
    """An encoding can be made up for anything; a search in it would find noise."""
    assert decode(data) is None


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"one\rtwo\rthree", b"one\ntwo\nthree"),
        (b"one\r\ntwo\rthree\n", b"one\r\ntwo\rthree\n"),
        (b"one\xc2\x85two", b"one \ntwo"),
    ],
)
def test_lines_are_those_that_editors_show(data: bytes, lines: bytes) -> None:
    """A file with other line ends throughout has lines too; its length stays what it was."""
    found = decode(data)

    assert found is not None
    assert found.data == lines
    assert len(found.data) == len(data)
