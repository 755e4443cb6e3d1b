"""Facts that a path tells: role, filing and language."""

import pytest

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.config import languages
from ggrep.config.endings import ENDINGS
from ggrep.config.languages import LANGUAGES, check_languages, language_named
from ggrep.config.roles import BUILTIN_ROLES, RoleRules, filing_of, rules_of
from ggrep.model.filters import Filter
from ggrep.model.slate import ROLES, Role
from ggrep.parse.languages import by_content
from ggrep.parse.languages.registry import GRAMMARS, language_of
from tests.fakes.processor_time import quickest_s


def roles(path_key: str, rules: RoleRules | None = None) -> set[str]:
    """Return the names of a path's roles."""
    return {role.value for role in (rules or RoleRules()).roles_of(path_key)}


@pytest.mark.parametrize(
    ("path_key", "role"),
    [
        ("service/main.py", "entrypoint"),
        ("pkg/__main__.py", "entrypoint"),
        ("shop/urls.py", "entrypoint"),
        ("cmd/proxy/main.go", "entrypoint"),
        ("src/main.rs", "entrypoint"),
        ("src/index.ts", "entrypoint"),
        ("packages/api/src/index.ts", "entrypoint"),
        ("app/controllers/users_controller.rb", "entrypoint"),
        ("src/main/java/shop/OrderController.java", "entrypoint"),
        ("src/main/kotlin/shop/ShopApplication.kt", "entrypoint"),
        ("Shop/Program.cs", "entrypoint"),
        ("lib/shop_web/router.ex", "entrypoint"),
        ("app/Http/Middleware/Authenticate.php", "entrypoint"),
        ("src/server.cpp", "entrypoint"),
        ("auth/permissions.py", "policy"),
        ("app/policies/post_policy.rb", "policy"),
        ("src/auth/roles.guard.ts", "policy"),
        ("internal/rbac/check.go", "policy"),
        ("web/AuthorizationStrategy.java", "policy"),
        (".github/CODEOWNERS", "policy"),
        ("opa/allow.rego", "policy"),
        ("shop/settings.py", "configuration"),
        ("src/main/resources/application-prod.yml", "configuration"),
        ("config/database.yml", "configuration"),
        ("pyproject.toml", "configuration"),
        ("Cargo.toml", "configuration"),
        ("Shop/appsettings.Development.json", "configuration"),
        ("Dockerfile", "operations"),
        ("build/Dockerfile.prod", "operations"),
        ("docker-compose.override.yml", "operations"),
        (".github/workflows/ci.yml", "operations"),
        ("deploy/up.sh", "operations"),
        ("infra/main.tf", "operations"),
        ("unit/shop.service", "operations"),
        ("docs/runbooks/outage.md", "operations"),
        ("man/man1/shop.1.in", "operations"),
        ("tests/test_auth.py", "test"),
        ("pkg/auth_test.go", "test"),
        ("src/auth.spec.ts", "test"),
        ("features/login/happy.feature", "test"),
        ("README", "document"),
        ("docs/plan.md", "document"),
        ("specs/auth.md", "document"),
        ("docs/flow.mmd", "diagram"),
        ("docs/diagrams/flow.svg", "diagram"),
    ],
)
def test_a_usual_path_has_its_usual_role(path_key: str, role: str) -> None:
    """A slate covers roles, so the common layouts have to be known without any configuration."""
    assert role in roles(path_key)


@pytest.mark.parametrize(
    ("path_key", "expected"),
    [
        ("tests/test_permissions.py", {"test"}),
        ("tests/settings.py", {"test"}),
        ("tests/README.md", {"document"}),
        ("docs/permissions.md", {"document"}),
        ("docs/conf.py", {"document"}),
        ("src/widgets/index.ts", set()),
        ("Shop.Service/Order.cs", set()),
        ("src/domain/order.py", set()),
        ("domain/maintenance.py", set()),
        ("deploy/config/app.yaml", {"configuration", "operations"}),
    ],
)
def test_a_role_needs_more_than_a_likely_word(path_key: str, expected: set[str]) -> None:
    """A test of permissions is no policy, and a widget's index no entrance to the program."""
    assert roles(path_key) == expected


def test_case_does_not_count() -> None:
    """A role without rules would leave its section empty for ever."""
    assert roles("Docs/GUIDE.MD") == {"document"}
    assert roles("x/Y.Md", rules_of([(Role.POLICY, ["X/y.mD"])])) == {"document", "policy"}

    check_languages([Filter("lang", "Python"), Filter("path", "qwerty"), Filter("ext", "qwerty")])

    assert set(BUILTIN_ROLES) == set(ROLES)
    assert all(BUILTIN_ROLES.values())


def test_an_added_glob_holds_whatever_the_file_is_otherwise() -> None:
    rules = rules_of([(Role.ENTRYPOINT, ["tests/smoke/**"]), (Role.ENTRYPOINT, ["go.py"])])

    assert roles("tests/smoke/run.py", rules) == {"test", "entrypoint"}
    assert roles("deep/go.py", rules) == {"entrypoint"}
    assert roles("tests/unit/run.py", rules) == {"test"}


@pytest.mark.parametrize(
    ("glob", "path_key", "expected"),
    [
        ("*.zz", "a/b.zz", True),
        ("/a.zz", "a.zz", True),
        ("/a.zz", "x/a.zz", False),
        ("a/*.zz", "a/b.zz", True),
        ("a/*.zz", "a/b/c.zz", False),
        ("a/**", "a/b/c.zz", True),
        ("a/**", "a.zz", False),
        ("a/**", "x/a/b.zz", False),
        ("a/b/", "a/b/c.zz", True),
        ("**/a/**", "x/a/b.zz", True),
        ("**/a/**", "a/b.zz", True),
        ("**/a/*/c.zz", "x/a/y/a/b/c.zz", True),
        ("a/**/c.zz", "a/c.zz", True),
        ("a/**/b/**/c.zz", "a/b/x/b/c.zz", True),
        ("b/", "a/b/c/d.zz", True),
        ("b/", "a/b", False),
        ("b*/", "a/bcd/e.zz", True),
        ("a?c.zz", "abc.zz", True),
        ("a?c.zz", "a/c.zz", False),
        ("[ab]c.zz", "bc.zz", True),
        ("[!ab]c.zz", "bc.zz", False),
        ("[a-c]*.zz", "bx.zz", True),
        ("[c-a].zz", "b.zz", False),
        ("[^a]/b.zz", "//b.zz", False),
        ("x[a.zz", "x[a.zz", True),
        ("{a,b/c}.zz", "b/c.zz", True),
        ("{a,b}*{c,d}*.zz", "bxdy.zz", True),
        ("*{ab,a}*bc", "abc", True),
        ("a{,.*}.zz", "a.q.zz", True),
        ("a+(b).zz", "a+(b).zz", True),
        ("*a*a*b", "aaab", True),
    ],
)
def test_a_glob_means_what_it_means_elsewhere(glob: str, path_key: str, *, expected: bool) -> None:
    assert (Role.POLICY in rules_of([(Role.POLICY, [glob])]).roles_of(path_key)) is expected


@pytest.mark.parametrize("glob", ["{a,b", "a}b", "{a,{b,c}}", "x" * 513, "{a,b}" * 12])
def test_a_glob_that_cannot_be_meant_is_refused(glob: str) -> None:
    """A rule that silently never holds is worse than none."""
    with pytest.raises(InvalidRequest, match="roles"):
        rules_of([(Role.POLICY, [glob])])


def test_a_hostile_glob_costs_little() -> None:
    """The file comes with the repository; its globs must not stop the machine."""
    globs = ["*a" * 200 + "b", "**/a/" * 90 + "b", "{a,aa}" * 9 + "b"]
    rules = rules_of([(Role.POLICY, globs)])

    def matched() -> None:
        rules.roles_of("a" * 255)
        rules.roles_of("a/" * 1000 + "c")

    assert quickest_s(matched, 1.0) < 1.0


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
    assert filing_of(path) == ""


def test_every_language_that_a_file_can_be_of_may_be_asked_for() -> None:
    """One that is left out could not be filtered by."""
    by_bytes = {*by_content._INTERPRETERS.values(), *by_content._MODES.values()}
    by_bytes |= {*by_content._KERNELS.values()}
    by_bytes |= {name for clues in by_content._BY_ENDING.values() for name, _ in clues}

    assert by_bytes | {*GRAMMARS} | {*ENDINGS.values()} <= LANGUAGES
    assert {language_of("x"), language_of("Dockerfile.dev"), language_of("go.mod")} <= LANGUAGES


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("pyhton", "python"), ("h", "c"), (".m", "matlab"), ("typscript", "typescript")],
)
def test_what_is_no_name_leads_to_the_nearest(typed: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean: lang:{meant}$"):
        check_languages([Filter("lang", typed)])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("PY", "python"), (".rs", "rust"), ("golang", "go"), ("c++", "cpp"), ("ts", "typescript")],
)
def test_other_names_and_endings_mean_the_language(typed: str, meant: str) -> None:
    check_languages([Filter("lang", typed)])

    assert language_named(typed) == meant
    assert {*languages._OF_SEVERAL} < {*by_content._BY_ENDING}
