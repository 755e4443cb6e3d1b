"""Code that handles a message, an event or a route says so beside its name."""

import pytest

from ggrep.parse.occurrences.occurrences import mentions

PYTHON = """\
from shop.events import Started

@app.route("/login", methods=["POST"])
def login(): ...

@bus.on_event(Started)
async def greet(event): ...

@receiver(Started, sender=None)
def note(sender, **more): ...

@on_event
def record(event: Started): ...

@click.command("import")
def run(): ...

class Audit(Handler[Started]):
    pass

HANDLERS = {Started: greet, "stopped": halt}
emitter.on("started", greet)
registry.register(Started, handler=greet)
urlpatterns = [path("login/", views.login)]
"""
TYPESCRIPT = """\
@Controller("users")
class Users {
  @Get("/login")
  show() {}
  @OnEvent("started")
  greet(event: Started) {}
}
emitter.on("started", () => greet());
router.post("/login", guard, login);
bus.subscribe<Started>(greet);
const handlers = { [Started]: greet };
"""
GO = """\
package shop

func routes(mux *http.ServeMux) {
	http.HandleFunc("/login", login)
	mux.Handle("POST /logout", logout)
	r.GET("/users", list)
}

var handlers = map[string]Handler{"started": greet}
"""
RUST = """\
impl Handler<Started> for Server {
    fn handle(&mut self, message: Started) {}
}

#[post("/login")]
async fn login() {}

fn app() -> Router {
    Router::new().route("/logout", get(logout))
}
"""
JAVA = """\
class Audit implements ApplicationListener<Started> {
  @EventListener
  public void on(Started event) {}
  @PostMapping("/login")
  String login() { return ""; }
  void wire() { bus.register(Started.class, this::on); }
}
"""
CSHARP = """\
class Greet : IRequestHandler<Started, Answer> {
  [HttpPost("/login")]
  public void Login() {}
  void Wire() { app.MapGet("/logout", Logout); bus.Subscribe<Started>(On); }
}
"""
KOTLIN = """\
class Audit {
  @EventListener
  fun on(event: Started) {}
  fun wire() { get("/login") { } ; bus.on<Started> { } }
}
"""
OTHERS = {
    "a.rb": 'post "/login", to: "users#login"\nbus.subscribe("started") { |event| greet(event) }\n',
    "a.php": (
        "<?php\nclass Users {\n  #[Route('/login')]\n  function login() {}\n}\n"
        "$bus->addListener(Started::class, $greet);\n"
    ),
}


def handlers(path: str, text: str, name: str) -> list[tuple[int, str]]:
    result = mentions(path, text.encode(), name)
    return [(each.line, each.container) for each in result if each.role == "handles"]


@pytest.mark.parametrize(
    ("path", "text", "name", "expected"),
    [
        ("a.py", PYTHON, '"/login"', [(3, "login")]),
        ("a.py", PYTHON, "/login", [(3, "login")]),
        (
            *("a.py", PYTHON, "Started"),
            [(6, "greet"), (9, "note"), (13, "record"), (18, "Audit"), (21, ""), (23, "")],
        ),
        ("a.py", PYTHON, "started", [(22, "")]),
        ("a.py", PYTHON, '"started"', [(22, "")]),
        ("a.py", PYTHON, "stopped", [(21, "")]),
        ("a.py", PYTHON, '"import"', [(15, "run")]),
        ("a.py", PYTHON, '"login/"', [(24, "")]),
        ("a.ts", TYPESCRIPT, "/login", [(3, "Users.show"), (9, "")]),
        ("a.ts", TYPESCRIPT, "started", [(5, "Users.greet"), (8, "")]),
        ("a.ts", TYPESCRIPT, "Started", [(10, "")]),
        ("a.go", GO, "/login", [(4, "routes")]),
        ("a.go", GO, "/logout", [(5, "routes")]),
        ("a.go", GO, "/users", [(6, "routes")]),
        ("a.go", GO, "started", [(9, "")]),
        ("a.rs", RUST, "Started", [(1, "Server")]),
        ("a.rs", RUST, "/login", [(5, "login")]),
        ("a.rs", RUST, "/logout", [(9, "app")]),
        ("A.java", JAVA, "Started", [(1, "Audit"), (3, "Audit.on"), (6, "Audit.wire")]),
        ("A.java", JAVA, "/login", [(4, "Audit.login")]),
        ("a.cs", CSHARP, "Started", [(1, "Greet"), (4, "Greet.Wire")]),
        ("a.cs", CSHARP, "/login", [(2, "Greet.Login")]),
        ("a.cs", CSHARP, "/logout", [(4, "Greet.Wire")]),
        ("a.kt", KOTLIN, "Started", [(3, "Audit.on"), (4, "Audit.wire")]),
        ("a.kt", KOTLIN, "/login", [(4, "Audit.wire")]),
        ("a.rb", OTHERS["a.rb"], "/login", [(1, "")]),
        ("a.rb", OTHERS["a.rb"], "started", [(2, "")]),
        ("a.php", OTHERS["a.php"], "/login", [(3, "Users.login")]),
        ("a.php", OTHERS["a.php"], "Started", [(6, "")]),
        ("a.js", 'router.route("/login").get(show).post(enter);\n', "/login", [(1, "")]),
        ("a.js", 'router.get(["/other", "/login"], show);\n', "/login", [(1, "")]),
        ("a.ts", '@Controller("/login")\nclass Users {}\n', "/login", [(1, "Users")]),
        (
            *("A.java", 'class A {\n  @GetMapping(path = {"/a", "/login"})\n  void in() {}\n}\n'),
            *("/login", [(2, "A.in")]),
        ),
        ("a.go", 'package a\n\nfunc f() { v1.POST("/login", enter) }\n', "/login", [(3, "f")]),
        ("a.rs", 'fn f() { web::resource("/login").route(enter); }\n', "/login", [(1, "f")]),
        ("a.rb", 'get "/login" => "users#login"\n', "/login", [(1, "")]),
        ("a.php", "<?php\nRoute::post('/login', 'Users@login');\n", "/login", [(2, "")]),
    ],
)
def test_what_handles_a_name_is_marked(
    path: str, text: str, name: str, expected: list[tuple[int, str]]
) -> None:
    assert handlers(path, text, name) == expected


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", 'answer = client.get("/login", headers)\n', "/login"),
        ("a.py", 'settings.get("started", default)\n', "started"),
        ("a.py", 'log("started", event)\n', "started"),
        ("a.py", 'emitter.on("not started", greet)\n', "started"),
        ("a.py", 'emitter.on("started")\n', "started"),
        ("a.py", 'emitter.emit("started", event)\n', "started"),
        ("a.py", 'emitter.on("other", started)\n', "started"),
        ("a.py", 'emitter.on("other", lambda: started)\n', "started"),
        ("a.py", 'COLOURS = {"started": green}\n', "started"),
        ("a.py", 'HANDLERS = {"started": 3}\n', "started"),
        ("a.py", 'HANDLERS = {"other": started}\n', "started"),
        (
            "a.py",
            '@pytest.mark.parametrize("started", [greet])\ndef test_it(started): ...\n',
            "started",
        ),
        ("a.py", "def greet(event: Started): ...\n", "Started"),
        ("a.py", "items: Handler[Started] = None\n", "Started"),
        ("a.py", 'socket.connect("started", port)\n', "started"),
        ("a.js", 'axios.post("/login", body);\n', "/login"),
        ("a.js", 'const paths = ["/login", show];\n', "/login"),
        ("a.js", 'app.route("/login");\n', "/login"),
        ("a.rb", 'post "/login", params: { name: 1 }\n', "/login"),
        ("a.go", 'package a\n\nfunc f() { http.Get("/login", options) }\n', "/login"),
        ("a.rs", "impl Handler<Other> for Started {}\n", "Started"),
        ("a.rs", "fn f(handler: Box<dyn Handler<Started>>) {}\n", "Started"),
        ("a.cs", "class A : IRequestHandler<Other, Started> {}\n", "Started"),
        ("A.java", "class A { @Override public void on(Started event) {} }\n", "Started"),
    ],
)
def test_what_only_names_it_is_not(path: str, text: str, name: str) -> None:
    assert handlers(path, text, name) == []


def test_a_string_that_names_an_event_is_a_usage() -> None:
    """Strings are shown only when they are asked for; the handler of an event always is."""
    result = mentions("a.py", b'bus.on("started", f)\nlog("started")\n', "started")

    assert [(each.line, each.kind, each.role) for each in result] == [
        (1, "usage", "handles"),
        (2, "string", ""),
    ]


def test_a_path_is_no_part_of_a_longer_one() -> None:
    result = mentions("a.py", b'get("/api/login")\nget("/login")\n', "/login")

    assert [each.line for each in result] == [2]


EVIDENT = [
    ("a.py", "def f():\n    x = Container()\n    x.method()\n"),
    ("a.py", "def f(c: Container):\n    c.method()\n"),
    ("a.py", "def f(c: 'Optional[Container]' = None):\n    c.method()\n"),
    ("a.py", "def f():\n    with Container() as c:\n        c.method()\n"),
    ("a.py", "Container().method()\n"),
    ("a.py", "def f():\n    c: Container | None = get()\n    c.method()\n"),
    ("a.rs", "fn f() { Container::new().method(); }"),
    ("a.rs", "fn f() { let c: Container = g(); c.method(); }"),
    ("a.rs", "fn f() { let mut c = Container::with_capacity(3)?; c.method(); }"),
    ("a.rs", "fn f(c: &mut Container) { c.method(); }"),
    ("a.rs", "fn f(c: Arc<Container>) { let y: Foo = c.method(); }"),
    ("a.rs", "fn f() { let c = Container { a: 1 }; c.method(); }"),
    ("a.go", "package m\nfunc f(c *Container) { c.Method() }"),
    ("a.go", "package m\nfunc f() { c := &Container{}; c.Method() }"),
    ("a.go", "package m\nfunc f() { c := NewContainer(3); c.Method() }"),
    ("a.go", "package m\nfunc f() { var c pkg.Container; c.Method() }"),
    ("a.java", "class A { void f() { Container c = new Container(); c.method(); } }"),
    ("a.java", "class A { void f() { var c = new Container<>(); c.method(); } }"),
    ("a.java", "class A { void f(final Container c) { c.method(); } }"),
    ("a.java", "class A { void f() { new Container().method(); } }"),
    ("a.java", "class A { void f(List<X> l) { for (Container c : l) { c.method(); } } }"),
    ("a.kt", "fun f() { val c = Container()\n c.method() }"),
    ("a.kt", "fun f(c: Container?) { c?.method() }"),
    ("a.kt", "fun f() { val c: Container = g()\n c.method() }"),
    ("a.ts", "function f() { const c = new Container(); c.method(); }"),
    ("a.ts", "function f(c: Container) { c.method(); }"),
    ("a.ts", "function f() { const c = (g() as Container); c.method(); }"),
    ("a.js", "function f() { let c; c = new Container(); c.method(); }"),
    ("a.cpp", "void f() { Container c; c.method(); }"),
    ("a.cpp", "void f() { Container c(1, 2); c.method(); }"),
    ("a.cpp", "void f(const Container& c) { c.method(); }"),
    ("a.cpp", "void f() { auto c = std::make_unique<Container>(); c->method(); }"),
    ("a.cpp", "void f() { Container* c = g(); c->method(); }"),
    ("a.cpp", "void f() { auto c = new ns::Container(); c->method(); }"),
    ("a.cs", "class A { void F() { var c = new Container(); c.Method(); } }"),
    ("a.cs", "class A { void F(Container c) { c.Method(); } }"),
    ("a.cs", "class A { void F() { using (var c = new Container()) { c.Method(); } } }"),
    ("a.rb", "def f\n  c = Container.new\n  c.method\nend\n"),
    ("a.rb", "def f\n  c = Container.new(1)\n  c.method\nend\n"),
    ("a.rb", "Container.new(1).method\n"),
    ("a.php", "<?php function f() { $c = new Container(); $c->method(); }"),
    ("a.php", "<?php function f(Container $c) { $c->method(); }"),
    ("a.php", "<?php function f() { (new Container())->method(); }"),
    ("a.swift", "func f() { let c = Container()\n c.method() }"),
    ("a.swift", "func f(c: Container) { c.method() }"),
    ("a.swift", "func f() { let c: Container? = g()\n c?.method() }"),
    ("a.scala", "object A { def f(c: Container) = c.method() }"),
    ("a.scala", "object A { def f() = { val c = new Container(); c.method() } }"),
    ("a.dart", "void f() { Container c = Container(); c.method(); }"),
    ("a.dart", "void f() { var c = Container(); c.method(); }"),
    ("a.dart", "void f(Container c) { c.method(); }"),
    ("a.lua", "local function f() local c = Container.new(); c:method() end"),
    ("a.go", "package m\nfunc f() { c := g().(*Container); c.Method() }"),
    ("a.rs", "fn f() { let o = Container::method(); }"),
    ("a.py", "def f():\n    ns.Container.method()\n"),
    ("a.kt", "fun f(c: Container) { c.method() }"),
    ("a.ts", "const f = (c: Container) => c.method();"),
    ("a.dart", "void f() { var c = Container(); x = c.method(); }"),
    (
        "a.rs",
        "fn g(&self) { let c = Container::default(); v.iter().map(|x| c.method()); }",
    ),
    ("a.py", "def f():\n    c = Container()\n    return [c.method() for i in x]\n"),
    ("a.java", "class A { Container c; void f() { c.method(); } }"),
    ("a.java", "class A { void f() { try (Container c = Container.open()) { c.method(); } } }"),
    ("a.go", "package m\nfunc f() { c := Container{}; go func() { c.Method() }() }"),
    ("a.scala", "class A(c: Container) { def f = c.method() }"),
    ("a.kt", "class A(private val c: Container) { fun f() = c.method() }"),
    ("a.swift", "class A { let c: Container; func f() { c.method() } }"),
    ("a.zig", "fn f() void { var c = Container.init(); c.method(); }"),
    ("a.nim", "proc f(c: Container) = c.method()"),
    ("a.d", "void f() { auto c = new Container(); c.method(); }"),
]
UNKNOWN = [
    # A parameter hides what has its name outside.
    ("a.py", "def f():\n    c = Container()\n    def g(c):\n        c.method()\n"),
    ("a.ts", "function f(c) { const g = (c) => c.method(); }"),
    # A variable of another function.
    ("a.py", "def f():\n    x = Container()\ndef g():\n    x.method()\n"),
    # Set anew by what nothing is known of.
    ("a.py", "def f():\n    c = Container()\n    c = a.other(1)\n    c.method()\n"),
    # One member of a chain is not what the chain comes to.
    ("a.py", "Container().other().method()\n"),
    ("a.rs", "fn f() { let y: Container = c.method(); }"),
    ("a.java", "class A { void f(List<Container> l) { l.method(); } }"),
    ("a.py", "def f(c: Container | Till):\n    c.method()\n"),
    ("a.py", "def f():\n    for c in Container():\n        c.method()\n"),
    ("a.py", "'Container'.method()\n"),
    ("a.go", "package m\nfunc f() { a := Container{}; b := a; b.Method() }"),
]


def receiver(path: str, text: str, name: str) -> str:
    used = [each for each in mentions(path, text.encode(), name) if each.kind == "usage"]
    return used[-1].receiver


def _name(text: str) -> str:
    return "Container.Method" if "Method" in text else "Container.method"


@pytest.mark.parametrize(("path", "text"), EVIDENT)
def test_a_type_beside_a_variable_or_a_call_of_it_is_evident(path: str, text: str) -> None:
    """Many usages of a common method name are of one container; the code says of which."""
    assert receiver(path, text, _name(text)) == "Container"


@pytest.mark.parametrize(("path", "text"), UNKNOWN)
def test_no_type_is_inferred(path: str, text: str) -> None:
    """A wrong certainty is worse than a doubt."""
    assert receiver(path, text, _name(text)) != "Container"


def test_receivers_of_a_plain_name_are_not_looked_for() -> None:
    """They would cost time, and nothing is judged by them."""
    assert receiver("a.py", "Container().method()\n", "method") == ""
