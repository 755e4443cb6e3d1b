-module(m).
-export([a/1]).
'quoted atom'(X) -> X.
a(X) -> X.
