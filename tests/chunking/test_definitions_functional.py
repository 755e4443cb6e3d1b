"""Haskell and Elixir: what several statements define together is one chunk."""

from collections.abc import Callable

from ggrep.model.files import ChunkedFile

Chunked = Callable[..., ChunkedFile]
Row = tuple[str, str, tuple[str, ...]]

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


def rows(file: ChunkedFile) -> list[Row]:
    """Return type, name and names of the chunks behind the anchor."""
    return [(c.chunk_type, c.qualified_name, c.names) for c in file.chunks[1:]]


def test_haskell_declarations_are_found_with_type_and_name(chunked: Chunked) -> None:
    """Signature and equations answer together; constructors and fields are searched by name."""
    file = chunked("a.hs", HASKELL)

    assert rows(file) == [
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

    assert rows(file) == [
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
