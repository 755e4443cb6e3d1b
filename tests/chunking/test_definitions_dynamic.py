"""Definitions of PHP and Ruby become chunks of the right type and name."""

from collections.abc import Callable

import pytest

from ggrep.model.files import ChunkedFile

Chunked = Callable[..., ChunkedFile]
Row = tuple[str, str, tuple[str, ...]]

PHP = r"""<?php
namespace App\Models;

use Foo\Bar;
use Foo\{Baz, Qux as Q};
require_once __DIR__ . '/a.php';

const TOP = 1, TOP2 = 2;
define('DEFD', 1);

/** doc */
#[Attr]
abstract class User extends Model
{
    use HasFactory;
    public const string B = 'x', B2 = 'y';
    protected $fillable = ['x'], $other;
    public function __construct(private int $x, int $y) {}
    abstract protected function foo();
}
interface I { const C = 1; public function a(); }
trait T { private $tp; }
enum Suit: string { case Hearts = 'H'; public function label() {} }
if (!function_exists('helper')) {
    function helper() {}
}
$arrow = fn($x) => $x;
"""
UNNAMED = r"""<?php
return new class extends Migration
{
    public function up() {}
};
"""
BRACED = r"""<html>
<?php namespace X\Y { function f() {} class C {} } ?>
"""
RUBY = """require 'set'
require_relative '../foo'
# doc
module A
  module B::C
    VERSION, X = '1', 2
    class Foo < Bar
      attr_accessor :a, :b
      delegate :size, to: :list
      alias_method :old, :new
      alias foo bar
      LIMIT = 5
      class << self
        def cm; end
      end
      def self.sm; end
      def ==(o); end
      private def inline; end
      memoize private def mem; end
      define_method(:dyn) { |x| x }
      scope :active, -> { where(a: 1) }
    end
    Point = Struct.new(:x, :y) do
      def dist; end
    end
  end
end
module Mixin
  def mixed; end
end
def top; end
class A::B::D; def x; end; end
included do
  def inside; end
end
def guarded; end unless defined?(Guard)
"""

FOO_NAMES = (
    *("Foo", "a", "b", "size", "old", "foo", "LIMIT", "cm", "sm", "==", "inline", "mem"),
    *("dyn", "active"),
)
GOLDEN: list[tuple[str, str, list[Row]]] = [
    (
        "a.php",
        PHP,
        [
            ("block", "", ("App.Models", "App\\Models", "TOP", "TOP2", "DEFD")),
            (
                "class",
                "App.Models.User",
                ("User", "B", "B2", "fillable", "other", "__construct", "x", "foo"),
            ),
            ("interface", "App.Models.I", ("I", "C", "a")),
            ("class", "App.Models.T", ("T", "tp")),
            ("enum", "App.Models.Suit", ("Suit", "Hearts", "label")),
            ("function", "helper", ("helper",)),
            ("function", "arrow", ("arrow",)),
        ],
    ),
    ("b.php", UNNAMED, [("method", "up", ("up",))]),
    ("c.php", BRACED, [("function", "X.Y.f", ("f", "X.Y")), ("class", "X.Y.C", ("C",))]),
    (
        "a.rb",
        RUBY,
        [
            ("constant", "A.B.C.VERSION", ("VERSION", "X")),
            ("class", "A.B.C.Foo", FOO_NAMES),
            ("class", "A.B.C.Point", ("Point", "dist")),
            ("module", "Mixin", ("Mixin", "mixed")),
            ("function", "top", ("top",)),
            ("class", "A.B.D", ("D", "x")),
            ("function", "inside", ("inside",)),
            ("function", "guarded", ("guarded",)),
        ],
    ),
]


@pytest.mark.parametrize(("path", "source", "rows"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_definitions_are_found_with_type_and_name(
    chunked: Chunked, path: str, source: str, rows: list[Row]
) -> None:
    """Accessors, properties and constants are looked for by name as often as methods are."""
    file = chunked(path, source)

    assert file.method == "tree-sitter"
    found = [(c.chunk_type, c.qualified_name, c.names) for c in file.chunks[1:]]
    assert [row for row in found if row[1] or row in rows] == rows


def test_a_frame_of_modules_is_named_though_its_classes_stand_alone(chunked: Chunked) -> None:
    """Most Ruby files are wrapped in modules; their one chunk would say nothing."""
    names = [c.names for c in chunked("a.rb", RUBY).chunks]

    assert {"A", "C", "VERSION", "X"} <= {name for some in names for name in some}


@pytest.mark.parametrize(
    ("path", "source", "imports"),
    [
        ("a.php", PHP, "Foo.Bar, Foo.Baz, Foo.Qux, /a.php"),
        ("a.rb", RUBY, "set, ../foo"),
    ],
)
def test_the_anchor_names_what_is_imported(
    chunked: Chunked, path: str, source: str, imports: str
) -> None:
    """Which files use a module is asked often, and the anchor answers it."""
    anchor = chunked(path, source).chunks[0]

    assert f"File: {path}\nImports: {imports}\n" in anchor.extra


def test_leading_comments_and_attributes_belong_to_the_class(chunked: Chunked) -> None:
    """The doc comment holds the words that people search with."""
    (user,) = [c for c in chunked("a.php", PHP).chunks if c.name == "User"]

    assert user.text.startswith("/** doc */\n#[Attr]\nabstract class User")


@pytest.mark.parametrize("path", ["a.rb", "a.php"])
def test_broken_source_keeps_its_text(chunked: Chunked, path: str) -> None:
    """People index work in progress."""
    source = (
        "<?php\nclass A {\n  function f( {\n  )) x\n"
        if path == "a.php"
        else "class A\ndef f(\n)) x\n"
    )

    assert ")) x" in "".join(c.text for c in chunked(path, source).chunks[1:])


def test_templates_are_not_read_as_programs(chunked: Chunked) -> None:
    """Markup with Ruby in it has no definitions, and the grammar makes nonsense of it."""
    file = chunked("a.html.erb", "<p><%= title %></p>\n")

    assert (file.language, file.method) == ("erb", "lines")
