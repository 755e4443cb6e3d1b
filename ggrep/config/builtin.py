"""Built-in lists: paths that are never worth indexing, and files that are text.

All names are compared in lower case, except directories, which are compared as they are.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILTIN_REVISION: Final = "builtin-4"
"""Enters the config fingerprint: other lists make another index.

1. First lists.
2. All endings of sources and documents that chunking knows by name, `.mkd` and `.bats` among them.
3. Names of secrets in lists of their own (`secret_names`), four times as many; private folders;
   `.inc`.
4. Notebooks, of which only the cells are indexed; scripts without an ending; more names and dot
   files without one; more names of secrets, and more kinds of values that are masked.
"""

DIRECTORIES: Final = _words(
    "Datasets node_modules bower_components dist build out target __pycache__ .git .venv venv"
    " coverage .nyc_output .pytest_cache"
)
"""Directories of products and packages. Files that git tracks in them stay eligible."""

FILES: Final = _words(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb composer.lock"
    " cargo.lock gemfile.lock go.sum"
)
"""Lock files: long, made by machines and full of words that match everything."""

FILE_SUFFIXES: Final = (
    ".lock",
    ".bin",
    ".pyc",
    ".onnx",
    ".min.js",
    ".min.css",
    ".min.mjs",
    ".map",
)
"""Endings of files that are made by machines, tracked or not."""

DOT_DIRECTORIES: Final = _words(
    ".azure-pipelines .buildkite .cargo .changeset .ci .circleci .config .devcontainer .forgejo"
    " .gitea .github .gitlab .husky .mvn .semaphore .storybook .teamcity .tekton .vscode"
    " .woodpecker"
)
"""Directories of configuration that a team shares."""

DOT_FILES: Final = (
    ".appveyor.y*ml",
    ".babelrc*",
    ".bash_aliases",
    ".bash_functions",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".bazelrc",
    ".browserslistrc",
    ".buckconfig",
    ".c8rc*",
    ".cirrus.y*ml",
    ".clang-format",
    ".clang-tidy",
    ".clangd",
    ".codecov.y*ml",
    ".commitlintrc*",
    ".coveragerc",
    ".credo.exs",
    ".cspell*",
    ".dockerignore",
    ".drone.y*ml",
    ".editorconfig",
    ".eslintignore",
    ".eslintrc*",
    ".flake8",
    ".formatter.exs",
    ".gitattributes",
    ".gitlab-ci.y*ml",
    ".gdbinit",
    ".gitmodules",
    ".golangci.*",
    ".goreleaser.y*ml",
    ".graphqlrc*",
    ".hadolint.y*ml",
    ".inputrc",
    ".irbrc",
    ".isort.cfg",
    ".jscsrc",
    ".jshintrc",
    ".lintstagedrc*",
    ".lldbinit",
    ".luacheckrc",
    ".markdownlint*",
    ".mocharc*",
    ".node-version",
    ".npmignore",
    ".nvmrc",
    ".nycrc*",
    ".php-cs-fixer*.php",
    ".pre-commit-config.y*ml",
    ".pre-commit-hooks.y*ml",
    ".prettierignore",
    ".prettierrc*",
    ".profile",
    ".pylintrc",
    ".python-version",
    ".readthedocs.y*ml",
    ".rprofile",
    ".releaserc*",
    ".renovaterc*",
    ".rspec",
    ".rubocop*.y*ml",
    ".ruby-version",
    ".rustfmt.toml",
    ".scalafmt.conf",
    ".shellcheckrc",
    ".solhint.json",
    ".sqlfluff",
    ".stylelintrc*",
    ".stylua.toml",
    ".swcrc",
    ".swiftlint.y*ml",
    ".tmux.conf",
    ".tool-versions",
    ".travis.y*ml",
    ".vimrc",
    ".yamllint*",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
)
"""Names of configuration files that a team shares."""

EXTENSIONS: Final = _words(
    # Programs.
    "js mjs cjs jsx ts mts cts tsx py pyi pyw pyx pxd go rs c h cpp cc cxx c++ hpp hxx hh h++ inl"
    " ipp tpp cu cuh java rb rake gemspec erb php phtml cs csx fs fsi fsx vb scala sc sbt hs lhs"
    " ml mli mll mly re rei zig lua luau ex exs eex heex erl hrl clj cljs cljc edn el lisp lsp"
    " scm rkt ss dart f f90 f95 f03 f08 for jl v sv svh vhd vhdl kt kts swift m mm r rmd nim nims"
    " cr d pas pp dpr adb ads cob cbl asm s groovy gradle gvy pl pm t raku tcl awk sed vim"
    " odin sol vy move cairo wgsl glsl vert frag geom comp hlsl metal cl ps1 psm1 psd1 bat cmd sh"
    " bash ada bas bats cppm di es6 f77 fnl gleam ixx just make mojo nasm vbs vh zon"
    " zsh fish ksh nu hx as coffee litcoffee ls elm purs idr agda lean gd gdshader ahk au3"
    " ino pde sql psql plsql prisma proto thrift avdl capnp fbs graphql gql graphqls wit smithy"
    # Pages and styles.
    " html htm xhtml css scss sass less styl vue svelte astro ejs hbs handlebars mustache pug jade"
    " haml slim liquid njk twig jinja jinja2 j2 tmpl tpl jsp cshtml razor xaml qml ui"
    # Configuration and data.
    " json json5 jsonc jsonl yaml yml toml ini cfg conf cnf properties editorconfig xml xsl xslt"
    " xsd wsdl plist csproj fsproj vbproj props targets sln csv tsv bzl bazel star bxl hcl tf"
    " tfvars nomad nix dhall cue jsonnet libsonnet rego dockerfile containerfile mk mak cmake in"
    " am ac m4 ninja meson service socket timer desktop spec diff patch"
    " avsc ddl dml webmanifest http rest lock map ipynb"
    # Documents and diagrams.
    " md mdx mdc markdown mdown mdwn mkd mkdn mkdown rst typ txt text adoc asciidoc org tex bib"
    " sty cls inc texi pod"
    " mmd mermaid puml plantuml pu iuml dot gv po pot"
)
"""Endings of files that hold text somebody wrote, without the dot."""

FILE_NAMES: Final = _words(
    "apkbuild appfile appraisals authors berksfile brewfile buck build caddyfile capfile cartfile"
    " changelog changes codeowners containerfile contributing contributors copying dangerfile"
    " dockerfile dune dune-project dune-workspace earthfile fastfile gemfile gnumakefile go.mod"
    " go.work guardfile gymfile history install jenkinsfile justfile kbuild kconfig license"
    " maintainers makefile matchfile meson.build meson.options mintfile news notice owners pants"
    " pipfile pkgbuild podfile procfile puppetfile rakefile readme rebar.config sconscript"
    " sconstruct singularity snakefile steepfile thanks thorfile tiltfile todo vagrantfile"
    " workspace wscript"
)
"""Names without a telling ending that hold text somebody wrote."""

VARIANT_NAMES: Final = _words("containerfile dockerfile jenkinsfile makefile")
"""Names of which a project keeps variants, each with one ending of its own choice."""
