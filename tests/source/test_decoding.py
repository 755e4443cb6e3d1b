"""Text in any encoding is text; what is not text stays binary."""

import codecs
from collections import Counter

import pytest

from ggrep.base.ids import PathKey
from ggrep.parse.source.decoding import Decoded, decode
from ggrep.parse.source.encoding_rules import EncodingRules
from tests.source.encoded_files import EncodedFile, encoded_files

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

    result = decode(text.encode(encoding))

    assert result is not None
    assert result.data.decode() == text
    assert result.encoding != "utf-8"
    assert result.replaced == 0


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_names_the_encoding(name: str) -> None:
    """The mark itself is no part of the text."""
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(name) or {
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
    }[name]

    assert decode(mark + "größer\r\n".encode(name)) == Decoded("größer\r\n".encode(), name)


def test_utf_8_is_told_from_all_others_and_a_stray_byte_changes_little() -> None:
    """Nothing is detected where nothing is in doubt; one stray byte changes no other character."""
    data = codecs.BOM_UTF8 + "größer = '日本'\n".encode()

    assert decode(data) == Decoded(data)

    result = decode(_CODE.encode() + b"// by Andr\xe9\n")

    assert result is not None
    assert (result.data.decode()[-12:], result.encoding) == ("// by André\n", "cp1252")

    result = decode("größer, schöner, weiter: ä ö ü\n".encode() + b"\xff\n")

    assert result == Decoded("größer, schöner, weiter: ä ö ü\n\ufffd\n".encode(), "utf-8", 1)

    data = "# é ".encode() + b"\xed\xa0\xbd\xed\xb8\x80\n"

    assert decode(data) == Decoded("# é \U0001f600\n".encode(), "cesu-8")

    assert decoded(b"one caf\xe9\x85two\x85three\x85")[0] == "one café\ntwo\nthree\n"


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
    result = decode(data)

    assert result is not None
    assert result.data == lines
    assert len(result.data) == len(data)


def decoded(data: bytes, rule: str = "") -> tuple[str, str, bool]:
    read = decode(data, lambda: rule)
    assert read is not None
    return read.data.decode(), read.encoding, read.guessed


@pytest.mark.parametrize(
    "text",
    [
        "# a naïve approach\n",
        "// Vérifie la clé\nint key;\n",
        "x = 1  # by José García, naïve\n",
        "/* where naïve means où */\n",
        "# città\n",
        "# è vuota\n",
        "# it\u2019s the user\u2019s own\n",
        "a\u00a0b = 1\n",
        "# 40°C, ½ of it\n",
        "# for Müller\n",
        "/* año */\n",
        "# VOILÀ \u00bb CAFÉ\u00bb ÉTÉ\n",
    ],
)
def test_a_few_letters_among_ascii_are_western(text: str) -> None:
    """They are no evidence for any other script, and by far the commonest."""
    assert decoded(text.encode("cp1252")) == (text, "cp1252", True)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("// ошибка\nint e;\n", "cp1251"),
        ("; тест\n", "cp866"),
        ("# создаёт новый объект\n", "koi8-r"),
        ("// błąd odczytu pliku\n", "iso8859-2"),
        ("// příliš dlouhý název\n", "iso8859-2"),
        ("// où est passé le bœuf\n", "iso8859-15"),
        ("// 初始化\n", "gb18030"),
        ("// 传入Java对象, 返回结果\n", "gb18030"),
        ("// 取得使用者資訊\n", "big5hkscs"),
        ("// 設定ファイルを開く\n", "euc_jis_2004"),
        ("// 初期化\n", "cp932"),
        ("// 초기화\n", "cp949"),
        ("// ข้อผิดพลาด\n", "cp874"),
    ],
)
def test_a_short_comment_is_enough_for_another_script(text: str, encoding: str) -> None:
    read, _, guessed = decoded(text.encode(encoding))

    assert (read, guessed) == (text, True)


@pytest.mark.parametrize(
    ("data", "text", "replaced"),
    [
        ("# café\n".encode() + b"# b\xe9d \xff \x80\n", "# café\n# b\ufffdd \ufffd \ufffd\n", 3),
        ("# déjà vu, café".encode()[:-1], "# déjà vu, caf\ufffd", 1),
        (b"# caf\xc3", "# caf\ufffd", 1),
        (b"price 10 \xe2\x82", "price 10 \ufffd", 1),
        (b"# \xc0\x80 and caf\xc3\xa9\n", "# \ufffd\ufffd and café\n", 2),
        ("# é à ç\n".encode() + "# vu\u00e0\n".encode("cp1252"), "# é à ç\n# vu\ufffd\n", 1),
    ],
)
def test_utf_8_with_a_few_bad_bytes_stays_utf_8(data: bytes, text: str, replaced: int) -> None:
    """Whether they were torn, pasted or never characters; what they were cannot be told."""
    assert decode(data) == Decoded(text.encode(), "utf-8", replaced)


@pytest.mark.parametrize("text", ["// цикл, тест\n", "// データ と 値\n", "// déjà\n"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_words(text: str, encoding: str) -> None:
    """Other scripts leave few zeros."""
    assert decoded(text.encode(encoding)) == (text, encoding, False)


KOI = "тест".encode("koi8-r")


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (b"# -*- coding: koi8-r -*-\n", b""),
        (b"#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\n", b""),
        (b"# encoding: KOI8-R\n", b""),
        (b";; -*- mode: lisp; coding: koi8-r-unix -*-\n", b""),
        (b"<?xml version='1.0' encoding='koi8-r'?>\n", b""),
        (b'@charset "koi8-r";\n', b""),
        (b"<html><meta charset=koi8-r>\n", b""),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\n', b""),
        (b'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=koi8-r\\n"\n', b""),
        (b'MIME-Version: 1.0\nContent-Type: text/plain; charset="koi8-r"\n\n', b""),
        (b"use encoding 'koi8-r';\n", b""),
        (b"use open ':encoding(koi8-r)';\n", b""),
        (b"=encoding koi8-r\n", b""),
        (b"\\usepackage[koi8-r]{inputenc}\n", b""),
        (b"@documentencoding koi8-r\n", b""),
        (b'<%@ page contentType="text/html; charset=koi8-r" %>\n', b""),
        (b"x\n" * 50, b"# Local Variables:\n# coding: koi8-r\n# End:\n"),
        (b"x\n" * 50, b"/* vim: set fenc=koi8-r ts=4: */\n"),
    ],
)
def test_a_file_that_declares_its_encoding_is_believed(head: bytes, tail: bytes) -> None:
    """The four letters could be of many encodings."""
    assert decoded(head + KOI + b"\n" + tail)[1:] == ("koi8-r", False)


@pytest.mark.parametrize(
    "head",
    [
        b"open(path, encoding='koi8-r')\n",
        b"x\n" * 9 + b"# coding: koi8-r\n",
        b"# coding: rot13\n",
        b"# coding: nonsense\n",
        b"# -*- coding: utf-8 -*-\n",
        b"# -*- coding: ascii -*-\n",
        b'<?xml version="1.0" encoding="UTF-16"?>\n',
        b"# -*- coding: shift_jis -*-\n",
    ],
)
def test_a_declaration_counts_where_its_readers_look_and_if_it_fits(head: bytes) -> None:
    text = "# Vérifie que la clé est présente, à côté\n"

    assert decoded(head + text.encode("cp1252")) == (head.decode() + text, "cp1252", True)


RULES = EncodingRules.of(
    (PathKey(key), text.encode())
    for key, text in {
        ".editorconfig": (
            "root = true\n[*]\ncharset = utf-8\n[*.{c,h}]\ncharset = latin1\n"
            "[docs/**]\ncharset = utf-16le\n[lib/{a,b}/x{1..3}.txt]\ncharset=cp1251 ; old\n"
        ),
        ".gitattributes": (
            "*.txt text working-tree-encoding=UTF-16LE-BOM eol=crlf\n/old/*.pas encoding=cp866\n"
            '*.c encoding=koi8-r\n"a b.dpr" encoding=windows-1251\nz.txt -working-tree-encoding\n'
        ),
        "sub/.editorconfig": "[*.c]\ncharset = unset\n",
        "own/.editorconfig": "root = true\n",
    }.items()
)


@pytest.mark.parametrize(
    ("path", "codec"),
    [
        ("a.c", "cp1252"),
        ("x/y.h", "cp1252"),
        ("docs/a/b.md", "utf-16-le"),
        ("lib/a/x2.txt", "cp1251"),
        ("lib/c/x2.txt", "utf-16-le"),
        ("z.txt", ""),
        ("old/u.pas", "cp866"),
        ("new/old/u.pas", ""),
        ("a b.dpr", "cp1251"),
        ("sub/m.c", "koi8-r"),
        ("own/m.h", ""),
        ("r.py", ""),
    ],
)
def test_a_repository_declares_encodings_as_editors_and_git_read_them(
    path: str, codec: str
) -> None:
    assert RULES.codec(PathKey(path)) == codec


def test_a_rule_decides_only_what_nothing_in_the_file_does() -> None:
    text = "# тест\n"
    marked = b"# coding: koi8-r\n" + text.encode("koi8-r")

    assert decoded(text.encode(), "cp866")[1:] == ("utf-8", False)
    assert decoded(marked, "cp866")[1:] == ("koi8-r", False)
    assert decoded(text.encode("cp866"), "cp866") == (text, "cp866", False)
    assert decoded("データ\n".encode("utf-16-le"), "utf-16-le")[1:] == ("utf-16-le", False)


FILES = [*encoded_files()]


@pytest.fixture(scope="module")
def misread() -> list[EncodedFile]:
    """Return the files of which another text is read than was written."""
    decoded = [(file, decode(file.data)) for file in FILES]
    return [
        file
        for file, read in decoded
        if read is None or read.data.decode() != file.text or read.replaced
    ]


def test_the_files_are_of_many_languages_and_encodings() -> None:
    assert len(FILES) >= 300
    assert len({file.language for file in FILES}) >= 25
    assert len({file.encoding for file in FILES}) >= 20


@pytest.mark.slow
def test_nearly_all_files_are_read_as_they_were_written(misread: list[EncodedFile]) -> None:
    assert len(misread) <= 0.03 * len(FILES), [
        (file.language, file.encoding, file.shape) for file in misread
    ]


@pytest.mark.slow
def test_no_encoding_in_common_use_is_misread_often(misread: list[EncodedFile]) -> None:
    """A mean over many encodings would hide one that is never told.

    One line of Lithuanian, or of text from DOS, may read as Western: it is said to be a guess.
    """
    every, wrong = (Counter(file.encoding for file in files) for files in (FILES, misread))

    assert {name for name, count in wrong.items() if count > 0.1 * every[name]} <= {
        "cp850",
        "iso8859-13",
    }


@pytest.mark.slow
def test_a_file_is_never_misread_without_a_word(misread: list[EncodedFile]) -> None:
    for file in misread:
        read = decode(file.data)
        assert read is None or read.guessed or read.replaced
