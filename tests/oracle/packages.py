"""Which real package each language is read from, pinned, and what of it counts.

A package comes from PyPI (a wheel or a source distribution), npm (a tarball) or Debian (a binary
or source package). Only files that match one of `globs` are kept, below their path in the archive.
"""

from typing import Final, Literal

from msgspec import Struct

Registry = Literal["pypi", "sdist", "npm", "deb", "debsrc"]


class Package(Struct, frozen=True):
    """One language's package.

    Attributes:
        language: as `ggrep.parse.languages.registry` names it.
        ctags: as ctags names it.
        name: in its registry.
        globs: which of the archive's paths are kept (`fnmatch`: `*` crosses folders).
        omit: kept paths that are left out, because they are no text of this language.
    """

    language: str
    ctags: str
    registry: Registry
    name: str
    version: str
    globs: tuple[str, ...]
    omit: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return what the table calls it."""
        return f"{self.registry} {self.name} {self.version}"


DEBIAN_SUITE: Final = "bookworm"

PACKAGES: Final = (
    Package("python", "Python", "pypi", "werkzeug", "3.1.3", ("*.py",)),
    Package("javascript", "JavaScript", "npm", "eslint", "9.17.0", ("lib/*.js",)),
    Package("typescript", "TypeScript", "npm", "rxjs", "7.8.1", ("src/*.ts",)),
    Package("tsx", "TypeScript", "npm", "react-native-paper", "5.12.5", ("src/*.tsx",)),
    Package(
        "go",
        "Go",
        "deb",
        "golang-github-gin-gonic-gin-dev",
        "1.8.1-1",
        ("*.go",),
    ),
    Package("rust", "Rust", "deb", "librust-clap-dev", "4.0.32-1", ("*.rs",)),
    Package(
        "c", "C", "debsrc", "libuv1", "1.44.2-1+deb12u1", ("src/*.c", "src/*.h", "include/*.h")
    ),
    Package("cpp", "C++", "debsrc", "abseil", "20220623.1-1+deb12u2", ("absl/*.h", "absl/*.cc")),
    Package("java", "Java", "npm", "react-native-svg", "15.8.0", ("android/*.java",)),
    Package("csharp", "C#", "debsrc", "newtonsoft-json", "6.0.8+dfsg-1.1", ("*.cs",)),
    Package("ruby", "Ruby", "deb", "ruby-activesupport", "2:6.1.7.10+dfsg-1~deb12u2", ("*.rb",)),
    Package("php", "PHP", "deb", "php-symfony-console", "5.4.53+dfsg-0+deb12u1", ("*.php",)),
    Package("haskell", "Haskell", "debsrc", "haskell-aeson", "2.0.3.0-1", ("*.hs",)),
    Package("kotlin", "Kotlin", "npm", "react-native-screens", "4.4.0", ("*.kt",)),
    Package("lua", "Lua", "deb", "lua-penlight", "1.13.1-3", ("*.lua",)),
    Package("elixir", "Elixir", "debsrc", "elixir-lang", "1.14.0.dfsg-2", ("lib/*.ex",)),
    Package("bash", "Sh", "deb", "dracut-core", "059-4", ("*.sh",)),
    Package("sql", "SQL", "deb", "postgresql-15-partman", "4.7.2-1", ("*.sql",)),
    Package("proto", "Protobuf", "pypi", "googleapis-common-protos", "1.66.0", ("*.proto",)),
)

MORE_PACKAGES: Final = (
    Package("ada", "Ada", "deb", "libgnatcoll21-dev", "23.0.0-3", ("*.ad[bs]",)),
    Package("clojure", "Clojure", "debsrc", "leiningen-clojure", "2.9.1-5", ("*.clj",)),
    Package("cmake", "CMake", "deb", "cmake-data", "3.25.1-1", ("*.cmake",)),
    Package("d", "D", "deb", "libphobos2-ldc-shared-dev", "1:1.30.0-1+b1", ("*std/*.d",)),
    Package("elisp", "EmacsLisp", "deb", "elpa-magit", "3.3.0+git20220316-1", ("*.el",)),
    Package("elm", "Elm", "npm", "elm-pages", "3.1.3", ("*.elm",)),
    Package(
        "erlang",
        "Erlang",
        "deb",
        "erlang-src",
        "1:25.2.3+dfsg-1+deb12u4",
        ("*/lib/inets-*/src/*.[eh]rl",),
    ),
    Package(
        "fortran", "Fortran", "debsrc", "netcdf-fortran", "4.6.0+really4.5.4+ds-3", ("fortran/*90",)
    ),
    Package("julia", "Julia", "debsrc", "gmsh", "4.8.4+ds2-3", ("api/*.jl",)),
    Package("lisp", "Lisp", "deb", "cl-alexandria", "20220430.git.1d5d3e1-1", ("*.lisp",)),
    Package("objc", "ObjectiveC", "debsrc", "gnustep-base", "1.28.1-1", ("Source/*.m",)),
    Package("ocaml", "OCaml", "debsrc", "lwt", "5.6.1-1", ("src/*.ml", "src/*.mli")),
    Package(
        "pascal",
        "Pascal",
        "deb",
        "lazarus-src-2.2",
        "2.2.6+dfsg2-2",
        ("*/components/lazutils/*.pas", "*/components/fpreport/*.pp"),
    ),
    Package("perl", "Perl", "deb", "libmojolicious-perl", "9.31+dfsg-1", ("*.pm",)),
    Package(
        "powershell",
        "PowerShell",
        "pypi",
        "ansible",
        "7.0.0",
        tuple(f"ansible_collections/{one}/windows/*.ps*1" for one in ("ansible", "community")),
    ),
    Package("r", "R", "debsrc", "r-cran-dplyr", "1.1.0-1", ("R/*.R",)),
    Package("racket", "Scheme", "debsrc", "racket", "8.7+dfsg1-1", ("collects/racket/*.rkt",)),
    Package("scheme", "Scheme", "deb", "guile-library", "0.2.7-4", ("*.scm",)),
    Package("starlark", "Python", "debsrc", "bazel-bootstrap", "4.2.3+ds-9", ("*.bzl",)),
    Package("tcl", "Tcl", "deb", "tcllib", "1.21+dfsg-1", ("share/tcltk/*.tcl",)),
    Package(
        "verilog",
        "SystemVerilog",
        "pypi",
        "pythondata-cpu-ibex",
        "0.0.post2937",
        ("*/rtl/*.sv",),
        ("*/vendor/*",),
    ),
    Package("vhdl", "VHDL", "pypi", "pythondata-cpu-microwatt", "0.0.post1409", ("*.vhdl",)),
)
"""Of languages that are read by a file of queries."""

HELD_OUT: Final = (
    Package("ada", "Ada", "debsrc", "ahven", "2.8-7", ("src/*.ad[bs]",)),
    Package("d", "D", "deb", "libgtkd-3-dev", "3.10.0-2", ("*glib/*.d", "*gtk/[AT]*.d")),
    Package("elm", "Elm", "npm", "elm-review", "2.13.5", ("*.elm",)),
    Package(
        "erlang",
        "Erlang",
        "deb",
        "erlang-src",
        "1:25.2.3+dfsg-1+deb12u4",
        ("*/lib/stdlib-*/src/[a-g]*.erl",),
    ),
    Package(
        "pascal",
        "Pascal",
        "deb",
        "fpc-source-3.2.2",
        "3.2.2+dfsg-20",
        ("*/fcl-json/src/*.pp", "*/fcl-web/src/base/*.pp"),
    ),
    Package("powershell", "PowerShell", "pypi", "ansible-core", "2.14.1", ("*.ps1", "*.psm1")),
    Package("scheme", "Scheme", "deb", "slib", "3b6-3", ("*.scm",)),
    Package(
        "verilog",
        "Verilog",
        "debsrc",
        "yosys",
        "0.23-6",
        ("techlibs/common/*.v", "techlibs/[e-i]*/*.v"),
        ("*xtra*",),
    ),
    Package(
        "verilog",
        "SystemVerilog",
        "pypi",
        "pythondata-cpu-cv32e40p",
        "1.0.1.post1909",
        ("*/rtl/*.sv",),
    ),
    Package("vhdl", "VHDL", "debsrc", "ghdl", "2.0.0+dfsg-6.2", ("libraries/*.vhdl",)),
)
"""Further packages of languages whose rules were mended by what the first one showed."""

BEHIND_MACROS: Final = (
    Package(
        "cpp",
        "C++",
        "debsrc",
        "qtbase-opensource-src",
        "5.15.8+dfsg-11+deb12u3",
        ("src/corelib/[gikt]*.h", "src/corelib/[gikt]*.cpp", "src/widgets/kernel/*.[ch]*"),
    ),
    Package(
        "cpp",
        "C++",
        "debsrc",
        "opencv",
        "4.6.0+dfsg-12",
        ("modules/core/*.[ch]pp", "modules/ml/*.[ch]pp", "modules/video/*.[ch]pp"),
    ),
    Package(
        "cpp",
        "C++",
        "debsrc",
        "rocksdb",
        "7.8.3-2",
        ("db/*.h", "db/*.cc", "include/*.h", "table/*.h", "table/*.cc", "util/*.h", "util/*.cc"),
    ),
)
"""C++ whose classes and functions stand behind macros of the project's own."""

HAND_READ: Final = (
    Package("astro", "", "npm", "@astrojs/starlight", "0.42.4", ("*.astro",)),
    Package("dart", "", "debsrc", "thrift", "0.17.0-2", ("lib/dart/lib/*.dart",)),
    Package("fsharp", "", "sdist", "pygments", "2.19.1", ("*/fsharp/*.fs",)),
    Package("gdscript", "", "sdist", "pygments", "2.19.1", ("*/gdscript/*.gd",)),
    Package("gleam", "", "sdist", "pygments", "2.19.1", ("*/gleam/*.gleam",)),
    Package("hcl", "", "pypi", "mlstacks", "0.10.0", ("*.tf",)),
    Package("nim", "", "deb", "nim", "1.6.10-2", ("*/lib/pure/*.nim",)),
    Package("nix", "", "debsrc", "nix", "2.8.0-1.1", ("*.nix",), ("*lang/*-fail*",)),
    Package("purescript", "", "npm", "pulp", "16.0.2", ("src/*.purs",)),
    Package("scala", "", "debsrc", "scala", "2.11.12-5", ("*/scala/*.scala",)),
    Package("solidity", "", "npm", "@openzeppelin/contracts", "5.1.0", ("*.sol",)),
    Package("svelte", "", "npm", "carbon-components-svelte", "0.112.1", ("*.svelte",)),
    Package("swift", "", "npm", "expo-modules-core", "2.1.0", ("*.swift",)),
    Package("vue", "", "npm", "vue-good-table-next", "0.2.2", ("*.vue",)),
    Package("zig", "", "pypi", "ziggy-pydust", "0.26.0", ("*.zig",)),
)
"""Of languages that ctags cannot read; a person has read some of their files."""

GRAPHQL: Final = Package(
    "graphql", "", "npm", "@octokit/graphql-schema", "15.26.1", ("schema.graphql",)
)
GRAPHQL_PARSER: Final = Package("python", "", "pypi", "graphql-core", "3.2.6", ("graphql/*.py",))
"""The language's own, which no other test needs."""
