"""How files say that a repository is built and tested."""

import pytest

from ggrep.search.tour.ci_commands import ci_commands
from ggrep.search.tour.commands import commands_of, has_commands, package_manager


@pytest.mark.parametrize(
    ("path", "text", "reported"),
    [
        ("Makefile", "X := 1\nbuild: a\n\ntest check:\n.PHONY: a\n", ["make build, test"]),
        ("package.json", '{"scripts": {"test": "jest", "x": "y"}}', ["npm run test: jest"]),
        ("package.json", "no json", []),
        ("tox.ini", "[tox]\nenvlist = py311, lint\n", ["tox: py311, lint"]),
        ("noxfile.py", "@nox.session\ndef tests(s):\n    pass\n", ["nox: tests"]),
        ("Cargo.toml", "[workspace]\nmembers = []\n", None),
        ("Cargo.toml", "[package]\n", ["cargo build; cargo test"]),
        ("CMakeLists.txt", "enable_testing()\n", ["cmake -B build && cmake --build build"]),
        ("pom.xml", "", ["mvn package; mvn test"]),
        ("pyproject.toml", "not [toml", []),
        ("justfile", "test a:\n  x\n", ["just test"]),
        ("runtest", "", ["./runtest"]),
        ("composer.json", '{"scripts": {"test": "x"}}', ["composer install", "composer test"]),
    ],
)
def test_a_file_says_its_commands(path: str, text: str, reported: list[str] | None) -> None:
    """Names that people look for, and what a manifest means by convention."""
    wanted = ["cargo build --workspace; cargo test --workspace"] if reported is None else reported

    assert has_commands(path)
    assert [line.text for line in commands_of(path, text)] == wanted


@pytest.mark.parametrize(
    ("texts", "manager"),
    [
        ({"package.json": '{"packageManager": "pnpm@9.1.0"}', ".yarnrc.yml": ""}, "pnpm"),
        ({"package.json": "{}", "pnpm-workspace.yaml": "packages: []\n"}, "pnpm"),
        ({"package.json": "{}", "bunfig.toml": ""}, "bun"),
        ({"package.json": '{"engines": {"yarn": ">=4"}}'}, "yarn"),
        ({"package.json": '{"scripts": {"ci": "pnpm run a && pnpm run b"}}'}, "pnpm"),
        ({"package.json": "{}", "ci.yml": "uses: pnpm/action-setup@v4\n"}, "pnpm"),
        ({"package.json": "{}", "ci.yml": "run: yarn install\nrun: yarn test\n"}, "yarn"),
        ({"package.json": "{}", "ci.yml": "run: npm ci\nrun: yarn test\n"}, "npm"),
        ({"package.json": "{}"}, "npm"),
        ({}, "npm"),
    ],
)
def test_the_package_manager_is_that_of_the_repository(texts: dict[str, str], manager: str) -> None:
    """The command of another one writes a second lock file."""
    package = '{"scripts": {"test": "vitest"}}'

    assert package_manager(texts) == manager
    assert commands_of("package.json", package, manager)[0].text == f"{manager} run test: vitest"


def test_only_files_at_the_root_speak_for_the_repository() -> None:
    """A Makefile below builds a part of it."""
    assert not has_commands("docs/Makefile")
    assert not has_commands("src/a.py")


def test_of_continuous_integration_two_commands_of_a_kind_are_told() -> None:
    """Tests first; what prepares the machine is nobody's business, nor is a release's workflow."""
    texts = {
        ".github/workflows/release.yml": "steps:\n  - run: make release test\n",
        ".github/workflows/ci.yml": (
            "steps:\n  - run: apt-get install tests\n  - run: |\n      cd a\n      make all\n"
            "      pytest -x\n  - name: lint\n    run: ruff check .\n  - run: pytest -x\n"
            "  - run: pytest tests/slow\n  - run: pytest tests/never\n"
        ),
        ".travis.yml": "script:\n- make check\nafter: x\n",
    }

    steps = (
        "cargo -V",
        "rm -f tests/man.test",
        "test -s a",
        'grep "^msrv" clippy.toml',
        "./cmake-3.sh --prefix=/usr",
        "${{ env.CARGO }} test",
        "cargo test --target=${{ matrix.target }}",
        "npm run build --if-present",
        "npm run build",
        "pytest ../..",
        "cd a; make test",
        "nix develop --command make x",
        'make -j"$(nproc)"',
    )
    other = {"ci.yml": "".join(f"run: {step}\n" for step in steps)}

    folder = "steps:\n  - name: a\n    working-directory: b\n    run: make test\n  - run: tox\n"

    assert [line.text for line in ci_commands(other)] == ['make -j"$(nproc)"']
    assert [line.text for line in ci_commands({"ci.yml": folder})] == ["tox"]
    scripts = {"ci.yml": "- run: npm run build\n"}
    assert [line.text for line in ci_commands(scripts, {"build"})] == ["npm run build"]
    assert [(line.text, line.path, line.line) for line in ci_commands(texts)] == [
        ("pytest -x", ".github/workflows/ci.yml", 9),
        ("pytest tests/slow", ".github/workflows/ci.yml", 10),
        ("ruff check .", ".github/workflows/ci.yml", 8),
        ("make check", ".travis.yml", 2),
    ]
