"""A name without a definition is answered with the import that shows where it comes from."""

import pytest

from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

FILES = {
    "app/main.py": (
        "import json\n"
        "import numpy as np\n"
        "from flask import Flask, request as asked\n"
        "from app.models import Row, missing\n"
        "from . import near\n"
        "from collections.abc import (\n    Iterable,\n)\n\n\n"
        "def run(rows: Iterable):\n"
        "    Flask(asked)\n"
        "    missing(near)\n"
        "    unknown(rows)\n"
        "    return json.dumps(np.linalg.norm(rows))\n"
    ),
    "app/models.py": "class Row: ...\n",
    "web/app.ts": (
        "import express, { Router as R } from 'express';\n"
        "import * as path from 'node:path';\n"
        "import { local } from './local';\n"
        "import { useQuery } from '@tanstack/react-query/core';\n"
        "const { readFileSync } = require('fs');\n"
        "express(); R(); path.joinAll(local); useQuery(readFileSync);\n"
    ),
    "go.mod": "module example.com/shop\n",
    "cmd/main.go": (
        "package main\n\n"
        "import (\n"
        '\t"fmt"\n'
        '\t"github.com/gorilla/mux/v2"\n'
        '\tlog "go.uber.org/zap"\n'
        '\t"example.com/shop/cmd/inner"\n'
        ")\n\n"
        "func main() {\n\tfmt.Sprintln(mux.NewRouter(), log.Sugar(), inner.Lost())\n}\n"
    ),
    "cmd/inner/inner.go": "package inner\n\nfunc Kept() {}\n",
    "src/lib.rs": (
        "use serde::{de::Visitor, Serialize};\n"
        "use tokio::sync as waiting;\n"
        "use crate::gone::Lost as Away;\n\n"
        "fn f(v: Visitor, s: Serialize, a: Away) { waiting::oneshot(v) }\n"
    ),
    "src/Main.java": (
        "import java.util.concurrent.ExecutorService;\n"
        "import static org.junit.Assert.assertEquals;\n"
        "import java.util.Objects;\n\n"
        "class Main { ExecutorService s; void f() { assertEquals(Objects.hashAll(s), 1); } }\n"
        "class Full { java.far.Remote afar; }\n"
    ),
    "src/main.kt": (
        "package shop\n\nimport io.ktor.server.Server\nimport okio.Buffer\n\n"
        "fun f(b: Buffer, s: Server) {}\n"
    ),
    "src/main.c": (
        '#include <stdio.h>\n#include "local.h"\n\n'
        'int main(void) { return fprintf(stderr, "x"); }\n'
    ),
    "src/local.h": "int local_value;\n",
    "src/Job.cs": (
        "using System.Text.Json;\nusing Shop.Inner;\n\n"
        "class Job { void F() { JsonSerializer.Serialize(this); } }\n"
    ),
    "src/Shop/Inner.cs": "namespace Shop.Inner;\nclass Kept {}\n",
}


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    return shared_index(FILES, encoder="none")


@pytest.mark.parametrize(
    ("name", "package", "place", "content"),
    [
        ("Flask", "flask", "app/main.py:3", "from flask import Flask, request as asked"),
        ("asked", "flask", "app/main.py:3", "from flask import Flask, request as asked"),
        ("flask.Flask", "flask", "app/main.py:3", "from flask import Flask, request as asked"),
        ("Iterable", "collections", "app/main.py:6", "from collections.abc import ("),
        ("dumps", "json", "app/main.py:1", "import json"),
        ("json.dumps", "json", "app/main.py:1", "import json"),
        ("norm", "numpy", "app/main.py:2", "import numpy as np"),
        ("np", "numpy", "app/main.py:2", "import numpy as np"),
        ("R", "express", "web/app.ts:1", "import express, { Router as R } from 'express';"),
        ("joinAll", "node:path", "web/app.ts:2", "import * as path from 'node:path';"),
        (
            *("useQuery", "@tanstack/react-query", "web/app.ts:4"),
            "import { useQuery } from '@tanstack/react-query/core';",
        ),
        ("readFileSync", "fs", "web/app.ts:5", "const { readFileSync } = require('fs');"),
        ("Sprintln", "fmt", "cmd/main.go:4", '"fmt"'),
        (
            *("NewRouter", "github.com/gorilla/mux/v2", "cmd/main.go:5"),
            '"github.com/gorilla/mux/v2"',
        ),
        ("Sugar", "go.uber.org/zap", "cmd/main.go:6", 'log "go.uber.org/zap"'),
        ("Visitor", "serde", "src/lib.rs:1", "use serde::{de::Visitor, Serialize};"),
        ("oneshot", "tokio", "src/lib.rs:2", "use tokio::sync as waiting;"),
        (
            *("ExecutorService", "java.util.concurrent", "src/Main.java:1"),
            "import java.util.concurrent.ExecutorService;",
        ),
        (
            *("assertEquals", "org.junit", "src/Main.java:2"),
            "import static org.junit.Assert.assertEquals;",
        ),
        ("hashAll", "java.util", "src/Main.java:3", "import java.util.Objects;"),
        ("Buffer", "okio", "src/main.kt:4", "import okio.Buffer"),
        ("fprintf", "stdio.h?", "src/main.c:1", "#include <stdio.h>"),
        ("JsonSerializer", "System.Text.Json?", "src/Job.cs:1", "using System.Text.Json;"),
    ],
)
def test_the_import_names_the_package(
    engine: Engine, name: str, package: str, place: str, content: str
) -> None:
    for answer in (
        engine.ask(SymbolRequest(name, deterministic=True)),
        engine.ask(ReferencesRequest(name, deterministic=True)),
    ):
        (origin,) = answer.outside
        assert f"{origin.package}{'?' * origin.guess}" == package
        assert f"{origin.path}:{origin.line}" == place
        assert origin.content == content


@pytest.mark.parametrize(
    "name", ["missing", "near", "unknown", "local", "Lost", "Away", "nowhere", "Remote"]
)
def test_a_name_of_this_repository_or_of_nowhere_has_no_package(engine: Engine, name: str) -> None:
    """Its file may be generated or not indexed; an import of it still means this repository."""
    assert engine.ask(SymbolRequest(name, deterministic=True)).outside == ()
    assert engine.ask(ReferencesRequest(name, deterministic=True)).outside == ()


def test_a_defined_name_has_no_package(engine: Engine) -> None:
    assert engine.ask(SymbolRequest("Row", deterministic=True)).outside == ()
    assert engine.ask(ReferencesRequest("Row", deterministic=True)).outside == ()
