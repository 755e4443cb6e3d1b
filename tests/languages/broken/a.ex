defmodule A do
  def m1 do
    a()
  end

  def m2 do
    b()
%I  end

%M  def m3 do
    c()
  end
end

%Tdefmodule last do
end
