"""What a path says of a file beside its roles, in whatever repository."""

import pytest

from ggrep.config.roles import filing_of


@pytest.mark.parametrize(
    "path",
    [
        "po/pt_BR.po",
        "app/Resources/de.lproj/Main.strings",
        "inc/lang/en/edit.txt",
        "inc/lang/zh-tw/lang.php",
        "inc/lang/ckb/index.txt",
        "inc/lang/ca-valencia/install.html",
        "inc/lang/pl/index.txt",
        "assets/lang/lang-en-AU.json",
        "web/locales/fr.json",
        "src/i18n/messages_de.properties",
        "config/locales/en.yml",
        "res/values/strings.resx",
        "crate/data/popular-names.txt",
        "english_stopwords.txt",
        "dict/words.lst",
        "pkg.egg-info/SOURCES.txt",
    ],
)
def test_translations_and_word_lists_are_lists(path: str) -> None:
    """They have everybody's words, and say nothing of the program."""
    assert filing_of(path) == "list"


@pytest.mark.parametrize(
    "path",
    [
        "web/main/webapp/queue.jsp",
        "app/views/users/show.html.erb",
        "gui/default/folder/editView.html",
        "templates/base.html",
        "resources/mail.twig",
    ],
)
def test_what_a_program_fills_is_a_page(path: str) -> None:
    """It runs; nobody reads it for what it says."""
    assert filing_of(path) == "page"


@pytest.mark.parametrize(
    "path",
    [
        "src/lang/go/parser.go",
        "lib/i18n/translate.ts",
        "lib/capistrano/i18n.rb",
        "src/language/model.py",
        "docs/guide.html",
        "help/html/peers.html",
        "data/pages/wiki/syntax.txt",
        "data/README.txt",
        "docs/lang/overview.md",
        "website/i18n/fr/intro.md",
        "src/lang/pl/parse.pl",
        "src/lang/app.txt",
        "src/words.py",
        "notes.txt",
        "index.html",
    ],
)
def test_code_and_documents_are_neither(path: str) -> None:
    """Directories are called like that for many reasons."""
    assert filing_of(path) == ""
