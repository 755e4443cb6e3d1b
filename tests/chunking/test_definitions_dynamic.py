"""Definitions of PHP and Ruby become chunks of the right type and name."""

import pytest

from tests.chunking.conftest import Chunked, Row, definitions_of

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
def test_definitions_are_found(chunked: Chunked, path: str, source: str, rows: list[Row]) -> None:
    """Accessors, properties and constants are looked for by name as often as methods are."""
    file = chunked(path, source)

    assert file.method == "tree-sitter"
    results = definitions_of(file)
    assert [row for row in results if row[1] or row in rows] == rows


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
def test_the_anchor_names_imports(chunked: Chunked, path: str, source: str, imports: str) -> None:
    """Which files use a module is asked often, and the anchor answers it."""
    anchor = chunked(path, source).chunks[0]

    assert f"File: {path}\nImports: {imports}\n" in anchor.extra


def test_leading_comments_and_attributes_belong_to_the_class(chunked: Chunked) -> None:
    """The doc comment holds the words that people search with."""
    (user,) = [c for c in chunked("a.php", PHP).chunks if c.name == "User"]

    assert user.text.startswith("/** doc */\n#[Attr]\nabstract class User")


def test_templates_are_not_read_as_programs(chunked: Chunked) -> None:
    """Markup with Ruby in it has no definitions, and the grammar makes nonsense of it."""
    file = chunked("a.html.erb", "<p><%= title %></p>\n")

    assert (file.language, file.method) == ("erb", "lines")


HASKELL = """{-# LANGUAGE X #-}
-- | Says.
module A.B (f) where
import Data.X
import qualified Data.Y as Y

-- | First.
f :: Int -> Int
{-# INLINE f #-}
f 1 = 2
f x | x > 1 = 3
    | otherwise = 4
  where z = 1

-- | A shape.
data T a = C1 { fa :: Int, fb, fc :: a } | C2 Int | a :+ b
newtype N = N { unN :: Int }
-- | Second.
g :: Int
g = 3
class Eq a => Foo a where
  foo :: a -> Int
  foo _ = 1
instance M.Foo (Maybe a) where
  foo x = 1
x <+> y = 1
pattern P :: Int
pattern P = 1
type S = Int
foreign import ccall "sin" c_sin :: Double -> Double
data G a where
  GA, GB :: Int -> G Int
"""
ELIXIR = '''defmodule A.B do
  @moduledoc """
  Says.
  """
  use X, a: 1
  alias A.{B, C}
  @timeout 5
  defstruct [:a, b: 1]
  @type t :: %A{}
  @doc "Runs."
  @spec f(integer) :: integer
  def f(x) when x > 1, do: x
  # other
  def f(x), do: x

  # Private.
  defp g do
    1
  end

  def f(x, y), do: x + y
  defmacro m(x) do
    x
  end

  describe "d" do
    test "t", %{a: b} do
      1
    end
  end

  @doc "Calls."
  @callback cb(t) :: ok
  defguard is_x(a) when a
  def a + b, do: 1
end

defprotocol P do
  def p(x)
end

defimpl P, for: Integer do
  def p(x), do: x
end
'''


def test_haskell_declarations_are_found_with_type_and_name(chunked: Chunked) -> None:
    """Signature and equations answer together; constructors and fields are searched by name."""
    file = chunked("a.hs", HASKELL)

    assert definitions_of(file) == [
        ("block", "", ()),
        ("module", "A.B", ("A.B",)),
        ("block", "", ()),
        ("function", "f", ("f",)),
        ("class", "T", ("T", "C1", "fa", "fb", "fc", "C2", ":+")),
        ("class", "N", ("N", "unN")),
        ("function", "g", ("g",)),
        ("interface", "Foo", ("Foo", "foo")),
        ("class", "Foo (Maybe a)", ("Foo (Maybe a)", "foo")),
        ("function", "<+>", ("<+>",)),
        ("function", "P", ("P",)),
        ("block", "", ("S", "c_sin")),
        ("class", "G", ("G", "GA", "GB")),
    ]
    assert "Imports: Data.X, Data.Y\n" in file.chunks[0].extra


def test_signature_pragma_and_equations_of_a_haskell_function_are_one_chunk(
    chunked: Chunked,
) -> None:
    """The type alone or one case alone does not tell what a function does."""
    f = chunked("a.hs", HASKELL).chunks[4]

    assert f.text.startswith("-- | First.\nf :: Int -> Int\n{-# INLINE f #-}\nf 1 = 2")
    assert f.text.endswith("where z = 1")
    assert f.signature == "f :: Int -> Int"


def test_haskell_behind_else_is_found_as_well(chunked: Chunked) -> None:
    """The grammar takes the branch for one directive; libraries hold half their code there."""
    file = chunked(
        "a.hs",
        "module A where\n#if X\nf :: Int\nf = 1\n#else\n-- | Other.\nf :: Int\nf = 2\n\n"
        "data D = D\n#endif\ng :: Int\ng = 1\n",
    )

    named = [(c.chunk_type, c.name, c.start_line) for c in file.chunks[1:] if c.name]
    assert named == [
        ("module", "A", 1),
        ("function", "f", 3),
        ("function", "f", 6),
        ("class", "D", 10),
        ("function", "g", 12),
    ]


def test_elixir_definitions_are_found_with_type_and_name(chunked: Chunked) -> None:
    """A module's functions stand alone, whatever the module's size."""
    file = chunked("a.ex", ELIXIR)

    assert definitions_of(file) == [
        ("module", "A.B", ("A.B",)),
        ("block", "", ("timeout", "B", "a", "b", "t")),
        ("function", "A.B.f", ("f",)),
        ("function", "A.B.g", ("g",)),
        ("function", "A.B.f", ("f",)),
        ("function", "A.B.m", ("m",)),
        ("module", "A.B.d", ("d", "t")),
        ("function", "A.B.cb", ("cb",)),
        ("function", "A.B.is_x", ("is_x",)),
        ("function", "A.B.+", ("+",)),
        ("interface", "P", ("P", "p")),
        ("class", "P", ("P", "p")),
    ]
    assert "Imports: X, A.B, A.C\n" in file.chunks[0].extra


def test_attributes_and_clauses_of_an_elixir_function_are_one_chunk(chunked: Chunked) -> None:
    """The documentation stands before the first clause, the answer maybe in the last."""
    f = chunked("a.ex", ELIXIR).chunks[3]

    assert f.text.startswith('  @doc "Runs."\n  @spec f(integer)')
    assert f.text.endswith("  # other\n  def f(x), do: x")
    assert f.signature == "def f(x) when x > 1, do: x"
    assert "Runs." in f.doc


def test_more_clauses_than_fit_are_chunks_of_the_same_name(chunked: Chunked) -> None:
    """Tables are written as clauses, hundreds of them; each part has to be found by name."""
    clauses = "".join(f"  def width({i}), do: {i}\n" for i in range(150))
    file = chunked("a.ex", f"defmodule W do\n{clauses}end\n")

    parts = [c for c in file.chunks if c.name == "width"]
    assert len(parts) == 3
    assert all(part.text.lstrip().startswith("def width(") for part in parts)
