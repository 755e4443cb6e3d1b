"""The built-in path rules: which paths usually play which role in a repository.

A glob without a slash is compared with a file's name, wherever it lies; one whose only slash
comes last (`docs/`) with the names of the directories above it; any other with the whole path. `*`
and `?` stop at a slash, `**` between slashes does not, `{a,b}` is either, `[ab]` one of its
characters. Case does not count.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ggrep.model.slate import Role

_PROGRAM: Final = (
    "{c,cc,cjs,cpp,cs,cts,cxx,dart,ex,exs,fs,go,hs,java,jl,js,jsx,kt,lua,mjs,mts,php,pl,py,rb,rs,"
    "scala,sh,svelte,swift,ts,tsx,vb,vue,zig}"
)
_DATA: Final = "{cfg,conf,env,ini,json,json5,jsonc,properties,toml,xml,yaml,yml}"

ROLES_REVISION: Final = "roles-1"
"""What paths are taken for in slates; enters their fingerprint.

    roles-1  first globs
"""

PROSE: Final = (
    "*.{adoc,asciidoc,md,mdc,mdown,mdwn,mdx,mkd,mkdn,mkdown,markdown,org,pod,rst,tex,texi,typ}",
    "{authors,changelog,changes,contributing,history,install,news,notice,readme,todo}{,.txt}",
    "*.{1,2,3,4,5,6,7,8}.{in,ronn,scd}",
)
"""What people write for people, wherever it lies; never a test, nor anything that runs."""

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
            f"*{{permission,permissions,policy,policies,rbac,authz,authorization}}.{_PROGRAM}",
            f"*{{authorisation,authorizer,access_control,access-control,accesscontrol}}.{_PROGRAM}",
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
        # What is a test in any language, `ggrep.model.traits` knows; these are beside it.
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
