"""Definitions that stand inside of macros, or are made by them, are definitions all the same."""

import re

import pytest

from ggrep.parse.chunking.file_outline import outline_file
from ggrep.parse.languages.c_macros import expanded
from tests.chunking.conftest import Chunked
from tests.oracle.mentioned import mentions_of

RUST = """cfg_rt! {
    /// Runs it.
    #[cold]
    pub fn spawn<T>(task: T) -> T { task }
    pub(crate) struct Handle { id: u8 }
    cfg_inner! { pub fn nested() {} }
}
cfg_if::cfg_if! {
    if #[cfg(unix)] {
        mod unix;
        pub fn open() {}
    } else {
        pub fn close() {}
    }
}
thread_local! { static CURRENT: u8 = 1; }
lazy_static! { pub static ref TABLE: u8 = 1; }
impl Handle {
    cfg_io! { fn flush(&self) {} }
}
fn run() {
    select! { fn_like = wait() => { fn hidden() {} } }
}
"""
C = """SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
\treturn 0;
}
static DEFINE_MUTEX(lock);
DEFINE_SPINLOCK(other);
static LIST_HEAD(items);
static DEFINE_PER_CPU(struct stats, counter);
static int __init setup(void)
{
\treturn 1;
}
EXPORT_SYMBOL_GPL(setup);
static __always_inline __must_check int quick(int a)
{
\treturn a;
}
__visible struct task *__sched next_task(void)
{
}
DEFUN (forward_char, Fforward_char, 0, 1,
       doc: /* Move point; stop at the end (or not).  */)
  (Lisp_Object n)
{
  return n;
}
TRACE_EVENT(switched,
\tTP_PROTO(int a),
\tTP_fast_assign(__entry->a = a;)
);
PHP_FUNCTION(strlen)
{
}
module_init(setup);
"""


def defined(path: str, text: str) -> list[tuple[int, str, str]]:
    result = mentions_of(path, text.encode(), re.findall(r"\w+", text))
    return sorted((m.line, m.text, m.defined.kind) for m in result if m.defined)


def test_items_inside_of_macros_are_defined(chunked: Chunked) -> None:
    """A library's public functions may all stand behind `cfg_x!`."""
    file = chunked("a.rs", RUST)
    names = {name for chunk in file.chunks for name in chunk.names}
    spawn = next(chunk for chunk in file.chunks if chunk.name == "spawn")

    assert {"spawn", "Handle", "nested", "open", "close", "CURRENT", "TABLE", "flush"} <= names
    assert (spawn.signature, spawn.doc) == ("pub fn spawn<T>(task: T) -> T", "Runs it.")
    assert defined("a.rs", RUST) == [
        (4, "spawn", "function"),
        (5, "Handle", "class"),
        (5, "id", "field"),
        (6, "nested", "function"),
        (10, "unix", "module"),
        (11, "open", "function"),
        (13, "close", "function"),
        (16, "CURRENT", "constant"),
        (17, "TABLE", "constant"),
        (19, "flush", "method"),
        (21, "run", "function"),
    ]


def test_definitions_that_macros_make_are_defined(chunked: Chunked) -> None:
    """A system call is asked for by its name, not by that of a macro."""
    names = {name for chunk in chunked("a.c", C).chunks for name in chunk.names}

    assert defined("a.c", C) == [
        (1, "read", "function"),
        (5, "lock", "constant"),
        (6, "other", "constant"),
        (7, "items", "constant"),
        (8, "counter", "constant"),
        (9, "setup", "function"),
        (14, "quick", "function"),
        (18, "next_task", "function"),
        (21, "forward_char", "function"),
        (27, "switched", "constant"),
        (31, "strlen", "function"),
    ]
    assert names == {name for _, name, _ in defined("a.c", C)}


def test_a_test_case_goes_by_its_own_name(chunked: Chunked) -> None:
    """Hundreds of functions `TEST_F` are no answer to anything."""
    (case,) = (c for c in chunked("a.cc", "TEST_F(Pool, Grows) {\n  int x;\n}\n").chunks if c.name)

    assert (case.name, case.breadcrumb) == ("Grows", ("Pool",))
    assert defined("a.cc", "TEST_F(Pool, Grows) {\n  int x;\n}\n") == [(1, "Grows", "function")]


KERNEL = """\
static __always_inline __alloc_size(1) void *kmalloc(size_t size, gfp_t flags)
{
\treturn __kmalloc(size, flags);
}
void *kmem_alloc(struct cache *s, gfp_t flags) __assume_slab_alignment __malloc;
__cacheline_aligned DEFINE_RWLOCK(tasklist_lock);
ATOMIC_NOTIFIER_HEAD(panic_list);
EXPORT_SYMBOL(kmalloc);
module_param(size, int, 0644);
#ifdef CONFIG_BACKWARDS
SYSCALL_DEFINE2(clone, unsigned long, flags,
\t\tint __user *, tid)
#else
SYSCALL_DEFINE2(clone, int __user *, tid, unsigned long, flags)
#endif
{
\treturn 0;
}
#define __init __section(".init.text")
#define asmlinkage extern "C"
"""


def test_marks_of_functions_hide_neither_them_nor_their_own_definitions() -> None:
    """`kmalloc` is the first name that one asks a kernel for."""
    assert defined("slab.h", KERNEL) == [
        (1, "kmalloc", "function"),
        (5, "kmem_alloc", "function"),
        (6, "tasklist_lock", "constant"),
        (7, "panic_list", "constant"),
        (11, "clone", "function"),
        (14, "clone", "function"),
        (19, "__init", "constant"),
        (20, "asmlinkage", "constant"),
    ]


BRANCHES = """void poll(int n)
{
#ifdef _WIN32
\tif (wait(n) == FAILED) {
#else /* { */
\tif (poll(n) < 0) {
#endif
\t\tlog("}");
\t}
}

#if 0
int old(void) {
#elif defined(A) && \\
    defined(B)
int one(void) {
#else
#ifdef C
int two(void) {
#else
int three(void) {
#endif
#endif
\treturn 1;
}

#ifdef D
int kept(void) { return 1; }
#else
int too(void) { return 2; }
#endif

int last(void) { return 3; }
"""


@pytest.mark.parametrize("path", ["a.c", "a.cpp", "a.m"])
def test_a_function_ends_where_it_does_in_one_branch(path: str) -> None:
    """Or it would reach to the end of the file, and all behind it would be part of it."""
    outlined = outline_file(path, BRANCHES.encode())

    lines = [(each.start_line, each.end_line) for each in outlined]
    assert lines == [(1, 10), (16, 25), (28, 28), (30, 30), (33, 33)]


NAMESPACES = """QT_BEGIN_NAMESPACE
namespace math {
int one();
WIDE_INTEGER_NAMESPACE_END
}
G_BEGIN_DECLS
void two(void) {}
"""


def test_a_macro_that_opens_a_namespace_is_no_type() -> None:
    """Or what stands below it would be a function `math` of an odd type."""
    outlined = outline_file("a.hpp", NAMESPACES.encode())

    assert [(each.name, each.end_line) for each in outlined] == [
        ("math", 5),
        ("one", 3),
        ("two", 7),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "__user",
        NAMESPACES,
        BRANCHES,
        "#else\n{\n#endif\n}\n#if A\n{\n#else",
        "#if A\n\"{\n#else\n'{'\n{\n#endif\n",
        "DEFINE_X(",
        "DEFINE_X(a, b) {",
        "\nLIST_HEAD(",
        "DEFINE_A(/* ) */ x);",
        C,
        KERNEL,
        RUST,
    ],
)
def test_what_is_parsed_is_as_long_as_the_file(text: str) -> None:
    """Or else every place behind it would be another one."""
    shown = expanded(text.encode())

    assert [len(line) for line in shown.split(b"\n")] == [
        len(line) for line in text.encode().split(b"\n")
    ]
