"""Which type a member's receiver has, where the code around it says so."""

import pytest

from ggrep.parse.occurrences.occurrences import mentions

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
    """Return the receiver's type of the last usage."""
    used = [one for one in mentions(path, text.encode(), name) if one.kind == "usage"]
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
