"""Built-in lists: paths that are not indexed, and files that are text.

All names are compared in lower case, except directories, which are case-sensitive.
"""

from typing import Final

from ggrep.config.endings import ENDINGS, NAMES


def words(text: str) -> frozenset[str]:
    """Return the words of a built-in list."""
    return frozenset(text.split())


def globs(text: str) -> tuple[str, ...]:
    """Return the globs of a built-in list, in order."""
    return tuple(text.split())


BUILTIN_REVISION: Final = "builtin-6"
"""Version of the lists.

It is part of the configuration fingerprint, because other lists result in another index.

1. First lists.
2. All endings of sources and documents that chunking supports by name, such as `.mkd` and `.bats`.
3. Names of secrets in separate lists (`secret_names`), four times as many as before; private
   folders; `.inc`.
4. Notebooks, of which only the cells are indexed; scripts without an ending; more names and dot
   files without an ending; more names of secrets; more kinds of masked values.
5. Texts whose names are in no list, recognised by their first bytes.
6. `.mypy.ini`, `.ruff.toml`, `.bumpversion.cfg`, `.bumpversion.toml`, `.coveragerc.toml`.
"""

DIRECTORIES: Final = words(
    "Datasets node_modules bower_components dist build out target __pycache__ .git .venv venv"
    " coverage .nyc_output .pytest_cache"
)
"""Directories of build products and packages. Files in them that git tracks stay eligible."""

FILES: Final = words(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb composer.lock"
    " cargo.lock gemfile.lock go.sum"
)
"""Lock files: long, generated, and full of words that match any query."""

FILE_SUFFIXES: Final = globs(".lock .bin .pyc .onnx .min.js .min.css .min.mjs .map")
"""Endings of generated files, tracked or not."""

DOT_DIRECTORIES: Final = words(
    ".azure-pipelines .buildkite .cargo .changeset .ci .circleci .config .devcontainer .forgejo"
    " .gitea .github .gitlab .husky .mvn .semaphore .storybook .teamcity .tekton .vscode"
    " .woodpecker"
)
"""Directories with configuration that a team shares."""

DOT_FILES: Final = globs(
    ".appveyor.y*ml .babelrc* .bash_aliases .bash_functions .bash_login .bash_logout"
    " .bash_profile .bashrc .bazelrc .browserslistrc .buckconfig .bumpversion.* .c8rc*"
    " .cirrus.y*ml .clang-format .clang-tidy .clangd .codecov.y*ml .commitlintrc* .coveragerc*"
    " .credo.exs .cspell* .dockerignore .drone.y*ml .editorconfig .eslintignore .eslintrc*"
    " .flake8 .formatter.exs .gitattributes .gitlab-ci.y*ml .gdbinit .gitmodules .golangci.*"
    " .goreleaser.y*ml .graphqlrc* .hadolint.y*ml .inputrc .irbrc .isort.cfg .jscsrc .jshintrc"
    " .lintstagedrc* .lldbinit .luacheckrc .markdownlint* .mocharc* .mypy.ini .node-version"
    " .npmignore .nvmrc .nycrc* .php-cs-fixer*.php .pre-commit-config.y*ml"
    " .pre-commit-hooks.y*ml .prettierignore .prettierrc* .profile .pylintrc .python-version"
    " .readthedocs.y*ml .rprofile .releaserc* .renovaterc* .rspec .rubocop*.y*ml .ruby-version"
    " .ruff.toml .rustfmt.toml .scalafmt.conf .shellcheckrc .solhint.json .sqlfluff"
    " .stylelintrc* .stylua.toml .swcrc .swiftlint.y*ml .tmux.conf .tool-versions .travis.y*ml"
    " .vimrc .yamllint* .zlogin .zprofile .zshenv .zshrc"
)
"""Names of configuration files that a team shares."""

_LEFT_OUT: Final = words("asc code-workspace env geojson gitconfig har log ndjson psv rss svg")
"""Endings of languages whose files contain data, secrets or one user's content."""

EXTENSIONS: Final = (frozenset(ENDINGS) - _LEFT_OUT) | words(
    # Programs.
    "agda ahk as au3 cairo dhall eex fbs gdshader gvy heex hx idr lean litcoffee ls luau mll mly"
    " move nu pde plsql raku re rego rei rmd sed smithy vy wit"
    # Pages and styles.
    " cshtml ejs haml handlebars hbs j2 jade jinja jinja2 jsp liquid mustache njk pug qml razor"
    " slim styl tmpl tpl twig ui xaml"
    # Configuration, data and documents.
    " ac am bib bxl http in m4 meson ninja po pod pot sln spec texi"
)
"""Endings of hand-written text files, without the dot: endings of languages, and others."""

FILE_NAMES: Final = frozenset(name for name in NAMES if not name.startswith(".")) - FILES | words(
    "authors caddyfile cartfile changelog changes contributing contributors copying earthfile"
    " history install kconfig license maintainers meson.build meson.options mintfile news"
    " notice owners pants readme singularity thanks todo"
)
"""Names of hand-written text files whose ending does not show their kind."""

VARIANT_NAMES: Final = words("containerfile dockerfile jenkinsfile makefile")
"""Names of which projects have variants, each variant with one arbitrary ending."""

NO_TEXTS: Final = _LEFT_OUT | words(
    # Pictures, sounds, fonts, print files and drawings.
    "ai apng avif bmp cdr cur dwg dxf eot eps fig flac gif heic icns ico jp2 jpeg jpg m4a mid"
    " mkv mov mp3 mp4 odg ogg otf pbm pdf pgm png pnm ppm ps psd qm raw svgz tga tif tiff ttc"
    " ttf wav webm webp wmf woff woff2 xcf xpm"
    # Archives, programs and parts of programs.
    " 7z a apk bz2 cab class crate db deb dex dll dmg dylib ear egg exe gem gz img iso jar lib"
    " lz lz4 lzma mo msi nib o obj pak pdb pyd rar rpm so tar tbz tgz txz war wasm whl xz z zip"
    " zst"
    # Data, and offices' documents.
    " arrow dat data dbf doc docx dump feather h5 hdf5 mdb npy npz odp ods odt parquet pickle"
    " pkl ppt pptx pt pth rdb rtf safetensors sqlite sqlite3 torrent xls xlsx"
    # Keys, certificates and sums.
    " cer crl crt csr der gpg htpasswd jks jwt kdb kdbx key keystore ks md5 ovpn p12 pass passwd"
    " pem pfx pgpass psk pwfile sha1 sha256 sha512 sig sum truststore"
    # Output, state and temporary files of programs.
    " bak core cover gcda gcno gcov old orig out pid prof rej snap swo swp temp tmp"
    # Screens, projects and translations written by programs.
    " drawio pbxproj resx storyboard strings stringsdict userprefs vcxproj xcscheme xcstrings"
    " xcworkspacedata xib xlf xliff"
)
"""Endings of generated and binary files, which are not opened."""
