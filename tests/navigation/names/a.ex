defmodule My.Mod do
  def valid?(x), do: x
  def save!(x), do: x
  def a |> b, do: a
  defmacro unless_it(x), do: x
  def unquote(:"two words")(), do: 1
end
