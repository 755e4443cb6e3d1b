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
    """Return the lines where a name is handled, each with the definition that does."""
    found = mentions(path, text.encode(), name)
    return [(each.line, each.container) for each in found if each.role == "handles"]


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
    found = mentions("a.py", b'bus.on("started", f)\nlog("started")\n', "started")

    assert [(each.line, each.kind, each.role) for each in found] == [
        (1, "usage", "handles"),
        (2, "string", ""),
    ]


def test_a_path_is_no_part_of_a_longer_one() -> None:
    found = mentions("a.py", b'get("/api/login")\nget("/login")\n', "/login")

    assert [each.line for each in found] == [2]
