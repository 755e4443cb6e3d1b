"""Roles of files by their paths: built-in and configured globs, templates and translations."""

import itertools
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.model.files import TEST, traits_of
from ggrep.model.slate import ROLES, Role

_PROGRAM: Final = (
    "{c,cc,cjs,cpp,cs,cts,cxx,dart,ex,exs,fs,go,hs,java,jl,js,jsx,kt,lua,mjs,mts,php,pl,py,rb,rs,"
    "scala,sh,svelte,swift,ts,tsx,vb,vue,zig}"
)
_DATA: Final = "{cfg,conf,env,ini,json,json5,jsonc,properties,toml,xml,yaml,yml}"

ROLES_REVISION: Final = "roles-2"
"""Version of the roles of paths, a part of the fingerprint of slates.

    roles-1  first globs
    roles-2  policy by a word anywhere in a program's name
"""

PROSE: Final = (
    "*.{adoc,asciidoc,md,mdc,mdown,mdwn,mdx,mkd,mkdn,mkdown,markdown,org,pod,rst,tex,texi,typ}",
    "{authors,changelog,changes,contributing,history,install,news,notice,readme,todo}{,.txt}",
    "*.{1,2,3,4,5,6,7,8}.{in,ronn,scd}",
)
"""Endings of prose, which is never a test or a program, in any directory."""

BUILTIN_ROLES: Final[Mapping[Role, tuple[str, ...]]] = MappingProxyType(
    {
        Role.ENTRYPOINT: (
            f"{{main,app,application,server,cli,program,startup,bootstrap}}.{_PROGRAM}",
            f"*{{application,_app,-app,_server,-server,_cli,-cli,_main,-main}}.{_PROGRAM}",
            "{__main__,manage,wsgi,asgi,urls,lambda_function}.py",
            f"{{routes,router,routing,middleware,middlewares,endpoints}}.{_PROGRAM}",
            f"*[-._]{{routes,router,routing,middleware,controller,handler}}.{_PROGRAM}",
            "*{controller,handler,middleware,resource,servlet,endpoint}.{cs,java,kt,php,scala}",
            "*_web.ex",
            "{config.ru,artisan}",
            "cmd/**/main.go",
            "cmd/*.go",
            f"bin/*.{_PROGRAM}",
            "src/bin/**",
            "/{src/,}index.{cjs,cts,js,jsx,mjs,mts,php,ts,tsx}",
            "{apps,packages,services}/*/{src/,}index.{cjs,cts,js,jsx,mjs,mts,ts,tsx}",
            "**/pages/api/**",
            "**/app/**/{page,route,layout}.{js,jsx,ts,tsx}",
            "routes/",
            "routers/",
            "controllers/",
            "handlers/",
            "middleware/",
            "middlewares/",
            "endpoints/",
        ),
        Role.POLICY: (
            f"*{{permission,policy,policies,rbac,authz,authorization,authorisation}}*.{_PROGRAM}",
            f"*{{authorizer,access_control,access-control,accesscontrol}}*.{_PROGRAM}",
            f"*[-._]{{guard,guards,roles}}.{_PROGRAM}",
            f"{{acl,acls,guard,guards,roles,rules,scopes,abilities,ability}}.{_PROGRAM}",
            "*{guard,policy,permission,permissions,voter}.{cs,java,kt,php,scala}",
            f"{{policy,policies,permissions,rbac,roles,acl,access}}.{_DATA}",
            "*[-._]{policy,policies,permissions,rbac,acl}.{json,toml,yaml,yml}",
            "{codeowners,owners}",
            "*.rego",
            "*.cedar",
            "{firestore,storage,database}.rules{,.json}",
            "permissions/",
            "policy/",
            "policies/",
            "rbac/",
            "acl/",
            "authz/",
            "authorization/",
            "guards/",
            "roles/",
        ),
        Role.CONFIGURATION: (
            f"{{settings,config,configuration,conf,defaults,options,constants,env}}.{_PROGRAM}",
            f"*[-._]{{settings,config,configuration,conf,defaults,options}}.{_PROGRAM}",
            "*{settings,config,configuration,properties,options}.{cs,java,kt,scala}",
            f"{{settings,config,configuration,defaults,options,app,application}}.{_DATA}",
            f"{{application,appsettings,config,settings}}[-._]*.{_DATA}",
            f"*[-._]{{settings,config,configuration}}.{_DATA}",
            "appsettings.json",
            "{setup,tox,mypy,pytest,ruff,alembic,logging}.{cfg,ini,toml,conf}",
            "{pyproject,cargo,poetry,rustfmt,clippy,deno,wrangler,netlify,biome}.{json,jsonc,toml}",
            "{package,composer,tsconfig,jsconfig,lerna,nx,turbo,angular,deno}.json",
            "tsconfig.*.json",
            "{pom.xml,build.gradle,build.gradle.kts,settings.gradle,gradle.properties}",
            "{go.mod,go.work,gemfile,pipfile,mix.exs,cmakelists.txt,web.config,nginx.conf}",
            "*.{csproj,fsproj,vbproj,props,targets,gemspec,editorconfig}",
            "requirements*.txt",
            "{.ggrep.toml,.editorconfig,.babelrc*,.eslintrc*,.prettierrc*,.pre-commit-config.yaml}",
            f"{{config,configs,conf,settings}}/**/*.{_DATA}",
            f"**/{{config,configs,settings}}/*.{_PROGRAM}",
            f"**/{{config,configs,conf,resources}}/*.{_DATA}",
        ),
        Role.OPERATIONS: (
            "{dockerfile,containerfile}{,.*}",
            "*.dockerfile",
            "{docker-,}compose{,.*,-*}.{yaml,yml}",
            "*.{service,socket,timer}",
            "{makefile,gnumakefile,justfile,procfile,jenkinsfile,vagrantfile,tiltfile,earthfile}",
            "{taskfile,skaffold,helmfile,fly,render,serverless,cloudbuild,buildspec}.{toml,yaml,yml}",
            "*.mk",
            "*.{tf,tfvars,hcl,nomad}",
            "{.gitlab-ci,.travis,.drone,.appveyor,azure-pipelines,bitbucket-pipelines}.{yaml,yml}",
            "{chart,values,kustomization,playbook}.{yaml,yml}",
            "*{runbook,playbook,operating,operations,deployment,troubleshooting}*.{adoc,md,mdx,rst}",
            "{entrypoint,docker-entrypoint,deploy,install,release,healthcheck}.{bash,ps1,sh}",
            "man/**",
            "**/man{1,2,3,4,5,6,7,8}/*",
            ".github/workflows/**",
            ".circleci/**",
            ".buildkite/**",
            ".tekton/**",
            "deploy/",
            "deployment/",
            "deployments/",
            "docker/",
            "helm/",
            "infra/",
            "infrastructure/",
            "k8s/",
            "kubernetes/",
            "ansible/",
            "monitoring/",
            "ops/",
            "runbook/",
            "runbooks/",
            "systemd/",
            "terraform/",
        ),
        # In addition to the tests of any language in `ggrep.model.files`.
        Role.TEST: (
            "t/",
            "testsuite/",
            "test-suite/",
            "fixtures/",
            "__fixtures__/",
            "__snapshots__/",
            "features/**/*.feature",
        ),
        Role.DOCUMENT: (*PROSE, "doc/", "docs/", "documentation/", "adr/", "adrs/", "rfcs/"),
        Role.DIAGRAM: ("*.{mmd,mermaid,puml,plantuml,iuml,dot,gv}", "diagrams/"),
    }
)
"""Globs of common languages and frameworks, by role."""

MAX_GLOB_CHARACTERS: Final = 512
"""Maximum length of a glob."""

MAX_ALTERNATIVES: Final = 512
"""Maximum number of plain globs to which a glob with braces expands."""

_BRACES = re.compile(r"\{([^{}]*)\}")
_MEMBERS = re.compile(r"(.)(?:-(.))?", re.DOTALL)
_TOKENS = re.compile(r"\{[^{}]*\}|\[[!^]?[^\[\]/{}]+\]|.", re.DOTALL)
_RUNS = frozenset({Role.ENTRYPOINT, Role.POLICY, Role.CONFIGURATION})
"""Roles that a test or a document does not get because of its name alone."""


class _Globs(Struct, frozen=True):
    """The globs of one role, by the part of the path that they match; None without globs."""

    names: re.Pattern[str] | None
    directories: re.Pattern[str] | None
    paths: re.Pattern[str] | None

    def match(self, path: str, directories: str, name: str) -> bool:
        """Return whether a glob matches a path; all three arguments are in lower case."""
        return (
            (self.names is not None and self.names.fullmatch(name) is not None)
            or (self.directories is not None and self.directories.search(directories) is not None)
            or (self.paths is not None and self.paths.fullmatch(path) is not None)
        )


class RoleRules(Struct, frozen=True, dict=True):
    """The roles of a repository's paths.

    Attributes:
        added: globs in addition to the built-in ones, by role in the order of `ROLES`. A path that
            matches such a glob has the glob's role in addition to its other roles.
    """

    added: tuple[tuple[Role, tuple[str, ...]], ...] = ()

    def roles_of(self, path_key: str) -> frozenset[Role]:
        """Return the roles of a path; empty if no rule matches it."""
        path = path_key.lower()
        directories, slash, name = path.rpartition("/")
        above = f"/{directories}{slash}"
        named = {role for role, globs in self._compiled if globs.match(path, above, name)}
        return frozenset(_builtin_roles(path_key, path, above, name) | named)

    @cached_property
    def _compiled(self) -> tuple[tuple[Role, _Globs], ...]:
        return tuple((role, _compile(globs)) for role, globs in self.added)


def rules_of(added: Iterable[tuple[Role, Iterable[str]]]) -> RoleRules:
    """Return the built-in rules with `added` globs; a role can occur several times."""
    globs_of: dict[Role, set[str]] = {role: set() for role in ROLES}
    for role, globs in added:
        globs_of[role].update(globs)
    rules = RoleRules(
        tuple((role, tuple(sorted(globs_of[role]))) for role in ROLES if globs_of[role])
    )
    for _, globs in rules.added:
        _compile(globs)
    return rules


def _builtin_roles(path_key: str, path: str, above: str, name: str) -> set[Role]:
    builtin = _builtin()
    roles = {role for role, globs in builtin.items() if globs.match(path, above, name)}
    is_prose = Role.DIAGRAM in roles or _prose().match(path, "/", name)
    if is_prose:
        roles -= {*_RUNS, Role.TEST}
    elif Role.TEST in roles or traits_of(path_key) & TEST:
        return {Role.TEST}
    elif Role.DOCUMENT in roles:
        roles -= _RUNS
    return roles


@cache
def _builtin() -> Mapping[Role, _Globs]:
    return {role: _compile(BUILTIN_ROLES[role]) for role in ROLES}


@cache
def _prose() -> _Globs:
    return _compile(PROSE)


@lru_cache(maxsize=64)
def _compile(globs: tuple[str, ...]) -> _Globs:
    names, directories, paths = [], [], []
    for glob in globs:
        for part in _expanded(glob.lower()):
            if "/" not in part:
                names.append(_segment(part))
            elif part.endswith("/") and part.count("/") == 1:
                directories.append(f"/{_segment(part[:-1])}/")
            else:
                paths.append(_path(part))
    return _Globs(_any_of(names), _any_of(directories), _any_of(paths))


def _any_of(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(dict.fromkeys(patterns)), re.DOTALL) if patterns else None


def _expanded(glob: str) -> list[str]:
    """Return the globs to compile for a glob: the glob itself, or its variants without braces.

    Braces with a slash or a star are expanded. Braces in a segment with several stars are also
    expanded, because the text between two stars is matched at its first occurrence, and must
    therefore be a single text.
    """
    if len(glob) > MAX_GLOB_CHARACTERS:
        raise InvalidRequest(
            f"roles: glob {glob[:40]!r}... is longer than {MAX_GLOB_CHARACTERS} characters"
        )
    bodies = _BRACES.findall(glob)
    if not {"{", "}"}.isdisjoint(_BRACES.sub("", glob)):
        raise InvalidRequest(f"roles: glob {glob!r} has nested or unclosed braces")
    if math.prod(body.count(",") + 1 for body in bodies) > MAX_ALTERNATIVES:
        raise InvalidRequest(f"roles: glob {glob!r} expands to more than {MAX_ALTERNATIVES} globs")
    crowded = any(part.count("*") > 1 for part in glob.split("/") if part != "**")
    if not bodies or not (crowded or any(set(body) & {"/", "*"} for body in bodies)):
        return [glob]
    pieces = _BRACES.split(glob)
    choices = [piece.split(",") if at % 2 else [piece] for at, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def _path(glob: str) -> str:
    """Return the regular expression of a glob for a whole path."""
    parts = glob.removeprefix("/").split("/")
    if parts[-1] in {"", "**"}:
        parts[-1:] = ["**", ""]
    groups: list[list[str]] = [[]]
    for part in parts[:-1]:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(f"{_segment(part)}/")
    groups[-1].append(_segment(parts[-1]) if parts[-1] else "[^/]+")
    first, *others = ("".join(group) for group in groups)
    pieces = [first]
    for number, group in enumerate(others, start=1):
        below = f"(?:[^/]*+/)*?{group}"
        pieces.append(below if number == len(others) else f"(?>{below})")
    return "".join(pieces)


def _segment(glob: str) -> str:
    """Return the regular expression of the part of a glob between two slashes."""
    first, *others = (_run(run) for run in re.split(r"\*+", glob))
    pieces = [first]
    for number, run in enumerate(others, start=1):
        # The last run of text matches at the segment's end; all other runs match at the first
        # possible position.
        pieces.append(f"[^/]*{run}" if number == len(others) else f"(?>[^/]*?{run})")
    return "".join(pieces)


def _run(glob: str) -> str:
    """Return the regular expression of a part of a glob without stars."""
    pieces = []
    for token in _TOKENS.findall(glob):
        match token[0]:
            case "?":
                pieces.append("[^/]")
            case "{":
                words = sorted(set(token[1:-1].split(",")))
                pieces.append(f"(?:{'|'.join(_run(word) for word in words)})")
            case "[" if len(token) > 1:
                pieces.append(_set(token[1:-1]))
            case _:
                pieces.append(re.escape(token))
    return "".join(pieces)


def _set(members: str) -> str:
    """Return the regular expression of a part of a glob in brackets."""
    inverse = members[0] in "!^"
    ranges = [
        f"{re.escape(member[1])}-{re.escape(member[2] or member[1])}"
        for member in _MEMBERS.finditer(members[inverse:])
        if member[1] <= (member[2] or member[1])
    ]
    if not ranges:
        return "(?!)"
    return f"[{'^/' if inverse else ''}{''.join(ranges)}]"


Filing: TypeAlias = Literal["page", "list", ""]

_TEMPLATE: Final = re.compile(
    r"\.(?:jsp|jspx|jspf|gsp|asp|aspx|ascx|cshtml|vbhtml|razor|erb|haml|slim|ejs|hbs|handlebars"
    r"|mustache|jinja|jinja2|j2|njk|liquid|twig|phtml|tpl|ftl|vm|heex|eex|leex|svelte|vue)$"
)
_HTML: Final = re.compile(r"\.x?html?$")
_PAGES: Final = frozenset(
    {"app", "components", "frontend", "gui", "layouts", "partials", "templates", "ui", "views"}
    | {"web-app", "webapp", "webui"}
)
"""Directories of HTML templates and HTML programs."""

_CATALOGUE: Final = re.compile(r"\.(?:po|pot|xlf|xliff|arb|resx|strings|stringsdict)$")
_TRANSLATED: Final = frozenset(
    {"i18n", "intl", "l10n", "lang", "langs", "language", "languages", "locale", "locales"}
    | {"translation", "translations"}
)
_TONGUE: Final = re.compile(r"(?:[\w-]*?[._-])?[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|\d{3}))?")
_RARE_TONGUE: Final = re.compile(r"[a-z]{2,3}(?:[-_@][a-z0-9]{2,10})?")
"""Codes of rare languages such as `ckb`, only in directories: such names of files are common."""
_PROGRAM_ENDING: Final = re.compile(
    r"\.(?:c|cc|cpp|cs|ex|exs|go|h|hpp|hs|java|js|jsx|kt|lua|m|ml|mm|php|pl|pm|py|rake|rb|rs|scala"
    r"|sh|swift|ts|tsx|zig)$"
)
_NO_TONGUES: Final = frozenset(
    {"cc", "cs", "ex", "go", "hs", "js", "kt", "ml", "mm", "pl", "pm", "py", "rb", "rs", "sh", "ts"}
)
"""Names of directories of sources below `lang` that are named after a programming language."""
_READ: Final = re.compile(r"\.(?:adoc|asciidoc|md|mdx|markdown|org|rst)$")
"""Endings of files with prose."""

_LISTS: Final = frozenset(
    {"data", "dict", "dictionaries", "dicts", "lists", "stopwords", "wordlist", "wordlists"}
    | {"words"}
)
_LIST: Final = re.compile(r"\.(?:dic|list|lst|txt|words)$")
_LIST_NAME: Final = re.compile(
    r"(?:^|[._-])(?:dictionary|stop_?words|word_?list|words)\.(?:dic|list|lst|txt)$"
)
_NOTED: Final = re.compile(r"\.(?:egg|dist)-info$")
_DOCUMENTS: Final = re.compile(r"^(?:readme|changes|changelog|history|install|todo|notice)\b")


def filing_of(path_key: str) -> Filing:
    """Return the kind of content that a path indicates: `page`, `list`, or empty for neither."""
    *directories, name = path_key.lower().split("/")
    if _READ.search(name):
        return ""
    if _is_translation(directories, name) or _is_list(directories, name):
        return "list"
    if _TEMPLATE.search(name) or (_HTML.search(name) and not _PAGES.isdisjoint(directories)):
        return "page"
    return ""


def _is_translation(directories: list[str], name: str) -> bool:
    """Return whether a file contains a program's texts in one of several natural languages."""
    if _CATALOGUE.search(name) or any(part.endswith(".lproj") for part in directories):
        return True
    place = next((at for at, part in enumerate(directories) if part in _TRANSLATED), None)
    if place is None:
        return False
    below, stem = directories[place + 1 :], name.partition(".")[0]
    if _PROGRAM_ENDING.search(name):
        return any(map(_TONGUE.fullmatch, (*below, stem))) and _NO_TONGUES.isdisjoint(below)
    return any(map(_RARE_TONGUE.fullmatch, below)) or bool(_TONGUE.fullmatch(stem))


def _is_list(directories: list[str], name: str) -> bool:
    if _DOCUMENTS.match(name):
        return False
    if _LIST_NAME.search(name) or any(map(_NOTED.search, directories)):
        return True
    return bool(directories) and directories[-1] in _LISTS and bool(_LIST.search(name))
